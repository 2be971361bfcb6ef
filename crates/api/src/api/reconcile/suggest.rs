//! Suggestions while a user types: companies, properties and types.

use panji_search::SearchRequest;
use serde_json::{Value, json};

use super::properties::{COMPARED, ComparedProperty, types};
use super::service_request::{ServiceRequest, respond, respond_fixed};
use crate::api::wire::SearchResult;
use crate::http::error::ApiResult;

/// The companies of one suggestion.
const MAX_SUGGESTED: usize = 10;
/// The highest offset that a client can request.
const MAX_CURSOR: usize = 100;

/// Companies by the beginning of their name or number. Free, within the daily limit.
pub async fn entities(request: ServiceRequest) -> ApiResult {
    let (call, parameters) = request.into_free_call().await?;
    let most = call.app.config.limits.query_characters.get();
    let text: String = parameters
        .get("prefix")
        .unwrap_or_default()
        .trim()
        .chars()
        .filter(|character| !character.is_control())
        .take(most)
        .collect();
    let cursor = parameters.get("cursor").and_then(|cursor| cursor.parse::<usize>().ok());
    let request = SearchRequest {
        text: &text,
        limit: MAX_SUGGESTED,
        offset: cursor.unwrap_or(0).min(MAX_CURSOR),
        ..SearchRequest::default()
    };
    let found = match text.is_empty() {
        true => Vec::new(),
        false => {
            let search = call.dataset().search.clone();
            let search_span = call.context.span("search");
            let hits = search.find(&request)?;
            drop(search_span);
            hits.companies
        }
    };
    let suggested = found.into_iter().map(SearchResult::from).map(|company| {
        json!({
            "id": company.cin,
            "name": company.name,
            "description": format!("{}, {}", company.cin, describe(&company)),
            "notable": types(),
        })
    });
    let suggested: Vec<Value> = suggested.collect();
    respond(&call, 0, &json!({ "result": suggested })).await
}

/// The properties that a query can compare.
pub fn properties(request: &ServiceRequest) -> ApiResult {
    let prefix = prefix_of(request);
    let starts = |text: &str| {
        let mut words = text.split([' ', '_']);
        words.any(|word| word.to_lowercase().starts_with(&prefix))
    };
    let fits = |property: &&ComparedProperty| {
        let whole = [property.id, property.name].map(str::to_lowercase);
        starts(property.id)
            || starts(property.name)
            || whole.iter().any(|text| text.starts_with(&prefix))
    };
    let fitting: Vec<Value> = COMPARED.iter().filter(fits).map(ComparedProperty::wire).collect();
    respond_fixed(&json!({ "result": fitting }))
}

/// The one type.
pub fn kinds(request: &ServiceRequest) -> ApiResult {
    let fits = "company".starts_with(&prefix_of(request));
    respond_fixed(&json!({ "result": if fits { types() } else { json!([]) } }))
}

fn prefix_of(request: &ServiceRequest) -> String {
    request.parameters.get("prefix").unwrap_or_default().trim().to_lowercase()
}

/// What distinguishes a company from others of its name, in a line.
pub fn describe(company: &SearchResult) -> String {
    let year = company.incorporated_on.as_deref().and_then(|date| date.get(..4));
    let kind = match company.kind.as_str() {
        "llp" => Some("LLP"),
        "foreign_company" => Some("foreign company"),
        _ => None,
    };
    let status = company.status.replace('_', " ");
    let parts =
        [Some(status.as_str()), kind, company.city.as_deref(), company.state.as_deref(), year];
    let line = parts.into_iter().flatten().collect::<Vec<_>>().join(", ");
    match &company.matched_name {
        Some(former) => format!("{line}; formerly {former}"),
        None => line,
    }
}
