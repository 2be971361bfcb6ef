//! The OpenAPI description: generated from the route table and the wire types, then completed with
//! the envelope, the errors, the headers and the examples of each operation.

mod additions;
mod components;
mod headers;
mod jobs;
mod parameters;

use std::sync::OnceLock;

use serde_json::{Map, Value, json};

use super::routes;
use crate::api::examples::Example;
use crate::config::operation::{Operation, Tariff};
use crate::http::error::ErrorCode;

/// The version of the API.
const VERSION: &str = "1.0.0";

const DESCRIPTION: &str = "Indian company, director, GST and PAN data, and verification of CIN, DIN, \
GSTIN and PAN. Every response has the same envelope. A call is paid in credits from one balance; an \
error costs nothing. Keys that begin with `pk_test_` return sample data and use test credits. \
Fields, enumeration words, error codes and headers may be added at any time: clients ignore what they \
do not know.";

/// The document as text, created once.
pub fn document_text() -> &'static str {
    static TEXT: OnceLock<String> = OnceLock::new();
    TEXT.get_or_init(|| {
        let text = serde_json::to_string_pretty(&document());
        format!("{}\n", text.expect("a JSON value can always be serialized"))
    })
}

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
        { "name": "Networks", "description": "Who is connected with whom." },
        { "name": "Verification", "description": "Verdicts on identifiers; always 200." },
        { "name": "GST and PAN", "description": "GST registrations and the GSTINs of a PAN." },
        { "name": "Bulk", "description": "Many in one call, charged in one entry." },
        { "name": "Account", "description": "The account of the key, its usage and its requests; free." },
        { "name": "Events", "description": "The history of a company." },
        { "name": "Watch", "description": "Watch lists, and the events of their members." },
        { "name": "Webhooks", "description": "Events of the account, sent to your server and signed." },
        { "name": "Jobs", "description": "Long lists, processed in the background." },
    ]);
    components::complete(&mut document);
    for operation in Operation::ALL {
        complete_operation(&mut document, *operation);
    }
    additions::mark_schemas(&mut document);
    document
}

fn complete_operation(document: &mut Value, operation: Operation) {
    let example = Example::of(operation);
    let entry = find_operation(document, operation);
    let data = entry["responses"]["200"]["content"]["application/json"]["schema"].take();
    let summary = entry["summary"].as_str().unwrap_or_default();
    let description = format!("The response of {}: {summary}.", operation.id());
    let mut response_name = format!("{}Response", operation.id());
    response_name[..1].make_ascii_uppercase();
    let mut response = components::reference(&response_name);
    if operation.tariff() == Tariff::Items {
        let price = components::reference("DryRunResponse");
        response = json!({
            "oneOf": [response, price],
            "description": "The results; with `dry_run=true` the price.",
        });
    }
    entry["responses"] = json!({ "200": success_response(operation, &response, &example) });
    if let Some(media_type) = operation.file_type() {
        let schema = json!({ "type": "string", "format": "binary" });
        entry["responses"]["200"]["content"] = json!({ media_type: { "schema": schema } });
    }
    for (status, codes) in errors_by_status(operation) {
        entry["responses"][&status] = failure_response(operation, &status, &codes);
    }
    if let Some(version) = operation.since() {
        entry["x-since"] = version.into();
    }
    parameters::complete(entry, operation, &example);
    if let Some(body) = &example.body {
        entry["requestBody"]["content"]["application/json"]["example"] = body.clone();
    }
    jobs::complete(entry, operation);
    additions::mark_parameters(entry);
    if operation.file_type().is_none() {
        components::add_response(document, &response_name, &description, &data);
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

fn success_response(operation: Operation, response: &Value, example: &Example) -> Value {
    json!({
        "description": "The response.",
        "headers": headers::references(operation, "200"),
        "content": { "application/json": { "schema": response, "example": example.response } },
    })
}

fn failure_response(operation: Operation, status: &str, codes: &[ErrorCode]) -> Value {
    let lines: Vec<String> =
        codes.iter().map(|code| format!("`{}`: {}", code.as_str(), code.meaning())).collect();
    let schema = components::reference("ErrorEnvelope");
    json!({
        "description": lines.join("\n\n"),
        "headers": headers::references(operation, status),
        "content": { "application/json": { "schema": schema } },
    })
}

/// The errors of an operation, by status.
fn errors_by_status(operation: Operation) -> Vec<(String, Vec<ErrorCode>)> {
    let mut by_status: Vec<(String, Vec<ErrorCode>)> = Vec::new();
    for code in ErrorCode::ALL.iter().filter(|code| can_fail_with(operation, **code)) {
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

fn is_verification(operation: Operation) -> bool {
    use Operation as Op;
    matches!(operation, Op::VerifyCin | Op::VerifyDin | Op::VerifyGstin | Op::VerifyPan)
}

/// Whether an operation can fail with a code.
pub fn can_fail_with(operation: Operation, code: ErrorCode) -> bool {
    use Operation as Op;
    let members = matches!(operation, Op::AddWatchMembers | Op::RemoveWatchMembers);
    let bulk = operation.tariff() == Tariff::Items || operation == Op::CreateJob || members;
    let free = operation.tariff() == Tariff::Free;
    let names_job = operation.path().starts_with("/v1/jobs/{id}");
    let names_list = operation.path().starts_with("/v1/watchlists/{id}");
    let names_webhook = operation.path().starts_with("/v1/webhooks/{id}");
    match code {
        ErrorCode::InsufficientCredits | ErrorCode::SpendCapReached => !free,
        ErrorCode::MaxCreditsExceeded => !free || operation == Op::CreateJob,
        ErrorCode::JobNotFound => names_job,
        ErrorCode::JobConflict => {
            matches!(operation, Op::CreateJob | Op::ApproveJob | Op::CancelJob)
        }
        ErrorCode::WebhookNotFound => names_webhook,
        ErrorCode::WebhookLimit => operation == Op::CreateWebhook,
        ErrorCode::WatchlistNotFound => names_list || operation == Op::ListEvents,
        ErrorCode::WatchlistLimit => {
            matches!(operation, Op::CreateWatchlist | Op::AddWatchMembers)
        }
        ErrorCode::CursorExpired => operation == Op::ListEvents,
        ErrorCode::BatchTooLarge | ErrorCode::BatchEmpty => bulk,
        ErrorCode::InvalidBody | ErrorCode::BodyTooLarge | ErrorCode::UnsupportedMediaType => {
            operation.takes_body()
        }
        ErrorCode::InvalidIdentifier => {
            let in_body = operation == Op::SimulateEvents;
            let names_object = names_job || names_list || names_webhook;
            in_body || (operation.path().contains('{') && !names_object)
        }
        ErrorCode::RequestNotFound => operation == Op::GetRequest,
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
                | Op::ListCompanyEvents
                | Op::SimulateEvents
                | Op::GetCompanyNetwork
                | Op::FindPaths
                | Op::GetCompanyFindings
                | Op::GetCompanyReport
        ),
        ErrorCode::NotAcceptable => operation == Op::GetCompanyReport,
        ErrorCode::DirectorNotFound => {
            matches!(operation, Op::GetDirector | Op::ListDirectorCompanies | Op::FindPaths)
        }
        ErrorCode::GstinNotFound => operation == Op::GetGst,
        ErrorCode::NotRecordedThen | ErrorCode::HistoryNotKept => {
            operation.query_parameters().contains(&"as_of")
        }
        // These two belong to paths and methods that are not in the document.
        ErrorCode::RouteNotFound | ErrorCode::MethodNotAllowed => false,
        _ => true,
    }
}
