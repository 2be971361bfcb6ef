-- Rows that a program of schema 6 added: a call that failed, which names no entry. All fictitious.
insert into usage (account_id, request_id, mode, key_id, operation, status, credits, free, at, day, entry_seq) values ('acc_01KEZZ0000NAMVNATRADERS001', 'req_01KEZZ0000NAMVNAREQVEST004', 'live', 'key_01KEZZ0000NAMVNAKEY0000001', 'getCompany', 404, 0, false, 1768458599000, '2026-01-15', null);
