-- Whether somebody who has the account's e-mail address has said so. Accounts from before count as
-- confirmed.
alter table accounts add column confirmed_at bigint;
update accounts set confirmed_at = created_at;

-- Whether the daily free quota counts here. Charges read it with the balance, so that it costs them
-- nothing.
alter table balances add column has_free_quota boolean not null default true;

-- Codes that stand in for a lost authenticator app: each works once. Only keyed hashes are stored.
create table recovery_codes (
    person_id text /*bytewise*/ not null,
    hash text /*bytewise*/ not null,
    used_at bigint,
    primary key (person_id, hash)
) /*clustered*/;

-- What is limited per day: how often something was done by somebody, who is stored as a keyed hash.
create table daily_counts (
    day text not null,
    what text not null,
    subject text /*bytewise*/ not null,
    times bigint not null,
    primary key (day, what, subject)
) /*clustered*/;

-- Answers that pages of the console are made of, kept for a day so that reloading is free. Without a
-- status the call is under way.
create table view_answers (
    account_id text /*bytewise*/ not null,
    mode text not null,
    view_hash text /*bytewise*/ not null,
    part text /*bytewise*/ not null,
    operation text not null,
    path text not null,
    asked_at bigint not null,
    expires_at bigint not null,
    status bigint,
    body text,
    primary key (account_id, mode, view_hash, part)
);
create index view_answers_by_end on view_answers (expires_at);
