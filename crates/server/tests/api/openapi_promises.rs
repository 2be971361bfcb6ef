//! Tests of what the OpenAPI description guarantees to generators of clients.

use std::collections::BTreeSet;

use panji_api::api::examples::Example;
use panji_api::api::wire::enums;
use panji_api::config::operation::{Operation, Tariff};
use serde_json::{Value, json};
use utoipa::ToSchema;

use crate::described::{compile, document, operations, schema_of};
use crate::openapi::{SECTIONS, is_request, walk};

fn component(name: &str) -> &'static Value {
    &document()["components"]["schemas"][name]
}

/// The component of a reference.
fn resolve(reference: &Value) -> &'static Value {
    let pointer = reference["$ref"].as_str().unwrap_or_else(|| panic!("no reference: {reference}"));
    document().pointer(&pointer[1..]).unwrap()
}

fn names(object: &Value) -> BTreeSet<&str> {
    object.as_object().unwrap().keys().map(String::as_str).collect()
}

#[test]
fn requests_are_exact_and_responses_may_grow() {
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
fn enumerations_are_open_in_responses_and_closed_in_requests() {
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
    let status = resolve(&component("Company")["properties"]["status"]);
    assert_eq!(status, component(&enums::CompanyStatus::name()));
    assert!(status["anyOf"][0]["enum"].as_array().unwrap().contains(&json!("struck_off")));
}

#[test]
fn dates_are_declared_as_dates() {
    let mut dates = BTreeSet::new();
    for operation in Operation::ALL {
        walk(&Example::of(*operation).response, "", &mut |at, value| {
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
            // In a network they are nodes, in an event values of any kind.
            let is_other = ["/Network", "/EventChange"].iter().any(|schema| at.contains(schema))
                && ["from", "to"].contains(&name.as_str());
            let is_date = dates.contains(name) && !is_other;
            assert!(!is_date || property["format"] == "date", "{at}/{name}");
        }
    });
}

#[test]
fn there_is_one_envelope_for_data_and_one_for_errors() {
    for operation in Operation::ALL.iter().filter(|operation| operation.file_type().is_none()) {
        let schema = schema_of(*operation, 200);
        let responses: Vec<&Value> = match operation.tariff() {
            Tariff::Items => schema["oneOf"].as_array().unwrap().iter().collect(),
            _ => vec![schema],
        };
        for response in &responses {
            let response = resolve(response);
            assert_eq!(resolve(&response["allOf"][0]), component("Envelope"), "{response}");
            assert_eq!(names(&response["allOf"][1]["properties"]), BTreeSet::from(["data"]));
            resolve(&response["allOf"][1]["properties"]["data"]);
        }
        if operation.tariff() == Tariff::Items {
            let price = resolve(&resolve(responses[1])["allOf"][1]["properties"]["data"]);
            assert_eq!((price, responses.len()), (component("BulkPrice"), 2));
        }
    }
    for (path, _, entry) in operations() {
        for (status, response) in entry["responses"].as_object().unwrap() {
            if response["content"].get("application/pdf").is_some() {
                continue;
            }
            let schema = &response["content"]["application/json"]["schema"];
            let error = *schema == json!({ "$ref": "#/components/schemas/ErrorEnvelope" });
            assert_eq!(error, status != "200", "{path} {status}");
        }
    }
}

#[test]
fn every_response_declares_its_headers() {
    for (path, _, entry) in operations() {
        for (status, response) in entry["responses"].as_object().unwrap() {
            let declared = names(&response["headers"]);
            for name in ["Request-Id", "RateLimit", "RateLimit-Policy", "Panji-Mode"] {
                assert!(declared.contains(name), "{path} {status} {name}");
            }
            assert_eq!(declared.contains("WWW-Authenticate"), status == "401", "{path} {status}");
            let retryable = ["429", "503"].contains(&status.as_str());
            assert_eq!(declared.contains("Retry-After"), retryable, "{path} {status}");
            for name in declared {
                let header = resolve(&response["headers"][name]);
                assert!(header["description"].is_string() && header["schema"].is_object());
            }
        }
    }
}

#[test]
fn verdicts_of_a_batch_are_discriminated_by_type() {
    let [verdict, unknown] = &component("BulkVerifyResult")["oneOf"].as_array().unwrap()[..] else {
        panic!("a result has two variants");
    };
    assert_eq!(resolve(unknown)["properties"]["type"]["type"], "null");
    let verdict = resolve(verdict);
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
        let verdict = resolve(&variant["properties"]["result"]);
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
        let part = resolve(&member[0]);
        assert_eq!(part["properties"], component(whole)["properties"], "{section}");
        assert!(part.get("required").is_none(), "{section}");
        assert_eq!(member[1], json!({ "type": "null" }), "{section}");
    }
}

/// The schema of a path parameter of an operation.
fn parameter(operation: &str, name: &str) -> &'static Value {
    let entry = operations().find(|(.., entry)| entry["operationId"] == operation);
    let (.., entry) = entry.unwrap();
    let mut parameters = entry["parameters"].as_array().unwrap().iter();
    &parameters.find(|parameter| parameter["name"] == name).unwrap()["schema"]
}

#[test]
fn patterns_use_no_look_ahead_and_accept_future_years() {
    walk(document(), "", &mut |at, value| {
        if let Some(pattern) = value.get("pattern").and_then(Value::as_str) {
            assert!(!pattern.contains("(?"), "{at}: {pattern}");
        }
    });
    let accepts = |operation, name, value: &str| {
        compile(parameter(operation, name)).is_valid(&Value::from(value))
    };
    for year in ["1850", "1999", "2026", "2029", "2030", "2031", "2047", "2112"] {
        assert!(accepts("getCompany", "cin", &format!("U17111MH{year}PTC990011")), "{year}");
    }
    assert!(!accepts("getCompany", "cin", "U17111MH1849PTC990011"));
    assert!(accepts("getDirector", "din", "1") && accepts("getDirector", "din", "00000010"));
    assert!(
        !accepts("getDirector", "din", "00000000") && !accepts("getDirector", "din", "000000001")
    );
    assert!(
        accepts("searchByPan", "pan", "ZZACK0001A") && accepts("searchByPan", "pan", "ZZACK1000A")
    );
    assert!(!accepts("searchByPan", "pan", "ZZACK0000A"));
}

/// The fields of version 1.0.0, by schema.
const FIRST_FIELDS: &str = include_str!("fields_1_0_0.txt");

#[test]
fn no_field_of_the_first_release_was_removed_and_every_other_says_since_when() {
    let schemas = document()["components"]["schemas"].as_object().unwrap();
    let first: BTreeSet<String> = FIRST_FIELDS.lines().map(str::to_owned).collect();
    let mut present = BTreeSet::new();
    for (name, schema) in schemas {
        let properties = schema.get("properties").and_then(Value::as_object);
        for (field, property) in properties.into_iter().flatten() {
            let is_new = schema.get("x-since").is_some() || property.get("x-since").is_some();
            let path = format!("{name}.{field}");
            assert_ne!(is_new, first.contains(&path), "{path}: x-since, or in the first release");
            present.insert(path);
        }
    }
    let removed: Vec<_> = first.difference(&present).collect();
    assert!(removed.is_empty(), "removed: {removed:?}");
}

#[test]
fn every_listed_addition_is_in_the_document() {
    let list = include_str!("../../../api/src/api/openapi/additions.txt");
    let schemas = &document()["components"]["schemas"];
    for line in list.lines().filter(|line| !line.starts_with('#')) {
        let words: Vec<&str> = line.split_whitespace().collect();
        let described = match Operation::from_id(words[1]) {
            Some(operation) => {
                let mut entries = operations().map(|(.., entry)| entry);
                let entry = entries.find(|entry| entry["operationId"] == operation.id()).unwrap();
                let parameters = entry["parameters"].as_array().unwrap();
                parameters.iter().map(|parameter| parameter["name"].clone()).collect()
            }
            None => {
                assert!(schemas[words[1]].is_object(), "{line}");
                let fields = schemas[words[1]].get("properties");
                fields.map_or(Vec::new(), |fields| {
                    names(fields).into_iter().map(Value::from).collect()
                })
            }
        };
        for word in &words[2..] {
            assert!(described.contains(&json!(word)), "{line}: {word}");
        }
    }
}
