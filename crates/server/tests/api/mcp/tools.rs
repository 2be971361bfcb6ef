//! Tests of what tools tell about themselves, and of plain words about what is not known.

use panji_store::register::{Company, Record};
use serde_json::{Value, json};

use super::client::{CIN, RECENT, call, content, message, result};
use crate::server::{Key, Server, serve_embedded};

/// A company of the live register of which only the identity is known.
const BARE: &str = "U17110MH2001PTC990777";

async fn tools(server: &Server, key: &Key) -> Vec<Value> {
    let list = result(server, key, message(RECENT, "tools/list", json!({}))).await;
    list["tools"].as_array().unwrap().clone()
}

#[test]
fn every_response_fits_the_schema_of_its_tool() {
    serve_embedded(&[], async |server| {
        let key = server.test_key().await;
        let section = |name: &str| json!({ "cin": CIN, "section": name });
        let sections =
            ["profile", "company", "directors", "charges", "compliance", "documents", "pan"];
        let mut calls: Vec<(&str, Value)> =
            sections.iter().map(|name| ("company_profile", section(name))).collect();
        calls.extend([
            ("find_company", json!({ "q": "kalpanik" })),
            ("find_company", json!({ "q": "zzzzqqqq" })),
            ("match_companies", json!({ "items": [{ "name": "Kalpanik Industries Limited" }] })),
            ("company_financials", json!({ "cin": CIN })),
            ("company_findings", json!({ "cin": CIN })),
            ("company_network", json!({ "cin": CIN, "depth": 2 })),
            ("company_network", json!({ "cin": CIN, "path_to": "99000101" })),
            ("director", json!({ "din": "99000101" })),
            ("director", json!({ "din": "99000101", "companies": true })),
            ("verify", json!({ "value": CIN })),
            ("verify", json!({ "value": "99000101" })),
            ("verify", json!({ "value": "27ZZACK4368A1ZQ" })),
            ("verify", json!({ "value": "?", "type": "pan" })),
            ("watchlists", json!({})),
            ("watchlists", json!({ "action": "create", "name": "Borrowers" })),
            ("watch_events", json!({})),
            ("account", json!({})),
        ]);
        let tools = tools(server, &key).await;
        for (name, arguments) in calls {
            let tool = tools.iter().find(|tool| tool["name"] == name).unwrap();
            let input = jsonschema::validator_for(&tool["inputSchema"]).unwrap();
            input.validate(&arguments).unwrap_or_else(|error| panic!("{name}: {error}"));
            let output = jsonschema::validator_for(&tool["outputSchema"]).unwrap();
            let called = call(server, &key, name, arguments).await;
            let content = content(&called);
            output.validate(content).unwrap_or_else(|error| panic!("{name}: {error}"));
            let mut wrong = content.clone();
            wrong["data"] = json!({ "unknown": true });
            assert!(!output.is_valid(&wrong), "the schema of {name} accepts anything");
        }
    });
}

#[test]
fn descriptions_have_the_prices_of_this_service() {
    let settings = [("prices.getCompanyFinancials", "77"), ("prices.getCompanyPan", "66")];
    serve_embedded(&settings, async |server| {
        let key = server.test_key().await;
        let tools = tools(server, &key).await;
        let text = |name: &str| {
            let tool = tools.iter().find(|tool| tool["name"] == name).unwrap();
            tool["description"].as_str().unwrap().to_owned()
        };
        assert!(text("company_financials").contains("Costs 77 credits"));
        assert!(text("company_profile").contains("pan 66"));
        for tool in &tools {
            let reads = tool["name"] != "watchlists";
            assert_eq!(tool["annotations"]["readOnlyHint"], reads, "{tool}");
            let priced = tool["inputSchema"]["properties"].get("max_credits").is_some();
            assert_eq!(priced, reads && tool["name"] != "account");
            let refers_outside = tool.to_string().contains("#/components");
            assert!(!refers_outside && !tool.to_string().contains("x-since"), "{tool}");
        }
    });
}

#[test]
fn unknown_data_is_described_in_notes() {
    serve_embedded(&[], async |server| {
        let company = Company { cin: BARE.into(), name: "Bare Namuna Limited".into(), ..bare() };
        server.import(&[Record::Company(company)]).await;
        let key = server.live_key(100).await;
        let profile = call(server, &key, "company_profile", json!({ "cin": BARE })).await;
        let notes = content(&profile)["notes"].to_string();
        for expected in
            ["company: not known: ", "email", "directors: no source", "charges: no source"]
        {
            assert!(notes.contains(expected), "{expected}: {notes}");
        }
        let financials = call(server, &key, "company_financials", json!({ "cin": BARE })).await;
        let financials = content(&financials);
        assert_eq!(financials["credits_charged"], 0);
        let notes = financials["notes"].to_string();
        assert!(notes.contains("financials: no source of this kind was imported"), "{notes}");
        assert!(notes.contains("does not mean that there is nothing"), "{notes}");
        let unknown =
            call(server, &key, "verify", json!({ "value": "U17110MH2001PTC990778" })).await;
        let notes = content(&unknown)["notes"].to_string();
        assert!(notes.contains("does not prove that it does not exist"), "{notes}");
        let none = call(server, &key, "find_company", json!({ "q": "zzzzqqqq" })).await;
        assert!(content(&none)["notes"].to_string().contains("No company"), "{none}");
    });
}

fn bare() -> Company {
    let company =
        panji_testkit::records::one_of_each().into_iter().find_map(|record| match record {
            Record::Company(company) => Some(company),
            _ => None,
        });
    Company { email: None, ..company.unwrap() }
}
