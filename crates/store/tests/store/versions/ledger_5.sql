-- Rows that a program of schema 5 added: a line of the audit log. All fictitious.
insert into audit_log (seq, at, actor, action, account_id, subject, details, seal) values (1, 1768458599950, 'cli:1000@namuna', 'credits.grant', 'acc_01KEZZ0000NAMVNATRADERS001', 'acc_01KEZZ0000NAMVNATRADERS001', '{"amount":100}', '0cd85c2baf8394e6f69cf0ba1b6c4c28');
update audit_log_head set seq = 1 where id = 1;
