-- What a program of schema 6 noted of an import: a file that was cut off. All fictitious.
update imports set failed_files = 1, first_failure = 'namuna.csv.gz: it ends too early' where import_id = 'imp_01KEZZ0000NAMVNAIMPORT0002';
