//! Tests of the reconciliation service: manifest, queries, suggestions and previews.

use axum::http::Method;
use panji_store::ledger::{Mode, NewKey};
use panji_testkit::records;
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::{Value, json};

use crate::ask::{Ask, Response, ask, get};
use crate::reconcile_shape::{check_manifest, check_proposal, check_results, check_suggestions};
use crate::server::{Key, Server, serve};

const LISTED: &str = "L17111MH1994PLC990011";

pub fn encode(text: &str) -> String {
    utf8_percent_encode(text, NON_ALPHANUMERIC).to_string()
}

pub fn path(token: &Key, rest: &str) -> String {
    format!("/reconcile/{}{rest}", token.text)
}

/// A form, as clients send it.
pub fn form(token: &Key, name: &str, value: &str) -> Ask {
    ask(Method::POST, path(token, ""))
        .header("content-type", "application/x-www-form-urlencoded")
        .body(format!("{name}={}", encode(value)))
}

pub fn queries(token: &Key, queries: &Value) -> Ask {
    form(token, "queries", &queries.to_string())
}

pub async fn test_token(server: &Server) -> Key {
    let account_id = server.new_account().await;
    server.new_token(&account_id, Mode::Test, NewKey::default()).await
}

async fn read(server: &Server, ask: Ask) -> Value {
    let response = server.send_unchecked(ask).await;
    assert_eq!(response.status, 200, "{}", response.json);
    assert_eq!(response.header("access-control-allow-origin"), Some("*"));
    assert_eq!(response.header("cache-control"), Some("private, no-store"));
    response.json
}

fn check_error(response: &Response, status: u16, code: &str, part: &str) {
    assert_eq!((response.status, response.code()), (status, code), "{}", response.json);
    assert_eq!(response.json["credits_charged"], 0);
    let message = response.json["error"]["message"].as_str().unwrap();
    assert!(message.contains(part), "{message}");
}

#[test]
fn the_manifest_names_addresses_that_respond() {
    serve(&[("public_url", "https://api.example.in")], async |server| {
        let token = test_token(server).await;
        let manifest = read(server, get(path(&token, ""))).await;
        check_manifest(&manifest);
        let local = |url: &str| url.strip_prefix("https://api.example.in").unwrap().to_owned();
        let place = |place: &Value| {
            let of = |name: &str| place[name].as_str().unwrap();
            local(&format!("{}{}", of("service_url"), of("service_path")))
        };
        for (what, prefix) in [("entity", "kalpanik"), ("property", "st"), ("type", "com")] {
            let address = place(&manifest["suggest"][what]);
            let response =
                read(server, get(address).query(&format!("prefix={prefix}&type=a&type=b"))).await;
            check_suggestions(&response);
            assert!(!response["result"].as_array().unwrap().is_empty(), "{what}");
        }
        let proposed = place(&manifest["extend"]["propose_properties"]);
        check_proposal(&read(server, get(proposed).query("type=company&limit=5")).await);
        let preview = local(manifest["preview"]["url"].as_str().unwrap()).replace("{{id}}", LISTED);
        assert_eq!(server.send_unchecked(get(preview)).await.status, 200);
        assert_eq!(manifest["batchSize"], 50);
        let balance = server.balance(&token).await;
        assert_eq!(balance, 10_000, "manifest, suggestions and previews are free");
    });
}

#[test]
fn results_are_under_the_ids_of_their_queries_and_match_is_true_only_for_a_match() {
    serve(&[], async |server| {
        let token = test_token(server).await;
        let batch = json!({
            "q0": { "query": "M/S KALPANIK INDS LTD", "type": "company", "type_strict": "should",
                    "properties": [{ "pid": "state", "v": "MH" }, { "pid": "city", "v": ["", "Mumbai"] }] },
            "q1": { "query": "Zyxwvut Qqqq Pvt Ltd", "limit": 5 },
            "q2": { "query": "" },
            "q3": { "query": LISTED, "limit": 1 },
            "q4": { "query": "Kalpanik Logistics Private Limited", "properties": [{ "pid": "cin", "v": { "id": LISTED } }] },
            "q5": { "query": "Kalpanik Industries Limited", "type": ["person"] },
            "q6": { "properties": [{ "pid": "gstin", "v": "27ZZACK4368A1ZP" }] },
        });
        let results = read(server, queries(&token, &batch)).await;
        check_results(&results, &["q0", "q1", "q2", "q3", "q4", "q5", "q6"]);
        let of = |id: &str| results[id]["result"].as_array().unwrap();
        assert_eq!((&of("q0")[0]["id"], &of("q0")[0]["match"]), (&json!(LISTED), &json!(true)));
        assert!(of("q0").iter().skip(1).all(|candidate| candidate["match"] == false));
        assert!(of("q0")[0]["features"].as_array().unwrap().iter().any(|one| one["id"] == "state"));
        assert_eq!((of("q3").len(), &of("q3")[0]["match"]), (1, &json!(true)));
        assert!(of("q4").len() > 1, "the name and the number contradict each other");
        assert!(of("q4").iter().all(|candidate| candidate["match"] == false));
        for id in ["q1", "q2", "q5"] {
            assert_eq!(of(id).len(), 0, "{id}");
        }
        let charged = 10_000 - server.balance(&token).await;
        assert_eq!(charged, 2 * 4, "q0, q3, q4 and q6 at 2 credits");
        let shorter = json!({ "a": { "query": "Kalpanik Industries Limited" } });
        let address = path(&token, &format!("?queries={}", encode(&shorter.to_string())));
        let by_get = read(server, get(address)).await;
        check_results(&by_get, &["a"]);
        assert_eq!(by_get["a"]["result"][0]["id"], LISTED);
    });
}

#[test]
fn the_charge_is_one_entry_of_match_companies_with_a_usage_row() {
    serve(&[], async |server| {
        server.import(&crate::responses_live::one_of_each()).await;
        let key = server.live_key(9).await;
        let capped = NewKey { monthly_cap: Some(6), ..NewKey::default() };
        let token = server.new_token(&key.account_id, Mode::Live, capped).await;
        let two = json!({ "a": { "query": records::CIN }, "b": { "query": records::CIN } });
        let response = server
            .send_unchecked(queries(&token, &two).header("origin", "http://127.0.0.1:3333"))
            .await;
        assert_eq!((response.status, response.header("panji-mode")), (200, Some("live")));
        let charged = 9 - server.balance(&token).await;
        assert_eq!(charged, 4);
        let entries =
            server.app.ledger.list_entries(&key.account_id, Mode::Live, 10).await.unwrap();
        assert_eq!((entries[0].amount, entries.len()), (-4, 2));
        let request = get(format!("/v1/requests/{}", response.header("request-id").unwrap()));
        let recorded = server.send(request.key(&key)).await;
        assert_eq!(recorded.data()["operation"], "matchCompanies");
        assert_eq!(recorded.data()["credits"], 4);
        assert!(!recorded.json.to_string().contains(&token.text));

        let capped = server.send_unchecked(queries(&token, &two)).await;
        check_error(&capped, 402, "spend_cap_reached", "4 of its 6");
        let dear = queries(&token, &json!({ "a": { "query": records::CIN } }))
            .header("panji-max-credits", "1");
        check_error(&server.send_unchecked(dear).await, 402, "max_credits_exceeded", "2 credits");
        assert_eq!(server.balance(&token).await, 5);
    });
}

#[test]
fn a_malformed_batch_is_refused_whole_and_costs_nothing() {
    serve(&[("limits.match_items", "3")], async |server| {
        let token = test_token(server).await;
        let query = json!({ "query": LISTED });
        for (batch, status, code, part) in [
            ("{\"q0\":".to_owned(), 400, "invalid_parameter", "not valid JSON"),
            ("[]".to_owned(), 400, "invalid_parameter", "must be an object"),
            ("{}".to_owned(), 400, "batch_empty", "empty"),
            (
                json!({ "a": query, "b": query, "c": query, "d": query }).to_string(),
                400,
                "batch_too_large",
                "4 entries",
            ),
            (json!({ "a": query, "b": "x" }).to_string(), 400, "invalid_parameter", "queries.b"),
            (
                json!({ "a": { "query": "x", "properties": [{ "pid": "color", "v": "red" }] } })
                    .to_string(),
                400,
                "invalid_parameter",
                "no property \"color\": a query takes cin, pan",
            ),
            (
                json!({ "a": { "query": "x", "properties": [{ "v": "red" }] } }).to_string(),
                400,
                "invalid_parameter",
                "missing field",
            ),
        ] {
            let response = server.send_unchecked(form(&token, "queries", &batch)).await;
            check_error(&response, status, code, part);
            assert_eq!(response.header("access-control-allow-origin"), Some("*"));
        }
        let neither = server.send_unchecked(form(&token, "other", "x")).await;
        check_error(&neither, 400, "invalid_parameter", "queries or the parameter extend");
        let both = form(&token, "queries", "{}").body("queries=%7B%7D&extend=%7B%7D");
        check_error(&server.send_unchecked(both).await, 400, "invalid_parameter", "not both");
        let as_json = queries(&token, &json!({}))
            .without_header("content-type")
            .header("content-type", "application/json");
        check_error(&server.send_unchecked(as_json).await, 415, "unsupported_media_type", "form");
        let large = form(&token, "queries", &"x".repeat(1 << 20));
        check_error(&server.send_unchecked(large).await, 413, "body_too_large", "bytes");
        let stored = queries(&token, &json!({ "a": query })).header("idempotency-key", "1");
        check_error(
            &server.send_unchecked(stored).await,
            400,
            "invalid_parameter",
            "Idempotency-Key",
        );
        let head = server.send_unchecked(ask(Method::HEAD, path(&token, ""))).await;
        assert_eq!((head.status, head.header("allow")), (405, Some("GET, POST, OPTIONS")));
        assert_eq!(server.balance(&token).await, 10_000);
    });
}

#[test]
fn values_that_tell_nothing_are_left_out_and_long_ones_are_cut() {
    serve(&[], async |server| {
        let token = test_token(server).await;
        let batch = json!({ "a": { "query": "Kalpanik Industries Ltd ".to_owned(), "limit": 99, "properties": [
            { "pid": "incorporated_year", "v": "long ago" },
            { "pid": "incorporated_on", "v": "1994-03-18T00:00:00Z" },
            { "pid": "address", "v": "x".repeat(2_000) },
            { "pid": "director", "v": null },
        ] }, "b": { "query": "n".repeat(5_000) }, "c": { "query": 1994, "limit": -1 } });
        let results = read(server, queries(&token, &batch)).await;
        check_results(&results, &["a", "b", "c"]);
        let first = &results["a"]["result"][0];
        assert_eq!(first["id"], LISTED);
        let features: Vec<&Value> =
            first["features"].as_array().unwrap().iter().map(|feature| &feature["id"]).collect();
        assert!(features.contains(&&json!("incorporated_year")), "{features:?}");
        assert!(!features.contains(&&json!("director")), "{features:?}");
    });
}

#[test]
fn suggestions_find_by_the_beginning_and_have_a_daily_limit() {
    serve(&[("limits.suggestions_per_day", "3")], async |server| {
        let token = test_token(server).await;
        let entity = |prefix: &str| {
            get(path(&token, "/suggest/entity")).query(&format!("prefix={}", encode(prefix)))
        };
        let found = read(server, entity("kalpanik indu")).await;
        check_suggestions(&found);
        assert_eq!(found["result"][0]["id"], LISTED);
        assert!(found["result"][0]["description"].as_str().unwrap().contains("Maharashtra"));
        assert_eq!(read(server, entity("")).await["result"], json!([]));
        let preview = get(path(&token, &format!("/preview?id={LISTED}")));
        assert_eq!(server.send_unchecked(preview).await.status, 200);
        let more = server.send_unchecked(entity("kalpanik")).await;
        check_error(&more, 429, "rate_limited", "3 free suggestions");
        assert!(more.header("retry-after").is_some());
        let property = get(path(&token, "/suggest/property")).query("prefix=pin");
        assert_eq!(read(server, property).await["result"][0]["id"], "pincode");
        assert_eq!(server.balance(&token).await, 10_000);
    });
}

#[test]
fn a_preview_is_a_page_without_scripts_that_can_be_framed() {
    serve(&[], async |server| {
        let token = test_token(server).await;
        let preview = |id: &str| get(path(&token, &format!("/preview?id={id}")));
        let page = server.send_unchecked(preview(LISTED)).await;
        let text = String::from_utf8(page.bytes.to_vec()).unwrap();
        assert!(text.contains("Kalpanik Industries Limited") && text.contains(LISTED), "{text}");
        assert!(!text.contains("<script") && !text.contains("href"), "{text}");
        let policy = page.header("content-security-policy").unwrap();
        assert!(policy.starts_with("default-src 'none'; style-src 'sha256-"), "{policy}");
        assert!(policy.contains("frame-ancestors *"), "{policy}");
        assert_eq!(page.header("referrer-policy"), Some("no-referrer"));
        assert_eq!(page.header("x-frame-options"), None);
        for id in ["U17111MH1994PTC999999", "%3Cscript%3E"] {
            let missing = server.send_unchecked(preview(id)).await;
            assert_eq!(missing.status, 404);
            assert!(!String::from_utf8_lossy(&missing.bytes).contains("<script"), "{id}");
        }
    });
}
