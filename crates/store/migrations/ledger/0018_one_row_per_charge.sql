-- A charge is stored once, in the usage row of its request: with its number, the balance after it and its
-- seal. When its day is rolled up, it moves to the entries, which have everything else. Charges of earlier
-- versions are entries already; their usage rows have no seal.
alter table usage add column balance_after bigint;
alter table usage add column seal text;
