-- Rows that a program of schema 7 added: an LEI, its parent and the parent's name. All fictitious.
insert into company_leis (cin, lei, legal_name, entity_status, registration_status, next_renewal_on, as_of, source) values ('U17110MH2001PTC990501', '98450099PANJI0000184', 'UDAHARAN TEXTILES PRIVATE LIMITED', 'active', 'issued', '2026-05-08', '2026-01-10', 'gleif');
insert into lei_parents (lei, relation, parent_lei, active, as_of, source) values ('98450099PANJI0000184', 'direct', '98450099PANJI0000281', true, '2026-01-10', 'gleif');
insert into lei_entities (lei, name, country, as_of, source) values ('98450099PANJI0000281', 'Beispiel Textil GmbH', 'DE', '2026-01-10', 'gleif');
insert into holdings (resource, source, records, newest_as_of) values ('lei', 'gleif', 1, '2026-01-10'), ('lei_parent', 'gleif', 1, '2026-01-10'), ('lei_entity', 'gleif', 1, '2026-01-10');
