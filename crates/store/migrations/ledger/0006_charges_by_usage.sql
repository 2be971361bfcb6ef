-- A request names the entry that charged it, so a charge is found by its request and needs no index of
-- its own. That a request is charged once is kept by the key of its usage row, which is written with it.
alter table usage add column entry_seq bigint;
update usage set entry_seq = (
    select entries.seq from entries
    where entries.account_id = usage.account_id and entries.mode = usage.mode
    and entries.kind = 'charge' and entries.reference = usage.request_id
) where credits > 0;
drop index entries_by_reference;
create unique index entries_by_reference on entries (account_id, mode, kind, reference)
    where kind <> 'charge';
