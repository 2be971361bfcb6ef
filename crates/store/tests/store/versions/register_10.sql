-- A program of schema 10 stores an event with its values, and when the first import of a source ended. All fictitious.
insert into changes (seq, resource, record_key, fields, changed_at, source, event_type, subject, related, old_values, new_values, as_of) select seq + 1, 'company', 'U17110MH2001PTC990501', 'status', 1768000100000, 'panji', 'company.status_changed', 'U17110MH2001PTC990501', null, '{"status":"dormant"}', '{"status":"active"}', '2026-01-10' from change_head where id = 1;
update change_head set seq = seq + 1 where id = 1;
insert into event_sources (resource, source, since) values ('filing', 'namuna', 1768000000000);
