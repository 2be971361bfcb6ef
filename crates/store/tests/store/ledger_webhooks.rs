//! Webhooks: leases, the order of a subject, bounded queues, retries and disabling.

use std::sync::Arc;

use panji_store::ledger::{
    AttemptPage, Delivery, DeliveryOutcome, DisabledReason, Ledger, MAX_OPEN, Mode, NewAttempt,
    NewWatchedEvent, NewWebhook, ROTATION_MS, Webhook, WebhookChange, WebhookLease,
};
use panji_store::{StoreError, ledger};
use panji_testkit::{NOW_MS, on_every_engine};
use tokio::task::JoinSet;

use super::ledger_watch::store;
use super::new_account;

pub const FIRST: &str = "U17110MH2001PTC990501";
pub const SECOND: &str = "U17110MH2001PTC990502";
const LEASE_MS: i64 = 1_000;

pub fn event(seq: i64, subject: &str) -> NewWatchedEvent {
    NewWatchedEvent {
        seq,
        event_id: format!("evt_{seq}"),
        event_type: "company.status_changed".into(),
        subject: subject.into(),
        related: None,
        payload: format!("{{\"seq\":{seq}}}"),
        recorded_at: NOW_MS + seq,
    }
}

fn new_webhook(account_id: &str) -> NewWebhook<'_> {
    NewWebhook {
        account_id,
        mode: Mode::Live,
        url: "https://example.com/panji",
        description: "risk team",
        watchlist_id: None,
        types: &[],
        nonce: "first",
        most: 3,
    }
}

pub async fn create(ledger: &Ledger, account_id: &str) -> Webhook {
    ledger.create_webhook(&new_webhook(account_id), NOW_MS).await.unwrap()
}

pub async fn lease_due(ledger: &Ledger, holder: &str, now_ms: i64) -> Vec<WebhookLease> {
    ledger.lease_webhooks(holder, (now_ms, LEASE_MS), 10).await.unwrap()
}

/// Leases the only webhook that is due and fills its queue.
pub async fn lease_filled(ledger: &Ledger, now_ms: i64) -> WebhookLease {
    let mut leases = lease_due(ledger, "node", now_ms).await;
    assert_eq!(leases.len(), 1);
    let mut lease = leases.remove(0);
    ledger.fill_webhook_queue(&mut lease).await.unwrap();
    lease
}

pub async fn due(ledger: &Ledger, lease: &WebhookLease, now_ms: i64) -> Vec<Delivery> {
    ledger.list_due_deliveries(&lease.webhook, now_ms, 100).await.unwrap()
}

pub async fn due_seqs(ledger: &Ledger, lease: &WebhookLease, now_ms: i64) -> Vec<i64> {
    due(ledger, lease, now_ms).await.iter().map(|delivery| delivery.seq).collect()
}

fn attempt(delivery: &Delivery, status: i64) -> NewAttempt {
    let event = delivery.event.as_ref().unwrap();
    NewAttempt {
        seq: Some(delivery.seq),
        event_id: event.event_id.clone(),
        event_type: event.event_type.clone(),
        subject: Some(delivery.subject.clone()),
        number: delivery.attempts + 1,
        at: NOW_MS,
        status: Some(status),
        error: (status != 200).then(|| format!("the status is {status}")),
        duration_ms: 12,
    }
}

/// Records the same outcome for all deliveries that are due.
pub async fn finish(ledger: &Ledger, lease: &WebhookLease, now_ms: i64, outcome: DeliveryOutcome) {
    let status = if outcome == DeliveryOutcome::Delivered { 200 } else { 500 };
    let ended: Vec<_> = due(ledger, lease, now_ms)
        .await
        .iter()
        .map(|one| (attempt(one, status), outcome))
        .collect();
    ledger.record_webhook_attempts(lease, &ended, now_ms).await.unwrap();
}

pub async fn release(ledger: &Ledger, lease: &WebhookLease) {
    ledger.release_webhook(lease, 0).await.unwrap();
}

pub async fn find(ledger: &Ledger, webhook: &Webhook) -> Webhook {
    let owner = (webhook.account_id.as_str(), webhook.mode);
    ledger.find_webhook(owner, &webhook.id).await.unwrap().unwrap()
}

fn change(webhook: &Webhook, enabled: bool) -> WebhookChange {
    WebhookChange {
        url: webhook.url.clone(),
        description: webhook.description.clone(),
        watchlist_id: webhook.watchlist_id.clone(),
        types: webhook.types.clone(),
        enabled,
    }
}

#[test]
fn a_webhook_belongs_to_its_account_and_mode_and_their_number_is_limited() {
    on_every_engine(async |databases| {
        let ledger = Arc::new(databases.ledger().await);
        let (account, other) = (new_account(&ledger).await, new_account(&ledger).await);
        let webhook = create(&ledger, &account).await;
        let owner = (account.as_str(), Mode::Live);
        assert_eq!(ledger.list_webhooks(owner, 10).await.unwrap(), std::slice::from_ref(&webhook));
        for outsider in [(account.as_str(), Mode::Test), (other.as_str(), Mode::Live)] {
            assert_eq!(ledger.find_webhook(outsider, &webhook.id).await.unwrap(), None);
            assert_eq!(ledger.list_webhooks(outsider, 10).await.unwrap(), []);
        }
        let mut creating = JoinSet::new();
        for _ in 0..8 {
            let (ledger, account) = (ledger.clone(), account.clone());
            creating
                .spawn(async move { ledger.create_webhook(&new_webhook(&account), NOW_MS).await });
        }
        let created = creating.join_all().await;
        assert_eq!(created.iter().filter(|created| created.is_ok()).count(), 2);
        assert!(
            created.iter().all(|one| matches!(one, Ok(_) | Err(StoreError::Conflict(_)))),
            "{created:?}"
        );
        assert!(ledger.delete_webhook(&webhook).await.unwrap());
        assert!(!ledger.delete_webhook(&webhook).await.unwrap());
        create(&ledger, &account).await;
    });
}

#[test]
fn a_rotation_keeps_the_secrets_from_before_for_a_day() {
    on_every_engine(async |databases| {
        let ledger = databases.ledger().await;
        let webhook = create(&ledger, &new_account(&ledger).await).await;
        assert!(ledger.rotate_webhook(&webhook, "second", NOW_MS).await.unwrap());
        let rotated = find(&ledger, &webhook).await;
        assert_eq!(rotated.nonce, "second");
        assert_eq!(rotated.previous, Some(("first".into(), NOW_MS + ROTATION_MS)));
        let keys = |nonce: &str| ledger.webhook_keys(&webhook.id, nonce);
        assert_ne!(keys("first").secret, keys("second").secret);
        assert_ne!(keys("first").secret, keys("first").seed);
        assert_eq!(keys("first").secret, keys("first").secret);
        assert_ne!(keys("first").secret, ledger.webhook_keys("we_other", "first").secret);
    });
}

#[test]
fn only_events_after_its_creation_are_sent_to_a_webhook() {
    on_every_engine(async |databases| {
        let ledger = databases.ledger().await;
        let account = new_account(&ledger).await;
        store(&ledger, &account, &[event(1, FIRST)]).await;
        create(&ledger, &account).await;
        let lease = lease_filled(&ledger, NOW_MS).await;
        assert!(due_seqs(&ledger, &lease, NOW_MS).await.is_empty());
        release(&ledger, &lease).await;
        assert_eq!(lease_due(&ledger, "node", NOW_MS).await, [], "nothing is due");
        store(&ledger, &account, &[event(2, FIRST), event(3, SECOND)]).await;
        let lease = lease_filled(&ledger, NOW_MS).await;
        let deliveries = due(&ledger, &lease, NOW_MS).await;
        let payloads: Vec<&str> =
            deliveries.iter().map(|one| one.event.as_ref().unwrap().payload.as_str()).collect();
        assert_eq!(payloads, ["{\"seq\":2}", "{\"seq\":3}"]);
    });
}

#[test]
fn a_webhook_has_one_sender_at_a_time_and_is_taken_over_when_the_lease_expires() {
    on_every_engine(async |databases| {
        let ledger = Arc::new(databases.ledger().await);
        let account = new_account(&ledger).await;
        create(&ledger, &account).await;
        let mut leasing = JoinSet::new();
        for node in 0..8 {
            let ledger = ledger.clone();
            leasing.spawn(async move { lease_due(&ledger, &format!("node {node}"), NOW_MS).await });
        }
        let leased = leasing.join_all().await;
        let leased: Vec<&WebhookLease> = leased.iter().flatten().collect();
        assert_eq!(leased.len(), 1);
        store(&ledger, &account, &[event(1, FIRST)]).await;
        let mut lost = leased[0].clone();
        ledger.fill_webhook_queue(&mut lost).await.unwrap();
        assert_eq!(lease_due(&ledger, "other", NOW_MS + LEASE_MS).await, []);
        // The node was killed: another one continues.
        let later = NOW_MS + LEASE_MS + 1;
        let taken = lease_due(&ledger, "other", later).await.remove(0);
        assert_eq!(due_seqs(&ledger, &taken, later).await, [1]);
        // What the first node reports late is kept, but changes nothing.
        finish(&ledger, &lost, later, DeliveryOutcome::Delivered).await;
        assert_eq!(due_seqs(&ledger, &taken, later).await, [1]);
        assert!(!ledger.renew_webhook_lease_and_reload(&mut lost, later).await.unwrap());
        release(&ledger, &lost).await;
        assert_eq!(lease_due(&ledger, "third", later).await, []);
        finish(&ledger, &taken, later, DeliveryOutcome::Delivered).await;
        assert!(due_seqs(&ledger, &taken, later).await.is_empty());
        let page = AttemptPage { before: None, limit: 10 };
        let attempts = ledger.list_webhook_attempts(&taken.webhook, page).await.unwrap();
        assert_eq!(attempts.len(), 2);
    });
}

#[test]
fn the_events_of_a_subject_stay_in_order_and_other_subjects_go_on() {
    on_every_engine(async |databases| {
        let ledger = databases.ledger().await;
        let account = new_account(&ledger).await;
        create(&ledger, &account).await;
        let events = [event(1, FIRST), event(2, SECOND), event(3, FIRST), event(4, SECOND)];
        store(&ledger, &account, &events).await;
        let lease = lease_filled(&ledger, NOW_MS).await;
        let first = due(&ledger, &lease, NOW_MS).await;
        assert_eq!(first.iter().map(|one| one.seq).collect::<Vec<_>>(), [1, 2]);
        let ended = [
            (attempt(&first[0], 500), DeliveryOutcome::Retry(NOW_MS + 5_000)),
            (attempt(&first[1], 200), DeliveryOutcome::Delivered),
        ];
        ledger.record_webhook_attempts(&lease, &ended, NOW_MS).await.unwrap();
        assert_eq!(due_seqs(&ledger, &lease, NOW_MS).await, [4], "3 waits for 1");
        finish(&ledger, &lease, NOW_MS, DeliveryOutcome::Delivered).await;
        release(&ledger, &lease).await;
        assert_eq!(
            lease_due(&ledger, "node", NOW_MS + 4_999).await,
            [],
            "not due before the pause ends"
        );
        let lease = lease_filled(&ledger, NOW_MS + 5_000).await;
        let again = due(&ledger, &lease, NOW_MS + 5_000).await;
        assert_eq!((again.len(), again[0].seq, again[0].attempts), (1, 1, 1));
        finish(&ledger, &lease, NOW_MS + 5_000, DeliveryOutcome::Delivered).await;
        assert_eq!(due_seqs(&ledger, &lease, NOW_MS + 5_000).await, [3]);
    });
}

#[test]
fn the_queue_of_a_webhook_is_bounded_and_the_rest_waits_as_a_position() {
    on_every_engine(async |databases| {
        let ledger = databases.ledger().await;
        let account = new_account(&ledger).await;
        let webhook = create(&ledger, &account).await;
        let all = 3 * MAX_OPEN + 5;
        let events: Vec<_> = (1..=all).map(|seq| event(seq, &format!("{FIRST}{seq}"))).collect();
        store(&ledger, &account, &events).await;
        let mut delivered = Vec::new();
        while (delivered.len() as i64) < all {
            let lease = lease_filled(&ledger, NOW_MS).await;
            let seqs = due_seqs(&ledger, &lease, NOW_MS).await;
            assert!(!seqs.is_empty() && seqs.len() as i64 <= MAX_OPEN, "{}", seqs.len());
            delivered.extend(seqs);
            finish(&ledger, &lease, NOW_MS, DeliveryOutcome::Delivered).await;
            release(&ledger, &lease).await;
        }
        assert_eq!(delivered, (1..=all).collect::<Vec<_>>());
        assert_eq!(find(&ledger, &webhook).await.position, all);
        assert_eq!(lease_due(&ledger, "node", NOW_MS).await, []);
    });
}

#[test]
fn a_webhook_whose_queue_is_full_of_failures_is_not_leased_for_new_events_again_and_again() {
    on_every_engine(async |databases| {
        let ledger = databases.ledger().await;
        let account = new_account(&ledger).await;
        create(&ledger, &account).await;
        let events: Vec<_> =
            (1..=2 * MAX_OPEN).map(|seq| event(seq, &format!("{FIRST}{seq}"))).collect();
        store(&ledger, &account, &events).await;
        let lease = lease_filled(&ledger, NOW_MS).await;
        finish(&ledger, &lease, NOW_MS, DeliveryOutcome::Retry(NOW_MS + 60_000)).await;
        release(&ledger, &lease).await;
        assert_eq!(lease_due(&ledger, "node", NOW_MS).await, []);
        assert_eq!(lease_due(&ledger, "node", NOW_MS + 60_000).await.len(), 1);
    });
}

#[test]
fn a_filter_by_type_and_list_selects_what_is_sent() {
    on_every_engine(async |databases| {
        let ledger = databases.ledger().await;
        let account = new_account(&ledger).await;
        let owner = (account.as_str(), Mode::Live);
        let limits = ledger::WatchLimits { lists: 5, members: 5 };
        let list = ledger.create_watchlist(owner, "Borrowers", limits, NOW_MS).await.unwrap();
        let list = list.unwrap().id;
        let members = [(FIRST, "company")];
        ledger.add_watch_members(owner, &list, &members, limits, NOW_MS).await.unwrap();
        let types = ["company.status_changed".to_owned()];
        let new = NewWebhook { watchlist_id: Some(&list), types: &types, ..new_webhook(&account) };
        let webhook = ledger.create_webhook(&new, NOW_MS).await.unwrap();
        let renamed =
            NewWatchedEvent { event_type: "company.name_changed".into(), ..event(3, FIRST) };
        store(&ledger, &account, &[event(1, FIRST), event(2, SECOND), renamed]).await;
        let lease = lease_filled(&ledger, NOW_MS).await;
        assert_eq!(due_seqs(&ledger, &lease, NOW_MS).await, [1]);
        assert_eq!(find(&ledger, &webhook).await.position, 3, "the others are not looked at again");
    });
}

#[test]
fn a_disabled_webhook_gets_nothing_and_continues_where_it_stopped() {
    on_every_engine(async |databases| {
        let ledger = databases.ledger().await;
        let account = new_account(&ledger).await;
        let webhook = create(&ledger, &account).await;
        store(&ledger, &account, &[event(1, FIRST)]).await;
        let mut lease = lease_filled(&ledger, NOW_MS).await;
        let failed = due(&ledger, &lease, NOW_MS).await;
        let ended = [(attempt(&failed[0], 410), DeliveryOutcome::Disable(DisabledReason::Gone))];
        let disabled = ledger.record_webhook_attempts(&lease, &ended, NOW_MS).await.unwrap();
        assert_eq!(disabled, Some(DisabledReason::Gone));
        let again = ledger.record_webhook_attempts(&lease, &ended, NOW_MS).await.unwrap();
        assert_eq!(again, None, "it is reported once");
        assert!(
            !ledger.renew_webhook_lease_and_reload(&mut lease, NOW_MS + LEASE_MS).await.unwrap()
        );
        release(&ledger, &lease).await;
        let found = find(&ledger, &webhook).await;
        assert_eq!(found.disabled, Some((NOW_MS, DisabledReason::Gone)));
        store(&ledger, &account, &[event(2, FIRST)]).await;
        assert_eq!(lease_due(&ledger, "node", NOW_MS).await, []);
        ledger.update_webhook(&found, &change(&found, true), NOW_MS).await.unwrap();
        assert_eq!(find(&ledger, &webhook).await.disabled, None);
        let lease = lease_filled(&ledger, NOW_MS).await;
        let first = due(&ledger, &lease, NOW_MS).await;
        assert_eq!((first[0].seq, first[0].attempts), (1, 0), "all attempts are available again");
        finish(&ledger, &lease, NOW_MS, DeliveryOutcome::Delivered).await;
        assert_eq!(due_seqs(&ledger, &lease, NOW_MS).await, [2]);
        ledger.update_webhook(&webhook, &change(&webhook, false), NOW_MS + 1).await.unwrap();
        let found = find(&ledger, &webhook).await;
        assert_eq!(found.disabled, Some((NOW_MS + 1, DisabledReason::ByUser)));
    });
}
