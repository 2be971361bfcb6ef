//! The response headers, each declared once and referenced by the responses that have it.

use serde_json::{Map, Value, json};

use crate::config::operation::{Operation, Tariff};

/// A response header: its name, the JSON type of its value, whether it is always present in
/// responses that reference it, and its description.
struct Header(&'static str, &'static str, bool, &'static str);

const HEADERS: &[Header] = &[
    Header("Request-Id", "string", true, "The id of the request."),
    Header("X-Request-Id", "string", false, "The caller's own X-Request-Id, if one was sent."),
    Header("Panji-Mode", "string", false, "`live` or `test`, if the caller is known."),
    Header(
        "RateLimit-Policy",
        "string",
        true,
        "The rate limit of the key: `q` requests in `w` seconds.",
    ),
    Header(
        "RateLimit",
        "string",
        true,
        "What remains of the limit: `r` requests, and `t` seconds until it is full again.",
    ),
    Header("Cache-Control", "string", true, "`private, no-store`: responses must not be cached."),
    Header("X-Content-Type-Options", "string", true, "`nosniff`."),
    Header(
        "Panji-Free-Remaining",
        "integer",
        false,
        "Free calls left today, of searchCompanies and getCompany together.",
    ),
    Header(
        "Panji-Index",
        "string",
        false,
        "Only while the search index is first built: `building`, and how many companies or directors it contains.",
    ),
    Header("Link", "string", true, "The first, prev, next and last page."),
    Header(
        "Idempotent-Replayed",
        "string",
        false,
        "`true` if this is a repetition of the first response to the Idempotency-Key.",
    ),
    Header("Panji-Credits-Charged", "integer", true, "The credits charged for this call."),
    Header("Panji-Credits-Remaining", "integer", true, "The balance after this call."),
    Header("Content-Disposition", "string", true, "`inline`, and a name for the file."),
    Header("WWW-Authenticate", "string", true, "`Bearer`: the scheme of the keys."),
    Header("Retry-After", "integer", true, "Seconds to wait before a retry."),
];

/// The headers as OpenAPI components.
pub fn components() -> Value {
    let declare = |Header(name, kind, required, description): &Header| {
        let schema = json!({ "type": kind });
        let header = json!({ "description": description, "required": required, "schema": schema });
        ((*name).to_owned(), header)
    };
    HEADERS.iter().map(declare).collect::<Map<String, Value>>().into()
}

/// References to the headers of an operation's response with this status.
pub fn references(operation: Operation, status: &str) -> Value {
    let has = |Header(name, ..): &&Header| match *name {
        "Panji-Free-Remaining" => operation.tariff() == Tariff::FreeQuota,
        "Panji-Index" => {
            let searches = [Operation::SearchCompanies, Operation::SearchDirectors];
            searches.contains(&operation) && status == "200"
        }
        "Panji-Credits-Charged" | "Panji-Credits-Remaining" | "Content-Disposition" => {
            operation.file_type().is_some() && status == "200"
        }
        "Link" => {
            let paged = [Operation::ListCompanyDocuments, Operation::ListJobs];
            paged.contains(&operation) && status == "200"
        }
        "Idempotent-Replayed" => status == "200",
        "WWW-Authenticate" => status == "401",
        "Retry-After" => matches!(status, "429" | "503"),
        _ => true,
    };
    let reference = |Header(name, ..): &Header| {
        ((*name).to_owned(), json!({ "$ref": format!("#/components/headers/{name}") }))
    };
    HEADERS.iter().filter(has).map(reference).collect::<Map<String, Value>>().into()
}
