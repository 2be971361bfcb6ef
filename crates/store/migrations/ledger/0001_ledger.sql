-- The ledger: accounts, keys, credits, usage. Instants are milliseconds since 1970, given by the
-- program. Every key begins with the account, except where a row is found by a hash.

create table accounts (
    id text /*bytewise*/ not null,
    email text not null,
    name text not null,
    created_at bigint not null,
    suspended_at bigint,
    primary key (id)
);
create unique index accounts_by_email on accounts (email);

-- Keys are found by their keyed hash; the key itself is stored nowhere.
create table api_keys (
    hash text /*bytewise*/ not null,
    id text not null,
    account_id text not null,
    mode text not null,
    name text not null,
    hint text not null,
    created_at bigint not null,
    expires_at bigint,
    revoked_at bigint,
    last_used_at bigint,
    allowed_addresses text not null,
    allowed_operations text not null,
    monthly_cap bigint,
    primary key (hash)
);
create unique index api_keys_by_id on api_keys (id);
create index api_keys_by_account on api_keys (account_id, created_at);

-- One row per account and mode. Its lock orders everything that spends or grants.
create table balances (
    account_id text /*bytewise*/ not null,
    mode text not null,
    balance bigint not null check (balance >= 0),
    seq bigint not null,
    play_day text not null,
    quota_day text not null,
    quota_used bigint not null,
    primary key (account_id, mode)
) /*clustered*/;

-- Append-only. Numbered without gaps per account and mode, each with the balance after it and a
-- keyed seal over all of its fields, so that a changed, added or missing entry is found.
create table entries (
    account_id text /*bytewise*/ not null,
    mode text not null,
    seq bigint not null,
    kind text not null,
    amount bigint not null,
    balance_after bigint not null,
    at bigint not null,
    reference text not null,
    seal text not null,
    primary key (account_id, mode, seq)
) /*clustered*/;
create unique index entries_by_reference on entries (account_id, mode, kind, reference);

-- One row per answered request.
create table usage (
    account_id text /*bytewise*/ not null,
    request_id text /*bytewise*/ not null,
    mode text not null,
    key_id text not null,
    operation text not null,
    status bigint not null,
    credits bigint not null,
    free boolean not null,
    at bigint not null,
    day text not null,
    primary key (account_id, request_id)
) /*clustered*/;

-- Usage rows past their age, summed up.
create table usage_by_day (
    account_id text /*bytewise*/ not null,
    mode text not null,
    day text not null,
    operation text not null,
    key_id text not null,
    status bigint not null,
    calls bigint not null,
    free_calls bigint not null,
    credits bigint not null,
    primary key (account_id, mode, day, operation, key_id, status)
) /*clustered*/;

-- What a key with a monthly cap has spent.
create table key_spending (
    account_id text /*bytewise*/ not null,
    key_id text not null,
    month text not null,
    spent bigint not null,
    primary key (account_id, key_id, month)
) /*clustered*/;

-- First answers of requests that carried an idempotency key.
create table idempotency (
    account_id text /*bytewise*/ not null,
    mode text not null,
    idempotency_key text /*bytewise*/ not null,
    fingerprint text not null,
    request_id text not null,
    started_at bigint not null,
    credits_charged bigint,
    credits_remaining bigint,
    data text,
    primary key (account_id, mode, idempotency_key)
) /*clustered*/;

create table settings (
    name text not null,
    value text not null,
    primary key (name)
);
