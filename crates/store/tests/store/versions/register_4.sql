-- Rows that a program of schema 4 added: a half-year from a filing, and a symbol read from it. All fictitious.
insert into financial_years (cin, to_date, basis, period_type, filing, financial_year, from_date, filed_on, filed_at, filing_number, revenue, exceptional_items, profit, total_assets, flags, as_of, source) values ('U17110MH2001PTC990501', '2024-09-30', 'standalone', 'half_year', 'c0ffee', '2024-25', '2024-04-01', '2024-11-05', '2024-11-05T12:30:00Z', 990501, 6100000000, -2000000, 450000000, 9800000000, '[]', '2026-01-10', 'xbrl');
insert into holdings (resource, source, records, newest_as_of) values ('financial_year', 'xbrl', 1, '2026-01-10');
insert into listed_symbols (symbol, cin, as_of) values ('UDAHARAN', 'U17110MH2001PTC990501', '2026-01-10');
