//! Reconciliation queries: a batch in JSON, read as items of matchCompanies.

use panji_ids::{CompanyId, Gstin, Pan};
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::properties::{COMPARED, ComparedProperty, TYPE, types};
use super::suggest::describe;
use crate::api::bulk::check_count;
use crate::api::match_request::{MAX_TEXT, YEARS, year_of};
use crate::api::matching::DEFAULT_LIMIT;
use crate::api::wire::{MatchCandidate, MatchRequestItem, MatchResult};
use crate::http::error::ApiError;

/// The most candidates of a query, as in matchCompanies.
const MAX_CANDIDATES: usize = 10;
/// How many characters of an id an error repeats.
const MAX_ECHOED: usize = 40;
/// The characters of a date.
const DATE_LENGTH: usize = 10;

/// The queries of a batch, with the ids that the client gave them.
pub struct Batch {
    pub queries: Vec<(String, NameQuery)>,
}

/// One query.
pub struct NameQuery {
    /// None if nothing can match: there is no name and no identifier, or another type is wanted.
    item: Option<MatchRequestItem>,
    limit: usize,
}

#[derive(Deserialize)]
struct RawQuery {
    query: Option<Value>,
    #[serde(rename = "type")]
    kind: Option<Value>,
    limit: Option<f64>,
    properties: Option<Vec<RawProperty>>,
}

#[derive(Deserialize)]
struct RawProperty {
    pid: String,
    v: Value,
}

impl Batch {
    /// Reads the parameter `queries`.
    pub fn parse(text: &str, most: usize) -> Result<Batch, ApiError> {
        let invalid = |error: serde_json::Error| {
            ApiError::parameter("queries", format!("queries is not valid JSON: {error}."))
        };
        let raw: Value = serde_json::from_str(text).map_err(invalid)?;
        let Value::Object(raw) = raw else {
            let message = "queries must be an object with a query under each id.";
            return Err(ApiError::parameter("queries", message));
        };
        check_count("queries", raw.len(), most)?;
        let read = |(id, query): (String, Value)| {
            let query = NameQuery::read(&id, query)?;
            Ok((id, query))
        };
        let queries: Result<Vec<_>, ApiError> = raw.into_iter().map(read).collect();
        Ok(Batch { queries: queries? })
    }

    /// Takes the items of the queries that have one, and the most candidates of any.
    pub fn take_items(&mut self) -> (Vec<MatchRequestItem>, usize) {
        let limit = self.queries.iter().map(|(_, query)| query.limit).max();
        let items = self.queries.iter_mut().enumerate().filter_map(|(at, (_, query))| {
            let item = query.item.take()?;
            Some(MatchRequestItem { reference: Some(at.to_string()), ..item })
        });
        (items.collect(), limit.unwrap_or(1))
    }

    /// The response: the candidates of each query under its id.
    pub fn response(&self, results: Vec<MatchResult>) -> Value {
        let mut candidates: Vec<Vec<Value>> = self.queries.iter().map(|_| Vec::new()).collect();
        for result in results {
            let at = result.reference.as_deref().and_then(|at| at.parse::<usize>().ok());
            if let Some(at) = at.filter(|at| *at < candidates.len()) {
                candidates[at] = candidates_of(&result, self.queries[at].1.limit);
            }
        }
        let by_query = self.queries.iter().zip(candidates);
        let by_query = by_query.map(|((id, _), result)| (id.clone(), json!({ "result": result })));
        Value::Object(by_query.collect::<Map<String, Value>>())
    }
}

impl NameQuery {
    fn read(id: &str, raw: Value) -> Result<NameQuery, ApiError> {
        let at = format!("queries.{}", echo(id));
        let raw: RawQuery = serde_json::from_value(raw)
            .map_err(|error| ApiError::parameter(&at, format!("{at} is not a query: {error}.")))?;
        let limit = raw.limit.map_or(usize::from(DEFAULT_LIMIT), |limit| limit as usize);
        let mut item = MatchRequestItem::default();
        set_query(&mut item, raw.query.as_ref().map(text_of).unwrap_or_default());
        for property in raw.properties.unwrap_or_default() {
            set_property(&mut item, &at, &property)?;
        }
        let named =
            [&item.name, &item.cin, &item.pan, &item.gstin].into_iter().any(Option::is_some);
        let item = Some(item).filter(|_| named && wants_company(raw.kind.as_ref()));
        Ok(NameQuery { item, limit: limit.clamp(1, MAX_CANDIDATES) })
    }
}

/// The text of a query is a name, or an identifier. What is not well-formed as one is a name: some
/// names have as many characters as a CIN.
fn set_query(item: &mut MatchRequestItem, text: String) {
    if text.is_empty() {
        return;
    }
    let field = if CompanyId::parse(&text).is_ok() {
        &mut item.cin
    } else if Pan::parse(&text).is_ok() {
        &mut item.pan
    } else if Gstin::parse_format(&text).is_ok() {
        &mut item.gstin
    } else {
        &mut item.name
    };
    *field = Some(text);
}

/// An unknown property is an error: if it were ignored, the match would be less certain than the
/// user believes. A value that cannot be a date or a year tells nothing and is left out, as in jobs.
fn set_property(
    item: &mut MatchRequestItem,
    at: &str,
    property: &RawProperty,
) -> Result<(), ApiError> {
    let Some(known) = ComparedProperty::find(&property.pid) else {
        let ids: Vec<&str> = COMPARED.iter().map(|property| property.id).collect();
        let message = format!(
            "{at} has no property {:?}: a query takes {}.",
            echo(&property.pid),
            ids.join(", ")
        );
        return Err(ApiError::parameter(at, message));
    };
    let text = text_of(&property.v);
    if text.is_empty() {
        return Ok(());
    }
    let field = match known.id {
        "cin" => &mut item.cin,
        "pan" => &mut item.pan,
        "gstin" => &mut item.gstin,
        "state" => &mut item.state,
        "city" => &mut item.city,
        "pincode" => &mut item.pincode,
        "address" => &mut item.address,
        "director" => &mut item.director,
        _ => {
            set_incorporation(item, &text);
            return Ok(());
        }
    };
    field.get_or_insert(text);
    Ok(())
}

/// A date, the beginning of a time, or a year.
fn set_incorporation(item: &mut MatchRequestItem, text: &str) {
    let date: String = text.chars().take(DATE_LENGTH).collect();
    let number = text.parse::<f64>().ok().filter(|year| year.fract() == 0.0);
    if year_of(&date).is_some() {
        item.incorporated_on.get_or_insert(date);
    } else if let Some(year) = number.map(|year| year as u16).filter(|year| YEARS.contains(year)) {
        item.incorporated_year.get_or_insert(year);
    }
}

/// Whether a query asks for companies: it names no type, or theirs among others.
fn wants_company(kind: Option<&Value>) -> bool {
    let is_company = |kind: &Value| matches!(kind.as_str(), Some(TYPE | ""));
    match kind {
        None | Some(Value::Null) => true,
        Some(Value::Array(kinds)) => kinds.is_empty() || kinds.iter().any(is_company),
        Some(kind) => is_company(kind),
    }
}

/// The text of a value: of a list the first, of an entity the id. Cut off, as in jobs.
fn text_of(value: &Value) -> String {
    let text = match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        Value::Array(values) => {
            values.iter().map(text_of).find(|text| !text.is_empty()).unwrap_or_default()
        }
        Value::Object(entity) => entity.get("id").map(text_of).unwrap_or_default(),
        other => other.to_string(),
    };
    text.trim().chars().take(MAX_TEXT).collect()
}

/// The candidates of a result. Nothing is listed for the decision `none`, which costs nothing.
fn candidates_of(result: &MatchResult, limit: usize) -> Vec<Value> {
    if result.decision == panji_search::MatchDecision::None.as_str() {
        return Vec::new();
    }
    let candidates = result.candidates.iter().take(limit).enumerate();
    let is_match = |at: usize| at == 0 && result.company.is_some();
    candidates.map(|(at, candidate)| wire_candidate(candidate, is_match(at))).collect()
}

fn wire_candidate(candidate: &MatchCandidate, is_match: bool) -> Value {
    let company = &candidate.company;
    let features: Vec<Value> = candidate
        .evidence
        .iter()
        .map(|evidence| json!({ "id": evidence.field, "value": evidence.weight }))
        .collect();
    json!({
        "id": company.cin,
        "name": company.name,
        "description": describe(company),
        "score": percent(company.score),
        "match": is_match,
        "type": types(),
        "features": features,
    })
}

/// A score of 0 to 1 as 0 to 100, with one decimal.
fn percent(score: f64) -> f64 {
    (score * 1_000.0).round() / 10.0
}

fn echo(text: &str) -> String {
    text.chars().filter(|character| !character.is_control()).take(MAX_ECHOED).collect()
}
