-- The states of a job have the names of the API.
update bulk_jobs set state = 'awaiting_approval' where state = 'draft';
update bulk_jobs set state = 'cancelled' where state = 'stopped';
