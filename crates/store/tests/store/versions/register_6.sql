-- What a program of schema 6 stored: the coverage of a company's sections, and a file it read. All fictitious.
update companies set coverage = '{"charges":{"coverage":"full","as_of":"2026-01-10","source":"panji"}}' where cin = 'U17110MH2001PTC990501';
insert into imported_files (fingerprint, imported_at, change_seq, told) values ('beef', 1768458599000, 1, '{}');
