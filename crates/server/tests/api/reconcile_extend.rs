//! Tests of data extension: values, prices and errors.

use serde_json::{Value, json};

use crate::ask::{Ask, get};
use crate::reconcile::{encode, form, path, test_token};
use crate::reconcile_shape::{check_extension, check_proposal};
use crate::server::{Key, Server, serve};

const LISTED: &str = "L17111MH1994PLC990011";
const UNKNOWN: &str = "U17111MH1994PTC999999";

fn extend(token: &Key, ids: &[&str], properties: &[&str]) -> Ask {
    let properties: Vec<Value> = properties.iter().map(|id| json!({ "id": id })).collect();
    form(token, "extend", &json!({ "ids": ids, "properties": properties }).to_string())
}

async fn read(server: &Server, ask: Ask) -> Value {
    let response = server.send_unchecked(ask).await;
    assert_eq!(response.status, 200, "{}", response.json);
    response.json
}

#[test]
fn values_are_those_of_the_register_and_each_section_is_charged_once() {
    serve(&[], async |server| {
        let token = test_token(server).await;
        let properties =
            ["company.name", "company.state", "capital.paid_up", "directors.names", "pan"];
        let ids = [LISTED, UNKNOWN, "nonsense", " l17111mh1994plc990011"];
        let response = read(server, extend(&token, &ids, &properties)).await;
        check_extension(&response, &ids, &properties);
        let row = &response["rows"][LISTED];
        assert_eq!(row["company.name"], json!([{ "str": "Kalpanik Industries Limited" }]));
        assert_eq!(row["company.state"], json!([{ "str": "Maharashtra" }]));
        assert!(
            row["capital.paid_up"][0]["int"].is_i64()
                || row["capital.paid_up"][0]["float"].is_f64()
        );
        assert!(row["directors.names"][0]["str"].as_str().unwrap().contains("; "));
        assert_eq!(row, &response["rows"][ids[3]], "the number in another spelling");
        for id in [UNKNOWN, "nonsense"] {
            assert!(
                response["rows"][id]
                    .as_object()
                    .unwrap()
                    .values()
                    .all(|values| values == &json!([]))
            );
        }
        // company 1, capital 1, directors 3, pan 3
        assert_eq!(10_000 - server.balance(&token).await, 8);
    });
}

#[test]
fn a_number_beyond_32_bits_is_a_float() {
    serve(&[], async |server| {
        let token = test_token(server).await;
        let steel = "L27100OR1986PLC990021";
        let properties = ["charges.open_amount", "directors.count"];
        let response = read(server, extend(&token, &[steel], &properties)).await;
        check_extension(&response, &[steel], &properties);
        let row = &response["rows"][steel];
        let amount = row["charges.open_amount"][0]["float"].as_f64().unwrap();
        assert!(amount > f64::from(i32::MAX), "{row}");
        assert!(row["directors.count"][0]["int"].is_i64(), "{row}");
    });
}

#[test]
fn a_property_of_queries_is_fetched_under_its_own_id() {
    serve(&[], async |server| {
        let token = test_token(server).await;
        let properties = ["state", "director"];
        let response = read(server, extend(&token, &[LISTED], &properties)).await;
        check_extension(&response, &[LISTED], &properties);
        assert_eq!(response["rows"][LISTED]["state"], json!([{ "str": "Maharashtra" }]));
    });
}

#[test]
fn a_section_of_which_nothing_is_known_costs_nothing() {
    serve(&[], async |server| {
        let token = test_token(server).await;
        // Of it nothing but the name is known.
        let bare = "U99999DL1956PTC990001";
        let properties = ["charges.total", "financials.revenue", "directors.names", "pan"];
        let response = read(server, extend(&token, &[bare, UNKNOWN], &properties)).await;
        check_extension(&response, &[bare, UNKNOWN], &properties);
        assert_eq!(response["rows"][bare]["charges.total"], json!([]));
        assert_eq!(server.balance(&token).await, 10_000);
    });
}

#[test]
fn the_proposed_properties_can_all_be_fetched() {
    serve(&[], async |server| {
        let token = test_token(server).await;
        let proposal = read(server, get(path(&token, "/properties")).query("type=company")).await;
        check_proposal(&proposal);
        let ids: Vec<&str> = proposal["properties"]
            .as_array()
            .unwrap()
            .iter()
            .map(|property| property["id"].as_str().unwrap())
            .collect();
        assert!(ids.len() > 20);
        assert!(
            proposal["properties"][0]["description"]
                .as_str()
                .unwrap()
                .contains("1 credit a company")
        );
        let query = json!({ "ids": [LISTED], "properties": ids.iter().map(|id| json!({ "id": id })).collect::<Vec<_>>() });
        let response = read(server, form(&token, "extend", &query.to_string())).await;
        check_extension(&response, &[LISTED], &ids);
        let few = get(path(&token, "/properties")).query("type=company&limit=2");
        assert_eq!(read(server, few).await["properties"].as_array().unwrap().len(), 2);
    });
}

#[test]
fn a_malformed_extension_is_refused_and_costs_nothing() {
    serve(&[("limits.bulk_enrich_cins", "2")], async |server| {
        let token = test_token(server).await;
        let broken = server.send_unchecked(form(&token, "extend", "{\"ids\":")).await;
        assert_eq!((broken.status, broken.code()), (400, "invalid_parameter"), "{}", broken.json);
        let unknown = server.send_unchecked(extend(&token, &[LISTED], &["color"])).await;
        assert_eq!((unknown.status, unknown.code()), (400, "invalid_parameter"));
        assert!(unknown.json["error"]["message"].as_str().unwrap().contains("\"color\""));
        let many = server.send_unchecked(extend(&token, &[LISTED; 3], &["pan"])).await;
        assert_eq!((many.status, many.code()), (400, "batch_too_large"));
        let nothing = read(server, extend(&token, &[LISTED], &[])).await;
        check_extension(&nothing, &[LISTED], &[]);
        let by_get = json!({ "ids": [UNKNOWN], "properties": [{ "id": "pan" }] }).to_string();
        let by_get = get(path(&token, &format!("?extend={}", encode(&by_get))));
        check_extension(&read(server, by_get).await, &[UNKNOWN], &["pan"]);
        assert_eq!(server.balance(&token).await, 10_000);
    });
}
