-- How many rows of an import could not be used, by the source they are of. Of imports before this it is
-- not known.

alter table import_sources add column rows_rejected bigint;
