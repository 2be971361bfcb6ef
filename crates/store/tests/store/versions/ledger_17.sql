-- Rows that a program of schema 17 added: an identity at a provider and a passkey. All fictitious.
insert into sso_identities (account_id, issuer, subject, person_id, created_at, last_used_at) values ('acc_01KEZZ0000NAMVNATRADERS001', 'https://id.example.in', 'asha-1', 'per_01KEZZ0000NAMVNAPERSON0001', 1768458599700, 1768458599800);
insert into passkeys (person_id, id, public_key, sign_count, name, created_at, last_used_at) values ('per_01KEZZ0000NAMVNAPERSON0001', 'bmFtdW5h', 'a2V5', 7, 'Laptop', 1768458599700, null);
