//! Tests of networks and paths, in the sandbox and in the live register.

use panji_store::register::Record;
use panji_testkit::records::{self, appointment, company, director};
use serde_json::{Value, json};

use crate::ask::get;
use crate::server::{Server, serve, serve_embedded};
use crate::snapshots::assert_response;

/// Two companies of the sandbox at one office.
const LLP: &str = "ZZF-0093";
const NEIGHBOR: &str = "U17115GJ2009PTC990209";
const NOTHING: &str = "U99999DL1956PTC990001";

fn cin(number: usize) -> String {
    format!("U17110MH2001PTC{:06}", 990_600 + number)
}

fn ids(nodes: &Value) -> Vec<&str> {
    nodes.as_array().unwrap().iter().map(|node| node["id"].as_str().unwrap()).collect()
}

/// A company at an office.
fn at_office(number: usize, office: usize) -> Record {
    let mut record = company(&cin(number), &format!("Namuna {number} Limited"));
    record.address = Some(format!("Shop No. {office}, Ground Floor, Sapna Market, Kalpit Chowk"));
    record.pincode = Some("400013".to_owned());
    Record::Company(record)
}

#[test]
fn a_network_has_directors_shared_offices_and_domains() {
    serve(&[], async |server| {
        for (name, path) in [
            ("network-of-an-office", format!("/v1/companies/{LLP}/network")),
            (
                "network-of-a-group",
                "/v1/companies/U85300MH2018NPL990377/network?depth=1".to_owned(),
            ),
            ("network-of-nothing", format!("/v1/companies/{NOTHING}/network?depth=3")),
        ] {
            let response = assert_response(server, name, get(path)).await;
            assert_eq!(response.status, 200, "{name}");
        }
        let key = server.test_key().await;
        let mut before = 0;
        for depth in 1..=3 {
            let path = format!("/v1/companies/L17111MH1994PLC990011/network?depth={depth}");
            let response = server.send(get(path).key(&key)).await;
            assert_eq!(response.charged(), 5);
            let data = response.expect_data();
            let nodes = data["nodes"].as_array().unwrap();
            assert_eq!(nodes[0]["id"], "L17111MH1994PLC990011");
            assert!(nodes.len() > before, "depth {depth}");
            assert!(nodes.iter().all(|node| node["distance"].as_u64().unwrap() <= depth));
            before = nodes.len();
        }
    });
}

#[test]
fn a_former_number_and_an_lei_lead_to_the_same_network() {
    serve_embedded(&[], async |server| {
        let key = server.test_key().await;
        let send = async |number: &str| {
            let path = format!("/v1/companies/{number}/network");
            server.send(get(path).key(&key)).await.expect_data().clone()
        };
        assert_eq!(send("L17111MH1994PLC990011").await, send("U17111MH1994PTC990011").await);
    });
}

#[test]
fn a_path_explains_each_step() {
    serve(&[], async |server| {
        for (name, query) in [
            ("paths-by-office", format!("from={LLP}&to={NEIGHBOR}")),
            ("paths-from-a-director", "from=99000103&to=L17111MH1994PLC990011".to_owned()),
            ("paths-of-two-steps", "from=99000104&to=99000105".to_owned()),
            ("paths-none", format!("from={LLP}&to={NOTHING}")),
        ] {
            let response =
                assert_response(server, name, get(format!("/v1/network/paths?{query}"))).await;
            assert_eq!(response.status, 200, "{name}");
            let paths = response.data()["paths"].as_array().unwrap();
            assert_eq!(response.charged(), if paths.is_empty() { 0 } else { 5 }, "{name}");
            for path in paths {
                let (nodes, steps) = (ids(&path["nodes"]), path["steps"].as_array().unwrap());
                assert_eq!(nodes.len(), steps.len() + 1);
                assert!(steps.iter().all(|step| step["sentence"].as_str().unwrap().ends_with('.')));
            }
        }
    });
}

#[test]
fn malformed_and_missing_ends_are_refused() {
    serve_embedded(&[], async |server| {
        let key = server.test_key().await;
        for (path, code, param) in [
            ("/v1/network/paths?to=F99101", "invalid_parameter", "from"),
            ("/v1/network/paths?from=F99101", "invalid_parameter", "to"),
            ("/v1/network/paths?from=F99101&to=x", "invalid_parameter", "to"),
            ("/v1/network/paths?from=F99101&to=f99101", "invalid_parameter", "to"),
            ("/v1/network/paths?from=F99101&to=F99102&steps=3", "invalid_parameter", "steps"),
            ("/v1/network/paths?from=F99999&to=F99101", "company_not_found", "from"),
            ("/v1/network/paths?from=F99101&to=99999999", "director_not_found", "to"),
            ("/v1/companies/F99101/network?depth=4", "invalid_parameter", "depth"),
            ("/v1/companies/F99101/network?format=xml", "invalid_parameter", "format"),
            ("/v1/companies/F99999/network", "company_not_found", "cin"),
        ] {
            let response = server.send(get(path).key(&key)).await;
            assert_eq!((response.code(), response.charged()), (code, 0), "{path}");
            assert_eq!(response.json["error"]["param"], param, "{path}");
        }
        let simulated = get("/v1/network/paths?from=F99101&to=U99999XX2000PTC000503");
        assert_eq!(server.send(simulated.key(&key)).await.code(), "unavailable");
    });
}

#[test]
fn networks_are_unavailable_until_the_graph_is_built() {
    serve_embedded(&[], async |server| {
        let live = &server.app.live;
        let now = panji_store::calendar::now_ms();
        live.register.store_batch(&[at_office(1, 1), at_office(2, 1)], now).await.unwrap();
        let key = server.live_key(100).await;
        for path in [
            format!("/v1/companies/{}/network", cin(1)),
            format!("/v1/network/paths?from={}&to={}", cin(1), cin(2)),
        ] {
            let response = server.send(get(&path).key(&key)).await;
            assert_eq!((response.status, response.code()), (503, "unavailable"), "{path}");
            assert!(response.header("retry-after").is_some());
        }
        assert_eq!(server.balance(&key).await, 100);
    });
}

#[test]
fn an_import_is_in_the_network_with_the_present_details() {
    serve(&[], async |server| {
        server.import(&[at_office(1, 5)]).await;
        let mut other = company(&cin(2), "Namuna Two Limited");
        other.address = Some("G-5, Sapna Mkt., Kalpit Chowk, Mumbai - 400 013".to_owned());
        let mut past = appointment(&cin(2), records::DIN, "2010-04-01", Some("2012-03-31"));
        past.name = "Chaya Namuna".to_owned();
        server.import(&[Record::Company(other), Record::Appointment(past)]).await;
        let key = server.live_key(100).await;
        let network = async |server: &Server| {
            let path = format!("/v1/companies/{}/network?depth=2", cin(1));
            server.send(get(path).key(&key)).await.expect_data().clone()
        };
        let data = network(server).await;
        assert_eq!(ids(&data["nodes"]), [&cin(1), &cin(2), records::DIN]);
        assert_eq!(data["nodes"][2]["name"], "Chaya Namuna", "the name of the appointment");
        assert_eq!(data["nodes"][2]["status"], Value::Null, "nothing else is known");
        let edge =
            data["edges"].as_array().unwrap().iter().find(|e| e["relation"] == "director_of");
        assert_eq!(edge.unwrap()["current"], false);
        assert_eq!(edge.unwrap()["ceased_on"], "2012-03-31");
        let person = director(records::DIN, "Chaya Nayi Namuna");
        server.import(&[Record::Director(person)]).await;
        assert_eq!(network(server).await["nodes"][2]["name"], "Chaya Nayi Namuna");
    });
}

#[test]
fn an_office_of_too_many_companies_is_named_as_a_limit() {
    serve_embedded(&[], async |server| {
        let records: Vec<Record> = (0..120).map(|number| at_office(number, 1)).collect();
        server.import(&records).await;
        let key = server.live_key(100).await;
        let path = format!("/v1/network/paths?from={}&to={}", cin(1), cin(2));
        let response = server.send(get(path).key(&key)).await;
        assert_eq!(response.charged(), 0);
        let data = response.expect_data();
        assert_eq!(data["paths"], json!([]));
        assert_eq!(data["limits"][0]["relation"], "same_registered_office");
        assert_eq!(
            (&data["limits"][0]["companies"], &data["limits"][0]["followed"]),
            (&json!(120), &json!(0))
        );
    });
}

#[test]
fn a_network_is_exported_as_statements_and_as_entities() {
    serve_embedded(&[], async |server| {
        let key = server.test_key().await;
        let path = "/v1/companies/L17111MH1994PLC990011/network?depth=2&format=";
        let response = server.send(get(format!("{path}bods")).key(&key)).await;
        let data = response.expect_data();
        let statements = data["bods"].as_array().unwrap();
        assert_eq!(data["ftm"], Value::Null);
        let kinds = |kind: &str| statements.iter().filter(|s| s["recordType"] == kind).count();
        assert_eq!(kinds("entity") + kinds("person"), data["nodes"].as_array().unwrap().len());
        let appointments = data["edges"]
            .as_array()
            .unwrap()
            .iter()
            .filter(|edge| edge["relation"] == "director_of");
        assert_eq!(kinds("relationship"), appointments.count());
        let response = server.send(get(format!("{path}ftm")).key(&key)).await;
        let data = response.expect_data();
        let count = |name: &str| data[name].as_array().unwrap().len();
        assert_eq!(count("ftm"), count("nodes") + count("edges"));
        assert_eq!(data["bods"], Value::Null);
    });
}
