-- Webhooks. Their secrets are derived from `nonce`; during a rotation those from `previous_nonce` are valid
-- too. `position` is the number of the last event that was queued, `seen_seq` of the newest one that was known
-- when the webhook was last worked on, and `due_at` when something must be sent next. `types` without words
-- means all.
create table webhooks (
    account_id text /*bytewise*/ not null,
    mode text not null,
    id text /*bytewise*/ not null,
    url text not null,
    description text not null,
    watchlist_id text /*bytewise*/,
    types text not null,
    nonce text not null,
    previous_nonce text,
    previous_until bigint,
    created_at bigint not null,
    disabled_at bigint,
    disabled_reason text,
    position bigint not null,
    seen_seq bigint not null,
    due_at bigint not null,
    worked_at bigint not null,
    lease_holder text not null,
    lease_until bigint not null,
    primary key (account_id, id)
) /*clustered*/;

-- Events that a webhook has not accepted yet. What follows waits behind `position`.
create table webhook_deliveries (
    account_id text /*bytewise*/ not null,
    webhook_id text /*bytewise*/ not null,
    seq bigint not null,
    subject text /*bytewise*/ not null,
    attempts bigint not null,
    next_attempt_at bigint not null,
    primary key (account_id, webhook_id, seq)
) /*clustered*/;

-- What was sent to a webhook, and how it answered. A test has no `seq`.
create table webhook_attempts (
    account_id text /*bytewise*/ not null,
    webhook_id text /*bytewise*/ not null,
    id text /*bytewise*/ not null,
    seq bigint,
    event_id text /*bytewise*/ not null,
    event_type text not null,
    subject text,
    number bigint not null,
    at bigint not null,
    status bigint,
    error text,
    duration_ms bigint not null,
    primary key (account_id, webhook_id, id)
) /*clustered*/;
create index webhook_attempts_by_time on webhook_attempts (at);

-- Finds an event that is to be sent again.
create index watched_events_by_id on watched_events (account_id, mode, event_id);
