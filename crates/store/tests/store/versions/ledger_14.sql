-- Rows that a program of schema 14 added: a watch list with a company, and an event that was paid for. All fictitious.
insert into watchlists (account_id, mode, id, name, member_count, created_at) values ('acc_01KEZZ0000NAMVNATRADERS003', 'live', 'wl_01KEZZ0000NAMVNALIST0000001', 'Borrowers', 1, 1768458595000);
insert into watch_members (account_id, mode, watchlist_id, member, kind, added_at) values ('acc_01KEZZ0000NAMVNATRADERS003', 'live', 'wl_01KEZZ0000NAMVNALIST0000001', 'U17110MH2001PTC990501', 'company', 1768458595000);
insert into watched_events (account_id, mode, seq, event_id, type, subject, related, payload, recorded_at, charged_at) values ('acc_01KEZZ0000NAMVNATRADERS003', 'live', 17, 'evt_17', 'company.status_changed', 'U17110MH2001PTC990501', null, '{}', 1768458595000, 1768458595000);
insert into watch_states (account_id, mode, simulated_seq, trimmed_seq, digest, digest_period, digest_seq) values ('acc_01KEZZ0000NAMVNATRADERS003', 'live', 0, 3, 'weekly', '2026-W02', 17);
insert into event_positions (feed, seq, seq_offset) values ('live', 17, 0);
