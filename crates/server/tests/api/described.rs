//! The interface description as a judge: every answer must be exactly what it describes.

use std::collections::HashMap;
use std::sync::{Arc, LazyLock, Mutex};

use axum::http::Method;
use jsonschema::Validator;
use panji_server::api::openapi;
use panji_server::error::ErrorCode;
use panji_server::operation::Operation;
use panji_testkit::Tally;
use serde_json::{Value, json};

use crate::ask::Answer;

static DOCUMENT: LazyLock<Value> = LazyLock::new(openapi::document);
/// Over all tests here.
static JUDGED: Tally = Tally::new("described");
static VALIDATORS: LazyLock<Mutex<HashMap<String, Arc<Validator>>>> = LazyLock::new(Mutex::default);

/// The document.
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

/// The operation that serves a request, if one does.
pub fn operation_of(method: &Method, path: &str) -> Option<Operation> {
    let path = path.split('?').next().unwrap_or_default();
    let method = method.as_str().to_lowercase();
    let fitting = operations()
        .filter(|(template, known, _)| *known == method && fits(template, path))
        // A path without parameters goes before one with.
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

/// Holds an answer against the description of its operation and status.
pub fn check(method: &Method, path: &str, answer: &Answer) {
    if answer.status == 204 || method == Method::HEAD || answer.header("content-encoding").is_some()
    {
        return;
    }
    let what = format!("{method} {path}: {} {}", answer.status, answer.json);
    let outside = ["route_not_found", "method_not_allowed"].contains(&answer.code());
    let validator = match operation_of(method, path) {
        Some(operation) if !outside => {
            if answer.status != 200 {
                let code = ErrorCode::ALL.iter().find(|code| code.as_str() == answer.code());
                let listed = openapi::can_answer(operation, *code.expect(&what));
                assert!(listed, "{} is not described to answer {what}", operation.id());
            }
            validator_of(operation, answer.status)
        }
        _ => {
            assert_ne!(answer.status, 200, "{what}");
            validator("Failure", &json!({ "$ref": "#/components/schemas/Failure" }))
        }
    };
    let errors: Vec<String> = validator
        .iter_errors(&answer.json)
        .map(|error| format!("{} at {}", error, error.instance_path()))
        .collect();
    assert!(errors.is_empty(), "{what} is not as described: {errors:#?}");
    JUDGED.count(|answers| format!("{answers} answers as described"));
}

/// The schema of an operation's answer with a status.
pub fn schema_of(operation: Operation, status: u16) -> &'static Value {
    let entry = operations().find(|(.., entry)| entry["operationId"] == operation.id());
    let (.., entry) = entry.unwrap();
    &entry["responses"][status.to_string()]["content"]["application/json"]["schema"]
}

fn validator_of(operation: Operation, status: u16) -> Arc<Validator> {
    let schema = schema_of(operation, status);
    assert!(schema.is_object(), "{} does not describe {status}", operation.id());
    validator(&format!("{} {status}", operation.id()), schema)
}

fn validator(name: &str, schema: &Value) -> Arc<Validator> {
    let mut validators = VALIDATORS.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    let made = validators.entry(name.to_owned()).or_insert_with(|| Arc::new(compile(schema)));
    made.clone()
}

/// Compiles a schema of the document; references lead into its components.
pub fn compile(schema: &Value) -> Validator {
    let mut root = schema.clone();
    root["components"] = DOCUMENT["components"].clone();
    jsonschema::draft202012::new(&root).expect("the document's schemas are valid")
}
