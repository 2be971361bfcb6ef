-- Matching jobs: what was decided for each row, by the machine and now. `decided_at` is set where a
-- person decided.
create table match_rows (
    account_id text /*bytewise*/ not null,
    job_id text /*bytewise*/ not null,
    row_number bigint not null,
    item_hash text /*bytewise*/ not null,
    decision text not null,
    cin text,
    machine_decision text not null,
    machine_cin text,
    decided_at bigint,
    primary key (account_id, job_id, row_number)
) /*clustered*/;
create index match_rows_by_decision on match_rows (account_id, job_id, decision, row_number);
create index match_rows_by_item on match_rows (account_id, job_id, item_hash);

-- Decisions of people about items of lists, kept for the account and used in its later jobs. Without a
-- CIN none of the rejected companies is meant.
create table match_decisions (
    account_id text /*bytewise*/ not null,
    mode text not null,
    item_hash text /*bytewise*/ not null,
    item text not null,
    cin text,
    rejected text not null,
    person_id text /*bytewise*/ not null,
    decided_at bigint not null,
    primary key (account_id, mode, item_hash)
) /*clustered*/;
create index match_decisions_by_time on match_decisions (account_id, mode, decided_at);
