-- Rows that a program of schema 8 added: a refund of a payment that bought nothing. All fictitious.
insert into payment_refunds (id, account_id, order_id, payment_id, amount, credits, taken, at) values ('rfnd_namuna_1', 'acc_01KEZZ0000NAMVNATRADERS001', 'order_namuna_1', 'pay_namuna_2', 59000, 500, null, 1768458599600);
