-- A charge is stored once, in the usage row of its request: with its number, the balance after it and its
-- seal. When its day is rolled up, it moves to the entries, which have everything else.
alter table usage add column balance_after bigint;
alter table usage add column seal text;
update usage set
    balance_after = (
        select entries.balance_after from entries
        where entries.account_id = usage.account_id and entries.mode = usage.mode
        and entries.seq = usage.entry_seq and entries.reference = usage.request_id
    ),
    seal = (
        select entries.seal from entries
        where entries.account_id = usage.account_id and entries.mode = usage.mode
        and entries.seq = usage.entry_seq and entries.reference = usage.request_id
    )
    where entry_seq is not null;
delete from entries where kind = 'charge' and exists (
    select 1 from usage
    where usage.account_id = entries.account_id and usage.request_id = entries.reference
    and usage.mode = entries.mode and usage.entry_seq = entries.seq and usage.seal is not null
);
