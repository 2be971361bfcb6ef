-- Files that an import could not read, or not to their end. Imports before this count none.

alter table imports add column failed_files bigint not null default 0;
alter table imports add column first_failure text;
