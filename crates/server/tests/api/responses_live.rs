//! Tests of live keys, which read the live register, on every endpoint.

use panji_api::config::operation::{Operation, Tariff};
use panji_store::register::Record;
use panji_testkit::records;
use serde_json::json;

use crate::ask::{Ask, ask, get, post};
use crate::described;
use crate::server::serve;
use crate::snapshots::assert_response_to;

/// A GSTIN of the company's PAN with the right check character.
pub const GSTIN: &str = "27ZZZCU0501Z1Z0";

/// One record of every kind, all about one company.
pub fn one_of_each() -> Vec<Record> {
    let mut all = records::one_of_each();
    for record in &mut all {
        match record {
            Record::Gst(registration) => registration.gstin = GSTIN.to_owned(),
            Record::GstFiling(filing) => filing.gstin = GSTIN.to_owned(),
            _ => {}
        }
    }
    all
}

/// The id of a request that was never made.
pub const UNKNOWN_REQUEST: &str = "req_01ARZ3NDEKTSV4RRFFQ69G5FAV";

/// The operations that cost something; those about the account have their own tests.
pub fn priced_operations() -> impl Iterator<Item = &'static Operation> {
    Operation::ALL.iter().filter(|operation| operation.tariff() != Tariff::Free)
}

/// A request for an operation that finds something in the records of the testkit.
pub fn ask_of(operation: Operation) -> Ask {
    let template = described::operations()
        .find(|(.., entry)| entry["operationId"] == operation.id())
        .map(|(path, ..)| path)
        .unwrap();
    let path = template
        .replace("{cin}", records::CIN)
        .replace("{din}", records::DIN)
        .replace("{gstin}", GSTIN)
        .replace("{pan}", records::PAN)
        .replace("{request_id}", UNKNOWN_REQUEST)
        .replace("{id}", "job_01ARZ3NDEKTSV4RRFFQ69G5FAV");
    match operation {
        Operation::SearchCompanies | Operation::SearchDirectors => get(path).query("q=udaharan"),
        Operation::FindPaths => {
            get(path).query(&format!("from={}&to={}", records::CIN, records::DIN))
        }
        Operation::BulkVerify => post(path, &json!({ "items": [{ "value": records::CIN }] })),
        Operation::BulkEnrich => {
            post(path, &json!({ "cins": [records::CIN], "fields": ["company", "financials"] }))
        }
        Operation::MatchCompanies => post(path, &json!({ "items": [{ "cin": records::CIN }] })),
        Operation::CreateWatchlist => post(path, &json!({ "name": "Borrowers" })),
        Operation::RenameWatchlist => {
            post(path, &json!({ "name": "Borrowers" })).method(operation.method())
        }
        Operation::AddWatchMembers | Operation::RemoveWatchMembers => {
            post(path, &json!({ "members": [records::CIN] })).method(operation.method())
        }
        Operation::SimulateEvents => post(path, &json!({})),
        Operation::CreateJob => {
            post(path, &json!({ "operation": "bulkVerify", "items": [records::CIN] }))
        }
        Operation::CreateWebhook => post(path, &json!({ "url": "https://hooks.example.com/" })),
        Operation::UpdateWebhook => {
            post(path, &json!({ "status": "enabled" })).method(operation.method())
        }
        Operation::ReplayWebhookEvents => post(path, &json!({ "from_seq": 1 })),
        _ => ask(operation.method(), path),
    }
}

#[test]
fn every_priced_operation_responds_from_the_live_register() {
    serve(&[], async |server| {
        server.import(&one_of_each()).await;
        for operation in priced_operations() {
            let key = server.live_key(1_000).await;
            let name = format!("live-{}", operation.id());
            let response = assert_response_to(server, &key, &name, ask_of(*operation)).await;
            assert_eq!(response.status, 200, "{}", operation.id());
        }
    });
}

#[test]
fn neither_mode_reads_the_register_of_the_other() {
    serve(&[], async |server| {
        server.import(&one_of_each()).await;
        let (live, test) = (server.live_key(100).await, server.test_key().await);
        let own = format!("/v1/companies/{}", records::CIN);
        let sandbox = "/v1/companies/L17111MH1994PLC990011";
        assert_eq!(server.send(get(&own).key(&live)).await.status, 200);
        assert_eq!(server.send(get(&own).key(&test)).await.code(), "company_not_found");
        assert_eq!(server.send(get(sandbox).key(&test)).await.status, 200);
        assert_eq!(server.send(get(sandbox).key(&live)).await.code(), "company_not_found");
        let search = "/v1/companies/search?q=kalpanik";
        assert_eq!(server.send(get(search).key(&live)).await.expect_data()["total"], 0);
    });
}

#[test]
fn a_simulation_value_has_no_effect_with_a_live_key() {
    serve(&[], async |server| {
        let key = server.live_key(100).await;
        for ending in
            ["000402", "000404", "000409", "000429", "000500", "000503", "000529", "000010"]
        {
            let path = format!("/v1/companies/U99999XX2000PTC{ending}");
            assert_eq!(server.send(get(path).key(&key)).await.code(), "company_not_found");
        }
    });
}

#[test]
fn search_finds_later_imports() {
    serve(&[], async |server| {
        server.import(&one_of_each()).await;
        let renamed = records::company(records::CIN, "Badla Hua Naam Private Limited");
        server.import(&[Record::Company(renamed)]).await;
        let key = server.live_key(100).await;
        let response = server.send(get("/v1/companies/search?q=badla+hua").key(&key)).await;
        assert_eq!(response.expect_data()["companies"][0]["cin"], records::CIN);
    });
}
