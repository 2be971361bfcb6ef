//! Tests of the OpenAPI description: it is stored in the repository, well-formed and complete.

use std::collections::BTreeSet;
use std::path::PathBuf;

use panji_api::api::openapi;
use panji_api::config::operation::Operation;
use serde_json::Value;

use crate::ask::get;
use crate::described::{compile, document, operations};
use crate::server::serve_embedded;

/// The sections of an enriched company.
pub const SECTIONS: [&str; 8] =
    ["company", "pan", "capital", "directors", "charges", "financials", "compliance", "documents"];

fn stored_path() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../openapi.json")
}

/// Visits every nested value, with its JSON pointer.
pub fn walk(value: &Value, pointer: &str, visit: &mut impl FnMut(&str, &Value)) {
    visit(pointer, value);
    match value {
        Value::Object(object) => {
            for (name, inner) in object {
                let name = name.replace('~', "~0").replace('/', "~1");
                walk(inner, &format!("{pointer}/{name}"), visit);
            }
        }
        Value::Array(list) => {
            for (index, inner) in list.iter().enumerate() {
                walk(inner, &format!("{pointer}/{index}"), visit);
            }
        }
        _ => {}
    }
}

/// Whether a pointer leads into a request.
pub fn is_request(pointer: &str) -> bool {
    let requests = [
        "BulkVerifyRequest",
        "BulkVerifyItem",
        "IdentifierType",
        "BulkEnrichRequest",
        "BulkEnrichCin",
        "BulkEnrichItem",
        "CreateJobRequest",
        "WatchlistRequest",
        "WatchMembersRequest",
        "SimulateRequest",
        "JobItem",
        "MatchRequest",
        "MatchRequestItem",
        "CreateWebhookRequest",
        "UpdateWebhookRequest",
        "ReplayRequest",
    ];
    let component = pointer.strip_prefix("/components/schemas/").unwrap_or_default();
    let name = component.split('/').next().unwrap_or_default();
    requests.contains(&name)
        || pointer.contains("/parameters/")
        || pointer.contains("/requestBody/")
}

#[test]
#[allow(clippy::disallowed_methods, reason = "decides whether to update the file")]
fn the_document_in_the_repository_is_the_one_that_is_served() {
    let generated = openapi::document_text();
    if std::env::var_os("UPDATE_OPENAPI").is_some() {
        std::fs::write(stored_path(), generated).unwrap();
    }
    let stored = std::fs::read_to_string(stored_path()).unwrap_or_default();
    assert!(
        stored == generated,
        "openapi.json is out of date: run this test with UPDATE_OPENAPI=1"
    );
    serve_embedded(&[], async |server| {
        let response = server.send_unchecked(get("/v1/openapi.json")).await;
        assert_eq!(response.bytes, generated.as_bytes());
    });
}

#[test]
fn the_document_has_its_version_and_its_security_scheme() {
    let document = document();
    assert!(document["openapi"].as_str().unwrap().starts_with("3.1."));
    assert_eq!(document["info"]["version"], "1.0.0");
    let schemes = document["components"]["securitySchemes"].as_object().unwrap();
    for (name, scheme) in schemes {
        assert_eq!((&scheme["type"], &scheme["scheme"]), (&"http".into(), &"bearer".into()));
        assert!(document["security"][0].get(name).is_some());
    }
    assert_eq!(schemes.len(), 1);
}

#[test]
fn the_document_has_every_operation() {
    let described: Vec<&str> =
        operations().map(|(.., entry)| entry["operationId"].as_str().unwrap()).collect();
    let unique: BTreeSet<&str> = described.iter().copied().collect();
    let expected: BTreeSet<&str> = Operation::ALL.iter().map(|operation| operation.id()).collect();
    assert_eq!((unique, described.len()), (expected, Operation::ALL.len()));
    for (path, method, entry) in operations() {
        let id = entry["operationId"].as_str().unwrap();
        let operation = Operation::from_id(id).unwrap();
        assert_eq!(method, operation.method().as_str().to_lowercase(), "{id}");
        assert!(path.starts_with("/v1/"), "{id}");
        assert!(entry["summary"].is_string() && entry["tags"].is_array(), "{id}");
        assert!(entry["description"].as_str().is_some_and(|text| text.len() > 30), "{id}");
        assert_eq!(entry.get("requestBody").is_some(), operation.takes_body(), "{id}");
    }
}

#[test]
fn every_reference_leads_somewhere() {
    walk(document(), "", &mut |at, value| {
        if let Some(reference) = value.get("$ref").and_then(Value::as_str) {
            let pointer = reference.strip_prefix('#').expect("references stay in the document");
            assert!(document().pointer(pointer).is_some(), "{at} leads to {reference}");
        }
    });
}

#[test]
fn every_parameter_is_declared_in_its_location() {
    for (path, _, entry) in operations() {
        let operation = Operation::from_id(entry["operationId"].as_str().unwrap()).unwrap();
        let named = |location: &str| -> BTreeSet<&str> {
            let parameters = entry["parameters"].as_array().unwrap().iter();
            let parameters = parameters.filter(|parameter| parameter["in"] == location);
            parameters.map(|parameter| parameter["name"].as_str().unwrap()).collect()
        };
        let in_path: BTreeSet<&str> = path
            .split('/')
            .filter_map(|part| part.strip_prefix('{').and_then(|part| part.strip_suffix('}')))
            .collect();
        assert_eq!(named("path"), in_path, "{path}");
        let in_query: BTreeSet<&str> = operation.query_parameters().iter().copied().collect();
        assert_eq!(named("query"), in_query, "{path}");
        assert_eq!(
            named("header"),
            BTreeSet::from(["Idempotency-Key", "Panji-Max-Credits"]),
            "{path}"
        );
        for parameter in entry["parameters"].as_array().unwrap() {
            assert!(parameter["description"].is_string(), "{path} {parameter}");
            assert!(parameter["schema"].is_object(), "{path} {parameter}");
            let required = parameter["in"] == "path"
                || parameter["name"] == "q"
                || (operation == Operation::FindPaths && parameter["in"] == "query");
            assert_eq!(parameter["required"] == true, required, "{path} {parameter}");
        }
    }
}

/// Whether a schema has a description, itself or in its reference.
fn is_described(schema: &Value) -> bool {
    let target = schema.get("$ref").and_then(Value::as_str);
    let target = target.and_then(|reference| document().pointer(&reference[1..]));
    let choices = schema.get("oneOf").and_then(Value::as_array);
    schema["description"].is_string()
        || target.is_some_and(is_described)
        || choices.into_iter().flatten().any(is_described)
}

#[test]
fn every_property_is_described_and_required_in_responses() {
    let mut undescribed = Vec::new();
    walk(document(), "", &mut |at, value| {
        let in_example = at.contains("/example");
        let Some(properties) = value.get("properties").filter(|_| !in_example) else { return };
        let properties = properties.as_object().unwrap();
        for (name, property) in properties {
            if !is_described(property) {
                undescribed.push(format!("{at}/{name}"));
            }
        }
        // The sections depend on the request.
        let optional = |name: &str| {
            at.ends_with("BulkEnrichResult") && SECTIONS.contains(&name)
                // Only one code has it.
                || at.ends_with("/Error") && name == "oldest"
        };
        if !is_request(at) && !at.ends_with("Section") {
            let required: BTreeSet<&str> =
                value["required"].as_array().unwrap().iter().filter_map(Value::as_str).collect();
            let names = properties.keys().map(String::as_str);
            assert_eq!(required, names.filter(|name| !optional(name)).collect(), "{at}");
        }
    });
    assert!(undescribed.is_empty(), "not described: {undescribed:#?}");
}

#[test]
fn every_schema_is_valid_and_matches_its_examples() {
    for (name, schema) in document()["components"]["schemas"].as_object().unwrap() {
        compile(schema);
        assert!(schema["description"].is_string(), "{name} is not described");
    }
    for (path, _, entry) in operations() {
        for (status, response) in entry["responses"].as_object().unwrap() {
            if response["content"].get("application/pdf").is_some() {
                continue;
            }
            let content = &response["content"]["application/json"];
            let validator = compile(&content["schema"]);
            assert_eq!(content.get("example").is_some(), status == "200", "{path} {status}");
            if let Some(example) = content.get("example") {
                let errors: Vec<String> =
                    validator.iter_errors(example).map(|error| error.to_string()).collect();
                assert!(errors.is_empty(), "{path}: {errors:#?}");
            }
        }
        if let Some(body) = entry.get("requestBody") {
            let content = &body["content"]["application/json"];
            assert!(compile(&content["schema"]).is_valid(&content["example"]), "{path}");
        }
    }
}
