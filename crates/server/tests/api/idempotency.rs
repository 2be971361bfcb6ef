//! Tests of idempotency keys: a repeat gets the first response, byte for byte, without a second
//! charge.

use std::time::Duration;

use panji_api::config::operation::Operation;
use panji_store::ledger::{Mode, NewKey};
use panji_testkit::{on_both_engines, records};
use serde_json::json;

use crate::ask::{Ask, get, post};
use crate::errors::ledger_engine;
use crate::responses_live::{ask_of, one_of_each, priced_operations};
use crate::server::{Server, serve};

fn verify(key: &str) -> Ask {
    let body = json!({ "items": [{ "value": "ZZACK4368A" }, { "value": "F99101" }] });
    post("/v1/bulk/verify", &body).header("idempotency-key", key)
}

fn enrich(key: &str) -> Ask {
    let body = json!({ "cins": ["F99101", "ZZA-1204"], "fields": ["company", "financials"] });
    post("/v1/bulk/enrich", &body).header("idempotency-key", key)
}

#[test]
fn a_repeat_gets_the_first_response_byte_for_byte() {
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
fn a_repeat_with_a_malformed_header_is_refused_like_any_call() {
    serve(&[], async |server| {
        let key = server.test_key().await;
        let get = || get("/v1/verify/pan/ZZACK4368A").header("idempotency-key", "order");
        for ask in [get as fn() -> Ask, || verify("another order")] {
            assert_eq!(server.send(ask().key(&key)).await.status, 200);
            let repeat = server.send(ask().key(&key).header("panji-max-credits", "-1")).await;
            assert_eq!((repeat.status, repeat.code()), (400, "invalid_parameter"));
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
        let other_account = server.test_key().await;
        let own = server.send(verify("order").key(&other_account)).await;
        assert_eq!(own.header("idempotent-replayed"), None);
        server.grant(&key.account_id, 10).await;
        let live = server.new_key(&key.account_id, Mode::Live, NewKey::default()).await;
        let other_mode = server.send(verify("order").key(&live)).await;
        assert_eq!((other_mode.status, other_mode.header("idempotent-replayed")), (200, None));
    });
}

#[test]
fn a_failed_call_releases_its_key() {
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
            let response = server.send(verify(wrong).key(&key)).await;
            assert_eq!(response.code(), "invalid_parameter", "{wrong:?}");
            assert_eq!(response.json["error"]["param"], "Idempotency-Key");
            let dry = server.send(verify(wrong).query("dry_run=true").key(&key)).await;
            assert_eq!(dry.code(), "invalid_parameter", "{wrong:?} in a dry run");
        }
        let twice = verify("a").header("idempotency-key", "b").key(&key);
        assert_eq!(server.send(twice).await.code(), "invalid_parameter");
    });
}

#[test]
fn only_one_of_concurrent_repeats_is_charged() {
    serve(&[], async |server| {
        let key = server.test_key().await;
        let calls = (0..8).map(|_| server.send(verify("order").key(&key)));
        let responses = futures_util::future::join_all(calls).await;
        for response in &responses {
            assert!(response.status == 200 || response.code() == "idempotency_in_progress");
        }
        let first = responses.iter().filter(|response| {
            response.status == 200 && response.header("idempotent-replayed").is_none()
        });
        assert_eq!(first.count(), 1);
        assert_eq!(server.balance(&key).await, 10_000 - 2);
    });
}

#[test]
fn a_dry_run_neither_stores_nor_replays_a_response() {
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

#[test]
fn every_operation_repeats_its_first_response_and_charges_once() {
    serve(&[("free_quota.calls_per_day", "0")], async |server| {
        server.import(&one_of_each()).await;
        let key = server.live_key(1_000).await;
        for operation in priced_operations() {
            let ask = ask_of(*operation).key(&key).header("idempotency-key", operation.id());
            let first = server.send(ask.clone()).await;
            // There are no events to pay for.
            let priced = ![Operation::ListEvents, Operation::ListCompanyEvents].contains(operation);
            assert_eq!(first.charged() > 0, priced, "{}: {}", operation.id(), first.json);
            let repeat = server.send(ask).await;
            assert_eq!(repeat.bytes, first.bytes, "{}", operation.id());
            assert_eq!(repeat.header("idempotent-replayed"), Some("true"), "{}", operation.id());
            assert_eq!(repeat.header("link"), first.header("link"), "{}", operation.id());
            assert_eq!(server.balance(&key).await, first.remaining(), "{}", operation.id());
        }
    });
}

#[test]
fn a_repeat_needs_no_balance() {
    serve(&[], async |server| {
        server.import(&one_of_each()).await;
        let key = server.live_key(10).await;
        let profile = ask_of(Operation::GetCompanyProfile).key(&key);
        let ask = profile.clone().header("idempotency-key", "order");
        let first = server.send(ask.clone()).await;
        assert_eq!((first.charged(), first.remaining()), (10, 0));
        assert_eq!(server.send(profile).await.code(), "insufficient_credits");
        assert_eq!(server.send(ask).await.bytes, first.bytes);
    });
}

#[test]
fn a_repeat_of_a_free_call_does_not_use_the_quota() {
    serve(&[], async |server| {
        let key = server.test_key().await;
        let ask = get("/v1/companies/search?q=kalpanik").key(&key);
        let named = ask.clone().header("idempotency-key", "order");
        let first = server.send(named.clone()).await;
        let free = (first.charged(), first.header("panji-free-remaining"));
        assert_eq!(free, (0, Some("99")));
        for _ in 0..2 {
            let repeat = server.send(named.clone()).await;
            assert_eq!(repeat.bytes, first.bytes);
            assert_eq!(repeat.header("panji-free-remaining"), Some("99"));
        }
        let next = server.send(ask).await;
        assert_eq!(next.header("panji-free-remaining"), Some("98"));
    });
}

#[test]
fn a_response_without_a_charge_is_stored_too() {
    serve(&[], async |server| {
        let key = server.live_key(10).await;
        let company = panji_store::register::Record::Company(records::company(
            records::CIN,
            "Namuna Textiles Private Limited",
        ));
        server.import(&[company]).await;
        let ask = get(format!("/v1/companies/{}/pan", records::CIN)).key(&key);
        let ask = ask.header("idempotency-key", "order");
        let first = server.send(ask.clone()).await;
        assert_eq!((first.status, first.charged()), (200, 0));
        // Data imported in the meantime does not change the stored response.
        server.import(&one_of_each()).await;
        let repeat = server.send(ask).await;
        assert_eq!((repeat.bytes, repeat.status), (first.bytes, 200));
        assert_eq!(server.balance(&key).await, 10);
    });
}

#[test]
fn a_key_with_another_path_or_query_is_a_mismatch() {
    serve(&[], async |server| {
        let key = server.test_key().await;
        let send = async |path: &str| {
            server.send(get(path).key(&key).header("idempotency-key", "order")).await
        };
        let path = "/v1/companies/L17111MH1994PLC990011/documents";
        assert_eq!(send(path).await.status, 200);
        for other in [
            "/v1/companies/L17111MH1994PLC990011/documents?page=2",
            "/v1/companies/L17111MH1994PLC990011/charges",
            "/v1/companies/U99999DL1956PTC990001/documents",
        ] {
            assert_eq!(send(other).await.code(), "idempotency_mismatch", "{other}");
        }
        assert_eq!(server.balance(&key).await, 10_000 - 2);
    });
}

#[test]
fn a_failed_get_releases_its_key() {
    serve(&[], async |server| {
        let key = server.test_key().await;
        let send = async |path: &str| {
            server.send(get(path).key(&key).header("idempotency-key", "order")).await
        };
        assert_eq!(send("/v1/companies/nonsense/pan").await.code(), "invalid_identifier");
        assert_eq!(send("/v1/directors/99999999").await.code(), "director_not_found");
        let response = send("/v1/directors/99000101").await;
        assert_eq!((response.status, response.header("idempotent-replayed")), (200, None));
    });
}

#[test]
fn a_client_that_disconnects_before_the_charge_releases_its_key() {
    on_both_engines(async |databases| {
        let server = Server::on(&databases, &[]).await;
        let engine = ledger_engine(&databases).await;
        let key = server.test_key().await;
        let ask = |path: &str| get(path).key(&key).header("idempotency-key", "order");
        let is_claimed = async || {
            let count = "select count(*) from idempotency where idempotency_key = 'order'";
            engine.query_opt(count, &[], |row| row.get::<i64>(0)).await.unwrap() == Some(1)
        };
        {
            // This call is slow on purpose.
            let slow = server.send(ask("/v1/companies/U99999XX2000PTC000010"));
            let mut slow = std::pin::pin!(slow);
            let claimed = async {
                while !is_claimed().await {
                    panji_testkit::pause().await;
                }
            };
            tokio::select! {
                response = &mut slow => panic!("it must be slow: {}", response.json),
                () = claimed => {}
            }
        }
        let released = async {
            while is_claimed().await {
                panji_testkit::pause().await;
            }
        };
        tokio::time::timeout(Duration::from_secs(60), released).await.unwrap();
        assert_eq!(server.send(ask("/v1/directors/99000101")).await.status, 200);
        server.close().await;
    });
}
