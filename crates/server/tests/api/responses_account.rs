//! Tests of the free operations about the account: getAccount, getUsage and getRequest.

use panji_api::config::operation::Operation;
use panji_store::calendar::{ist_day, ist_midnight_ms, now_ms, rfc3339};
use panji_store::ledger::{Mode, NewKey};
use panji_testkit::records;
use serde_json::{Value, json};

use crate::ask::{Response, get};
use crate::responses_live::{UNKNOWN_REQUEST, ask_of, one_of_each};
use crate::server::{Key, Server, serve};

const DAY_MS: i64 = 24 * 3600 * 1000;
/// The operations that tests of the account call.
const ALLOWED: [&str; 4] = ["getAccount", "getUsage", "getRequest", "getDirector"];
/// Requests until a failed call must have been recorded.
const MAX_LOOKS: usize = 60_000;

/// A test key with every restriction that a key can have, for clients in 192.0.2.0/24.
pub async fn restricted_key(server: &Server) -> Key {
    let account_id = server.new_account().await;
    let new = NewKey {
        name: "Namuna key".to_owned(),
        expires_at: Some(now_ms() + DAY_MS),
        allowed_addresses: vec!["192.0.2.0/24".to_owned()],
        allowed_operations: ALLOWED.map(str::to_owned).to_vec(),
        monthly_cap: Some(50),
    };
    server.new_key(&account_id, Mode::Test, new).await
}

/// The id of a call that found no director. It is recorded after its response.
pub async fn failed_request(server: &Server, key: &Key) -> String {
    let ask = get("/v1/directors/99999999").from("192.0.2.7").key(key);
    let response = server.send(ask).await;
    assert_eq!(response.code(), "director_not_found", "{}", response.json);
    let id = id_of(&response);
    for _ in 0..MAX_LOOKS {
        if server.app.ledger.find_request(&key.account_id, &id).await.unwrap().is_some() {
            return id;
        }
        panji_testkit::pause().await;
    }
    panic!("the failed call {id} is never recorded");
}

fn id_of(response: &Response) -> String {
    response.header("request-id").unwrap().to_owned()
}

#[test]
fn an_account_is_described_with_its_balance_its_key_and_its_terms() {
    serve(&[("rate_limit.burst", "777777")], async |server| {
        server.import(&one_of_each()).await;
        let key = server.live_key(100).await;
        let company = ask_of(Operation::GetCompany).key(&key);
        assert_eq!(server.send(company).await.charged(), 0);
        let director = ask_of(Operation::GetDirector).key(&key);
        assert_eq!(server.send(director).await.charged(), 2);
        let before = ist_day(now_ms());
        let response = server.send(get("/v1/account").key(&key)).await;
        let data = response.expect_data();
        assert_eq!((response.charged(), response.remaining()), (0, 98));
        assert_eq!(data["account"], json!({ "id": key.account_id, "name": "Namuna Traders" }));
        assert_eq!((&data["mode"], &data["credits_remaining"]), (&json!("live"), &json!(98)));
        assert_eq!(
            (&data["free_quota"]["limit"], &data["free_quota"]["used"]),
            (&json!(100), &json!(1))
        );
        let resets = [before, ist_day(now_ms())].map(|day| rfc3339(ist_midnight_ms(&day) + DAY_MS));
        assert!(resets.iter().any(|resets| data["free_quota"]["resets_at"] == **resets), "{data}");
        let expected = json!({
            "id": key.id, "name": null, "last4": key.text[36..], "expires_at": null,
            "allowed_operations": [], "allowed_addresses": [], "monthly_cap": null,
            "spent_this_month": 2,
        });
        assert_eq!(data["key"], expected);
        assert_eq!(data["rate_limit"], json!({ "per_second": 1_000_000, "burst": 777_777 }));
        let prices = data["prices"].as_object().unwrap();
        assert_eq!(prices.len(), Operation::ALL.len());
        assert_eq!((&prices["getCompanyProfile"], &prices["getAccount"]), (&json!(10), &json!(0)));
        assert_eq!(prices["bulkEnrich"], Value::Null, "it costs the sum of its items");
    });
}

#[test]
fn a_restricted_key_is_described_with_its_restrictions() {
    serve(&[], async |server| {
        let key = restricted_key(server).await;
        let ask = |path: &str| get(path).from("192.0.2.7").key(&key);
        assert_eq!(server.send(ask("/v1/directors/99000101")).await.charged(), 2);
        let response = server.send(ask("/v1/account")).await;
        let described = &response.expect_data()["key"];
        assert_eq!(described["name"], "Namuna key");
        assert_eq!(described["allowed_operations"], json!(ALLOWED));
        assert_eq!(described["allowed_addresses"], json!(["192.0.2.0/24"]));
        assert_eq!(
            (&described["monthly_cap"], &described["spent_this_month"]),
            (&json!(50), &json!(2))
        );
        assert!(described["expires_at"].as_str().unwrap().ends_with('Z'));
        let refused = server.send(get("/v1/account").from("198.51.100.7").key(&key)).await;
        assert_eq!(refused.code(), "ip_not_allowed");
    });
}

#[test]
fn the_account_operations_need_permission_but_no_balance_and_no_cap() {
    serve(&[("free_quota.calls_per_day", "0")], async |server| {
        let empty = server.live_key(0).await;
        let earlier = id_of(&server.send(get("/v1/account").key(&empty)).await);
        let new = NewKey { monthly_cap: Some(0), ..NewKey::default() };
        let capped = server.new_key(&empty.account_id, Mode::Live, new).await;
        let new = NewKey { allowed_operations: vec!["getCompany".into()], ..NewKey::default() };
        let narrow = server.new_key(&empty.account_id, Mode::Live, new).await;
        let request = format!("/v1/requests/{earlier}");
        for path in ["/v1/account", "/v1/usage", &request] {
            for key in [&empty, &capped] {
                let ask = get(path).key(key).header("panji-max-credits", "0");
                let response = server.send(ask).await;
                assert_eq!(
                    (response.status, response.charged(), response.remaining()),
                    (200, 0, 0),
                    "{path}"
                );
            }
            let refused = server.send(get(path).key(&narrow)).await;
            assert_eq!(refused.code(), "endpoint_not_allowed", "{path}");
        }
    });
}

#[test]
fn an_account_without_a_free_quota_is_described_so() {
    serve(&[], async |server| {
        let (ledger, names) = (&server.app.ledger, ("asha", "Namuna Traders"));
        let signed_up = ledger.sign_up("asha@firm.example", names, "hash", false, now_ms()).await;
        let (_, account) = signed_up.unwrap();
        let key = server.new_key(&account.id, Mode::Live, NewKey::default()).await;
        let data = server.send(get("/v1/account").key(&key)).await.expect_data().clone();
        assert_eq!(data["free_quota"]["limit"], 0);
        assert_eq!(data["free_quota"]["used"], 0);
    });
}

/// The report of a new account that has made two successful calls and one that failed.
async fn report(server: &Server, query: &str) -> (Key, Value) {
    let key = server.live_key(100).await;
    server.send(ask_of(Operation::GetDirector).key(&key)).await.expect_data();
    server.send(ask_of(Operation::GetCompany).key(&key)).await.expect_data();
    failed_request(server, &key).await;
    let response = server.send(get("/v1/usage").query(query).key(&key)).await;
    assert_eq!(response.charged(), 0);
    (key, response.expect_data().clone())
}

#[test]
fn usage_is_summed_by_day_operation_or_key() {
    serve(&[], async |server| {
        server.import(&one_of_each()).await;
        let before = ist_day(now_ms());
        let (_, by_day) = report(server, "group_by=day").await;
        let sums = json!({ "calls": 3, "free_calls": 1, "credits": 2, "errors": 1 });
        assert_eq!((&by_day["group_by"], &by_day["total"]), (&json!("day"), &sums));
        let row = |name: &str, value: &str, sums: [i64; 4]| {
            let mut row = json!({ "day": null, "operation": null, "key": null, "calls": sums[0],
                "free_calls": sums[1], "credits": sums[2], "errors": sums[3] });
            row[name] = value.into();
            row
        };
        // The calls may be spread over midnight.
        if before == ist_day(now_ms()) {
            assert_eq!(by_day["rows"], json!([row("day", &before, [3, 1, 2, 1])]));
            assert_eq!(by_day["to"], before);
        }
        let (_, by_operation) = report(server, "group_by=operation").await;
        let expected = json!([
            row("operation", "getDirector", [2, 0, 2, 1]),
            row("operation", "getCompany", [1, 1, 0, 0]),
        ]);
        assert_eq!(by_operation["rows"], expected);
        let (key, by_key) = report(server, "group_by=key").await;
        assert_eq!(by_key["rows"], json!([row("key", &key.id, [3, 1, 2, 1])]));
        let other = server.send(get("/v1/usage").key(&server.live_key(0).await)).await;
        assert_eq!(other.expect_data()["rows"], json!([]), "an account sees only its own calls");
    });
}

#[test]
fn the_period_of_a_report_is_checked() {
    serve(&[], async |server| {
        let key = server.test_key().await;
        let ask = async |query: &str| server.send(get("/v1/usage").query(query).key(&key)).await;
        for (query, param) in [
            ("from=yesterday", "from"),
            ("from=2026-02-30", "from"),
            ("from=20260301", "from"),
            ("from=2026-03-01T00:00", "from"),
            ("to=", "to"),
            ("from=2026-03-02&to=2026-03-01", "from"),
            ("from=2025-03-01&to=2026-03-02", "from"),
            ("group_by=month", "group_by"),
            ("group_by=", "group_by"),
            ("by=day", "by"),
        ] {
            let response = ask(query).await;
            assert_eq!(response.code(), "invalid_parameter", "{query}");
            assert_eq!(response.json["error"]["param"], param, "{query}");
        }
        let year = ask("from=2025-03-01&to=2026-03-01").await;
        let data = year.expect_data();
        assert_eq!((&data["from"], &data["to"]), (&json!("2025-03-01"), &json!("2026-03-01")));
        let default = ask("to=2026-03-30").await;
        assert_eq!(default.expect_data()["from"], "2026-03-01");
        let future = ask("from=9999-01-01&to=9999-12-31").await;
        assert_eq!(future.expect_data()["rows"], json!([]));
    });
}

#[test]
fn a_request_is_found_with_its_details_and_without_its_response() {
    serve(&[], async |server| {
        server.import(&one_of_each()).await;
        let key = server.live_key(100).await;
        let look = async |id: &str| {
            let path = format!("/v1/requests/{id}");
            server.send(get(path).key(&key)).await.expect_data().clone()
        };
        let paid = server.send(ask_of(Operation::GetDirector).key(&key)).await;
        let mut found = look(&id_of(&paid)).await;
        assert!(found["duration_ms"].as_f64().is_some_and(|duration| duration > 0.0), "{found}");
        assert!(found["requested_at"].as_str().unwrap().ends_with('Z'), "{found}");
        found
            .as_object_mut()
            .unwrap()
            .retain(|name, _| !["duration_ms", "requested_at"].contains(&&**name));
        let expected = json!({
            "id": id_of(&paid), "operation": "getDirector", "subject": records::DIN, "status": 200,
            "error_code": null, "credits": 2, "free": false, "key": key.id, "mode": "live",
        });
        assert_eq!(found, expected);
        let free = server.send(ask_of(Operation::GetCompany).key(&key)).await;
        let found = look(&id_of(&free).to_lowercase()).await;
        assert_eq!((&found["credits"], &found["free"]), (&json!(0), &json!(true)));
        let failed = look(&failed_request(server, &key).await).await;
        assert_eq!(
            (&failed["status"], &failed["error_code"]),
            (&json!(404), &json!("director_not_found"))
        );
        assert_eq!((&failed["subject"], &failed["credits"]), (&json!("99999999"), &json!(0)));
        let bulk = server.send(ask_of(Operation::BulkVerify).key(&key)).await;
        assert_eq!(look(&id_of(&bulk)).await["subject"], Value::Null);
    });
}

#[test]
fn the_subject_of_a_request_is_redacted_as_in_the_log() {
    serve(&[], async |server| {
        let key = server.test_key().await;
        for (path, subject) in [
            ("/v1/verify/pan/ZZACK4368A", "ZZACKXXXXA"),
            ("/v1/verify/pan/zzack%204368%20a", "zzack XXXX a"),
            ("/v1/verify/gstin/27ZZACK4368A1ZP", "27ZZACKXXXXA1ZP"),
            ("/v1/search/pan/ZZACK4368A", "ZZACKXXXXA"),
            ("/v1/companies/search?q=kalpanik+ZZACK4368A+100%25", "kalpanik ZZACKXXXXA 100%"),
            ("/v1/companies/search?q=Kalpanik+Mills", "Kalpanik Mills"),
            ("/v1/companies/L17111MH1994PLC990011/pan", "L17111MH1994PLC990011"),
        ] {
            let asked = server.send(get(path).key(&key)).await;
            asked.expect_data();
            let look = get(format!("/v1/requests/{}", id_of(&asked))).key(&key);
            assert_eq!(server.send(look).await.expect_data()["subject"], subject, "{path}");
        }
    });
}

#[test]
fn a_request_of_another_account_or_mode_is_not_found() {
    serve(&[], async |server| {
        server.import(&one_of_each()).await;
        let key = server.live_key(100).await;
        let id = id_of(&server.send(ask_of(Operation::GetDirector).key(&key)).await);
        let sibling = server.new_key(&key.account_id, Mode::Live, NewKey::default()).await;
        let test = server.new_key(&key.account_id, Mode::Test, NewKey::default()).await;
        let other_account = server.live_key(100).await;
        let look = async |id: &str, key: &Key| {
            let response = server.send(get(format!("/v1/requests/{id}")).key(key)).await;
            (response.status, response.code().to_owned())
        };
        let not_found = (404, "request_not_found".to_owned());
        assert_eq!(look(&id, &sibling).await.0, 200, "another key of the account may look");
        assert_eq!(look(&id, &other_account).await, not_found);
        assert_eq!(look(&id, &test).await, not_found);
        assert_eq!(look(UNKNOWN_REQUEST, &key).await, not_found);
        for malformed in [
            "x",
            "req_",
            "req_01ARZ3NDEKTSV4RRFFQ69G5FA",
            "req_01ARZ3NDEKTSV4RRFFQ69G5FAI",
            "%zz",
            "%C3%A9%C3%A9%C3%A9",
        ] {
            let refused = (400, "invalid_identifier".to_owned());
            assert_eq!(look(malformed, &key).await, refused, "{malformed}");
        }
    });
}

#[test]
fn a_request_is_forgotten_with_its_usage_row_and_its_sums_stay() {
    serve(&[], async |server| {
        server.import(&one_of_each()).await;
        let key = server.live_key(100).await;
        let id = id_of(&server.send(ask_of(Operation::GetDirector).key(&key)).await);
        server.app.ledger.roll_up_usage("9999-12-31").await.unwrap();
        let gone = server.send(get(format!("/v1/requests/{id}")).key(&key)).await;
        assert_eq!(gone.code(), "request_not_found");
        let usage = server.send(get("/v1/usage").key(&key)).await;
        assert_eq!(usage.expect_data()["total"]["credits"], 2);
    });
}

#[test]
fn the_account_operations_count_against_the_rate_limit() {
    let tight = [("rate_limit.per_second", "1"), ("rate_limit.burst", "2")];
    serve(&tight, async |server| {
        for path in ["/v1/account", "/v1/usage"] {
            let key = server.test_key().await;
            let mut status = 200;
            for _ in 0..100 {
                status = server.send(get(path).key(&key)).await.status;
                if status != 200 {
                    break;
                }
            }
            assert_eq!(status, 429, "{path}");
        }
    });
}
