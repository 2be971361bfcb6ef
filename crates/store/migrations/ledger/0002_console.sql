-- The console: people, the accounts they belong to, their sessions and the links mailed to them.

alter table accounts add column operator_since bigint;

-- A person without a password hash has been invited or belongs to an account that the operator
-- made, and sets one by a mailed link. The second factor's secret is derived from its nonce and
-- the ledger's secret, so that the table alone gives none away.
create table people (
    id text /*bytewise*/ not null,
    email text not null,
    name text not null,
    password_hash text,
    totp_nonce text,
    totp_since bigint,
    totp_last_step bigint not null,
    created_at bigint not null,
    primary key (id)
);
create unique index people_by_email on people (email);

create table members (
    account_id text /*bytewise*/ not null,
    person_id text /*bytewise*/ not null,
    role text not null,
    added_at bigint not null,
    primary key (account_id, person_id)
) /*clustered*/;
create index members_by_person on members (person_id, account_id);

-- Sessions are found by the keyed hash of their cookie; the cookie itself is stored nowhere.
create table sessions (
    hash text /*bytewise*/ not null,
    person_id text /*bytewise*/ not null,
    account_id text not null,
    mode text not null,
    created_at bigint not null,
    seen_at bigint not null,
    expires_at bigint not null,
    address text not null,
    agent text not null,
    primary key (hash)
);
create index sessions_by_person on sessions (person_id);
create index sessions_by_end on sessions (expires_at);

-- Links work once, for what they were made, until they expire. They too are found by keyed hash.
create table links (
    hash text /*bytewise*/ not null,
    purpose text not null,
    email text not null,
    account_id text not null,
    role text not null,
    created_at bigint not null,
    expires_at bigint not null,
    used_at bigint,
    primary key (hash)
);
create index links_by_account on links (account_id, purpose, email);
create index links_by_end on links (expires_at);
