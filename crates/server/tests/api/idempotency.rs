//! Idempotency keys: the first answer again, byte for byte, and no second charge.

use panji_store::ledger::{Mode, NewKey};
use serde_json::json;

use crate::ask::{Ask, post};
use crate::server::serve;

fn verify(key: &str) -> Ask {
    let body = json!({ "items": [{ "value": "ZZACK4368A" }, { "value": "F99101" }] });
    post("/v1/bulk/verify", &body).header("idempotency-key", key)
}

fn enrich(key: &str) -> Ask {
    let body = json!({ "cins": ["F99101", "ZZA-1204"], "fields": ["company", "financials"] });
    post("/v1/bulk/enrich", &body).header("idempotency-key", key)
}

#[test]
fn a_repeat_gets_the_first_answer_byte_for_byte() {
    serve(&[], async |server| {
        let key = server.test_key().await;
        for ask in [verify("order 1"), enrich("order 2")] {
            let first = server.send(ask.clone().key(&key)).await;
            assert_eq!((first.status, first.header("idempotent-replayed")), (200, None));
            assert!(first.charged() > 0);
            let balance = server.balance(&key).await;
            for _ in 0..2 {
                let repeat = server.send(ask.clone().key(&key)).await;
                assert_eq!(repeat.bytes, first.bytes);
                assert_eq!(repeat.header("idempotent-replayed"), Some("true"));
                assert_ne!(repeat.header("request-id"), first.header("request-id"));
            }
            assert_eq!(server.balance(&key).await, balance);
        }
    });
}

#[test]
fn a_key_with_another_body_or_operation_is_a_mismatch() {
    serve(&[], async |server| {
        let key = server.test_key().await;
        assert_eq!(server.send(verify("order").key(&key)).await.status, 200);
        let other = verify("order").body(r#"{"items":[{"value":"F99101"}]}"#).key(&key);
        assert_eq!(server.send(other).await.code(), "idempotency_mismatch");
        assert_eq!(server.send(enrich("order").key(&key)).await.code(), "idempotency_mismatch");
        assert_eq!(server.balance(&key).await, 10_000 - 2);
    });
}

#[test]
fn an_idempotency_key_belongs_to_one_account_and_mode() {
    serve(&[], async |server| {
        let key = server.test_key().await;
        assert_eq!(server.send(verify("order").key(&key)).await.status, 200);
        let sibling = server.new_key(&key.account_id, Mode::Test, NewKey::default()).await;
        let shared = server.send(verify("order").key(&sibling)).await;
        assert_eq!(shared.header("idempotent-replayed"), Some("true"), "the account's other key");
        let stranger = server.test_key().await;
        let own = server.send(verify("order").key(&stranger)).await;
        assert_eq!(own.header("idempotent-replayed"), None);
        server.grant(&key.account_id, 10).await;
        let live = server.new_key(&key.account_id, Mode::Live, NewKey::default()).await;
        let other_mode = server.send(verify("order").key(&live)).await;
        assert_eq!((other_mode.status, other_mode.header("idempotent-replayed")), (200, None));
    });
}

#[test]
fn a_failed_call_leaves_its_key_free() {
    serve(&[], async |server| {
        let key = server.live_key(0).await;
        assert_eq!(server.send(verify("order").key(&key)).await.code(), "insufficient_credits");
        server.grant(&key.account_id, 10).await;
        let second = server.send(verify("order").key(&key)).await;
        assert_eq!((second.status, second.header("idempotent-replayed")), (200, None));
        assert_eq!(second.remaining(), 8);
    });
}

#[test]
fn a_malformed_idempotency_key_is_refused() {
    serve(&[], async |server| {
        let key = server.test_key().await;
        let long = "x".repeat(255);
        assert_eq!(server.send(verify(&long).key(&key)).await.status, 200);
        for wrong in ["", "a\tb", "ключ", &"x".repeat(256)] {
            let answer = server.send(verify(wrong).key(&key)).await;
            assert_eq!(answer.code(), "invalid_parameter", "{wrong:?}");
            assert_eq!(answer.json["error"]["param"], "Idempotency-Key");
            let dry = server.send(verify(wrong).query("dry_run=true").key(&key)).await;
            assert_eq!(dry.code(), "invalid_parameter", "{wrong:?} in a dry run");
        }
        let twice = verify("a").header("idempotency-key", "b").key(&key);
        assert_eq!(server.send(twice).await.code(), "invalid_parameter");
    });
}

#[test]
fn of_concurrent_repeats_one_is_charged() {
    serve(&[], async |server| {
        let key = server.test_key().await;
        let calls = (0..8).map(|_| server.send(verify("order").key(&key)));
        let answers = futures_util::future::join_all(calls).await;
        for answer in &answers {
            assert!(answer.status == 200 || answer.code() == "idempotency_in_progress");
        }
        let first = answers.iter().filter(|answer| {
            answer.status == 200 && answer.header("idempotent-replayed").is_none()
        });
        assert_eq!(first.count(), 1);
        assert_eq!(server.balance(&key).await, 10_000 - 2);
    });
}

#[test]
fn a_dry_run_neither_takes_nor_gives_an_idempotent_answer() {
    serve(&[], async |server| {
        let key = server.test_key().await;
        let dry = server.send(verify("order").query("dry_run=true").key(&key)).await;
        assert_eq!(dry.expect_data(), &json!({ "credits": 2 }));
        let first = server.send(verify("order").key(&key)).await;
        assert_eq!((first.charged(), first.header("idempotent-replayed")), (2, None));
        let dry = server.send(verify("order").query("dry_run=true").key(&key)).await;
        assert_eq!(dry.expect_data(), &json!({ "credits": 2 }));
    });
}
