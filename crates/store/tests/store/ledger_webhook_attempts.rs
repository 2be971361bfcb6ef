//! Webhooks: replays, deliveries that wait for a payment, and the list of attempts.

use panji_store::ledger::{AttemptPage, DeliveryOutcome, Mode, NewAttempt};
use panji_testkit::{NOW_MS, on_every_engine};

use super::ledger_watch::store;
use super::ledger_webhooks::{
    FIRST, SECOND, create, due, due_seqs, event, find, finish, lease_due, lease_filled, release,
};
use super::new_account;

#[test]
fn events_are_sent_again_by_id_or_from_a_number_even_while_a_node_works() {
    on_every_engine(async |databases| {
        let ledger = databases.ledger().await;
        let account = new_account(&ledger).await;
        let webhook = create(&ledger, &account).await;
        let owner = (account.as_str(), Mode::Live);
        store(&ledger, &account, &[event(1, FIRST), event(2, SECOND), event(3, FIRST)]).await;
        let lease = lease_filled(&ledger, NOW_MS).await;
        finish(&ledger, &lease, NOW_MS, DeliveryOutcome::Delivered).await;
        finish(&ledger, &lease, NOW_MS, DeliveryOutcome::Delivered).await;
        let second = ledger.find_watched_event_by_id(owner, "evt_2").await.unwrap().unwrap();
        assert_eq!(ledger.find_watched_event_by_id(owner, "evt_9").await.unwrap(), None);
        // A replay during a lease is not lost when the lease ends.
        assert!(ledger.replay_event(&webhook, &second).await.unwrap());
        release(&ledger, &lease).await;
        let lease = lease_filled(&ledger, NOW_MS).await;
        assert_eq!(due_seqs(&ledger, &lease, NOW_MS).await, [2]);
        finish(&ledger, &lease, NOW_MS, DeliveryOutcome::Delivered).await;
        assert!(ledger.replay_from(&webhook, 2).await.unwrap());
        release(&ledger, &lease).await;
        let lease = lease_filled(&ledger, NOW_MS).await;
        assert_eq!(due_seqs(&ledger, &lease, NOW_MS).await, [2, 3]);
        assert!(ledger.replay_from(&webhook, 100).await.unwrap());
        assert_eq!(find(&ledger, &webhook).await.position, 3, "nothing is skipped");
        ledger.delete_webhook(&webhook).await.unwrap();
        assert!(!ledger.replay_event(&webhook, &second).await.unwrap());
        assert!(!ledger.replay_from(&webhook, 1).await.unwrap());
    });
}

#[test]
fn unpaid_deliveries_wait_without_an_attempt() {
    on_every_engine(async |databases| {
        let ledger = databases.ledger().await;
        let account = new_account(&ledger).await;
        create(&ledger, &account).await;
        store(&ledger, &account, &[event(1, FIRST)]).await;
        let lease = lease_filled(&ledger, NOW_MS).await;
        ledger.postpone_deliveries(&lease.webhook, &[1], NOW_MS + 60_000).await.unwrap();
        release(&ledger, &lease).await;
        assert_eq!(lease_due(&ledger, "node", NOW_MS + 59_999).await, []);
        let lease = lease_filled(&ledger, NOW_MS + 60_000).await;
        assert_eq!(due(&ledger, &lease, NOW_MS + 60_000).await[0].attempts, 0);
        ledger.delete_deliveries(&lease.webhook, &[1]).await.unwrap();
        assert!(due_seqs(&ledger, &lease, NOW_MS + 60_000).await.is_empty());
    });
}

#[test]
fn attempts_are_listed_newest_first_and_deleted_after_their_time() {
    on_every_engine(async |databases| {
        let ledger = databases.ledger().await;
        let webhook = create(&ledger, &new_account(&ledger).await).await;
        for number in 1..=3 {
            let test = NewAttempt {
                seq: None,
                event_id: format!("evt_test_{number}"),
                event_type: "webhook.test".into(),
                subject: None,
                number: 1,
                at: NOW_MS + number,
                status: None,
                error: Some("no response within 15 seconds".into()),
                duration_ms: 15_000,
            };
            ledger.record_webhook_test(&webhook, &test).await.unwrap();
        }
        let page = AttemptPage { before: None, limit: 2 };
        let newest = ledger.list_webhook_attempts(&webhook, page).await.unwrap();
        assert_eq!(newest.len(), 2);
        let page = AttemptPage { before: Some(&newest[1].id), limit: 2 };
        let rest = ledger.list_webhook_attempts(&webhook, page).await.unwrap();
        assert_eq!(rest.len(), 1);
        assert!(rest[0].id < newest[1].id && newest[1].id < newest[0].id);
        assert_eq!(ledger.delete_expired_webhook_attempts(NOW_MS + 3).await.unwrap(), 2);
        let page = AttemptPage { before: None, limit: 10 };
        assert_eq!(ledger.list_webhook_attempts(&webhook, page).await.unwrap().len(), 1);
    });
}
