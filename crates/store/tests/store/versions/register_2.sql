-- Rows that a program of schema 2 added: an import with a reject, and the file it read. All fictitious.
insert into imports (import_id, started_at, noted_at, finished, files, rows_read, records_new, records_changed, records_unchanged, records_older, rows_rejected, reasons) values ('imp_01KEZZ0000NAMVNAIMPORT0001', 1768458598000, 1768458599000, true, 1, 14, 13, 0, 0, 0, 1, '{"no JSON":1}');
insert into import_sources (source, import_id) values ('panji', 'imp_01KEZZ0000NAMVNAIMPORT0001');
insert into import_rejects (import_id, number, file, line, reason, raw) values ('imp_01KEZZ0000NAMVNAIMPORT0001', 1, 'namuna.jsonl', 14, 'no JSON', 'hello');
insert into imported_files (fingerprint, imported_at, change_seq, told) values ('cafe', 1768458599000, 1, '{}');
