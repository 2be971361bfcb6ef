-- Rows that a program of schema 8 added: two numbers that an operator declared to be of different companies. All fictitious.
insert into company_joins (former_cin, cin, decision, basis, record, decided_at) values ('U17110MH2001PLC990509', 'U17110MH2001PTC990501', 'different', 'operator', null, 1768000000000);
