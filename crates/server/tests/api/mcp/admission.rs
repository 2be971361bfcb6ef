//! Tests of who may call: keys, origins, hosts and rates.

use panji_store::ledger::{Mode, NewKey};
use serde_json::json;

use super::client::{CIN, RECENT, call, content, error, message, protocol_error, tool_call};
use crate::ask::Ask;
use crate::server::{Key, new_key_text, serve, serve_embedded};

fn list() -> Ask {
    message(RECENT, "tools/list", json!({}))
}

#[test]
fn a_request_without_a_valid_key_is_refused_like_a_call_of_the_api() {
    serve(&[], async |server| {
        let response = server.send_unchecked(list()).await;
        assert_eq!((response.status, response.code()), (401, "missing_api_key"));
        assert_eq!(response.header("www-authenticate"), Some("Bearer"));
        let unknown = format!("Bearer {}", new_key_text(Mode::Live).as_str());
        let response = server.send_unchecked(list().header("authorization", unknown)).await;
        assert_eq!((response.status, response.code()), (401, "invalid_api_key"));
        let key = server.test_key().await;
        server.app.ledger.revoke_key(&key.id, panji_store::calendar::now_ms()).await.unwrap();
        let response = server.send_unchecked(list().key(&key)).await;
        assert_eq!((response.status, response.code()), (401, "revoked_api_key"));
    });
}

#[test]
fn a_key_for_some_operations_is_limited_to_them() {
    serve(&[], async |server| {
        let account_id = server.new_account().await;
        let new = NewKey { allowed_operations: vec!["verifyPan".into()], ..NewKey::default() };
        let key = server.new_key(&account_id, Mode::Test, new).await;
        let allowed = call(server, &key, "verify", json!({ "value": "ZZACK4368A" })).await;
        assert_eq!(content(&allowed)["credits_charged"], 1);
        let refused = call(server, &key, "company_profile", json!({ "cin": CIN })).await;
        assert_eq!(error(&refused)["code"], "endpoint_not_allowed");
    });
}

#[test]
fn a_key_for_some_addresses_is_limited_to_them() {
    serve_embedded(&[], async |server| {
        let account_id = server.new_account().await;
        let new = NewKey { allowed_addresses: vec!["10.1.0.0/16".into()], ..NewKey::default() };
        let key = server.new_key(&account_id, Mode::Test, new).await;
        let ask = || tool_call(RECENT, "verify", json!({ "value": "ZZACK4368A" })).key(&key);
        let ask = |address: &str| ask().without_header("host").from(address);
        // The host of requests with an address is a name that is not this service's.
        assert_eq!(server.send_unchecked(ask("10.1.2.3")).await.status, 403);
    });
    serve_embedded(&[("mcp.allowed_hosts", "Panji, other")], async |server| {
        let account_id = server.new_account().await;
        let new = NewKey { allowed_addresses: vec!["10.1.0.0/16".into()], ..NewKey::default() };
        let key = server.new_key(&account_id, Mode::Test, new).await;
        let ask = |address: &str| {
            let ask = tool_call(RECENT, "verify", json!({ "value": "ZZACK4368A" })).key(&key);
            ask.without_header("host").from(address)
        };
        let response = server.send_unchecked(ask("10.1.2.3")).await;
        assert_eq!(content(&response.json["result"])["credits_charged"], 1);
        let response = server.send_unchecked(ask("10.2.2.3")).await;
        assert_eq!((response.status, response.code()), (403, "ip_not_allowed"));
    });
}

#[test]
fn pages_of_other_origins_and_other_names_of_this_machine_are_refused_before_the_key_is_read() {
    serve_embedded(&[("public_url", "https://panji.example")], async |server| {
        let key = server.test_key().await;
        let from = |origin: &str| list().header("origin", origin).key(&key);
        for foreign in ["https://evil.example", "null", "http://localhost:1"] {
            let response = server.send_unchecked(from(foreign)).await;
            assert_eq!((response.status, protocol_error(&response)), (403, -32600), "{foreign}");
            assert_eq!(response.header("access-control-allow-origin"), None);
        }
        assert_eq!(server.send_unchecked(from("https://panji.example")).await.status, 200);
        let to = |host: &str| list().without_header("host").header("host", host).key(&key);
        for own in ["panji.example", "127.0.0.1:8080", "[::1]:8080", "localhost:8080"] {
            assert_eq!(server.send_unchecked(to(own)).await.status, 200, "{own}");
        }
        assert_eq!(server.send_unchecked(to("evil.example")).await.status, 403);
        let live = server.live_key(10).await;
        let response = list().header("origin", "https://panji.example").key(&live);
        let response = server.send_unchecked(response).await;
        assert_eq!((response.status, response.code()), (403, "live_key_in_browser"));
    });
}

#[test]
fn a_request_counts_once_against_the_rate_of_its_key() {
    let settings = [("rate_limit.per_second", "1"), ("rate_limit.burst", "1")];
    serve_embedded(&settings, async |server| {
        let (first, key) = (server.test_key().await, server.test_key().await);
        let ask =
            |key: &Key| tool_call(RECENT, "verify", json!({ "value": "ZZACK4368A" })).key(key);
        // The first call of a process makes the tools, which can take longer than a permit needs to come back.
        server.send_unchecked(ask(&first)).await;
        let response = server.send_unchecked(ask(&key)).await;
        assert_eq!(content(&response.json["result"])["credits_charged"], 1);
        let response = server.send_unchecked(ask(&key)).await;
        assert_eq!((response.status, response.code()), (429, "rate_limited"));
        assert!(response.header("retry-after").is_some());
    });
}

#[test]
fn matching_also_counts_against_the_rate_of_bulk_calls() {
    let settings = [("bulk_rate_limit.per_second", "1"), ("bulk_rate_limit.burst", "1")];
    serve_embedded(&settings, async |server| {
        let key = server.test_key().await;
        let items = json!({ "items": [{ "name": "Kalpanik Industries Limited" }] });
        let first = call(server, &key, "match_companies", items.clone()).await;
        assert_eq!(content(&first)["data"]["matched"], 1);
        let second = call(server, &key, "match_companies", items).await;
        assert_eq!(error(&second)["code"], "rate_limited");
        let other = call(server, &key, "verify", json!({ "value": "ZZACK4368A" })).await;
        assert_eq!(content(&other)["credits_charged"], 1);
    });
}
