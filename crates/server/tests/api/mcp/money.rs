//! Tests of what tool calls cost, and that they are recorded like calls of the API.

use serde_json::{Value, json};

use super::client::{CIN, LEGACY, RECENT, call, content, error, result, tool_call};
use crate::ask::get;
use crate::responses_live::one_of_each;
use crate::server::{Server, serve};

/// A tool, its arguments, the operation, the request of the API that it stands for, and the price.
type Priced = (&'static str, Value, &'static str, String, i64);

fn calls_about_companies() -> Vec<Priced> {
    let section = |name: &str| json!({ "cin": CIN, "section": name });
    let company = |rest: &str| format!("/v1/companies/{CIN}{rest}");
    vec![
        ("company_profile", json!({ "cin": CIN }), "getCompanyProfile", company("/profile"), 10),
        ("company_profile", section("company"), "getCompany", company(""), 1),
        ("company_profile", section("directors"), "getCompanyDirectors", company("/directors"), 3),
        ("company_profile", section("charges"), "getCompanyCharges", company("/charges"), 3),
        (
            "company_profile",
            section("compliance"),
            "getCompanyCompliance",
            company("/compliance"),
            5,
        ),
        (
            "company_profile",
            json!({ "cin": CIN, "section": "documents", "page": 1, "year": "2024" }),
            "listCompanyDocuments",
            company("/documents?page=1&year=2024"),
            2,
        ),
        ("company_profile", section("pan"), "getCompanyPan", company("/pan"), 3),
        (
            "company_financials",
            json!({ "cin": CIN }),
            "getCompanyFinancials",
            company("/financials"),
            10,
        ),
        ("company_findings", json!({ "cin": CIN }), "getCompanyFindings", company("/findings"), 5),
        (
            "company_network",
            json!({ "cin": CIN, "depth": 2 }),
            "getCompanyNetwork",
            company("/network?depth=2"),
            5,
        ),
        (
            "company_network",
            json!({ "cin": CIN, "path_to": "99000104" }),
            "findPaths",
            format!("/v1/network/paths?from={CIN}&to=99000104"),
            5,
        ),
    ]
}

fn other_calls() -> Vec<Priced> {
    vec![
        (
            "director",
            json!({ "din": "99000101" }),
            "getDirector",
            "/v1/directors/99000101".into(),
            2,
        ),
        (
            "director",
            json!({ "din": 99000101, "companies": true }),
            "listDirectorCompanies",
            "/v1/directors/99000101/companies".into(),
            3,
        ),
        ("verify", json!({ "value": CIN }), "verifyCin", format!("/v1/verify/cin/{CIN}"), 1),
        (
            "verify",
            json!({ "value": "99000101" }),
            "verifyDin",
            "/v1/verify/din/99000101".into(),
            1,
        ),
        (
            "verify",
            json!({ "value": "27ZZACK4368A1ZP" }),
            "verifyGstin",
            "/v1/verify/gstin/27ZZACK4368A1ZP".into(),
            1,
        ),
        (
            "verify",
            json!({ "value": "ZZACK4368A" }),
            "verifyPan",
            "/v1/verify/pan/ZZACK4368A".into(),
            1,
        ),
        (
            "verify",
            json!({ "value": "what is / this?", "type": "pan" }),
            "verifyPan",
            "/v1/verify/pan/what%20is%20%2F%20this%3F".into(),
            1,
        ),
        (
            "find_company",
            json!({ "q": "kalpanik ind", "limit": 2, "listed": true }),
            "searchCompanies",
            "/v1/companies/search?q=kalpanik%20ind&limit=2&listed=true".into(),
            1,
        ),
    ]
}

#[test]
fn a_tool_returns_and_costs_what_its_operation_does_and_is_recorded_as_it() {
    serve(&[("free_quota.calls_per_day", "0")], async |server| {
        let key = server.test_key().await;
        for (tool, arguments, operation, path, price) in
            calls_about_companies().into_iter().chain(other_calls())
        {
            let before = server.balance(&key).await;
            let called = call(server, &key, tool, arguments).await;
            let content = content(&called);
            assert_eq!(content["credits_charged"], price, "{operation}");
            assert_eq!(content["credits_remaining"], before - price, "{operation}");
            assert_eq!(server.balance(&key).await, before - price, "{operation}");
            let api = server.send(get(path).key(&key)).await;
            assert_eq!(&content["data"], api.expect_data(), "{operation}");
            let request_id = content["request_id"].as_str().unwrap();
            let record = server.send(get(format!("/v1/requests/{request_id}")).key(&key)).await;
            let record = record.expect_data();
            assert_eq!(record["operation"], operation);
            assert_eq!(record["credits"], price, "{record}");
        }
    });
}

#[test]
fn matching_is_charged_in_one_entry_for_what_it_finds() {
    serve(&[], async |server| {
        let key = server.test_key().await;
        let items = json!([{ "name": "M/S KALPANIK INDS LTD", "state": "MH" }, { "name": "Smt. Chaya Namuna" }]);
        let matched =
            call(server, &key, "match_companies", json!({ "items": items, "limit": 1 })).await;
        let content = content(&matched);
        assert_eq!(
            (&content["credits_charged"], &content["data"]["matched"]),
            (&json!(2), &json!(1))
        );
        let malformed = json!({ "items": [{ "nmae": "x" }] });
        let refused = call(server, &key, "match_companies", malformed).await;
        let error = error(&refused);
        assert_eq!(
            (&error["code"], &error["param"]),
            (&json!("invalid_body"), &json!("items[0].nmae"))
        );
    });
}

/// A tool, its arguments, and the code and the parameter of the error.
type Refused = (&'static str, Value, &'static str, &'static str);

async fn expect_errors(server: &Server, cases: Vec<Refused>) {
    let key = server.test_key().await;
    let before = server.balance(&key).await;
    for (tool, arguments, code, param) in cases {
        let refused = call(server, &key, tool, arguments.clone()).await;
        let error = error(&refused);
        assert_eq!((&error["code"], &error["param"]), (&json!(code), &json!(param)), "{arguments}");
    }
    assert_eq!(server.balance(&key).await, before);
}

#[test]
fn an_error_of_the_api_is_a_tool_error_and_costs_nothing() {
    serve(&[], async |server| {
        let unknown = json!({ "cin": "U17111MH1994PTC999999" });
        let cheap = json!({ "value": CIN, "max_credits": 0 });
        let cases = vec![
            ("company_profile", unknown, "company_not_found", "cin"),
            ("company_profile", json!({ "cin": "nonsense" }), "invalid_identifier", "cin"),
            ("find_company", json!({ "q": "x", "limit": 51 }), "invalid_parameter", "limit"),
            ("director", json!({ "din": "99999999" }), "director_not_found", "din"),
            ("verify", cheap, "max_credits_exceeded", "max_credits"),
        ];
        expect_errors(server, cases).await;
    });
}

#[test]
fn a_wrong_argument_is_a_tool_error_and_costs_nothing() {
    serve(&[], async |server| {
        let cases = vec![
            ("company_profile", json!({ "cin": "search", "section": "company" }), "cin"),
            ("company_profile", json!({ "cin": CIN, "section": "all" }), "section"),
            ("company_profile", json!({ "cin": CIN, "page": 2 }), "page"),
            ("company_profile", json!({ "cin": CIN, "sektion": "pan" }), "sektion"),
            ("company_financials", json!({}), "cin"),
            ("company_network", json!({ "cin": CIN, "path_to": "F99101", "depth": 2 }), "depth"),
            ("company_financials", json!({ "cin": [CIN] }), "cin"),
            ("find_company", json!({ "q": " " }), "q"),
            ("director", json!({ "din": "99000101", "companies": "yes" }), "companies"),
            ("verify", json!({ "value": "hello" }), "type"),
            ("verify", json!({ "value": CIN, "type": "tan" }), "type"),
            ("verify", json!({ "value": CIN, "max_credits": -1 }), "max_credits"),
            ("verify", json!({ "value": CIN, "idempotency_key": "" }), "idempotency_key"),
            ("match_companies", json!({ "items": "x" }), "items"),
            ("account", json!({ "max_credits": 1 }), "max_credits"),
            ("watchlists", json!({ "action": "delete" }), "action"),
            ("watchlists", json!({ "name": "x" }), "name"),
            ("watchlists", json!({ "action": "add", "id": "wl_1", "members": CIN }), "members"),
            ("watchlists", json!({ "action": "members" }), "id"),
            ("watchlists", json!({ "max_credits": 1 }), "max_credits"),
        ];
        let refused = |(tool, arguments, param)| (tool, arguments, "invalid_parameter", param);
        expect_errors(server, cases.into_iter().map(refused).collect()).await;
    });
}

#[test]
fn live_keys_read_the_live_register_and_spend_purchased_credits() {
    serve(&[], async |server| {
        server.import(&one_of_each()).await;
        let cin = panji_testkit::records::CIN;
        let key = server.live_key(12).await;
        for revision in [LEGACY, RECENT] {
            let ask = tool_call(revision, "company_profile", json!({ "cin": cin }));
            let called = result(server, &key, ask).await;
            match revision {
                LEGACY => assert_eq!(content(&called)["credits_remaining"], 2),
                _ => assert_eq!(error(&called)["code"], "insufficient_credits"),
            }
        }
        assert_eq!(server.balance(&key).await, 2);
    });
}

#[test]
fn a_repeat_with_the_same_idempotency_key_is_charged_once() {
    serve(&[], async |server| {
        let key = server.test_key().await;
        let before = server.balance(&key).await;
        let arguments = json!({ "cin": CIN, "idempotency_key": "one" });
        let first = call(server, &key, "company_profile", arguments.clone()).await;
        let second = call(server, &key, "company_profile", arguments).await;
        let (first, second) = (content(&first), content(&second));
        assert_eq!(first["request_id"], second["request_id"]);
        assert_eq!(first["data"], second["data"]);
        assert!(second["notes"].to_string().contains("not charged again"), "{}", second["notes"]);
        let other = json!({ "cin": CIN, "idempotency_key": "one", "section": "pan" });
        let other = call(server, &key, "company_profile", other).await;
        assert_eq!(error(&other)["code"], "idempotency_mismatch");
        assert_eq!(server.balance(&key).await, before - 10);
    });
}
