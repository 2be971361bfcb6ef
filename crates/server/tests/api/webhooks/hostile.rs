//! Receivers that misbehave: nothing but their own deliveries suffers.

use std::sync::Arc;

use panji_api::deliveries::worker::deliver_due;
use panji_store::ledger::{MAX_OPEN, Mode};
use serde_json::json;
use tokio::io::AsyncWriteExt;

use super::receiver::Receiver;
use super::{FIRST, LOCAL, NOW, add_events, attempts, deliver, fetch, id_of, new_webhook};
use crate::server::serve_embedded;

#[test]
fn a_receiver_that_returns_410_is_disabled_at_once() {
    serve_embedded(&LOCAL, async |server| {
        let key = server.test_key().await;
        let receiver = Receiver::open().await;
        let webhook = new_webhook(server, &key, &receiver.at("410")).await;
        add_events(server, &key, &[FIRST]).await;
        deliver(server, NOW).await;
        let found = fetch(server, &key, &webhook).await;
        assert_eq!(
            (&found["status"], &found["disabled_reason"]),
            (&json!("disabled"), &json!("gone"))
        );
        assert_eq!(receiver.received().len(), 1);
    });
}

#[test]
fn a_redirect_is_a_failure_and_is_not_followed() {
    serve_embedded(&LOCAL, async |server| {
        let key = server.test_key().await;
        let receiver = Receiver::open().await;
        let webhook = new_webhook(server, &key, &receiver.at("redirect")).await;
        add_events(server, &key, &[FIRST]).await;
        deliver(server, NOW).await;
        let attempt = attempts(server, &key, &webhook).await.remove(0);
        assert_eq!((&attempt["status"], &attempt["delivered"]), (&json!(302), &json!(false)));
        assert!(attempt["error"].as_str().unwrap().contains("redirect"), "{attempt}");
        assert_eq!(receiver.received().len(), 1);
    });
}

#[test]
fn an_endless_response_is_not_read() {
    serve_embedded(&LOCAL, async |server| {
        let key = server.test_key().await;
        let receiver = Receiver::open().await;
        let webhook = new_webhook(server, &key, &receiver.at("huge")).await;
        add_events(server, &key, &[FIRST]).await;
        deliver(server, NOW).await;
        let attempt = attempts(server, &key, &webhook).await.remove(0);
        assert_eq!((&attempt["status"], &attempt["delivered"]), (&json!(200), &json!(true)));
    });
}

#[test]
fn a_receiver_that_hangs_fails_after_15_seconds_and_holds_up_nobody() {
    serve_embedded(&LOCAL, async |server| {
        let key = server.test_key().await;
        let receiver = Receiver::open().await;
        let hanging = new_webhook(server, &key, &receiver.at("hang")).await;
        let other = new_webhook(server, &key, &receiver.at("ok")).await;
        add_events(server, &key, &[FIRST]).await;
        let app = Arc::clone(&server.app);
        let delivering = tokio::spawn(async move { deliver_due(&app, NOW).await.unwrap() });
        let started = std::time::Instant::now();
        while receiver.seqs("ok").is_empty() {
            assert!(started.elapsed().as_secs() < 300);
            panji_testkit::pause().await;
        }
        assert!(!delivering.is_finished(), "the other one still waits");
        assert_eq!(delivering.await.unwrap(), 2);
        let attempt = attempts(server, &key, &hanging).await.remove(0);
        assert_eq!((&attempt["status"], &attempt["delivered"]), (&json!(null), &json!(false)));
        assert!(attempt["error"].as_str().unwrap().contains("15 seconds"), "{attempt}");
        assert_eq!(attempts(server, &key, &other).await[0]["delivered"], true);
    });
}

#[test]
fn receivers_that_misbehave_in_every_way_hold_up_only_their_own_deliveries() {
    let one_address =
        [("webhooks.allow_http", "true"), ("webhooks.allowed_networks", "127.0.0.1/32")];
    serve_embedded(&one_address, async |server| {
        let key = server.test_key().await;
        let receiver = Receiver::open().await;
        let mut hostile = Vec::new();
        for behavior in ["hang", "500", "redirect", "huge"] {
            hostile.push(new_webhook(server, &key, &receiver.at(behavior)).await);
        }
        // A name that is resolved to another address of this machine.
        let refused = format!("http://127.2:{}/refused", receiver.port);
        hostile.push(new_webhook(server, &key, &refused).await);
        new_webhook(server, &key, &receiver.at("ok")).await;
        // More events than the queue of a webhook holds, each about another company.
        let subjects: Vec<String> = (0..150).map(|number| format!("F{number:05}")).collect();
        let subjects: Vec<&str> = subjects.iter().map(String::as_str).collect();
        let seqs = add_events(server, &key, &subjects).await;
        let app = Arc::clone(&server.app);
        let delivering = tokio::spawn(async move {
            loop {
                deliver_due(&app, NOW).await.unwrap();
                panji_testkit::pause().await;
            }
        });
        let started = std::time::Instant::now();
        while receiver.seqs("ok").len() < seqs.len() {
            assert!(started.elapsed().as_secs() < 300, "{:?}", receiver.seqs("ok").len());
            tokio::time::sleep(std::time::Duration::from_millis(5)).await;
        }
        delivering.abort();
        let mut received = receiver.seqs("ok");
        received.sort_unstable();
        assert_eq!(received, seqs, "each once");
        let owner = (key.account_id.as_str(), Mode::Test);
        for webhook in &hostile {
            let webhook = server.app.ledger.find_webhook(owner, id_of(webhook)).await.unwrap();
            let due =
                server.app.ledger.list_due_deliveries(&webhook.unwrap(), i64::MAX, 1_000).await;
            assert!(due.unwrap().len() as i64 <= MAX_OPEN, "a queue is bounded");
        }
        for path in ["redirected", "refused"] {
            assert!(receiver.seqs(path).is_empty(), "{path}");
        }
    });
}

#[test]
fn a_head_without_end_is_not_read() {
    serve_embedded(&LOCAL, async |server| {
        let key = server.test_key().await;
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}/", listener.local_addr().unwrap());
        let sending = tokio::spawn(async move {
            let (mut stream, _) = listener.accept().await.unwrap();
            let mut sent = 0_u64;
            let line = [b"x-filler: ".as_slice(), &[b'x'; 1_000], b"\r\n"].concat();
            stream.write_all(b"HTTP/1.1 200 OK\r\n").await.unwrap();
            // A gigabyte, if somebody reads it.
            while sent < 1 << 30 && stream.write_all(&line).await.is_ok() {
                sent += line.len() as u64;
            }
            sent
        });
        let webhook = new_webhook(server, &key, &url).await;
        let tested = super::act(server, &key, &webhook, "test").await;
        let attempt = tested.expect_data();
        assert_eq!((&attempt["delivered"], &attempt["status"]), (&json!(false), &json!(null)));
        let sent = sending.await.unwrap();
        // What the connection holds by itself counts too.
        assert!(sent < 16 << 20, "{sent} bytes were taken");
    });
}

#[test]
fn a_name_that_leads_to_this_machine_is_refused_at_the_connection() {
    serve_embedded(&[("webhooks.allow_http", "true")], async |server| {
        let key = server.test_key().await;
        let receiver = Receiver::open().await;
        for host in ["localhost", "127.1", "2130706433", "0x7f.1"] {
            let url = format!("http://{host}:{}/ok", receiver.port);
            let webhook = new_webhook(server, &key, &url).await;
            let tested = super::act(server, &key, &webhook, "test").await;
            let attempt = tested.expect_data();
            assert_eq!(attempt["delivered"], false, "{host}");
            let error = attempt["error"].as_str().unwrap();
            assert!(error.contains("loopback") || error.contains("resolved"), "{host}: {error}");
        }
        assert!(receiver.received().is_empty());
    });
}

#[test]
fn a_port_without_a_server_and_a_server_without_tls_are_failures() {
    serve_embedded(&LOCAL, async |server| {
        let key = server.test_key().await;
        let closed = Receiver::open().await;
        let closed_url = closed.at("ok");
        drop(closed);
        let plain = Receiver::open().await;
        for url in [closed_url, format!("https://127.0.0.1:{}/ok", plain.port)] {
            let webhook = new_webhook(server, &key, &url).await;
            let tested = super::act(server, &key, &webhook, "test").await;
            let attempt = tested.expect_data();
            assert_eq!((&attempt["delivered"], &attempt["status"]), (&json!(false), &json!(null)));
        }
        assert!(plain.received().is_empty());
    });
}
