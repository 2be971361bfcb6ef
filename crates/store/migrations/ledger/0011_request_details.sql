-- What a single request asked for, how it failed and how long it took. Unknown for older requests.
alter table usage add column subject text;
alter table usage add column error_code text;
alter table usage add column duration_us bigint;
