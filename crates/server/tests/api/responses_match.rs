//! Tests of matching: decisions, evidence, prices, and errors of the body.

use serde_json::{Value, json};

use crate::ask::post;
use crate::server::{Server, serve};
use crate::snapshots::assert_response;

const MATCH: &str = "/v1/companies/match";
const LISTED: &str = "L17111MH1994PLC990011";

/// The results of a call with these items.
async fn results(server: &Server, items: Value) -> Vec<Value> {
    let key = server.test_key().await;
    let response = server.send(post(MATCH, &json!({ "items": items })).key(&key)).await;
    response.expect_data()["results"].as_array().unwrap().clone()
}

fn evidence<'a>(candidate: &'a Value, field: &str) -> Option<&'a Value> {
    candidate["evidence"].as_array().unwrap().iter().find(|one| one["field"] == field)
}

#[test]
fn names_of_a_list_are_matched_in_order() {
    serve(&[], async |server| {
        let body = json!({ "items": [
            { "ref": "1", "name": "M/S KALPANIK INDS LTD", "state": "MH", "city": "Mumbai" },
            { "ref": "2", "name": "Kalpanik Industries", "pincode": "400013", "incorporated_year": 1994 },
            { "ref": "3", "name": "Smt. Chaya Namuna" },
            { "ref": "4", "name": "Zyxwvut Qqqq Pvt Ltd" },
            { "ref": "5", "cin": LISTED },
        ], "limit": 2 });
        let response = assert_response(server, "match", post(MATCH, &body)).await;
        let data = response.data();
        let results = data["results"].as_array().unwrap();
        let decisions: Vec<&str> =
            results.iter().map(|result| result["decision"].as_str().unwrap()).collect();
        assert_eq!(decisions, ["match", "match", "none", "none", "match"]);
        assert_eq!(response.charged(), 2 * 3, "none costs nothing");
        for at in [0, 1, 4] {
            assert_eq!(results[at]["company"]["cin"], LISTED);
            assert_eq!(results[at]["score"], results[at]["candidates"][0]["score"]);
        }
        assert_eq!(results[2]["entity"], "person");
        assert_eq!(results[0]["query"]["state"], "Maharashtra");
        let dry = post(MATCH, &body).query("dry_run=true");
        let dry = server.send(dry.key(&server.test_key().await)).await;
        assert_eq!((dry.charged(), &dry.data()["credits"]), (0, &json!(10)));
    });
}

#[test]
fn an_identifier_that_contradicts_the_name_is_a_review_with_both() {
    serve(&[], async |server| {
        let items = json!([
            { "name": "Kalpanik Logistics Private Limited", "cin": LISTED },
            { "name": "Kalpanik Logistics Private Limited", "pan": "ZZACK4368A" },
            { "name": "KALPANIK LOGISTICS P LTD", "gstin": "27ZZACK4368A1ZQ" },
        ]);
        let results = results(server, items).await;
        assert_eq!(results[0]["decision"], "review");
        assert_eq!(results[0]["company"], Value::Null);
        let listed: Vec<&Value> =
            results[0]["candidates"].as_array().unwrap().iter().map(|one| &one["name"]).collect();
        assert_eq!(listed[0], "Kalpanik Industries Limited");
        assert!(listed.contains(&&json!("Kalpanik Logistics Private Limited")), "{listed:?}");
        for result in &results[1..] {
            assert_eq!(result["decision"], "match", "{result}");
            assert_eq!(result["company"]["name"], "Kalpanik Logistics Private Limited");
        }
        let of_pan = evidence(&results[1]["candidates"][0], "pan").unwrap();
        assert_eq!(of_pan["verdict"], "agrees");
    });
}

#[test]
fn evidence_is_given_for_the_fields_of_the_item_and_adds_up_in_sense() {
    serve(&[], async |server| {
        let items = json!([
            { "name": "Kalpanik Industries Ltd", "state": "Kerala", "director": "Nobody Known" },
        ]);
        let results = results(server, items).await;
        let first = &results[0]["candidates"][0];
        let state = evidence(first, "state").unwrap();
        assert_eq!(state["verdict"], "differs");
        assert!(state["weight"].as_f64().unwrap() < 0.0);
        assert!(evidence(first, "director").is_some());
        assert!(evidence(first, "pincode").is_none(), "it was not asked for");
        let name = evidence(first, "name").unwrap();
        assert_eq!(name["verdict"], "agrees");
        assert!(name["weight"].as_f64().unwrap() > 0.0);
        for one in first["evidence"].as_array().unwrap() {
            let weight = one["weight"].as_f64().unwrap();
            assert!(one["verdict"] != "agrees" || weight >= 0.0, "{one}");
            assert!(one["verdict"] != "differs" || weight <= 0.0, "{one}");
        }
    });
}

#[test]
fn a_matching_call_is_charged_once_and_repeated_for_nothing() {
    serve(&[("free_quota.calls_per_day", "0")], async |server| {
        server.import(&crate::responses_live::one_of_each()).await;
        let key = server.live_key(5).await;
        let items = |count: usize| {
            let item = json!({ "cin": LISTED });
            json!({ "items": vec![item; count] })
        };
        let dear = server.send(post(MATCH, &items(3)).key(&key)).await;
        assert_eq!((dear.status, dear.code()), (402, "insufficient_credits"));
        assert_eq!(server.balance(&key).await, 5);
        let ask = || post(MATCH, &items(2)).key(&key).header("Idempotency-Key", "list-1");
        let first = server.send(ask()).await;
        let again = server.send(ask()).await;
        assert_eq!(first.data(), again.data());
        assert_eq!(again.header("idempotent-replayed"), Some("true"));
        assert_eq!(server.balance(&key).await, 5 - first.charged());
    });
}

#[test]
fn an_error_of_the_body_names_the_item() {
    serve(&[], async |server| {
        let key = server.test_key().await;
        let long = "n".repeat(501);
        for (body, named) in [
            (json!({ "items": [] }), "items"),
            (json!({ "items": [{ "name": "a" }, { "state": "MH" }] }), "items[1]"),
            (json!({ "items": [{ "name": long }] }), "items[0].name"),
            (json!({ "items": [{ "name": "a", "color": "red" }] }), "color"),
            (json!({ "items": [{ "name": "a", "incorporated_on": "soon" }] }), "incorporated_on"),
            (json!({ "items": [{ "name": "a" }], "limit": 11 }), "limit"),
            (json!({ "items": vec![json!({ "name": "a" }); 101] }), "items"),
        ] {
            let response = server.send(post(MATCH, &body).key(&key)).await;
            assert_eq!(response.status, 400, "{named}: {}", response.json);
            let error = response.json["error"].to_string();
            assert!(error.contains(named), "{named}: {error}");
            assert_eq!(response.charged(), 0);
        }
    });
}
