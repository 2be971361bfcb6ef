-- Rows that a program of schema 3 added: a purchase with its order, event, entry and invoice. All fictitious.
insert into billing_details (account_id, name, address, state_code, gstin) values ('acc_01KEZZ0000NAMVNATRADERS001', 'Namuna Traders', '4 Udaharan Road', '27', '');
insert into orders (id, account_id, provider, credits, total, buyer, created_at, paid_at, payment_id) values ('order_namuna_1', 'acc_01KEZZ0000NAMVNATRADERS001', 'razorpay', 500, 59000, '{"name":"Namuna Traders","address":"4 Udaharan Road","state_code":"27","gstin":""}', 1768458599400, 1768458599500, 'pay_namuna_1');
insert into payment_events (id, order_id, received_at) values ('evt_namuna_1', 'order_namuna_1', 1768458599500);
insert into invoice_numbers (series, financial_year, last_number) values ('PNJ', '2025-26', 1);
insert into invoices (account_id, number, order_id, issued_at, content) values ('acc_01KEZZ0000NAMVNATRADERS001', 'PNJ/2526/0000001', 'order_namuna_1', 1768458599500, '{"total":59000}');
insert into entries (account_id, mode, seq, kind, amount, balance_after, at, reference, seal) values ('acc_01KEZZ0000NAMVNATRADERS001', 'live', 4, 'purchase', 500, 587, 1768458599500, 'order_namuna_1', 'ea56a1141412038ebf733ebbfa98e3e3');
update balances set balance = 587, seq = 4, warn_below = 50 where account_id = 'acc_01KEZZ0000NAMVNATRADERS001' and mode = 'live';
