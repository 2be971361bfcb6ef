-- Rows that a program of schema 9 added: a recovery code, a count and a kept answer. All fictitious.
insert into recovery_codes (person_id, hash, used_at) values
    ('per_01KEZZ0000NAMVNAPERSON0001', 'cafe', null);
insert into daily_counts (day, what, subject, times) values ('2026-01-15', 'sign_ups', 'cafe', 2);
insert into view_answers (account_id, mode, view_hash, part, operation, path, asked_at, expires_at, status, body) values
    ('acc_01KEZZ0000NAMVNATRADERS001', 'live', 'cafe', 'identity', 'getCompany', '/v1/companies/U17110MH2001PTC990501', 1768458600000, 1768545000000, 200, '{}');
