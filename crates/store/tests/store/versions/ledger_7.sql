-- Rows that a program of schema 7 added: a charge in doubt that never took place. All fictitious.
insert into unresolved_charges (account_id, request_id, mode, price, at) values ('acc_01KEZZ0000NAMVNATRADERS001', 'req_01KEZZ0000NAMVNAREQVEST005', 'live', 10, 1768458599100);
