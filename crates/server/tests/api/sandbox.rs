//! The sandbox shows everything: every field filled somewhere, and the counts of the contract.

use std::collections::{BTreeMap, BTreeSet};

use panji_ids::Gstin;
use panji_server::config::operation::Operation;
use serde_json::{Value, json};

use crate::ask::{Ask, get, post};
use crate::described::{document, operation_of, schema_of};
use crate::server::{Key, Server, serve_embedded};
use crate::values;

const COMPANIES: &str = include_str!("../../sandbox/companies.jsonl");
const DIRECTORS: &str = include_str!("../../sandbox/directors.jsonl");
const REGISTRATIONS: &str = include_str!("../../sandbox/gst.jsonl");
const PANS: &str = include_str!("../../sandbox/pans.jsonl");
const SLOW: &str = "U99999XX2000PTC000010";
const SECTIONS: [&str; 7] =
    ["pan", "profile", "financials", "directors", "charges", "compliance", "documents"];

/// A seat that is held has no end.
const NEVER_FILLED: [&str; 3] = [
    "getCompanyProfile /data/directors/current/*/ceased_on",
    "getCompanyDirectors /data/current/*/ceased_on",
    "bulkEnrich /data/results/*/directors/current/*/ceased_on",
];
const ENRICHED: [&str; 8] =
    ["company", "pan", "capital", "directors", "charges", "financials", "compliance", "documents"];

/// The values of one member of a file's records.
fn values(file: &str, member: &str) -> Vec<String> {
    let records = file.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    records.map(|record| record[member].as_str().unwrap().to_owned()).collect()
}

/// The companies that answer at once.
fn prompt_companies() -> Vec<String> {
    values(COMPANIES, "cin").into_iter().filter(|cin| cin != SLOW).collect()
}

/// Calls the API, with a new account whenever the play credits run low.
struct Walker<'a> {
    server: &'a Server,
    key: Key,
    seen: BTreeMap<&'static str, BTreeSet<String>>,
}

impl Walker<'_> {
    async fn fetch(&mut self, ask: Ask) -> Value {
        let operation = operation_of(&ask.method, &ask.path).unwrap();
        let what = ask.path.clone();
        let answer = self.server.send(ask.key(&self.key)).await;
        assert_eq!(answer.status, 200, "{what}: {}", answer.json);
        if answer.remaining() < 1_000 {
            self.key = self.server.test_key().await;
        }
        values::check(&what, answer.data());
        note_filled(&answer.json, String::new(), self.seen.entry(operation.id()).or_default());
        answer.data().clone()
    }
}

/// Notes every pointer under which there is something; a list's places count as one.
fn note_filled(value: &Value, pointer: String, seen: &mut BTreeSet<String>) {
    match value {
        Value::Null => return,
        Value::Object(object) => {
            for (name, inner) in object {
                note_filled(inner, format!("{pointer}/{name}"), seen);
            }
        }
        Value::Array(list) if list.is_empty() => return,
        Value::Array(list) => {
            for inner in list {
                note_filled(inner, format!("{pointer}/*"), seen);
            }
        }
        _ => {}
    }
    seen.insert(pointer);
}

/// Notes every pointer that a schema knows.
fn note_described(schema: &Value, pointer: String, known: &mut BTreeSet<String>) {
    if let Some(reference) = schema.get("$ref").and_then(Value::as_str) {
        return note_described(document().pointer(&reference[1..]).unwrap(), pointer, known);
    }
    for choice in ["oneOf", "anyOf", "allOf"] {
        for inner in schema.get(choice).and_then(Value::as_array).into_iter().flatten() {
            note_described(inner, pointer.clone(), known);
        }
    }
    if let Some(items) = schema.get("items") {
        note_described(items, format!("{pointer}/*"), known);
    }
    for (name, inner) in schema.get("properties").and_then(Value::as_object).into_iter().flatten() {
        note_described(inner, format!("{pointer}/{name}"), known);
    }
    known.insert(pointer);
}

async fn walk_companies(walker: &mut Walker<'_>) {
    for cin in prompt_companies() {
        walker.fetch(get(format!("/v1/companies/search?q={cin}&limit=1"))).await;
        walker.fetch(get(format!("/v1/companies/{cin}"))).await;
        walker.fetch(get(format!("/v1/verify/cin/{cin}"))).await;
        for section in SECTIONS {
            walker.fetch(get(format!("/v1/companies/{cin}/{section}"))).await;
        }
    }
    walker.fetch(get("/v1/companies/search?q=Kalpanik+Mills+Limited")).await;
    walker.fetch(get("/v1/verify/cin/nonsense")).await;
}

async fn walk_people_and_tax(walker: &mut Walker<'_>) {
    for din in values(DIRECTORS, "din") {
        walker.fetch(get(format!("/v1/directors/{din}"))).await;
        walker.fetch(get(format!("/v1/directors/{din}/companies"))).await;
        walker.fetch(get(format!("/v1/verify/din/{din}"))).await;
    }
    for gstin in values(REGISTRATIONS, "gstin") {
        walker.fetch(get(format!("/v1/gst/{gstin}"))).await;
        walker.fetch(get(format!("/v1/verify/gstin/{gstin}"))).await;
    }
    for pan in values(PANS, "pan") {
        walker.fetch(get(format!("/v1/search/pan/{pan}"))).await;
        walker.fetch(get(format!("/v1/verify/pan/{pan}"))).await;
    }
    for kind in ["din", "gstin", "pan"] {
        walker.fetch(get(format!("/v1/verify/{kind}/nonsense"))).await;
    }
}

async fn walk_bulk(walker: &mut Walker<'_>) {
    let items: Vec<Value> = ["L17111MH1994PLC990011", "04990109", "27ZZACK4368A1ZP", "ZZACK4368A"]
        .into_iter()
        .chain(["27ZZACK4368A1ZQ", "no identifier at all"])
        .map(|value| json!({ "value": value, "ref": "mine" }))
        .chain(["cin", "din", "pan"].map(|kind| json!({ "type": kind, "value": "nonsense" })))
        .collect();
    let verify = json!({ "items": items });
    walker.fetch(post("/v1/bulk/verify", &verify)).await;
    walker.fetch(post("/v1/bulk/verify?dry_run=true", &verify)).await;
    let cins = prompt_companies().into_iter().map(Value::from);
    let named = json!({ "cin": "F99101", "ref": "mine" });
    let cins: Vec<Value> = cins.chain([named, "nonsense".into()]).collect();
    let enrich = json!({ "cins": cins, "fields": ENRICHED });
    // It costs more than may be left.
    walker.key = walker.server.test_key().await;
    walker.fetch(post("/v1/bulk/enrich", &enrich)).await;
    walker.fetch(post("/v1/bulk/enrich?dry_run=true", &enrich)).await;
}

#[test]
fn every_described_field_is_filled_somewhere_in_the_sandbox() {
    serve_embedded(&[], async |server| {
        let key = server.test_key().await;
        let mut walker = Walker { server, key, seen: BTreeMap::new() };
        walk_companies(&mut walker).await;
        walk_people_and_tax(&mut walker).await;
        walk_bulk(&mut walker).await;
        let mut missing = BTreeSet::new();
        for operation in Operation::ALL {
            let mut known = BTreeSet::new();
            note_described(schema_of(*operation, 200), String::new(), &mut known);
            let seen = walker.seen.remove(operation.id()).unwrap();
            let never = known.difference(&seen);
            missing.extend(never.map(|pointer| format!("{} {pointer}", operation.id())));
        }
        for seat_still_held in NEVER_FILLED {
            assert!(missing.remove(seat_still_held), "{seat_still_held} is filled after all");
        }
        assert!(missing.is_empty(), "never filled: {missing:#?}");
    });
}

async fn fetch_companies(walker: &mut Walker<'_>) -> Vec<Value> {
    let mut companies = Vec::new();
    for cin in prompt_companies() {
        companies.push(walker.fetch(get(format!("/v1/companies/{cin}"))).await);
    }
    companies
}

/// How many companies have one of the values.
fn count(companies: &[Value], member: &str, value: &Value) -> usize {
    companies.iter().filter(|company| &company[member] == value).count()
}

#[test]
fn the_sandbox_has_companies_of_every_kind_and_status() {
    serve_embedded(&[], async |server| {
        let key = server.test_key().await;
        let mut walker = Walker { server, key, seen: BTreeMap::new() };
        let companies = fetch_companies(&mut walker).await;
        assert!(companies.len() >= 60, "{}", companies.len());
        for kind in ["company", "llp", "foreign_company"] {
            assert!(count(&companies, "kind", &json!(kind)) > 0, "{kind}");
        }
        for class in ["private", "public", "one_person"] {
            assert!(count(&companies, "class", &json!(class)) > 0, "{class}");
        }
        for listed in [true, false] {
            assert!(count(&companies, "listed", &json!(listed)) > 0, "listed {listed}");
        }
        for status in panji_import::vocabulary::company_statuses() {
            // What no table knows is for data that changes without notice; the sandbox does not.
            let expected = status != "other";
            assert_eq!(count(&companies, "status", &json!(status)) > 0, expected, "{status}");
        }
        let numbers = values(COMPANIES, "cin");
        assert_eq!(numbers.iter().collect::<BTreeSet<_>>().len(), numbers.len());
    });
}

#[test]
fn the_sandbox_has_the_directors_and_registrations_it_promises() {
    let directors: BTreeSet<String> = values(DIRECTORS, "din").into_iter().collect();
    assert!(directors.len() >= 120, "{}", directors.len());
    let gstins: BTreeSet<String> = values(REGISTRATIONS, "gstin").into_iter().collect();
    assert!(gstins.len() >= 80, "{}", gstins.len());
    let states: BTreeSet<String> =
        gstins.iter().map(|text| Gstin::parse(text).expect(text).state_code().to_owned()).collect();
    assert!(states.len() >= 12, "{states:?}");
}

/// Whether every section of a company has something in it.
async fn is_full(walker: &mut Walker<'_>, cin: &str) -> bool {
    let mut lists = vec![("financials", "years"), ("directors", "current"), ("charges", "charges")];
    lists.push(("documents", "documents"));
    lists.extend(["roc_filings", "credit_ratings", "epfo"].map(|list| ("compliance", list)));
    for (section, list) in lists {
        let data = walker.fetch(get(format!("/v1/companies/{cin}/{section}"))).await;
        if data[list].as_array().unwrap().is_empty() {
            return false;
        }
    }
    let pan = walker.fetch(get(format!("/v1/companies/{cin}/pan"))).await;
    let Some(pan) = pan["pan"].as_str() else { return false };
    let registered = walker.fetch(get(format!("/v1/search/pan/{pan}"))).await;
    registered["total"].as_i64().unwrap() > 0
}

#[test]
fn twenty_companies_are_full_one_has_hundreds_of_documents_and_one_has_nothing() {
    serve_embedded(&[], async |server| {
        let key = server.test_key().await;
        let mut walker = Walker { server, key, seen: BTreeMap::new() };
        let (mut full, mut most_documents, mut with_nothing) = (0, 0, 0);
        for cin in prompt_companies() {
            full += usize::from(is_full(&mut walker, &cin).await);
            let path = format!("/v1/companies/{cin}/documents");
            let documents = walker.fetch(get(path)).await["total_documents"].as_i64().unwrap();
            most_documents = most_documents.max(documents);
            let mut filled = BTreeSet::new();
            for section in ["pan", "financials", "directors", "charges", "compliance", "documents"]
            {
                let data = walker.fetch(get(format!("/v1/companies/{cin}/{section}"))).await;
                let lists = data.as_object().unwrap().iter();
                let lists = lists.filter(|(_, value)| value.is_array() && value != &&json!([]));
                filled.extend(lists.map(|(name, _)| name.clone()));
                filled.extend(data["pan"].as_str().map(str::to_owned));
            }
            with_nothing += usize::from(filled.is_empty());
        }
        assert!(full >= 20, "{full} companies have every section");
        assert!(most_documents >= 300, "{most_documents} documents");
        assert!(with_nothing >= 1);
    });
}
