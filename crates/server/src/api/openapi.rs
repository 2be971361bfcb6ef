//! The interface description: made from the route table and the wire types, then completed with
//! what holds for every operation: the envelope, the errors, the key, the examples.

use std::sync::OnceLock;

use serde_json::{Map, Value, json};

use super::wire::BulkPrice;
use super::{enrich, routes};
use crate::error::ErrorCode;
use crate::examples::Example;
use crate::operation::{Operation, Tariff};

/// The version of the interface.
const VERSION: &str = "1.0.0";

const DESCRIPTION: &str = "Indian company, director, GST and PAN data, and verification of CIN, DIN, \
GSTIN and PAN. Every answer has the same envelope. A call is paid in credits from one balance; an \
error costs nothing. Keys that begin with `pk_test_` read an invented sandbox and spend play credits.";

/// The document as text, made once.
pub fn document_text() -> &'static str {
    static TEXT: OnceLock<String> = OnceLock::new();
    TEXT.get_or_init(|| {
        let text = serde_json::to_string_pretty(&document());
        format!("{}\n", text.expect("a JSON value can always be written"))
    })
}

/// The document.
pub fn document() -> Value {
    let (_, generated) = routes::operations().split_for_parts();
    let mut document =
        serde_json::to_value(generated).expect("the generated document is plain data");
    document["info"] = json!({
        "title": "Panji",
        "version": VERSION,
        "description": DESCRIPTION,
        "license": { "name": "Apache-2.0", "identifier": "Apache-2.0" },
    });
    document["servers"] = json!([{ "url": "/", "description": "this service" }]);
    document["security"] = json!([{ "api_key": [] }]);
    document["tags"] = json!([
        { "name": "Companies", "description": "Companies, LLPs and foreign companies." },
        { "name": "Directors", "description": "Persons with a DIN." },
        { "name": "Verification", "description": "Verdicts on identifiers; always 200." },
        { "name": "GST and PAN", "description": "GST registrations and the GSTINs of a PAN." },
        { "name": "Bulk", "description": "Many in one call, charged in one entry." },
    ]);
    complete_components(&mut document);
    for operation in Operation::ALL {
        complete_operation(&mut document, *operation);
    }
    document
}

/// Every field of an answer is always there, and there are no others; the requests keep their own
/// rules. Adds the error's shape and the key.
fn complete_components(document: &mut Value) {
    let schemas = document["components"]["schemas"].as_object_mut();
    let schemas = schemas.expect("the wire types are components");
    let dry_run = serde_json::to_value(<BulkPrice as utoipa::PartialSchema>::schema());
    schemas.insert("BulkPrice".into(), dry_run.expect("a schema is plain data"));
    // Its sections come beside its own fields, which the generator writes as two parts.
    if let Some(enriched) = schemas.get_mut("BulkEnrichResult") {
        let description = enriched["description"].take();
        *enriched = enriched["allOf"][1].take();
        enriched["description"] = description;
    }
    if let Some(request) = schemas.get_mut("BulkEnrichRequest") {
        request["properties"]["fields"]["items"] =
            json!({ "type": "string", "enum": enrich::Selection::all_fields() });
    }
    for (name, schema) in schemas.iter_mut() {
        let request = name.ends_with("Request") || name.ends_with("Item");
        let Some(properties) = schema.get("properties").and_then(Value::as_object) else {
            continue;
        };
        let names: Vec<Value> = properties.keys().cloned().map(Value::from).collect();
        if !request {
            schema["required"] = Value::Array(names);
        }
        schema["additionalProperties"] = match name.as_str() {
            "BulkEnrichResult" => json!({
                "type": ["object", "null"],
                "description": "A section asked for, whole or in part.",
            }),
            _ => json!(false),
        };
    }
    schemas.insert("Failure".into(), failure_schema());
    schemas.sort_keys();
    document["components"]["securitySchemes"] = json!({
        "api_key": {
            "type": "http",
            "scheme": "bearer",
            "description": "A key of this service, `pk_test_…` or `pk_live_…`.",
        }
    });
}

fn failure_schema() -> Value {
    let codes: Vec<&str> = ErrorCode::ALL.iter().map(|code| code.as_str()).collect();
    json!({
        "type": "object",
        "description": "An answer without data. Nothing was charged.",
        "required": ["success", "request_id", "credits_charged", "credits_remaining", "data", "error"],
        "additionalProperties": false,
        "properties": {
            "success": { "type": "boolean", "const": false, "description": "Always false." },
            "request_id": request_id_schema(),
            "credits_charged": { "type": "integer", "const": 0, "description": "Always 0." },
            "credits_remaining": {
                "type": ["integer", "null"],
                "description": "The balance; null where the caller is not known.",
            },
            "data": { "type": "null", "description": "Always null." },
            "error": {
                "type": "object",
                "required": ["code", "message", "param", "docs_url"],
                "additionalProperties": false,
                "description": "What went wrong.",
                "properties": {
                    "code": { "type": "string", "enum": codes, "description": "Stable, for programs." },
                    "message": { "type": "string", "description": "What was wrong and what to do." },
                    "param": { "type": ["string", "null"], "description": "The field at fault." },
                    "docs_url": { "type": "string", "description": "The docs of this code." },
                },
            },
        },
    })
}

fn request_id_schema() -> Value {
    json!({
        "type": "string",
        "pattern": "^req_[0-9A-HJKMNP-TV-Z]{26}$",
        "description": "Our name for the request; sortable by time.",
    })
}

fn complete_operation(document: &mut Value, operation: Operation) {
    let example = Example::of(operation);
    let entry = find_operation(document, operation);
    let data = entry["responses"]["200"]["content"]["application/json"]["schema"].take();
    let data = match operation.tariff() {
        Tariff::Items => json!({
            "oneOf": [data, { "$ref": "#/components/schemas/BulkPrice" }],
            "description": "The results; with `dry_run=true` the price.",
        }),
        _ => data,
    };
    entry["responses"] = json!({ "200": success_response(operation, data, &example) });
    for (status, codes) in errors_by_status(operation) {
        entry["responses"][status] = failure_response(&codes);
    }
    add_parameters(entry, operation, &example);
    if let Some(body) = &example.body {
        entry["requestBody"]["content"]["application/json"]["example"] = body.clone();
    }
}

fn find_operation(document: &mut Value, operation: Operation) -> &mut Value {
    let paths = document["paths"].as_object_mut().expect("the document has paths");
    paths
        .values_mut()
        .flat_map(|path| path.as_object_mut().into_iter().flat_map(Map::values_mut))
        .find(|entry| entry["operationId"] == operation.id())
        .expect("every operation has a route")
}

fn success_response(operation: Operation, data: Value, example: &Example) -> Value {
    let mut headers = Map::new();
    let mut add = |name: &str, description: &str| {
        let header = json!({ "description": description, "schema": { "type": "string" } });
        headers.insert(name.to_owned(), header);
    };
    add("Request-Id", "Our name for the request.");
    add("Panji-Mode", "`live` or `test`.");
    add("RateLimit-Policy", "The rate limit of the key: `q` requests in `w` seconds.");
    add("RateLimit", "What is left of it: `r` requests, and `t` seconds until it is full again.");
    if operation == Operation::SearchCompanies {
        add(
            "Panji-Index",
            "Only while the search index is first built: `building`, and how many companies it holds.",
        );
    }
    match operation {
        Operation::SearchCompanies | Operation::GetCompany => {
            add(
                "Panji-Free-Remaining",
                "Free calls left today, of this operation and its sibling.",
            );
        }
        Operation::ListCompanyDocuments => add("Link", "The first, prev, next and last page."),
        _ => {}
    }
    add("Idempotent-Replayed", "`true` where this is the first answer, given again.");
    json!({
        "description": "The answer.",
        "headers": headers,
        "content": { "application/json": {
            "schema": {
                "type": "object",
                "required": ["success", "request_id", "credits_charged", "credits_remaining", "data"],
                "additionalProperties": false,
                "properties": {
                    "success": { "type": "boolean", "const": true, "description": "Always true." },
                    "request_id": request_id_schema(),
                    "credits_charged": { "type": "integer", "minimum": 0, "description": "For this call." },
                    "credits_remaining": {
                        "type": "integer",
                        "minimum": 0,
                        "description": "The balance after this call.",
                    },
                    "data": data,
                },
            },
            "example": example.answer,
        } },
    })
}

fn failure_response(codes: &[ErrorCode]) -> Value {
    let lines: Vec<String> =
        codes.iter().map(|code| format!("`{}`: {}", code.as_str(), code.meaning())).collect();
    json!({
        "description": lines.join("\n\n"),
        "content": { "application/json": { "schema": { "$ref": "#/components/schemas/Failure" } } },
    })
}

/// The errors an operation can answer with, by status.
fn errors_by_status(operation: Operation) -> Vec<(String, Vec<ErrorCode>)> {
    let mut by_status: Vec<(String, Vec<ErrorCode>)> = Vec::new();
    for code in ErrorCode::ALL.iter().filter(|code| can_answer(operation, **code)) {
        let status = code.status().as_str().to_owned();
        match by_status.iter_mut().find(|(known, _)| *known == status) {
            Some((_, codes)) => codes.push(*code),
            None => by_status.push((status, vec![*code])),
        }
    }
    by_status.sort();
    by_status
}

impl PartialOrd for ErrorCode {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for ErrorCode {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.as_str().cmp(other.as_str())
    }
}

/// What a text parameter looks like, as far as a pattern can say it. The verifications take anything.
fn shape_of(operation: Operation, name: &str) -> Option<Value> {
    let pattern = |pattern: &str| Some(json!({ "type": "string", "pattern": pattern }));
    match name {
        _ if is_verification(operation) => None,
        "cin" => pattern(
            "^([LUlu][0-9]{5}[A-Za-z]{2}(18[5-9]|19[0-9]|20[0-2])[0-9][A-Za-z]{3}[0-9]{6}\
             |[A-Za-z]{3}-?[0-9]{4}|[Ff][0-9]{5,6})$",
        ),
        "din" => pattern("^(?!0+$)[0-9]{1,8}$"),
        "gstin" => pattern("^[0-9]{2}[0-9A-Za-z]{13}$"),
        "pan" => pattern("^[A-Za-z]{3}[ABCFGHJKLPTabcfghjklpt][A-Za-z](?!0000)[0-9]{4}[A-Za-z]$"),
        "q" => Some(json!({
            "type": "string",
            "minLength": 1,
            "maxLength": 200,
            "pattern": "^[^\\u0000-\\u001f\\u007f-\\u009f]*[^\\s\\u0000-\\u001f\\u007f-\\u009f][^\\u0000-\\u001f\\u007f-\\u009f]*$",
        })),
        "state" => {
            let codes: Vec<&str> = panji_ids::cin_state_codes().map(|(code, _)| code).collect();
            Some(json!({ "type": "string", "enum": codes }))
        }
        "status" => {
            let statuses = panji_import::vocabulary::company_statuses();
            Some(json!({ "type": "string", "enum": statuses }))
        }
        "year" => pattern("^[0-9]{4}(-[0-9]{2})?$"),
        _ => None,
    }
}

fn is_verification(operation: Operation) -> bool {
    use Operation as Op;
    matches!(operation, Op::VerifyCin | Op::VerifyDin | Op::VerifyGstin | Op::VerifyPan)
}

/// Whether an operation can answer with a code.
pub fn can_answer(operation: Operation, code: ErrorCode) -> bool {
    use Operation as Op;
    let bulk = operation.tariff() == Tariff::Items;
    let verify = is_verification(operation);
    match code {
        ErrorCode::InvalidBody
        | ErrorCode::BatchTooLarge
        | ErrorCode::BatchEmpty
        | ErrorCode::BodyTooLarge
        | ErrorCode::UnsupportedMediaType => bulk,
        ErrorCode::InvalidIdentifier => !bulk && !verify && operation != Op::SearchCompanies,
        ErrorCode::CompanyNotFound => matches!(
            operation,
            Op::GetCompany
                | Op::GetCompanyPan
                | Op::GetCompanyProfile
                | Op::GetCompanyFinancials
                | Op::GetCompanyDirectors
                | Op::GetCompanyCharges
                | Op::GetCompanyCompliance
                | Op::ListCompanyDocuments
        ),
        ErrorCode::DirectorNotFound => {
            matches!(operation, Op::GetDirector | Op::ListDirectorCompanies)
        }
        ErrorCode::GstinNotFound => operation == Op::GetGst,
        // These two belong to paths and methods that are not in this document.
        ErrorCode::RouteNotFound | ErrorCode::MethodNotAllowed => false,
        _ => true,
    }
}

fn add_parameters(entry: &mut Value, operation: Operation, example: &Example) {
    let mut parameters = entry["parameters"].as_array().cloned().unwrap_or_default();
    for parameter in &mut parameters {
        let name = parameter["name"].as_str().unwrap_or_default().to_owned();
        if let Some(value) = example.parameter(&name) {
            parameter["example"] = value;
        }
        if let Some(shape) = shape_of(operation, &name) {
            parameter["schema"] = shape;
        }
    }
    parameters.push(json!({
        "name": "Panji-Max-Credits",
        "in": "header",
        "required": false,
        "description": "The most this call may cost; it is refused if it would cost more.",
        "schema": { "type": "integer", "minimum": 0 },
    }));
    parameters.push(json!({
        "name": "Idempotency-Key",
        "in": "header",
        "required": false,
        "description": "For 24 hours a repeat of the same request under the same key gets the first \
                        answer again, without a second charge.",
        "schema": { "type": "string", "minLength": 1, "maxLength": 255, "pattern": "^[ -~]+$" },
    }));
    entry["parameters"] = Value::Array(parameters);
}
