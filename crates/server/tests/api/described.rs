//! Checks responses against the OpenAPI description, strictly: fields and words that clients must
//! tolerate as additions are errors here if they are not described.

use std::collections::HashMap;
use std::sync::{Arc, LazyLock, Mutex};

use axum::http::Method;
use jsonschema::{Draft, Validator};
use panji_api::api::openapi;
use panji_api::config::operation::Operation;
use panji_api::http::error::ErrorCode;
use serde_json::{Value, json};

use crate::ask::Response;

static DOCUMENT: LazyLock<Value> = LazyLock::new(openapi::document);
/// The components, closed against additions.
static CLOSED: LazyLock<Value> = LazyLock::new(|| {
    let mut schemas = DOCUMENT["components"]["schemas"].clone();
    for (name, schema) in schemas.as_object_mut().unwrap() {
        close(schema);
        if name == "Envelope" {
            // Each response includes it and is closed itself.
            schema.as_object_mut().unwrap().remove("unevaluatedProperties");
        }
    }
    json!({ "schemas": schemas })
});
/// Headers of HTTP itself and for browsers.
const UNDECLARED: [&str; 5] = [
    "content-type",
    "content-length",
    "vary",
    "access-control-allow-origin",
    "access-control-expose-headers",
];
static VALIDATORS: LazyLock<Mutex<HashMap<String, Arc<Validator>>>> = LazyLock::new(Mutex::default);

pub fn document() -> &'static Value {
    &DOCUMENT
}

/// Every operation of the document: path, method, entry.
pub fn operations() -> impl Iterator<Item = (&'static str, &'static str, &'static Value)> {
    let paths = DOCUMENT["paths"].as_object().unwrap();
    paths.iter().flat_map(|(path, item)| {
        let entries = item.as_object().unwrap().iter();
        entries.map(move |(method, entry)| (path.as_str(), method.as_str(), entry))
    })
}

/// The operation of a request, if there is one.
pub fn operation_of(method: &Method, path: &str) -> Option<Operation> {
    let path = path.split('?').next().unwrap_or_default();
    let method = method.as_str().to_lowercase();
    let fitting = operations()
        .filter(|(template, known, _)| *known == method && fits(template, path))
        // A path without parameters has priority over one with parameters.
        .min_by_key(|(template, ..)| template.matches('{').count());
    fitting.and_then(|(.., entry)| Operation::from_id(entry["operationId"].as_str().unwrap()))
}

fn fits(template: &str, path: &str) -> bool {
    template.split('/').count() == path.split('/').count()
        && template
            .split('/')
            .zip(path.split('/'))
            .all(|(part, given)| part == given || part.starts_with('{'))
}

/// Checks a response against the description of its operation and status.
pub fn check(method: &Method, path: &str, response: &Response) {
    if response.status == 204
        || method == Method::HEAD
        || response.header("content-encoding").is_some()
    {
        return;
    }
    let what = format!("{method} {path}: {} {}", response.status, response.json);
    let outside = ["route_not_found", "method_not_allowed"].contains(&response.code());
    let validator = match operation_of(method, path) {
        Some(operation) if !outside => {
            if response.status != 200 {
                let code = ErrorCode::ALL.iter().find(|code| code.as_str() == response.code());
                let listed = openapi::can_fail_with(operation, *code.expect(&what));
                assert!(listed, "{} is not described to return {what}", operation.id());
            }
            check_headers(operation, response, &what);
            if let Some(media_type) = operation.file_type().filter(|_| response.status == 200) {
                assert_eq!(response.header("content-type"), Some(media_type), "{what}");
                return;
            }
            validator_of(operation, response.status)
        }
        _ => {
            assert_ne!(response.status, 200, "{what}");
            validator("error", &json!({ "$ref": "#/components/schemas/ErrorEnvelope" }))
        }
    };
    let errors: Vec<String> = validator
        .iter_errors(&response.json)
        .map(|error| format!("{} at {}", error, error.instance_path()))
        .collect();
    assert!(errors.is_empty(), "{what} is not as described: {errors:#?}");
}

/// Checks the headers of a response against those declared for its operation and status.
fn check_headers(operation: Operation, response: &Response, what: &str) {
    let declared = response_of(operation, response.status)["headers"].as_object().expect(what);
    for name in response.headers.keys().map(|name| name.as_str()) {
        let known = declared.keys().any(|known| known.eq_ignore_ascii_case(name));
        assert!(known || UNDECLARED.contains(&name), "the header {name} is not declared: {what}");
    }
    for (name, reference) in declared {
        let pointer = reference["$ref"].as_str().unwrap();
        let header = DOCUMENT.pointer(&pointer[1..]).unwrap();
        let present = response.headers.contains_key(name.to_lowercase());
        assert!(present || header["required"] == false, "the header {name} is missing: {what}");
    }
}

fn response_of(operation: Operation, status: u16) -> &'static Value {
    let entry = operations().find(|(.., entry)| entry["operationId"] == operation.id());
    let (.., entry) = entry.unwrap();
    &entry["responses"][status.to_string()]
}

/// The schema of an operation's response with this status.
pub fn schema_of(operation: Operation, status: u16) -> &'static Value {
    &response_of(operation, status)["content"]["application/json"]["schema"]
}

fn validator_of(operation: Operation, status: u16) -> Arc<Validator> {
    let schema = schema_of(operation, status);
    assert!(schema.is_object(), "{} does not describe {status}", operation.id());
    validator(&format!("{} {status}", operation.id()), schema)
}

fn validator(name: &str, schema: &Value) -> Arc<Validator> {
    let mut validators = VALIDATORS.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    let validator = validators.entry(name.to_owned()).or_insert_with(|| Arc::new(compile(schema)));
    validator.clone()
}

/// Compiles a closed schema; its references lead into the components.
pub fn compile(schema: &Value) -> Validator {
    let mut root = schema.clone();
    close(&mut root);
    root["components"] = CLOSED.clone();
    let options = jsonschema::options().with_draft(Draft::Draft202012);
    options.should_validate_formats(true).build(&root).expect("the document's schemas are valid")
}

/// Closes a schema against additions: other fields, and other words of an enumeration.
fn close(schema: &mut Value) {
    match schema {
        Value::Object(members) => {
            if let Some(choices) = members.get_mut("anyOf").and_then(Value::as_array_mut) {
                choices.retain(|choice| *choice != json!({ "type": "string" }));
            }
            let parts = members.get_mut("allOf").map(std::mem::take);
            members.values_mut().for_each(close);
            if parts.is_some() || members.get("properties").is_some_and(Value::is_object) {
                members.insert("unevaluatedProperties".into(), json!(false));
            }
            // The parts are closed together, not each one by itself.
            if let Some(parts) = parts {
                members.insert("allOf".into(), parts);
            }
        }
        Value::Array(list) => list.iter_mut().for_each(close),
        _ => {}
    }
}
