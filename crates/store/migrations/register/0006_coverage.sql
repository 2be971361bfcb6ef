-- What the sources state about the sections of a company. Companies from before have no statement:
-- the record of imported files is cleared, so that importing the same files again adds them.

alter table companies add column coverage text not null default '{}';
delete from imported_files;
