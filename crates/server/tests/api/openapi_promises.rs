//! What the interface description promises to those who generate clients from it.

use std::collections::BTreeSet;

use panji_server::api::examples::Example;
use panji_server::api::wire::words;
use panji_server::config::operation::{Operation, Tariff};
use serde_json::{Value, json};
use utoipa::ToSchema;

use crate::described::{compile, document, operations, schema_of};
use crate::openapi::{SECTIONS, is_request, walk};

fn component(name: &str) -> &'static Value {
    &document()["components"]["schemas"][name]
}

/// The component that a reference leads to.
fn behind(reference: &Value) -> &'static Value {
    let pointer = reference["$ref"].as_str().unwrap_or_else(|| panic!("no reference: {reference}"));
    document().pointer(&pointer[1..]).unwrap()
}

fn names(object: &Value) -> BTreeSet<&str> {
    object.as_object().unwrap().keys().map(String::as_str).collect()
}

#[test]
fn requests_are_exact_and_answers_may_grow() {
    let mut requests = 0;
    walk(document(), "", &mut |at, value| {
        for word in ["additionalProperties", "unevaluatedProperties"] {
            let Some(rule) = value.get(word) else { continue };
            assert!(is_request(at) && *rule == false, "{at} has {word}");
            requests += 1;
        }
    });
    assert!(requests >= 3, "{requests}");
}

#[test]
fn enumerations_are_open_in_answers_and_closed_in_requests() {
    let (mut open, mut closed) = (0, 0);
    walk(document(), "", &mut |at, value| {
        if value.get("enum").is_none_or(|words| !words.is_array()) {
            return;
        }
        let choice = at.strip_suffix("/anyOf/0");
        assert_eq!(choice.is_none(), is_request(at), "{at}");
        match choice {
            None => closed += 1,
            Some(choice) => {
                let other = &document().pointer(choice).unwrap()["anyOf"][1];
                assert_eq!(*other, json!({ "type": "string" }), "{at}");
                open += 1;
            }
        }
    });
    assert!(open >= 19 && closed >= 4, "{open} open, {closed} closed");
    let status = behind(&component("Company")["properties"]["status"]);
    assert_eq!(status, component(&words::CompanyStatus::name()));
    assert!(status["anyOf"][0]["enum"].as_array().unwrap().contains(&json!("struck_off")));
}

#[test]
fn dates_are_declared_as_dates() {
    let mut dates = BTreeSet::new();
    for operation in Operation::ALL {
        walk(&Example::of(*operation).answer, "", &mut |at, value| {
            let text = value.as_str().unwrap_or_default();
            let shape: String =
                text.chars().map(|c| if c.is_ascii_digit() { '0' } else { c }).collect();
            if shape == "0000-00-00" {
                dates.insert(at.rsplit('/').next().unwrap().to_owned());
            }
        });
    }
    assert!(dates.contains("as_of") && dates.contains("filing_date") && dates.len() > 8);
    walk(document(), "", &mut |at, value| {
        let Some(properties) = value.get("properties").filter(|_| !at.contains("/example")) else {
            return;
        };
        for (name, property) in properties.as_object().unwrap() {
            assert!(!dates.contains(name) || property["format"] == "date", "{at}/{name}");
        }
    });
}

#[test]
fn there_is_one_envelope_and_one_of_errors() {
    for operation in Operation::ALL {
        let schema = schema_of(*operation, 200);
        let answers: Vec<&Value> = match operation.tariff() {
            Tariff::Items => schema["oneOf"].as_array().unwrap().iter().collect(),
            _ => vec![schema],
        };
        for answer in &answers {
            let answer = behind(answer);
            assert_eq!(behind(&answer["allOf"][0]), component("Envelope"), "{answer}");
            assert_eq!(names(&answer["allOf"][1]["properties"]), BTreeSet::from(["data"]));
            behind(&answer["allOf"][1]["properties"]["data"]);
        }
        if operation.tariff() == Tariff::Items {
            let price = behind(&behind(answers[1])["allOf"][1]["properties"]["data"]);
            assert_eq!((price, answers.len()), (component("BulkPrice"), 2));
        }
    }
    for (path, _, entry) in operations() {
        for (status, response) in entry["responses"].as_object().unwrap() {
            let schema = &response["content"]["application/json"]["schema"];
            let error = *schema == json!({ "$ref": "#/components/schemas/ErrorEnvelope" });
            assert_eq!(error, status != "200", "{path} {status}");
        }
    }
}

#[test]
fn every_answer_declares_its_headers() {
    for (path, _, entry) in operations() {
        for (status, response) in entry["responses"].as_object().unwrap() {
            let declared = names(&response["headers"]);
            for name in ["Request-Id", "RateLimit", "RateLimit-Policy", "Panji-Mode"] {
                assert!(declared.contains(name), "{path} {status} {name}");
            }
            assert_eq!(declared.contains("WWW-Authenticate"), status == "401", "{path} {status}");
            let waits = ["429", "503"].contains(&status.as_str());
            assert_eq!(declared.contains("Retry-After"), waits, "{path} {status}");
            for name in declared {
                let header = behind(&response["headers"][name]);
                assert!(header["description"].is_string() && header["schema"].is_object());
            }
        }
    }
}

#[test]
fn a_verdict_of_a_batch_is_told_by_its_type() {
    let [verdict, unknown] = &component("BulkVerifyResult")["oneOf"].as_array().unwrap()[..] else {
        panic!("a result is a verdict or not");
    };
    assert_eq!(behind(unknown)["properties"]["type"]["type"], "null");
    let verdict = behind(verdict);
    assert_eq!(verdict["discriminator"]["propertyName"], "type");
    let mapping = &verdict["discriminator"]["mapping"];
    assert_eq!(names(mapping), BTreeSet::from(["cin", "din", "gstin", "pan"]));
    let variants = verdict["oneOf"].as_array().unwrap().iter();
    let variants: BTreeSet<&str> = variants.filter_map(|part| part["$ref"].as_str()).collect();
    assert_eq!(variants.len(), 4);
    for (kind, pointer) in mapping.as_object().unwrap() {
        assert!(variants.contains(pointer.as_str().unwrap()), "{kind}");
        let variant = document().pointer(&pointer.as_str().unwrap()[1..]).unwrap();
        assert_eq!(variant["properties"]["type"]["const"], *kind);
        let verdict = behind(&variant["properties"]["result"]);
        assert!(verdict["properties"].get(kind).is_some(), "{kind}");
    }
}

#[test]
fn the_sections_of_an_enriched_company_are_typed() {
    let served = [
        "Company",
        "CompanyPan",
        "Capital",
        "CompanyDirectors",
        "CompanyCharges",
        "Financials",
        "Compliance",
        "Documents",
    ];
    for (section, whole) in SECTIONS.into_iter().zip(served) {
        let member = &component("BulkEnrichResult")["properties"][section]["oneOf"];
        let part = behind(&member[0]);
        assert_eq!(part["properties"], component(whole)["properties"], "{section}");
        assert!(part.get("required").is_none(), "{section}");
        assert_eq!(member[1], json!({ "type": "null" }), "{section}");
    }
}

/// The schema of a path parameter, as one of the operations that take it declares it.
fn parameter(operation: &str, name: &str) -> &'static Value {
    let entry = operations().find(|(.., entry)| entry["operationId"] == operation);
    let (.., entry) = entry.unwrap();
    let mut parameters = entry["parameters"].as_array().unwrap().iter();
    &parameters.find(|parameter| parameter["name"] == name).unwrap()["schema"]
}

#[test]
fn patterns_need_no_look_ahead_and_no_year_is_the_last() {
    walk(document(), "", &mut |at, value| {
        if let Some(pattern) = value.get("pattern").and_then(Value::as_str) {
            assert!(!pattern.contains("(?"), "{at}: {pattern}");
        }
    });
    let takes = |operation, name, value: &str| {
        compile(parameter(operation, name)).is_valid(&Value::from(value))
    };
    for year in ["1850", "1999", "2026", "2029", "2030", "2031", "2047", "2112"] {
        assert!(takes("getCompany", "cin", &format!("U17111MH{year}PTC990011")), "{year}");
    }
    assert!(!takes("getCompany", "cin", "U17111MH1849PTC990011"));
    assert!(takes("getDirector", "din", "1") && takes("getDirector", "din", "00000010"));
    assert!(!takes("getDirector", "din", "00000000") && !takes("getDirector", "din", "000000001"));
    assert!(takes("searchByPan", "pan", "ZZACK0001A") && takes("searchByPan", "pan", "ZZACK1000A"));
    assert!(!takes("searchByPan", "pan", "ZZACK0000A"));
}
