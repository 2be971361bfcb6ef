-- Jobs over the API: the key that pays for a job, empty for the console; how many rows had which
-- result, as JSON; and the idempotency key of the call that created it, empty without one.
alter table bulk_jobs add column key_id text not null default '';
alter table bulk_jobs add column counts text not null default '{}';
alter table bulk_jobs add column request_key text not null default '';
