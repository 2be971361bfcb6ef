//! Tests of the sandbox: every field is filled somewhere, and the counts match the contract.

use std::collections::{BTreeMap, BTreeSet};

use panji_api::config::operation::Operation;
use panji_ids::Gstin;
use serde_json::{Value, json};

use crate::ask::{Ask, get, post};
use crate::described::{document, operation_of, schema_of};
use crate::responses_account::{failed_request, restricted_key};
use crate::server::{Key, Server, serve_embedded};
use crate::values;

const COMPANIES: &str = include_str!("../../../api/sandbox/companies.jsonl");
const DIRECTORS: &str = include_str!("../../../api/sandbox/directors.jsonl");
const REGISTRATIONS: &str = include_str!("../../../api/sandbox/gst.jsonl");
const PANS: &str = include_str!("../../../api/sandbox/pans.jsonl");
const SLOW: &str = "U99999XX2000PTC000010";
const SECTIONS: [&str; 7] =
    ["pan", "profile", "financials", "directors", "charges", "compliance", "documents"];

/// A current appointment has no end, no company of the sandbox is listed under several numbers, and a
/// bulk call has no price of its own.
const NEVER_FILLED: [&str; 29] = [
    // The sandbox spells each name in one way.
    "searchDirectors /data/directors/*/matched_name",
    "getAccount /data/prices/bulkEnrich",
    "getAccount /data/prices/bulkVerify",
    "getCompanyProfile /data/directors/current/*/ceased_on",
    "getCompanyDirectors /data/current/*/ceased_on",
    "bulkEnrich /data/results/*/directors/current/*/ceased_on",
    "bulkEnrich /data/results/*/company/inferred_former_cins",
    "bulkEnrich /data/results/*/company/inferred_former_cins/*",
    "getCompany /data/inferred_former_cins",
    "getCompany /data/inferred_former_cins/*",
    "getCompanyProfile /data/company/inferred_former_cins",
    "getCompanyProfile /data/company/inferred_former_cins/*",
    // No office, domain or person of the sandbox has too many companies.
    "findPaths /data/limits",
    "findPaths /data/limits/*",
    "findPaths /data/limits/*/companies",
    "findPaths /data/limits/*/followed",
    "findPaths /data/limits/*/id",
    "findPaths /data/limits/*/relation",
    "findPaths /data/limits/*/sentence",
    "getCompanyNetwork /data/limits",
    "getCompanyNetwork /data/limits/*",
    "getCompanyNetwork /data/limits/*/companies",
    "getCompanyNetwork /data/limits/*/followed",
    "getCompanyNetwork /data/limits/*/id",
    "getCompanyNetwork /data/limits/*/relation",
    "getCompanyNetwork /data/limits/*/sentence",
    // Only the results of jobs have it.
    "matchCompanies /data/results/*/person_decision",
    "matchCompanies /data/results/*/person_decision/decided_at",
    "matchCompanies /data/results/*/person_decision/machine_decision",
];
const ENRICHED: [&str; 8] =
    ["company", "pan", "capital", "directors", "charges", "financials", "compliance", "documents"];

/// The values of one member of a file's records.
fn values(file: &str, member: &str) -> Vec<String> {
    let records = file.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    records.map(|record| record[member].as_str().unwrap().to_owned()).collect()
}

/// The companies without a simulated delay.
fn prompt_companies() -> Vec<String> {
    values(COMPANIES, "cin").into_iter().filter(|cin| cin != SLOW).collect()
}

/// Calls the API, with a new account when the test credits run low.
struct Crawler<'a> {
    server: &'a Server,
    key: Key,
    seen: BTreeMap<&'static str, BTreeSet<String>>,
}

impl Crawler<'_> {
    async fn fetch(&mut self, ask: Ask) -> Value {
        let operation = operation_of(&ask.method, &ask.path).unwrap();
        let what = ask.path.clone();
        let response = self.server.send(ask.key(&self.key)).await;
        assert_eq!(response.status, 200, "{what}: {}", response.json);
        if response.remaining() < 1_000 {
            self.key = self.server.test_key().await;
        }
        values::check(&what, response.data());
        collect_filled(&response.json, String::new(), self.seen.entry(operation.id()).or_default());
        response.data().clone()
    }
}

/// Collects every pointer with a value; all items of a list count as one.
fn collect_filled(value: &Value, pointer: String, seen: &mut BTreeSet<String>) {
    match value {
        Value::Null => return,
        Value::Object(object) => {
            for (name, inner) in object {
                collect_filled(inner, format!("{pointer}/{name}"), seen);
            }
        }
        Value::Array(list) if list.is_empty() => return,
        Value::Array(list) => {
            for inner in list {
                collect_filled(inner, format!("{pointer}/*"), seen);
            }
        }
        _ => {}
    }
    seen.insert(pointer);
}

/// Collects every pointer that a schema describes.
fn collect_described(schema: &Value, pointer: String, known: &mut BTreeSet<String>) {
    if let Some(reference) = schema.get("$ref").and_then(Value::as_str) {
        return collect_described(document().pointer(&reference[1..]).unwrap(), pointer, known);
    }
    for choice in ["oneOf", "anyOf", "allOf"] {
        for inner in schema.get(choice).and_then(Value::as_array).into_iter().flatten() {
            collect_described(inner, pointer.clone(), known);
        }
    }
    if let Some(items) = schema.get("items") {
        collect_described(items, format!("{pointer}/*"), known);
    }
    for (name, inner) in schema.get("properties").and_then(Value::as_object).into_iter().flatten() {
        collect_described(inner, format!("{pointer}/{name}"), known);
    }
    known.insert(pointer);
}

async fn walk_companies(crawler: &mut Crawler<'_>) {
    for cin in prompt_companies() {
        crawler.fetch(get(format!("/v1/companies/search?q={cin}&limit=1"))).await;
        crawler.fetch(get(format!("/v1/companies/{cin}"))).await;
        crawler.fetch(get(format!("/v1/verify/cin/{cin}"))).await;
        crawler.fetch(get(format!("/v1/companies/{cin}/findings"))).await;
        crawler.fetch(get(format!("/v1/companies/{cin}/events?limit=3"))).await;
        for section in SECTIONS {
            crawler.fetch(get(format!("/v1/companies/{cin}/{section}"))).await;
        }
    }
    crawler.fetch(get("/v1/companies/search?q=Kalpanik+Mills+Limited")).await;
    // Nothing is found, and the response says why.
    crawler.fetch(get("/v1/companies/search?q=Qzxwvut")).await;
    crawler.fetch(get("/v1/verify/cin/nonsense")).await;
}

async fn walk_networks(crawler: &mut Crawler<'_>) {
    for cin in prompt_companies() {
        for format in ["json", "bods", "ftm"] {
            let path = format!("/v1/companies/{cin}/network?depth=2&format={format}");
            crawler.fetch(get(path)).await;
        }
        for to in ["L17111MH1994PLC990011", "99000103"] {
            if to != cin {
                crawler.fetch(get(format!("/v1/network/paths?from={cin}&to={to}"))).await;
                crawler.fetch(get(format!("/v1/network/paths?from={to}&to={cin}"))).await;
            }
        }
    }
}

async fn walk_people_and_tax(crawler: &mut Crawler<'_>) {
    for din in values(DIRECTORS, "din") {
        crawler.fetch(get(format!("/v1/directors/{din}"))).await;
        crawler.fetch(get(format!("/v1/directors/{din}/companies"))).await;
        crawler.fetch(get(format!("/v1/verify/din/{din}"))).await;
    }
    crawler.fetch(get("/v1/directors/search?q=namuna")).await;
    crawler.fetch(get("/v1/directors/search?q=wqxvfgh")).await;
    for gstin in values(REGISTRATIONS, "gstin") {
        crawler.fetch(get(format!("/v1/gst/{gstin}"))).await;
        crawler.fetch(get(format!("/v1/verify/gstin/{gstin}"))).await;
    }
    for pan in values(PANS, "pan") {
        crawler.fetch(get(format!("/v1/search/pan/{pan}"))).await;
        crawler.fetch(get(format!("/v1/verify/pan/{pan}"))).await;
    }
    for kind in ["din", "gstin", "pan"] {
        crawler.fetch(get(format!("/v1/verify/{kind}/nonsense"))).await;
    }
}

async fn walk_bulk(crawler: &mut Crawler<'_>) {
    let items: Vec<Value> = ["L17111MH1994PLC990011", "04990109", "27ZZACK4368A1ZP", "ZZACK4368A"]
        .into_iter()
        .chain(["27ZZACK4368A1ZQ", "no identifier at all"])
        .map(|value| json!({ "value": value, "ref": "mine" }))
        .chain(["cin", "din", "pan"].map(|kind| json!({ "type": kind, "value": "nonsense" })))
        .collect();
    let verify = json!({ "items": items });
    crawler.fetch(post("/v1/bulk/verify", &verify)).await;
    crawler.fetch(post("/v1/bulk/verify?dry_run=true", &verify)).await;
    let cins = prompt_companies().into_iter().map(Value::from);
    let named = json!({ "cin": "F99101", "ref": "mine" });
    let cins: Vec<Value> = cins.chain([named, "nonsense".into()]).collect();
    for cins in cins.chunks(50) {
        let enrich = json!({ "cins": cins, "fields": ENRICHED });
        // It costs more than may be left of the credits.
        crawler.key = crawler.server.test_key().await;
        crawler.fetch(post("/v1/bulk/enrich", &enrich)).await;
        crawler.fetch(post("/v1/bulk/enrich?dry_run=true", &enrich)).await;
    }
    walk_matching(crawler).await;
}

async fn walk_matching(crawler: &mut Crawler<'_>) {
    let items: Vec<Value> =
        prompt_companies().into_iter().map(|cin| json!({ "ref": cin, "cin": cin })).collect();
    for items in items.chunks(100) {
        crawler.fetch(post("/v1/companies/match", &json!({ "items": items }))).await;
    }
    let item = json!({
        "name": "Kalpanik Industries Ltd",
        "cin": "L17111MH1994PLC990011",
        "pan": "ZZACK4368A",
        "gstin": "27ZZACK4368A1ZQ",
        "state": "MH",
        "city": "Mumbai",
        "pincode": "400001",
        "address": "Mumbai",
        "incorporated_on": "1994-03-18",
        "director": "Chaya Namuna",
    });
    let renamed = json!({
        "name": "Kalpanik Mills Limited",
        "cin": "L17111MH1994PLC990011",
    });
    let items = json!({ "items": [item, { "name": "Kalpanik" }, renamed] });
    crawler.fetch(post("/v1/companies/match", &items)).await;
    crawler.fetch(post("/v1/companies/match?dry_run=true", &items)).await;
}

async fn walk_account(crawler: &mut Crawler<'_>) {
    let key = restricted_key(crawler.server).await;
    let failed = failed_request(crawler.server, &key).await;
    let from = |path: &str| get(path).from("192.0.2.7");
    crawler.key = key;
    crawler.fetch(from("/v1/account")).await;
    for by in ["day", "operation", "key"] {
        crawler.fetch(from(&format!("/v1/usage?group_by={by}"))).await;
    }
    crawler.fetch(from(&format!("/v1/requests/{failed}"))).await;
}

#[test]
fn every_described_field_is_filled_somewhere_in_the_sandbox() {
    serve_embedded(&[], async |server| {
        let key = server.test_key().await;
        let mut crawler = Crawler { server, key, seen: BTreeMap::new() };
        walk_companies(&mut crawler).await;
        walk_networks(&mut crawler).await;
        walk_people_and_tax(&mut crawler).await;
        walk_bulk(&mut crawler).await;
        walk_account(&mut crawler).await;
        let mut missing = BTreeSet::new();
        // Jobs and watch lists have their own tests.
        let others = ["/v1/jobs", "/v1/watchlists", "/v1/events", "/v1/sandbox", "/v1/webhooks"];
        let walked = |operation: &&Operation| {
            !others.iter().any(|path| operation.path().starts_with(path))
                && operation.file_type().is_none()
        };
        for operation in Operation::ALL.iter().filter(walked) {
            let mut known = BTreeSet::new();
            collect_described(schema_of(*operation, 200), String::new(), &mut known);
            let seen = crawler.seen.remove(operation.id()).unwrap();
            let never = known.difference(&seen);
            missing.extend(never.map(|pointer| format!("{} {pointer}", operation.id())));
        }
        for pointer in NEVER_FILLED {
            assert!(missing.remove(pointer), "{pointer} is filled after all");
        }
        assert!(missing.is_empty(), "never filled: {missing:#?}");
    });
}

async fn fetch_companies(crawler: &mut Crawler<'_>) -> Vec<Value> {
    let mut companies = Vec::new();
    for cin in prompt_companies() {
        companies.push(crawler.fetch(get(format!("/v1/companies/{cin}"))).await);
    }
    companies
}

/// How many companies have this value.
fn count(companies: &[Value], member: &str, value: &Value) -> usize {
    companies.iter().filter(|company| &company[member] == value).count()
}

#[test]
fn the_sandbox_has_companies_of_every_kind_and_status() {
    serve_embedded(&[], async |server| {
        let key = server.test_key().await;
        let mut crawler = Crawler { server, key, seen: BTreeMap::new() };
        let companies = fetch_companies(&mut crawler).await;
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
            // `other` is for unknown words of real sources; the sandbox has none.
            let expected = status != "other";
            assert_eq!(count(&companies, "status", &json!(status)) > 0, expected, "{status}");
        }
        let numbers = values(COMPANIES, "cin");
        assert_eq!(numbers.iter().collect::<BTreeSet<_>>().len(), numbers.len());
    });
}

#[test]
fn the_sandbox_has_enough_directors_and_registrations() {
    let directors: BTreeSet<String> = values(DIRECTORS, "din").into_iter().collect();
    assert!(directors.len() >= 120, "{}", directors.len());
    let gstins: BTreeSet<String> = values(REGISTRATIONS, "gstin").into_iter().collect();
    assert!(gstins.len() >= 80, "{}", gstins.len());
    let states: BTreeSet<String> =
        gstins.iter().map(|text| Gstin::parse(text).expect(text).state_code().to_owned()).collect();
    assert!(states.len() >= 12, "{states:?}");
}

/// Whether every section of a company has data.
async fn is_full(crawler: &mut Crawler<'_>, cin: &str) -> bool {
    let mut lists = vec![("financials", "years"), ("directors", "current"), ("charges", "charges")];
    lists.push(("documents", "documents"));
    lists.extend(["roc_filings", "credit_ratings", "epfo"].map(|list| ("compliance", list)));
    for (section, list) in lists {
        let data = crawler.fetch(get(format!("/v1/companies/{cin}/{section}"))).await;
        if data[list].as_array().unwrap().is_empty() {
            return false;
        }
    }
    let pan = crawler.fetch(get(format!("/v1/companies/{cin}/pan"))).await;
    let Some(pan) = pan["pan"].as_str() else { return false };
    let registered = crawler.fetch(get(format!("/v1/search/pan/{pan}"))).await;
    registered["total"].as_i64().unwrap() > 0
}

#[test]
fn twenty_companies_have_all_sections_one_has_hundreds_of_documents_and_one_has_none() {
    serve_embedded(&[], async |server| {
        let key = server.test_key().await;
        let mut crawler = Crawler { server, key, seen: BTreeMap::new() };
        let (mut full, mut most_documents, mut with_nothing) = (0, 0, 0);
        for cin in prompt_companies() {
            full += usize::from(is_full(&mut crawler, &cin).await);
            let path = format!("/v1/companies/{cin}/documents");
            let documents = crawler.fetch(get(path)).await["total_documents"].as_i64().unwrap_or(0);
            most_documents = most_documents.max(documents);
            let mut filled = BTreeSet::new();
            for section in ["pan", "financials", "directors", "charges", "compliance", "documents"]
            {
                let data = crawler.fetch(get(format!("/v1/companies/{cin}/{section}"))).await;
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
