//! Deliveries: in order, charged once, repeated until they are accepted.

use std::sync::atomic::AtomicI64;

use panji_api::deliveries::worker;
use panji_store::calendar::now_ms;
use panji_store::ledger::{NewWatchedEvent, Role};
use panji_testkit::Mailbox;
use serde_json::json;
use tokio::sync::watch;

use super::receiver::Receiver;
use super::{
    FIRST, LOCAL, NOW, SECOND, add_events, advance, attempts, deliver, fetch, id_of, new_webhook,
};
use crate::ask::{ask, post};
use crate::clock;
use crate::server::{Key, Server, serve, serve_embedded};

const HOUR_MS: i64 = 3_600_000;

async fn replay(server: &Server, key: &Key, webhook: &serde_json::Value, body: serde_json::Value) {
    let path = format!("/v1/webhooks/{}/replay", id_of(webhook));
    server.send(post(path, &body).key(key)).await.expect_data();
}

#[test]
fn events_are_sent_in_the_order_of_their_subject_charged_once_and_replayed_for_free() {
    serve(&LOCAL, async |server| {
        let key = server.test_key().await;
        let receiver = Receiver::open().await;
        let webhook = new_webhook(server, &key, &receiver.at("ok")).await;
        let other = new_webhook(server, &key, &receiver.at("other")).await;
        let before = server.balance(&key).await;
        let subjects = [FIRST, SECOND, FIRST, FIRST, SECOND];
        let seqs = add_events(server, &key, &subjects).await;
        deliver(server, NOW).await;
        for path in ["ok", "other"] {
            for subject in [FIRST, SECOND] {
                let received = receiver.received().into_iter().filter(|one| one.path == path);
                let of_subject: Vec<i64> = received
                    .map(|one| one.json()["data"].clone())
                    .filter(|event| event["subject"]["id"] == subject)
                    .map(|event| event["seq"].as_i64().unwrap())
                    .collect();
                let expected: Vec<i64> = seqs
                    .iter()
                    .zip(subjects)
                    .filter(|(_, of)| *of == subject)
                    .map(|(seq, _)| *seq)
                    .collect();
                assert_eq!(of_subject, expected, "{path} {subject}");
            }
        }
        assert_eq!(server.balance(&key).await, before - 5, "one credit an event, whoever gets it");
        let message = receiver.received().remove(0);
        assert_eq!(message.json()["type"], "company.status_changed");
        assert!(
            message.is_signed_with(webhook["secret"].as_str().unwrap())
                || message.is_signed_with(other["secret"].as_str().unwrap())
        );
        let sent = attempts(server, &key, &webhook).await;
        assert_eq!(sent.len(), 5);
        assert!(sent.iter().all(|one| one["delivered"] == true && one["number"] == 1), "{sent:?}");
        let last = json!({ "event_id": sent.last().unwrap()["event_id"] });
        replay(server, &key, &webhook, last).await;
        replay(server, &key, &other, json!({ "from_seq": seqs[3] })).await;
        deliver(server, NOW).await;
        assert_eq!(receiver.seqs("ok").len(), 6);
        let again = receiver.seqs("other");
        assert_eq!(again.len(), 7);
        assert_eq!(server.balance(&key).await, before - 5);
    });
}

#[test]
fn a_failed_message_is_sent_again_with_the_same_id_and_body_and_holds_up_only_its_subject() {
    static AHEAD: AtomicI64 = AtomicI64::new(0);
    serve_embedded(&LOCAL, async |server| {
        let key = server.test_key().await;
        let receiver = Receiver::open().await;
        let webhook = new_webhook(server, &key, &receiver.at("503")).await;
        add_events(server, &key, &[FIRST, FIRST, SECOND]).await;
        deliver(server, clock!(AHEAD)).await;
        assert_eq!(receiver.received().len(), 2, "the second event of a subject waits");
        let failed = attempts(server, &key, &webhook).await;
        assert_eq!((&failed[0]["status"], &failed[0]["delivered"]), (&json!(503), &json!(false)));
        deliver(server, clock!(AHEAD)).await;
        assert_eq!(receiver.received().len(), 2, "there is a pause");
        advance(&AHEAD, 6_000);
        deliver(server, clock!(AHEAD)).await;
        let received = receiver.received();
        assert_eq!(received.len(), 4);
        for again in &received[2..] {
            let first = received[..2].iter().find(|one| one.body == again.body).unwrap();
            assert_eq!(first.header("webhook-id"), again.header("webhook-id"));
        }
        let path = format!("/v1/webhooks/{}", id_of(&webhook));
        let moved = json!({ "url": receiver.at("ok") }).to_string();
        let moved = ask(axum::http::Method::PATCH, path)
            .header("content-type", "application/json")
            .body(moved);
        server.send(moved.key(&key)).await.expect_data();
        assert_eq!(server.app.ledger.count_waiting_deliveries().await.unwrap(), 3);
        advance(&AHEAD, HOUR_MS);
        deliver(server, clock!(AHEAD)).await;
        assert_eq!(receiver.seqs("ok").len(), 3, "nothing is lost");
        assert_eq!(server.app.ledger.count_waiting_deliveries().await.unwrap(), 0);
        let metrics = server.app.metrics.registry.gather();
        let metrics = prometheus::TextEncoder::new().encode_to_string(&metrics).unwrap();
        for (result, count) in [("delivered", 3), ("failed", 4), ("disabled", 0)] {
            let line = format!("panji_webhook_deliveries_total{{result=\"{result}\"}} {count}\n");
            assert!(metrics.contains(&line), "{line}");
        }
    });
}

#[test]
fn after_ten_attempts_in_three_days_a_webhook_is_disabled_and_the_account_gets_a_mail() {
    static AHEAD: AtomicI64 = AtomicI64::new(0);
    let mailbox = Mailbox::open();
    let settings = [LOCAL[0], LOCAL[1], ("mail.smtp_url", mailbox.url.as_str())];
    serve_embedded(&settings, async |server| {
        let key = server.test_key().await;
        let email = "developer@example.in";
        let member = (key.account_id.as_str(), Role::Developer);
        let ledger = &server.app.ledger;
        ledger.create_member(email, "Asha", "no password", member, now_ms()).await.unwrap();
        let receiver = Receiver::open().await;
        let webhook = new_webhook(server, &key, &receiver.at("500")).await;
        add_events(server, &key, &[FIRST]).await;
        for _ in 0..80 {
            deliver(server, clock!(AHEAD)).await;
            advance(&AHEAD, HOUR_MS);
        }
        assert_eq!(receiver.received().len(), 10);
        let found = fetch(server, &key, &webhook).await;
        assert_eq!(
            (&found["status"], &found["disabled_reason"]),
            (&json!("disabled"), &json!("failing"))
        );
        let mail = mailbox.next_in_this_thread().await;
        assert!(mail.contains(email) && mail.contains("10 attempts"), "{mail}");
        assert!(mailbox.is_empty());
        add_events(server, &key, &[SECOND]).await;
        deliver(server, clock!(AHEAD)).await;
        assert_eq!(receiver.received().len(), 10);
    });
}

#[test]
fn without_credits_events_wait_and_go_on_when_credits_come() {
    static AHEAD: AtomicI64 = AtomicI64::new(0);
    serve(&LOCAL, async |server| {
        let key = server.live_key(2).await;
        let receiver = Receiver::open().await;
        let webhook = new_webhook(server, &key, &receiver.at("ok")).await;
        let ledger = &server.app.ledger;
        let position = ledger.find_or_begin_event_position("live", 0).await.unwrap();
        let event = |seq: i64| NewWatchedEvent {
            seq,
            event_id: format!("evt_{seq}"),
            event_type: "company.status_changed".into(),
            subject: format!("{FIRST}{seq}"),
            related: None,
            payload: json!({ "seq": seq }).to_string(),
            recorded_at: now_ms(),
        };
        let first = position.seq + 1;
        let events: Vec<_> =
            (first..first + 3).map(|seq| (key.account_id.clone(), event(seq))).collect();
        assert!(ledger.store_watched_events("live", position, first + 2, &events).await.unwrap());
        deliver(server, clock!(AHEAD)).await;
        let mut paid = receiver.seqs("ok");
        paid.sort_unstable();
        assert_eq!(paid, [first, first + 1], "as many as the balance covers");
        assert_eq!(server.balance(&key).await, 0);
        advance(&AHEAD, HOUR_MS);
        deliver(server, clock!(AHEAD)).await;
        assert_eq!(receiver.received().len(), 2);
        assert_eq!(attempts(server, &key, &webhook).await.len(), 2, "waiting is not an attempt");
        server.grant(&key.account_id, 5).await;
        advance(&AHEAD, HOUR_MS);
        deliver(server, clock!(AHEAD)).await;
        assert_eq!(receiver.received().len(), 3);
        assert_eq!(server.balance(&key).await, 4);
    });
}

#[test]
fn workers_of_several_nodes_deliver_each_event_once() {
    serve(&LOCAL, async |server| {
        let key = server.test_key().await;
        let receiver = Receiver::open().await;
        let webhook = new_webhook(server, &key, &receiver.at("ok")).await;
        let (stop, stopped) = watch::channel(false);
        let worker = |_| tokio::spawn(worker::run(server.app.clone(), stopped.clone()));
        let workers: Vec<_> = (0..3).map(worker).collect();
        let subjects: Vec<String> = (0..100).map(|number| format!("{FIRST}{number}")).collect();
        let subjects: Vec<&str> = subjects.iter().map(String::as_str).collect();
        let seqs = add_events(server, &key, &subjects).await;
        let started = std::time::Instant::now();
        while receiver.received().len() < seqs.len() {
            assert!(started.elapsed().as_secs() < 300, "{}", receiver.received().len());
            panji_testkit::pause().await;
        }
        stop.send(true).unwrap();
        for worker in workers {
            worker.await.unwrap();
        }
        let mut received = receiver.seqs("ok");
        received.sort_unstable();
        assert_eq!(received, seqs);
        assert_eq!(fetch(server, &key, &webhook).await["status"], "enabled");
    });
}

#[test]
fn a_suspended_account_gets_no_messages() {
    serve_embedded(&LOCAL, async |server| {
        let key = server.test_key().await;
        let receiver = Receiver::open().await;
        new_webhook(server, &key, &receiver.at("ok")).await;
        add_events(server, &key, &[FIRST]).await;
        server.app.ledger.set_suspended(&key.account_id, Some(now_ms())).await.unwrap();
        deliver(server, NOW).await;
        assert!(receiver.received().is_empty());
    });
}
