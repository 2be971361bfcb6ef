-- Charges whose commit was never confirmed and whose caller was told that the call failed. A row is removed
-- once its charge is known to have failed or was refunded; the audit reports what is left.
create table unresolved_charges (
    account_id text /*bytewise*/ not null,
    request_id text /*bytewise*/ not null,
    mode text not null,
    price bigint not null,
    at bigint not null,
    primary key (account_id, request_id)
) /*clustered*/;

-- The headers that belong to a kept answer, one "name: value" a line.
alter table idempotency add column headers text not null default '';
