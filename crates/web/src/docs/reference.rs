//! The page of one operation, from its entry in the OpenAPI description.

use axum::http::Method;
use panji_api::api::examples::Example;
use panji_api::api::openapi::can_fail_with;
use panji_api::app::App;
use panji_api::config::operation::Operation;
use panji_api::http::error::ErrorCode;
use serde_json::{Map, Value};

use super::fields::{Kind, Schema, Section, sections};
use super::guides::{inline_of_errors, remedy};
use super::inline::inline;
use super::markdown::render;
use super::operations::Price;
use super::samples::{ExampleCall, Sample};

/// One operation.
pub struct Reference {
    pub operation: Operation,
    pub id: &'static str,
    pub method: Method,
    /// With the names of its parameters.
    pub path: &'static str,
    /// The group.
    pub tag: String,
    pub summary: String,
    /// The description as HTML.
    pub description: String,
    /// The description as text, for the search.
    pub description_text: String,
    pub price: Price,
    pub since: Option<&'static str>,
    pub parameters: Vec<Parameter>,
    /// The tables of the request's body.
    pub body: Vec<Section>,
    /// Other media types of the body.
    pub other_bodies: Vec<String>,
    /// The tables of `data`.
    pub response: Vec<Section>,
    pub errors: Vec<ErrorRow>,
    pub headers: Vec<HeaderRow>,
    pub samples: Vec<Sample>,
    pub example_body: Option<String>,
    pub example_response: String,
}

pub struct Parameter {
    pub name: String,
    /// `path`, `query` or `header`.
    pub place: String,
    pub kind: Kind,
    pub required: bool,
    /// HTML.
    pub meaning: String,
    /// The value in the example; empty if it has none.
    pub example: String,
    pub since: Option<String>,
}

pub struct ErrorRow {
    pub status: u16,
    pub code: &'static str,
    /// HTML.
    pub meaning: String,
    /// HTML.
    pub remedy: String,
}

pub struct HeaderRow {
    pub name: String,
    /// HTML.
    pub meaning: String,
}

impl Reference {
    pub fn new(app: &App, document: &Value, operation: Operation) -> Reference {
        let example = Example::of(operation);
        let entry = entry(document, operation);
        let text = |name: &str| entry[name].as_str().unwrap_or_default().to_owned();
        let url = format!("{}{}", app.public_url, example.path);
        let call = ExampleCall {
            method: operation.method(),
            url,
            body: example.body.as_ref(),
            is_file: operation.file_type().is_some(),
        };
        let description = render(&format!("# -\n\n{}", text("description")), |_| None, false);
        let body_schema = &entry["requestBody"]["content"]["application/json"]["schema"];
        let data = &example.response["data"];
        Reference {
            operation,
            id: operation.id(),
            method: operation.method(),
            path: operation.path(),
            tag: entry["tags"][0].as_str().unwrap_or_default().to_owned(),
            summary: text("summary"),
            description: description.html,
            description_text: text("description"),
            price: Price::of(&app.config, operation),
            since: operation.since(),
            parameters: parameters(document, entry),
            body: sections(Schema { document, value: body_schema }, example.body.as_ref()),
            other_bodies: other_bodies(entry),
            response: sections(
                Schema { document, value: data_schema(document, entry) },
                Some(data),
            ),
            errors: errors(operation),
            headers: headers(document, entry),
            samples: call.samples(),
            example_body: example.body.as_ref().map(pretty),
            example_response: match operation.file_type() {
                Some(media_type) => format!("A file: {media_type}"),
                None => pretty(&example.response),
            },
        }
    }

    /// The address of the page.
    pub fn address(&self) -> String {
        format!("/docs/reference/{}", self.id)
    }
}

fn pretty(value: &Value) -> String {
    serde_json::to_string_pretty(value).unwrap_or_default()
}

fn entry(document: &Value, operation: Operation) -> &Value {
    let method = operation.method().as_str().to_lowercase();
    &document["paths"][operation.path()][method]
}

/// The schema of `data` in a successful response. Where there are several responses, the first is the
/// usual one.
fn data_schema<'a>(document: &'a Value, entry: &Value) -> &'a Value {
    let response = &entry["responses"]["200"]["content"]["application/json"]["schema"];
    let reference = response["$ref"].as_str().or_else(|| response["oneOf"][0]["$ref"].as_str());
    let name = reference.and_then(|path| path.rsplit('/').next()).unwrap_or_default();
    &document["components"]["schemas"][name]["allOf"][1]["properties"]["data"]
}

fn parameters(document: &Value, entry: &Value) -> Vec<Parameter> {
    let list = entry["parameters"].as_array().into_iter().flatten();
    list.map(|parameter| {
        let text = |name: &str| parameter[name].as_str().unwrap_or_default();
        Parameter {
            name: text("name").to_owned(),
            place: text("in").to_owned(),
            kind: Schema { document, value: &parameter["schema"] }.kind(),
            required: parameter["required"] == true,
            meaning: inline(text("description")),
            example: match &parameter["example"] {
                Value::String(text) => text.clone(),
                Value::Null => String::new(),
                other => other.to_string(),
            },
            since: parameter["x-since"].as_str().map(str::to_owned),
        }
    })
    .collect()
}

fn other_bodies(entry: &Value) -> Vec<String> {
    let content = entry["requestBody"]["content"].as_object();
    let kinds = content.into_iter().flat_map(Map::keys);
    kinds.filter(|kind| *kind != "application/json").cloned().collect()
}

fn errors(operation: Operation) -> Vec<ErrorRow> {
    let mut rows: Vec<ErrorRow> = ErrorCode::ALL
        .iter()
        .filter(|code| can_fail_with(operation, **code))
        .map(|code| ErrorRow {
            status: code.status().as_u16(),
            code: code.as_str(),
            meaning: inline(code.meaning()),
            remedy: inline_of_errors(remedy(code.as_str()).unwrap_or_default()),
        })
        .collect();
    rows.sort_by_key(|row| row.status);
    rows
}

/// The headers of the responses, each once.
fn headers(document: &Value, entry: &Value) -> Vec<HeaderRow> {
    let declared = document["components"]["headers"].as_object();
    let responses = entry["responses"].as_object();
    let has = |name: &str| {
        let mut responses = responses.into_iter().flat_map(Map::values);
        responses.any(|response| !response["headers"][name].is_null())
    };
    let rows = declared.into_iter().flatten().filter(|(name, _)| has(name));
    rows.map(|(name, header)| HeaderRow {
        name: name.clone(),
        meaning: inline(header["description"].as_str().unwrap_or_default()),
    })
    .collect()
}
