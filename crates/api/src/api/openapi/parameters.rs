//! The parameters of the operations: the patterns of their values, and the headers that all
//! operations accept.

use serde_json::{Value, json};

use super::is_verification;
use crate::api::examples::Example;
use crate::api::wire::UsageGroupBy;
use crate::config::operation::Operation;

/// Completes an operation's own parameters and adds those of every operation.
pub fn complete(entry: &mut Value, operation: Operation, example: &Example) {
    let mut parameters = entry["parameters"].as_array().cloned().unwrap_or_default();
    for parameter in &mut parameters {
        let name = parameter["name"].as_str().unwrap_or_default().to_owned();
        if let Some(value) = example.parameter(&name) {
            parameter["example"] = value;
        }
        if let Some(schema) = schema_of(operation, &name) {
            parameter["schema"] = schema;
        }
    }
    parameters.push(json!({
        "name": "Panji-Max-Credits",
        "in": "header",
        "required": false,
        "description": "The most this call may cost, in credits; a more expensive call is refused.",
        "schema": { "type": "integer", "minimum": 0 },
    }));
    parameters.push(json!({
        "name": "Idempotency-Key",
        "in": "header",
        "required": false,
        "description": "Up to 255 printable ASCII characters. For 24 hours a repeat of the same request \
            gets the first response again, without a second charge.",
        "schema": { "type": "string", "minLength": 1, "maxLength": 255, "pattern": "^[ -~]+$" },
    }));
    entry["parameters"] = Value::Array(parameters);
}

/// The schema of a text parameter, as far as a pattern can express it. The verifications accept
/// anything. The patterns use no look-ahead, because many languages do not support it.
fn schema_of(operation: Operation, name: &str) -> Option<Value> {
    let pattern = |pattern: &str| Some(json!({ "type": "string", "pattern": pattern }));
    match name {
        _ if is_verification(operation) => None,
        "from" | "to" if operation == Operation::FindPaths => pattern(
            "^([LUlu][0-9]{5}[A-Za-z]{2}(18[5-9][0-9]|19[0-9]{2}|[2-9][0-9]{3})[A-Za-z]{3}[0-9]{6}\
             |[A-Za-z]{3}-?[0-9]{4}|[Ff][0-9]{5,6}|0{0,7}[1-9]|0{0,6}[1-9][0-9]|0{0,5}[1-9][0-9]{2}\
             |0{0,4}[1-9][0-9]{3}|0{0,3}[1-9][0-9]{4}|0{0,2}[1-9][0-9]{5}|0?[1-9][0-9]{6}|[1-9][0-9]{7})$",
        ),
        "format" if operation == Operation::GetCompanyNetwork => {
            Some(json!({ "type": "string", "enum": ["json", "bods", "ftm"] }))
        }
        "cin" => pattern(
            "^([LUlu][0-9]{5}[A-Za-z]{2}(18[5-9][0-9]|19[0-9]{2}|[2-9][0-9]{3})[A-Za-z]{3}[0-9]{6}\
             |[A-Za-z]{3}-?[0-9]{4}|[Ff][0-9]{5,6})$",
        ),
        "din" => Some(json!({ "type": "string", "maxLength": 8, "pattern": "^0*[1-9][0-9]*$" })),
        "gstin" => pattern("^[0-9]{2}[0-9A-Za-z]{13}$"),
        "pan" => pattern(
            "^[A-Za-z]{3}[ABCFGHJKLPTabcfghjklpt][A-Za-z]\
             (000[1-9]|00[1-9][0-9]|0[1-9][0-9]{2}|[1-9][0-9]{3})[A-Za-z]$",
        ),
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
        "request_id" => pattern("^req_[0-9A-HJKMNP-TV-Z]{26}$"),
        "class" => {
            let classes = panji_import::vocabulary::company_classes();
            Some(json!({ "type": "string", "enum": classes }))
        }
        "kind" => {
            let kinds = panji_ids::CompanyKind::ALL.map(panji_ids::CompanyKind::name);
            Some(json!({ "type": "string", "enum": kinds }))
        }
        "sort" => {
            let orders = panji_search::Order::ALL.map(panji_search::Order::as_str);
            Some(json!({ "type": "string", "enum": orders, "default": "relevance" }))
        }
        "nic" => pattern("^[0-9]{1,5}$"),
        "pincode" => pattern("^[1-9][0-9]{5}$"),
        "city" => Some(json!({
            "type": "string",
            "minLength": 1,
            "maxLength": 100,
            "pattern": "^[^\\u0000-\\u001f\\u007f-\\u009f]*[A-Za-z][^\\u0000-\\u001f\\u007f-\\u009f]*$",
        })),
        "from" | "to" | "incorporated_from" | "incorporated_to" => {
            Some(json!({ "type": "string", "format": "date" }))
        }
        "group_by" => Some(json!({ "type": "string", "enum": UsageGroupBy::WORDS })),
        "watchlist" => pattern("^wl_[0-9A-HJKMNP-TV-Z]{26}$"),
        "types" => Some(json!({ "type": "string", "minLength": 1, "maxLength": 1000 })),
        "year" => pattern("^[0-9]{4}(-[0-9]{2})?$"),
        _ => None,
    }
}
