-- Rows that a program of schema 3 added: an import with the rejects of each source. All fictitious.
insert into imports (import_id, started_at, noted_at, finished, files, rows_read, records_new, records_changed, records_unchanged, records_older, rows_rejected, reasons) values ('imp_01KEZZ0000NAMVNAIMPORT0002', 1768458600000, 1768458601000, true, 2, 3, 0, 0, 0, 0, 3, '{"no JSON":3}');
insert into import_sources (source, import_id, rows_rejected) values ('xbrl', 'imp_01KEZZ0000NAMVNAIMPORT0002', 3);
