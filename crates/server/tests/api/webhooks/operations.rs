//! The operations of webhooks.

use axum::http::Method;
use serde_json::{Value, json};

use super::receiver::Receiver;
use super::{LOCAL, act, attempts, create, fetch, id_of, new_webhook};
use crate::ask::{Ask, ask, get, post};
use crate::server::{serve, serve_embedded};

const URL: &str = "https://hooks.example.com/panji";

fn patch(webhook: &Value, body: &Value) -> Ask {
    let path = format!("/v1/webhooks/{}", id_of(webhook));
    ask(Method::PATCH, path).header("content-type", "application/json").body(body.to_string())
}

#[test]
fn a_webhook_is_created_read_changed_and_deleted_and_its_secret_is_shown_once() {
    serve(&[], async |server| {
        let key = server.test_key().await;
        let body = json!({ "url": URL, "description": "risk", "types": ["charge.created"] });
        let created = create(server, &key, &body).await;
        assert_eq!(created.charged(), 0);
        let webhook = created.expect_data();
        assert_eq!((&webhook["url"], &webhook["description"]), (&json!(URL), &json!("risk")));
        assert_eq!((&webhook["status"], &webhook["watchlist"]), (&json!("enabled"), &Value::Null));
        let secret = webhook["secret"].as_str().unwrap();
        assert!(secret.starts_with("whsec_"), "{secret}");
        let read = fetch(server, &key, webhook).await;
        let redacted = {
            let mut copy = webhook.clone();
            copy["secret"] = Value::Null;
            copy
        };
        assert_eq!(read, redacted);
        let listed = server.send(get("/v1/webhooks").key(&key)).await;
        assert_eq!(listed.expect_data(), &json!({ "total": 1, "webhooks": [redacted] }));
        let change = json!({ "description": null, "types": null, "status": "disabled" });
        let changed = server.send(patch(webhook, &change).key(&key)).await;
        let changed = changed.expect_data();
        assert_eq!((&changed["description"], &changed["types"]), (&Value::Null, &json!([])));
        assert_eq!(changed["disabled_reason"], "by_user");
        let change = json!({ "url": null, "status": null });
        let changed = server.send(patch(webhook, &change).key(&key)).await;
        let changed = changed.expect_data();
        assert_eq!((&changed["url"], &changed["status"]), (&json!(URL), &json!("disabled")));
        let changed = server.send(patch(webhook, &json!({ "status": "enabled" })).key(&key)).await;
        assert_eq!(changed.expect_data()["url"], URL);
        assert_eq!(changed.expect_data()["disabled_at"], Value::Null);
        assert_eq!(server.app.ledger.count_waiting_deliveries().await.unwrap(), 0);
        let path = format!("/v1/webhooks/{}", id_of(webhook));
        let deleted = server.send(ask(Method::DELETE, &path).key(&key)).await;
        assert_eq!(deleted.expect_data(), &json!({ "id": id_of(webhook), "deleted": true }));
        assert_eq!(server.send(get(path).key(&key)).await.code(), "webhook_not_found");
    });
}

#[test]
fn a_rotation_shows_a_new_secret_and_says_how_long_the_former_one_is_valid() {
    serve_embedded(&[], async |server| {
        let key = server.test_key().await;
        let webhook = new_webhook(server, &key, URL).await;
        assert_eq!(webhook["previous_secret_expires_at"], Value::Null);
        let rotated = act(server, &key, &webhook, "rotate").await;
        let rotated = rotated.expect_data();
        assert!(rotated["secret"].is_string() && rotated["secret"] != webhook["secret"]);
        assert_ne!(rotated["public_key"], webhook["public_key"]);
        assert!(rotated["previous_secret_expires_at"].is_string());
    });
}

#[test]
fn webhooks_belong_to_an_account_and_a_mode() {
    serve_embedded(&[], async |server| {
        let key = server.test_key().await;
        let webhook = new_webhook(server, &key, URL).await;
        let live =
            server.new_key(&key.account_id, panji_store::ledger::Mode::Live, Default::default());
        for other in [live.await, server.test_key().await] {
            for (method, suffix) in [
                (Method::GET, ""),
                (Method::DELETE, ""),
                (Method::POST, "/rotate"),
                (Method::POST, "/test"),
                (Method::GET, "/attempts"),
            ] {
                let path = format!("/v1/webhooks/{}{suffix}", id_of(&webhook));
                let response = server.send(ask(method, path).key(&other)).await;
                assert_eq!(response.code(), "webhook_not_found");
            }
            let change = patch(&webhook, &json!({ "status": "disabled" }));
            assert_eq!(server.send(change.key(&other)).await.code(), "webhook_not_found");
            let path = format!("/v1/webhooks/{}/replay", id_of(&webhook));
            let replay = server.send(post(path, &json!({ "from_seq": 1 })).key(&other)).await;
            assert_eq!(replay.code(), "webhook_not_found");
            let listed = server.send(get("/v1/webhooks").key(&other)).await;
            assert_eq!(listed.expect_data()["total"], 0);
        }
    });
}

#[test]
fn what_cannot_be_used_is_refused_and_the_field_is_named() {
    serve_embedded(&[("webhooks.per_account", "2")], async |server| {
        let key = server.test_key().await;
        for (body, param) in [
            (json!({}), "url"),
            (json!({ "url": 7 }), "url"),
            (json!({ "url": "hooks.example.com" }), "url"),
            (json!({ "url": "http://hooks.example.com/" }), "url"),
            (json!({ "url": "https://user@hooks.example.com/" }), "url"),
            (json!({ "url": "https://127.0.0.1/" }), "url"),
            (json!({ "url": "https://169.254.169.254/latest/meta-data" }), "url"),
            (json!({ "url": URL, "types": "all" }), "types"),
            (json!({ "url": URL, "types": ["company.status_changed", "no.such"] }), "types[1]"),
            (json!({ "url": URL, "watchlist": "wl_other" }), "watchlist"),
            (json!({ "url": URL, "description": "a\u{7}b" }), "description"),
            (json!({ "url": URL, "events": [] }), "events"),
        ] {
            let response = create(server, &key, &body).await;
            assert_eq!((response.status, response.code()), (400, "invalid_body"), "{body}");
            assert_eq!(response.json["error"]["param"], param, "{body}");
        }
        let webhook = new_webhook(server, &key, URL).await;
        for (body, param) in [
            (json!({ "url": "" }), "url"),
            (json!({ "status": "paused" }), "status"),
            (json!({ "secret": "mine" }), "secret"),
        ] {
            let response = server.send(patch(&webhook, &body).key(&key)).await;
            assert_eq!(
                (response.code(), &response.json["error"]["param"]),
                ("invalid_body", &json!(param))
            );
        }
        let path = format!("/v1/webhooks/{}/replay", id_of(&webhook));
        for body in [
            json!({}),
            json!({ "event_id": "evt_1", "from_seq": 1 }),
            json!({ "from_seq": 0 }),
            json!({ "event_id": "evt_unknown" }),
        ] {
            let response = server.send(post(&path, &body).key(&key)).await;
            assert_eq!(response.code(), "invalid_body", "{body}");
        }
        new_webhook(server, &key, URL).await;
        let third = create(server, &key, &json!({ "url": URL })).await;
        assert_eq!((third.status, third.code()), (409, "webhook_limit"));
    });
}

#[test]
fn a_repeat_under_an_idempotency_key_creates_one_webhook() {
    serve_embedded(&[], async |server| {
        let key = server.test_key().await;
        let new = post("/v1/webhooks", &json!({ "url": URL })).key(&key);
        let first = server.send(new.clone().header("idempotency-key", "new hook")).await;
        let again = server.send(new.header("idempotency-key", "new hook")).await;
        assert_eq!(first.expect_data(), again.expect_data());
        let listed = server.send(get("/v1/webhooks").key(&key)).await;
        assert_eq!(listed.expect_data()["total"], 1);
    });
}

#[test]
fn a_test_is_sent_at_once_signed_and_free_also_to_a_disabled_webhook() {
    serve_embedded(&LOCAL, async |server| {
        let key = server.test_key().await;
        let receiver = Receiver::open().await;
        let webhook = new_webhook(server, &key, &receiver.at("ok")).await;
        server
            .send(patch(&webhook, &json!({ "status": "disabled" })).key(&key))
            .await
            .expect_data();
        let tested = act(server, &key, &webhook, "test").await;
        assert_eq!(tested.charged(), 0);
        let attempt = tested.expect_data();
        assert_eq!((&attempt["delivered"], &attempt["status"]), (&json!(true), &json!(204)));
        let message = receiver.received().remove(0);
        assert_eq!(message.header("content-type"), "application/json");
        assert_eq!(message.header("webhook-id"), attempt["event_id"].as_str().unwrap());
        assert_eq!(message.json()["type"], "webhook.test");
        assert!(message.is_signed_with(webhook["secret"].as_str().unwrap()));
        assert!(message.is_signed_by(webhook["public_key"].as_str().unwrap()));
        let rotated = act(server, &key, &webhook, "rotate").await;
        act(server, &key, &webhook, "test").await.expect_data();
        let message = receiver.received().remove(1);
        for keys in [&webhook, rotated.expect_data()] {
            assert!(message.is_signed_with(keys["secret"].as_str().unwrap()));
            assert!(message.is_signed_by(keys["public_key"].as_str().unwrap()));
        }
        assert_eq!(attempts(server, &key, &webhook).await.len(), 2);
        let path = format!("/v1/webhooks/{}/attempts?limit=1", id_of(&webhook));
        let page = server.send(get(&path).key(&key)).await.expect_data().clone();
        let next = page["next_before"].as_str().unwrap();
        let rest = server.send(get(format!("{path}&before={next}")).key(&key)).await;
        assert_eq!(rest.expect_data()["attempts"][0]["id"], attempt["id"]);
        assert_eq!(rest.expect_data()["next_before"], Value::Null);
    });
}
