//! Tests that refusals reveal nothing about the register: balance, cap and maximum are checked
//! against the list price before any lookup.

use panji_api::config::operation::{Operation, Tariff};
use panji_store::calendar::now_ms;
use panji_store::ledger::{EntryKind, Mode, NewKey};
use panji_testkit::records;
use serde_json::{Value, json};

use crate::ask::{Ask, Response, get, post};
use crate::responses_live::{GSTIN, ask_of, one_of_each, priced_operations};
use crate::server::{Key, Server, serve};

const NO_FREE_CALLS: (&str, &str) = ("free_quota.calls_per_day", "0");
const UNKNOWN_CIN: &str = "U17111MH1994PTC999999";

/// The request of `ask_of` for something that is not in the register.
fn ask_of_unknown(operation: Operation) -> Ask {
    let ask = ask_of(operation);
    match operation {
        Operation::SearchCompanies => get("/v1/companies/search?q=zzyzx"),
        Operation::BulkVerify => post(ask.path, &json!({ "items": [{ "value": UNKNOWN_CIN }] })),
        Operation::BulkEnrich => {
            post(ask.path, &json!({ "cins": [UNKNOWN_CIN], "fields": ["company", "financials"] }))
        }
        Operation::MatchCompanies => {
            post(ask.path, &json!({ "items": [{ "name": "Zzyzx Qqqqq" }] }))
        }
        _ => get(ask
            .path
            .replace(records::CIN, UNKNOWN_CIN)
            .replace(records::DIN, "99999999")
            .replace(GSTIN, "27AAPFU0939F1ZV")
            .replace(records::PAN, "ZZZPZ0001Z")),
    }
}

/// Everything by which a caller could distinguish two refusals.
fn visible(response: &Response) -> (u16, Value, Value, Value) {
    let error = &response.json["error"];
    let remaining = response.json["credits_remaining"].clone();
    (response.status, error["code"].clone(), error["message"].clone(), remaining)
}

/// Requests something that is in the register and something that is not, and expects equal
/// refusals.
async fn expect_one_refusal(
    server: &Server,
    operation: Operation,
    code: &str,
    prepare: impl Fn(Ask) -> Ask,
) {
    let known = server.send(prepare(ask_of(operation))).await;
    let unknown = server.send(prepare(ask_of_unknown(operation))).await;
    assert_eq!((known.status, known.code()), (402, code), "{}: {}", operation.id(), known.json);
    assert_eq!(visible(&unknown), visible(&known), "{}", operation.id());
}

#[test]
fn a_refusal_is_the_same_whether_or_not_the_record_exists() {
    serve(&[NO_FREE_CALLS], async |server| {
        server.import(&one_of_each()).await;
        let empty = server.live_key(0).await;
        let rich = server.live_key(1_000).await;
        let new = NewKey { monthly_cap: Some(0), ..NewKey::default() };
        let capped = server.new_key(&rich.account_id, Mode::Live, new).await;
        for operation in priced_operations() {
            let with = |key: &Key| {
                let key = key.clone();
                move |ask: Ask| ask.key(&key)
            };
            expect_one_refusal(server, *operation, "insufficient_credits", with(&empty)).await;
            expect_one_refusal(server, *operation, "spend_cap_reached", with(&capped)).await;
            let stingy = |ask: Ask| ask.key(&rich).header("panji-max-credits", "0");
            expect_one_refusal(server, *operation, "max_credits_exceeded", stingy).await;
        }
        assert_eq!(server.balance(&rich).await, 1_000);
    });
}

#[test]
fn a_balance_spent_on_another_node_reveals_nothing_either() {
    serve(&[NO_FREE_CALLS], async |server| {
        server.import(&one_of_each()).await;
        for operation in priced_operations() {
            let key = server.live_key(100).await;
            // The node has now cached a balance that covers everything.
            assert_eq!(server.send(ask_of(*operation).key(&key)).await.status, 200);
            let (ledger, kind) = (&server.app.ledger, EntryKind::Adjustment);
            let rest = -server.balance(&key).await;
            ledger
                .add_entry(&key.account_id, Mode::Live, kind, rest, None, now_ms())
                .await
                .unwrap();
            let keyed = |ask: Ask| ask.key(&key);
            expect_one_refusal(server, *operation, "insufficient_credits", keyed).await;
        }
    });
}

#[test]
fn a_call_that_finds_nothing_is_free_only_if_the_caller_can_pay_its_price() {
    serve(&[NO_FREE_CALLS], async |server| {
        let short = server.live_key(2).await;
        let enough = server.live_key(3).await;
        let none_registered = "/v1/search/pan/ZZZPZ0001Z";
        let refused = server.send(get(none_registered).key(&short)).await;
        assert_eq!(refused.code(), "insufficient_credits");
        let response = server.send(get(none_registered).key(&enough)).await;
        assert_eq!((response.status, response.charged(), response.remaining()), (200, 0, 3));
        let unknown = format!("/v1/companies/{UNKNOWN_CIN}/pan");
        assert_eq!(server.send(get(&unknown).key(&short)).await.status, 402);
        assert_eq!(server.send(get(&unknown).key(&enough)).await.status, 404);
    });
}

#[test]
fn a_bulk_call_is_refused_by_its_list_price_and_not_by_its_results() {
    serve(&[], async |server| {
        server.import(&one_of_each()).await;
        let key = server.live_key(21).await;
        // Two different numbers, one of them twice and one malformed: 2 × (1 + 10).
        let cins = [records::CIN, UNKNOWN_CIN, records::CIN, "nonsense"];
        let body = json!({ "cins": cins, "fields": ["company", "financials"] });
        let refused = server.send(post("/v1/bulk/enrich", &body).key(&key)).await;
        assert_eq!(refused.code(), "insufficient_credits");
        let message = refused.json["error"]["message"].as_str().unwrap();
        assert_eq!(message, "The call costs 22 credits and the balance is 21: buy credits.");
        server.grant(&key.account_id, 1).await;
        let response = server.send(post("/v1/bulk/enrich", &body).key(&key)).await;
        assert_eq!((response.status, response.charged(), response.remaining()), (200, 11, 11));
    });
}

#[test]
fn the_check_counts_the_free_quota() {
    serve(&[("free_quota.calls_per_day", "1")], async |server| {
        server.import(&one_of_each()).await;
        let key = server.live_key(0).await;
        let ask = |operation| ask_of(operation).key(&key).header("panji-max-credits", "0");
        let unknown = ask_of_unknown(Operation::GetCompany).key(&key);
        assert_eq!(server.send(unknown.clone()).await.code(), "company_not_found");
        assert_eq!(server.send(ask(Operation::GetCompany)).await.charged(), 0);
        assert_eq!(server.send(unknown).await.code(), "insufficient_credits");
        let refused = server.send(ask(Operation::SearchCompanies)).await;
        assert_eq!(refused.code(), "max_credits_exceeded");
    });
}

#[test]
fn a_malformed_request_is_reported_before_the_balance_is_checked() {
    serve(&[NO_FREE_CALLS], async |server| {
        let key = server.live_key(0).await;
        for path in [
            "/v1/companies/nonsense/profile",
            "/v1/directors/nonsense",
            "/v1/gst/nonsense",
            "/v1/companies/search",
        ] {
            assert_eq!(server.send(get(path).key(&key)).await.status, 400, "{path}");
        }
    });
}

#[test]
fn errors_have_mode_balance_and_free_calls_if_the_caller_is_known() {
    serve(&[("limits.path_bytes", "100")], async |server| {
        let key = server.test_key().await;
        assert_eq!(server.send(ask_of(Operation::VerifyCin).key(&key)).await.charged(), 1);
        let long = format!("/v1/companies/search?q={}", "a".repeat(100));
        for (ask, code) in [
            (get("/v1/nowhere"), "route_not_found"),
            (get("/v1/bulk/verify"), "method_not_allowed"),
            (get(long), "invalid_parameter"),
            (get("/v1/companies/search"), "invalid_parameter"),
            (ask_of_unknown(Operation::GetCompany), "company_not_found"),
            (ask_of_unknown(Operation::GetDirector), "director_not_found"),
            (ask_of(Operation::BulkVerify).body("{"), "invalid_body"),
        ] {
            let path = ask.path.clone();
            let response = server.send(ask.key(&key)).await;
            assert_eq!(response.code(), code, "{path}");
            assert_eq!(response.header("panji-mode"), Some("test"), "{path}");
            assert_eq!(response.json["credits_remaining"], 9_999, "{path}");
            let policy = response.header("ratelimit-policy").unwrap();
            assert!(policy.starts_with("\"key\"") || policy.starts_with("\"bulk\""), "{path}");
        }
        for operation in Operation::ALL {
            let ask = ask_of(*operation).query("surprise=1").key(&key);
            let free = server.send(ask).await.header("panji-free-remaining").map(str::to_owned);
            let expected = (operation.tariff() == Tariff::FreeQuota).then_some("100".to_owned());
            assert_eq!(free, expected, "{}", operation.id());
        }
        let unknown = server.send(get("/v1/nowhere")).await;
        assert_eq!(unknown.json["credits_remaining"], Value::Null);
        assert_eq!(unknown.header("panji-mode"), None);
    });
}
