-- What a single request called, why it failed, and who made it in the console. Unknown for older requests.
alter table usage add column target text;
alter table usage add column error_message text;
alter table usage add column person_id text;

-- Where a key was last used and for what, and when its owners were told that it expires.
alter table api_keys add column last_used_address text;
alter table api_keys add column last_used_operation text;
alter table api_keys add column expiry_warned_at bigint;
create index api_keys_by_expiry on api_keys (expires_at);

-- Minutes of each hour, by what the nodes found. `hour` counts hours of Indian time since 1970.
create table health_hours (
    hour bigint not null,
    operational bigint not null,
    degraded bigint not null,
    down bigint not null,
    primary key (hour)
);
