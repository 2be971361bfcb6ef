-- Rows that a program of schema 10 added: an account with the test credits of a day. All fictitious.
insert into accounts (id, email, name, created_at, confirmed_at) values ('acc_01KEZZ0000NAMVNATRADERS003', 'leela@example.in', 'Namuna Stores', 1768458595000, 1768458595000);
insert into balances (account_id, mode, balance, seq, test_credits_day, quota_day, quota_used, has_free_quota) values ('acc_01KEZZ0000NAMVNATRADERS003', 'live', 0, 0, '', '', 0, true);
insert into balances (account_id, mode, balance, seq, test_credits_day, quota_day, quota_used, has_free_quota) values ('acc_01KEZZ0000NAMVNATRADERS003', 'test', 9990, 2, '2026-01-15', '2026-01-15', 0, true);
insert into entries (account_id, mode, seq, kind, amount, balance_after, at, reference, seal) values ('acc_01KEZZ0000NAMVNATRADERS003', 'test', 1, 'grant', 10000, 10000, 1768458595000, 'test:2026-01-15:0', '36ef0a9718ce9438e17ea417252d1ffc');
insert into entries (account_id, mode, seq, kind, amount, balance_after, at, reference, seal) values ('acc_01KEZZ0000NAMVNATRADERS003', 'test', 2, 'adjustment', -10, 9990, 1768458595000, 'correction-1', '938adf990b8f4ef65fd3115477b672f2');
