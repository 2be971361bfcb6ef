-- Watch lists. Events of their members are collected for the account.
create table watchlists (
    account_id text /*bytewise*/ not null,
    mode text not null,
    id text /*bytewise*/ not null,
    name text not null,
    member_count bigint not null,
    created_at bigint not null,
    primary key (account_id, mode, id)
) /*clustered*/;

-- A member is a CIN, an LLPIN, an FCRN, a DIN or a GSTIN; `kind` says which.
create table watch_members (
    account_id text /*bytewise*/ not null,
    mode text not null,
    watchlist_id text /*bytewise*/ not null,
    member text /*bytewise*/ not null,
    kind text not null,
    added_at bigint not null,
    primary key (account_id, mode, watchlist_id, member)
) /*clustered*/;
-- Finds who watches a member.
create index watch_members_by_member on watch_members (mode, member, account_id);

-- The events of an account, in order. `payload` is the event as the API shows it. With `charged_at`
-- the account has paid for it and may read it in any way.
create table watched_events (
    account_id text /*bytewise*/ not null,
    mode text not null,
    seq bigint not null,
    event_id text /*bytewise*/ not null,
    type text not null,
    subject text /*bytewise*/ not null,
    related text /*bytewise*/,
    payload text not null,
    recorded_at bigint not null,
    charged_at bigint,
    primary key (account_id, mode, seq)
) /*clustered*/;

-- What is kept about the watching of an account: the number of its newest simulated event, up to
-- where its events were deleted because of their age, and its mail digest: how often, for which
-- period the last one was sent, and up to which event.
create table watch_states (
    account_id text /*bytewise*/ not null,
    mode text not null,
    simulated_seq bigint not null default 0,
    trimmed_seq bigint not null default 0,
    digest text not null default 'off',
    digest_period text not null default '',
    digest_seq bigint not null default 0,
    primary key (account_id, mode)
) /*clustered*/;
create index watch_states_by_digest on watch_states (digest, account_id);

-- Up to where a register's change feed was read for watchers. A rebuilt register counts from 1
-- again; `seq_offset` is added, so that the numbers of an account's events always rise.
create table event_positions (
    feed text not null,
    seq bigint not null,
    seq_offset bigint not null,
    primary key (feed)
) /*clustered*/;
