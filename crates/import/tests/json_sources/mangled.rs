//! Documents in which each value is replaced by an unexpected one: nothing panics, no PAN is shown,
//! and unaffected records are still read.

use panji_import::{Reason, gstn, mca_company_json};
use panji_store::register::Record;
use serde_json::{Value, json};

use super::fixture;

fn odd_values() -> Vec<Value> {
    vec![
        json!(null),
        json!(true),
        json!(-1),
        json!(1e300),
        json!("32767-32768"),
        json!("ÀÉ\u{0}ıŉ/99/9999"),
        json!("99999999999999999999999999"),
        json!([[["a"]]]),
        json!({"data": {"gstin": 1}}),
    ]
}

/// One copy of the document for every value in it, with that value replaced.
fn with_each_value_replaced(document: &Value, odd: &Value) -> Vec<Value> {
    let mut pointers = Vec::new();
    collect_pointers(document, String::new(), &mut pointers);
    let replaced = |pointer: &String| {
        let mut copy = document.clone();
        *copy.pointer_mut(pointer).expect("it was just there") = odd.clone();
        copy
    };
    pointers.iter().map(replaced).collect()
}

fn collect_pointers(value: &Value, at: String, pointers: &mut Vec<String>) {
    match value {
        Value::Object(object) => {
            for (name, inner) in object {
                collect_pointers(inner, format!("{at}/{name}"), pointers);
            }
        }
        Value::Array(list) => {
            for (index, inner) in list.iter().enumerate() {
                collect_pointers(inner, format!("{at}/{index}"), pointers);
            }
        }
        _ => {}
    }
    pointers.push(at);
}

#[test]
fn damage_in_a_company_affects_only_the_damaged_records() {
    let document = fixture("company.json");
    let whole = mca_company_json::parse_document(&document, None, "2026-06-30");
    let whole = whole.iter().filter(|result| result.is_ok()).count();
    for odd in odd_values() {
        for damaged in
            with_each_value_replaced(&document["data"]["masterData"]["companyData"], &odd)
        {
            let mut copy = document.clone();
            let is_object = damaged.is_object();
            copy["data"]["masterData"]["companyData"] = damaged;
            let results = mca_company_json::parse_document(&copy, None, "2026-06-30");
            let records = results.iter().filter(|result| result.is_ok()).count();
            assert!(records == whole || !is_object, "{records} of {whole} records with {odd}");
        }
        for damaged in with_each_value_replaced(&document, &odd) {
            for result in mca_company_json::parse_document(&damaged, None, "2026-06-30") {
                check(&result);
            }
        }
    }
}

#[test]
fn damaged_responses_of_the_gst_system_do_not_panic() {
    for name in ["taxpayer_portal", "taxpayers_api", "registrations_by_pan", "returns"] {
        let document = fixture(&format!("{name}.json"));
        for odd in odd_values() {
            for damaged in with_each_value_replaced(&document, &odd) {
                gstn::recognizes(&damaged);
                for (_, result) in gstn::parse_document(&damaged, None) {
                    check(&result);
                }
            }
        }
    }
}

/// PostgreSQL cannot store a NUL, and a reject's sentence must not contain a PAN.
fn check(result: &Result<Record, Reason>) {
    match result {
        Ok(record) => assert!(!format!("{record:?}").contains("\\0"), "{record:?}"),
        Err(Reason { text, .. }) => {
            assert_eq!(panji_ids::mask_pans(text), *text);
            assert!(!text.contains("ABCPD1234E"));
        }
    }
}
