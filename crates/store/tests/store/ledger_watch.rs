//! Watch lists, and the events that are stored for those who watch a member.

use panji_store::StoreError;
use panji_store::ledger::{
    AddedMember, DigestFrequency, EventFilter, EventPosition, FoundEvents, LIVE_FEED, Ledger, Mode,
    NewWatchedEvent, ReadEvents, WatchLimits, Watcher,
};
use panji_testkit::records::{CIN, DIN};
use panji_testkit::{NOW_MS, on_both_engines, on_every_engine};
use tokio::task::JoinSet;

use super::{DAY_MS, new_account};

pub const LIMITS: WatchLimits = WatchLimits { lists: 3, members: 5 };
const ALL: EventFilter<'_> = EventFilter { watchlist: None, types: &[] };

pub fn event(seq: i64, event_type: &str, subject: &str) -> NewWatchedEvent {
    NewWatchedEvent {
        seq,
        event_id: format!("evt_{seq}"),
        event_type: event_type.to_owned(),
        subject: subject.to_owned(),
        related: None,
        payload: format!("{{\"seq\":{seq}}}"),
        recorded_at: NOW_MS + seq,
    }
}

/// Stores live events for an account, as if a feed had been read.
pub async fn store(ledger: &Ledger, account_id: &str, events: &[NewWatchedEvent]) {
    let position = ledger.find_or_begin_event_position(LIVE_FEED, 0).await.unwrap();
    let to = events.last().map_or(position.seq, |event| event.seq);
    let events: Vec<_> =
        events.iter().map(|event| (account_id.to_owned(), event.clone())).collect();
    assert!(ledger.store_watched_events(LIVE_FEED, position, to, &events).await.unwrap());
}

async fn seqs(
    ledger: &Ledger,
    owner: (&str, Mode),
    after: i64,
    filter: EventFilter<'_>,
) -> Vec<i64> {
    let page = ledger.list_watched_events(owner, after, filter, 100).await.unwrap();
    page.events.iter().map(|event| event.seq).collect()
}

async fn list_with(ledger: &Ledger, owner: (&str, Mode), members: &[(&str, &str)]) -> String {
    let list = ledger.create_watchlist(owner, "Borrowers", LIMITS, NOW_MS).await.unwrap().unwrap();
    ledger.add_watch_members(owner, &list.id, members, LIMITS, NOW_MS).await.unwrap().unwrap();
    list.id
}

#[test]
fn a_list_is_created_renamed_and_deleted_within_its_account_and_mode() {
    on_every_engine(async |databases| {
        let ledger = databases.ledger().await;
        let (account, other) = (new_account(&ledger).await, new_account(&ledger).await);
        let owner = (account.as_str(), Mode::Live);
        let id = list_with(&ledger, owner, &[(CIN, "company"), (DIN, "director")]).await;
        let found = ledger.find_watchlist(owner, &id).await.unwrap().unwrap();
        assert_eq!((found.name.as_str(), found.members), ("Borrowers", 2));
        for other_account in [(account.as_str(), Mode::Test), (other.as_str(), Mode::Live)] {
            assert_eq!(ledger.find_watchlist(other_account, &id).await.unwrap(), None);
            assert_eq!(ledger.rename_watchlist(other_account, &id, "Mine").await.unwrap(), None);
            assert!(!ledger.delete_watchlist(other_account, &id).await.unwrap());
            let added = ledger.add_watch_members(other_account, &id, &[], LIMITS, NOW_MS).await;
            assert_eq!(added.unwrap(), None);
        }
        let renamed = ledger.rename_watchlist(owner, &id, "Suppliers").await.unwrap().unwrap();
        assert_eq!((renamed.name.as_str(), renamed.members), ("Suppliers", 2));
        assert!(ledger.delete_watchlist(owner, &id).await.unwrap());
        assert_eq!(ledger.list_watchlists(owner).await.unwrap(), []);
        assert_eq!(ledger.list_watchers(Mode::Live, &[CIN, DIN]).await.unwrap(), []);
    });
}

#[test]
fn lists_and_members_have_a_limit_that_holds_when_many_add_at_once() {
    on_every_engine(async |databases| {
        let ledger = std::sync::Arc::new(databases.ledger().await);
        let account = new_account(&ledger).await;
        let mut creating = JoinSet::new();
        for _ in 0..8 {
            let (ledger, account) = (ledger.clone(), account.clone());
            creating.spawn(async move {
                let owner = (account.as_str(), Mode::Live);
                ledger.create_watchlist(owner, "One", LIMITS, NOW_MS).await.unwrap()
            });
        }
        let created = creating.join_all().await;
        assert_eq!(created.iter().flatten().count(), 3);
        let owner = (account.as_str(), Mode::Live);
        let id = &created.iter().flatten().next().unwrap().id;
        let members: Vec<String> = (0..6).map(|number| format!("9900050{number}")).collect();
        let members: Vec<(&str, &str)> =
            members.iter().map(|member| (member.as_str(), "director")).collect();
        let too_many = ledger.add_watch_members(owner, id, &members, LIMITS, NOW_MS).await;
        assert!(matches!(too_many, Err(StoreError::Conflict(_))), "{too_many:?}");
        assert_eq!(ledger.list_watch_members(owner, id, "", 10).await.unwrap(), []);
        let five = ledger.add_watch_members(owner, id, &members[..5], LIMITS, NOW_MS).await;
        assert_eq!(five.unwrap().unwrap(), [AddedMember::Added; 5]);
        let again = ledger.add_watch_members(owner, id, &members[..2], LIMITS, NOW_MS).await;
        assert_eq!(again.unwrap().unwrap(), [AddedMember::Present; 2], "a full list accepts it");
        let removed = ledger.remove_watch_members(owner, id, &["99000500", CIN]).await.unwrap();
        assert_eq!(removed.unwrap(), [true, false]);
        let page = ledger.list_watch_members(owner, id, "99000502", 1).await.unwrap();
        assert_eq!(page[0].member, "99000503");
        assert_eq!(ledger.find_watchlist(owner, id).await.unwrap().unwrap().members, 4);
    });
}

#[test]
fn the_watchers_of_many_members_are_found_in_the_mode_of_their_lists() {
    on_every_engine(async |databases| {
        let ledger = databases.ledger().await;
        let (first, second) = (new_account(&ledger).await, new_account(&ledger).await);
        let both = [(CIN, "company"), (DIN, "director")];
        list_with(&ledger, (&first, Mode::Live), &both).await;
        list_with(&ledger, (&first, Mode::Live), &both[..1]).await;
        list_with(&ledger, (&second, Mode::Live), &both[1..]).await;
        list_with(&ledger, (&second, Mode::Test), &both).await;
        let others: Vec<String> = (0..120).map(|number| format!("{number:08}")).collect();
        let mut members: Vec<&str> = others.iter().map(String::as_str).collect();
        members.extend([CIN, DIN]);
        let mut found = ledger.list_watchers(Mode::Live, &members).await.unwrap();
        found.sort();
        let watcher = |member: &str, account: &String| Watcher {
            member: member.to_owned(),
            account_id: account.clone(),
        };
        let mut expected = vec![watcher(CIN, &first), watcher(DIN, &first), watcher(DIN, &second)];
        expected.sort();
        assert_eq!(found, expected, "each once, also where two lists have it");
    });
}

#[test]
fn several_nodes_store_each_page_of_a_feed_once() {
    on_every_engine(async |databases| {
        let ledger = std::sync::Arc::new(databases.ledger().await);
        let account = new_account(&ledger).await;
        ledger.find_or_begin_event_position(LIVE_FEED, 0).await.unwrap();
        let mut nodes = JoinSet::new();
        for _ in 0..4 {
            let (ledger, account) = (ledger.clone(), account.clone());
            nodes.spawn(async move {
                let mut stored = 0;
                loop {
                    let from = ledger.find_event_position(LIVE_FEED).await.unwrap().unwrap();
                    if from.seq >= 50 {
                        return stored;
                    }
                    let page = [
                        (account.clone(), event(from.seq + 3, "filing.added", CIN)),
                        (account.clone(), event(from.seq + 5, "filing.added", CIN)),
                    ];
                    let to = from.seq + 5;
                    let won = ledger.store_watched_events(LIVE_FEED, from, to, &page).await;
                    stored += u32::from(won.unwrap());
                }
            });
        }
        let stored: u32 = nodes.join_all().await.into_iter().sum();
        assert_eq!(stored, 10);
        let owner = (account.as_str(), Mode::Live);
        let expected: Vec<i64> = (0..10).flat_map(|page| [page * 5 + 3, page * 5 + 5]).collect();
        assert_eq!(seqs(&ledger, owner, 0, ALL).await, expected);
        assert_eq!(seqs(&ledger, owner, 45, ALL).await, [48, 50]);
    });
}

#[test]
fn the_numbers_of_events_go_on_after_a_register_was_rebuilt() {
    on_every_engine(async |databases| {
        let ledger = databases.ledger().await;
        let started = ledger.find_or_begin_event_position(LIVE_FEED, 700).await.unwrap();
        assert_eq!(started, EventPosition { seq: 700, offset: 0 });
        assert!(ledger.restart_event_position(LIVE_FEED, started).await.unwrap());
        assert!(!ledger.restart_event_position(LIVE_FEED, started).await.unwrap(), "once");
        let restarted = ledger.find_or_begin_event_position(LIVE_FEED, 9).await.unwrap();
        assert_eq!(restarted, EventPosition { seq: 0, offset: 700 });
    });
}

#[test]
fn the_feed_of_a_restored_register_repeats_no_event_that_an_account_has() {
    on_every_engine(async |databases| {
        let ledger = databases.ledger().await;
        let account = new_account(&ledger).await;
        let events = [event(1, "company.updated", CIN), event(2, "filing.added", CIN)];
        store(&ledger, &account, &events).await;
        let before = ledger.find_or_begin_event_position(LIVE_FEED, 0).await.unwrap();
        assert!(ledger.restart_event_position(LIVE_FEED, before).await.unwrap());
        let restored = ledger.find_or_begin_event_position(LIVE_FEED, 0).await.unwrap();
        // The first one is from before the backup; the other was imported again, at another time.
        let again = NewWatchedEvent { seq: 3, ..events[0].clone() };
        let other = NewWatchedEvent { seq: 4, event_id: "evt_other".into(), ..events[1].clone() };
        let found = [again, other].map(|event| (account.clone(), event));
        assert!(ledger.store_watched_events(LIVE_FEED, restored, 2, &found).await.unwrap());
        assert_eq!(seqs(&ledger, (&account, Mode::Live), 0, ALL).await, [1, 2, 4]);
    });
}

#[test]
fn the_watchers_of_a_member_are_found_without_a_scan_of_the_lists() {
    on_both_engines(async |databases| {
        let ledger = databases.ledger().await;
        let limits = WatchLimits { lists: 3, members: 1_000 };
        // So many that the index is cheaper whether or not the server has counted the rows by now.
        for first in (0..20_000).step_by(1_000) {
            let account = new_account(&ledger).await;
            let owner = (account.as_str(), Mode::Live);
            let list = ledger.create_watchlist(owner, "Borrowers", limits, NOW_MS).await.unwrap();
            let numbers = first..first + 1_000;
            let members: Vec<String> = numbers.map(|number| format!("F{number:05}")).collect();
            let members: Vec<_> = members.iter().map(|one| (one.as_str(), "company")).collect();
            let id = list.unwrap().id;
            ledger.add_watch_members(owner, &id, &members, limits, NOW_MS).await.unwrap();
        }
        let plan = ledger.explain_watchers("F00007").await.unwrap();
        let scan = ["Seq Scan", "SCAN watch_members"].into_iter().find(|scan| plan.contains(scan));
        assert_eq!(scan, None, "{plan}");
        assert!(plan.contains("watch_members_by_member"), "{plan}");
    });
}

#[test]
fn events_are_filtered_by_list_and_type_and_a_page_says_where_it_ends() {
    on_every_engine(async |databases| {
        let ledger = databases.ledger().await;
        let account = new_account(&ledger).await;
        let owner = (account.as_str(), Mode::Live);
        let of_director = list_with(&ledger, owner, &[(DIN, "director")]).await;
        let appointed = NewWatchedEvent {
            related: Some(DIN.to_owned()),
            ..event(3, "director.appointed", CIN)
        };
        let events = [
            event(1, "company.updated", CIN),
            event(2, "company.status_changed", CIN),
            appointed,
            event(4, "director.status_changed", DIN),
            event(9, "filing.added", CIN),
        ];
        store(&ledger, &account, &events).await;
        let watched = EventFilter { watchlist: Some(&of_director), types: &[] };
        assert_eq!(seqs(&ledger, owner, 0, watched).await, [3, 4]);
        let types = ["company.updated", "director.status_changed", "company.status"];
        let typed = EventFilter { watchlist: None, types: &types };
        assert_eq!(seqs(&ledger, owner, 0, typed).await, [1, 4]);
        let both = EventFilter { types: &types, ..watched };
        let page = ledger.list_watched_events(owner, 0, both, 1).await.unwrap();
        assert_eq!((page.events.len(), page.scanned_to, page.more), (1, 9, false));
        let page = ledger.list_watched_events(owner, 0, ALL, 2).await.unwrap();
        assert_eq!((page.events.len(), page.scanned_to, page.more), (2, 2, true));
        let page = ledger.list_watched_events(owner, 9, ALL, 2).await.unwrap();
        assert_eq!((page.events.len(), page.scanned_to, page.more), (0, 9, false));
        let read = ReadEvents { before: i64::MAX, limit: 10 };
        let read = ledger.list_read_events(owner, ALL, read).await.unwrap();
        assert_eq!(read, [], "nothing was paid for");
        assert_eq!(ledger.count_unpaid_events(owner, 100).await.unwrap(), (Some(1), 5));
        let one = ledger.find_watched_event_by_id(owner, "evt_4").await.unwrap().unwrap();
        assert_eq!(one.seq, 4);
    });
}

#[test]
fn a_new_number_takes_the_place_of_the_former_one_on_every_list() {
    on_every_engine(async |databases| {
        let ledger = databases.ledger().await;
        let account = new_account(&ledger).await;
        let owner = (account.as_str(), Mode::Live);
        let (former, present) = (CIN, "L17110MH2001PLC990501");
        let one = list_with(&ledger, owner, &[(former, "company")]).await;
        let both = list_with(&ledger, owner, &[(former, "company"), (present, "company")]).await;
        let from = ledger.find_or_begin_event_position(LIVE_FEED, 0).await.unwrap();
        let renumbered = [(former.to_owned(), present.to_owned())];
        let found = FoundEvents { events: &[], renumbered: &renumbered };
        let stored = ledger.store_events_and_numbers(LIVE_FEED, from, 1, found).await;
        assert!(stored.unwrap());
        for id in [&one, &both] {
            let members = ledger.list_watch_members(owner, id, "", 10).await.unwrap();
            let members: Vec<&str> = members.iter().map(|member| &*member.member).collect();
            assert_eq!(members, [present]);
            assert_eq!(ledger.find_watchlist(owner, id).await.unwrap().unwrap().members, 1);
        }
        assert_eq!(ledger.list_watchlists_of(owner, present).await.unwrap().len(), 2);
        assert_eq!(ledger.list_watchers(Mode::Live, &[former]).await.unwrap(), []);
    });
}

#[test]
fn simulated_events_are_numbered_without_gaps_when_many_add_at_once() {
    on_every_engine(async |databases| {
        let ledger = std::sync::Arc::new(databases.ledger().await);
        let account = new_account(&ledger).await;
        let mut adding = JoinSet::new();
        for _ in 0..6 {
            let (ledger, account) = (ledger.clone(), account.clone());
            adding.spawn(async move {
                let make = |_, seq| event(seq, "charge.created", CIN);
                ledger.add_simulated_events(&account, 3, make).await.unwrap()
            });
        }
        let mut added: Vec<i64> = adding.join_all().await.into_iter().flatten().collect();
        added.sort_unstable();
        assert_eq!(added, (1..=18).collect::<Vec<_>>());
        let owner = (account.as_str(), Mode::Test);
        assert_eq!(seqs(&ledger, owner, 0, ALL).await, added);
        assert_eq!(ledger.newest_watched_event(owner).await.unwrap(), 18);
        assert_eq!(ledger.newest_watched_event((&account, Mode::Live)).await.unwrap(), 0);
    });
}

#[test]
fn old_events_are_deleted_and_it_is_known_up_to_where() {
    on_every_engine(async |databases| {
        let ledger = databases.ledger().await;
        let account = new_account(&ledger).await;
        let owner = (account.as_str(), Mode::Live);
        let mut events = [event(5, "filing.added", CIN), event(6, "filing.added", CIN)];
        events[1].recorded_at = NOW_MS + DAY_MS;
        store(&ledger, &account, &events).await;
        assert_eq!(ledger.delete_expired_watched_events(NOW_MS).await.unwrap(), 0);
        assert_eq!(ledger.find_trimmed_event(owner).await.unwrap(), 0);
        assert_eq!(ledger.delete_expired_watched_events(NOW_MS + 100).await.unwrap(), 1);
        assert_eq!(ledger.find_trimmed_event(owner).await.unwrap(), 5);
        assert_eq!(seqs(&ledger, owner, 0, ALL).await, [6]);
    });
}

#[test]
fn a_digest_is_claimed_once_per_period_and_begins_with_the_next_event() {
    on_every_engine(async |databases| {
        let ledger = databases.ledger().await;
        let account = new_account(&ledger).await;
        store(&ledger, &account, &[event(7, "filing.added", CIN)]).await;
        let daily = DigestFrequency::Daily;
        ledger.set_digest_frequency(&account, daily, "2026-01-15").await.unwrap();
        assert_eq!(ledger.find_digest_frequency(&account).await.unwrap(), daily);
        assert_eq!(ledger.list_due_digests(daily, "2026-01-15", "").await.unwrap(), []);
        let due = ledger.list_due_digests(daily, "2026-01-16", "").await.unwrap();
        assert_eq!((due.len(), due[0].seq), (1, 7));
        assert!(ledger.claim_digest(&due[0], "2026-01-16").await.unwrap());
        assert!(!ledger.claim_digest(&due[0], "2026-01-16").await.unwrap());
        assert_eq!(ledger.list_due_digests(daily, "2026-01-16", "").await.unwrap(), []);
        ledger.finish_digest(&account, 9).await.unwrap();
        let due = ledger.list_due_digests(daily, "2026-01-17", "").await.unwrap();
        assert_eq!(due[0].seq, 9);
        let weekly = DigestFrequency::Weekly;
        assert_eq!(ledger.list_due_digests(weekly, "2026-W03", "").await.unwrap(), []);
        ledger.set_digest_frequency(&account, DigestFrequency::Off, "").await.unwrap();
        assert_eq!(ledger.list_due_digests(daily, "2026-01-17", "").await.unwrap(), []);
    });
}
