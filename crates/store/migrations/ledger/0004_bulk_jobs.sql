-- Bulk jobs of the console: lists of identifiers, worked off in chunks.

create table bulk_jobs (
    account_id text /*bytewise*/ not null,
    id text /*bytewise*/ not null,
    mode text not null,
    task text not null,
    name text not null,
    state text not null,
    note text not null,
    highest_price bigint not null,
    credits bigint not null,
    row_count bigint not null,
    rows_done bigint not null,
    chunk_count bigint not null,
    chunks_done bigint not null,
    created_at bigint not null,
    ended_at bigint,
    -- Who works on it and until when that holds; whose turn it is.
    lease_holder text not null,
    lease_until bigint not null,
    worked_at bigint not null,
    primary key (account_id, id)
) /*clustered*/;
create index bulk_jobs_by_state on bulk_jobs (state, worked_at);

-- The rows of a job, some hundred at a time: what was sent, and what came of it.
create table bulk_chunks (
    account_id text /*bytewise*/ not null,
    job_id text /*bytewise*/ not null,
    number bigint not null,
    input text not null,
    output text,
    primary key (account_id, job_id, number)
) /*clustered*/;

-- An answer that is held is kept until the chunk that it is for is written, however long that takes.
alter table idempotency add column held boolean not null default false;
