//! Tests of reconciliation tokens: where they work, where they do not, and what ends them.

use axum::http::Method;
use panji_store::calendar::now_ms;
use panji_store::ledger::{Mode, NewKey};
use serde_json::json;

use crate::ask::{ask, get, post};
use crate::reconcile::{path, queries, test_token};
use crate::server::{new_key_text, serve};

const LISTED: &str = "L17111MH1994PLC990011";

#[test]
fn a_token_is_no_key_and_a_key_is_no_token() {
    serve(&[], async |server| {
        let key = server.test_key().await;
        let token = server.new_token(&key.account_id, Mode::Test, NewKey::default()).await;
        for asked in [
            get(format!("/v1/companies/{LISTED}")),
            post("/v1/companies/match", &json!({ "items": [{ "name": "x" }] })),
        ] {
            let response = server.send(asked.key(&token)).await;
            assert_eq!((response.status, response.code()), (401, "invalid_api_key"));
            assert!(response.json["error"]["message"].as_str().unwrap().contains("/reconcile/"));
        }
        for text in [key.text.clone(), new_key_text(Mode::Live).as_str().to_owned()] {
            let response = server.send_unchecked(get(format!("/reconcile/{text}"))).await;
            assert_eq!((response.status, response.code()), (401, "invalid_api_key"));
            assert!(response.json["error"]["message"].as_str().unwrap().contains("API key"));
            assert!(!response.json.to_string().contains(&text));
        }
        let mistyped = format!("{}0", &token.text[..39]);
        for text in ["x", &token.text[8..], &mistyped] {
            let response = server.send_unchecked(get(format!("/reconcile/{text}"))).await;
            assert_eq!((response.status, response.code()), (401, "invalid_api_key"), "{text}");
        }
        let elsewhere = server.send_unchecked(get(path(&token, "/nowhere"))).await;
        assert_eq!((elsewhere.status, elsewhere.code()), (404, "route_not_found"));
    });
}

#[test]
fn a_revoked_an_expired_and_a_foreign_token_are_refused() {
    serve(&[], async |server| {
        let account = server.new_account().await;
        let revoked = server.new_token(&account, Mode::Test, NewKey::default()).await;
        server.app.ledger.revoke_key(&revoked.id, now_ms()).await.unwrap();
        let past = NewKey { expires_at: Some(now_ms() - 1), ..NewKey::default() };
        let expired = server.new_token(&account, Mode::Test, past).await;
        let bound =
            NewKey { allowed_addresses: vec!["203.0.113.0/24".into()], ..NewKey::default() };
        let bound = server.new_token(&account, Mode::Test, bound).await;
        for (token, status, code) in [
            (&revoked, 401, "revoked_api_key"),
            (&expired, 401, "expired_api_key"),
            (&bound, 403, "ip_not_allowed"),
        ] {
            let response = server.send_unchecked(get(path(token, ""))).await;
            assert_eq!((response.status, response.code()), (status, code));
        }
        let within = get(path(&bound, "")).from("203.0.113.9");
        assert_eq!(server.send_unchecked(within).await.status, 200);
        let suspended = test_token(server).await;
        server.app.ledger.set_suspended(&suspended.account_id, Some(now_ms())).await.unwrap();
        let response = server.send_unchecked(get(path(&suspended, ""))).await;
        assert_eq!((response.status, response.code()), (403, "account_suspended"));
    });
}

#[test]
fn a_live_token_works_from_a_page_and_so_does_a_preflight() {
    serve(&[], async |server| {
        let account = server.new_account().await;
        let token = server.new_token(&account, Mode::Live, NewKey::default()).await;
        let from_page = get(path(&token, ""))
            .header("origin", "http://127.0.0.1:3333")
            .header("sec-fetch-site", "cross-site");
        let response = server.send_unchecked(from_page).await;
        assert_eq!(
            (response.status, response.header("access-control-allow-origin")),
            (200, Some("*"))
        );
        let preflight = server.send_unchecked(ask(Method::OPTIONS, path(&token, ""))).await;
        assert_eq!(preflight.status, 204);
        assert_eq!(preflight.header("access-control-allow-methods"), Some("GET, POST, OPTIONS"));
        assert_eq!(preflight.header("access-control-allow-origin"), Some("*"));
        let broke =
            server.send_unchecked(queries(&token, &json!({ "a": { "query": "x y" } }))).await;
        assert_eq!((broke.status, broke.code()), (402, "insufficient_credits"));
    });
}

#[test]
fn queries_count_against_the_rate_of_bulk_calls() {
    let slow = [("bulk_rate_limit.per_second", "1"), ("bulk_rate_limit.burst", "2")];
    serve(&slow, async |server| {
        let token = test_token(server).await;
        let ask = || queries(&token, &json!({ "a": { "query": "" } }));
        let mut last = server.send_unchecked(ask()).await;
        for _ in 0..50 {
            if last.status == 429 {
                break;
            }
            last = server.send_unchecked(ask()).await;
        }
        assert_eq!((last.status, last.code()), (429, "rate_limited"));
        assert!(last.header("retry-after").is_some() && last.header("ratelimit").is_some());
    });
}
