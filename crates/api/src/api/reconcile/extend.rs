//! Data extension: properties of companies that a user has reconciled, priced as bulkEnrich.

use serde::Deserialize;
use serde_json::{Map, Number, Value, json};

use super::properties::column_of;
use super::service_request::{ServiceRequest, respond};
use crate::api::bulk::{Enriched, check_count, enrich_for};
use crate::api::enrich::Selection;
use crate::api::jobs::columns::Column;
use crate::api::wire::{BulkEnrichCin, BulkEnrichResult};
use crate::config::operation::Operation;
use crate::http::error::{ApiError, ApiResult};

/// The most properties of a request; there are fewer.
const MAX_PROPERTIES: usize = 100;
/// How many characters of an id an error repeats.
const MAX_ECHOED: usize = 40;

#[derive(Deserialize)]
struct RawExtension {
    ids: Vec<String>,
    properties: Vec<RawProperty>,
}

#[derive(Deserialize)]
struct RawProperty {
    id: String,
}

/// What is asked: the properties, under the ids that the client used, and the companies.
struct Extension {
    ids: Vec<String>,
    properties: Vec<(String, &'static Column)>,
}

pub async fn extend(request: ServiceRequest) -> ApiResult {
    let (call, parameters) = request.into_call(Operation::BulkEnrich)?;
    let most = call.app.config.limits.bulk_enrich_cins.get();
    let extension = Extension::parse(parameters.get("extend").unwrap_or_default(), most)?;
    if extension.ids.is_empty() || extension.properties.is_empty() {
        let call = call.check_funds_for(0).await?;
        return respond(&call, 0, &extension.response(&[])).await;
    }
    let fields = extension.properties.iter().map(|(_, column)| column.field.to_owned());
    let selection = Selection::parse(&fields.collect::<Vec<_>>())?;
    let cins: Vec<BulkEnrichCin> =
        extension.ids.iter().cloned().map(BulkEnrichCin::Number).collect();
    let Enriched { call, results, price } = enrich_for(call, &cins, &selection).await?;
    respond(&call, price, &extension.response(&results.results)).await
}

impl Extension {
    /// Reads the parameter `extend`.
    fn parse(text: &str, most: usize) -> Result<Extension, ApiError> {
        let raw: RawExtension = serde_json::from_str(text).map_err(|error| {
            let message = format!("extend is not valid: {error}. It takes ids and properties.");
            ApiError::parameter("extend", message)
        })?;
        if !raw.ids.is_empty() {
            check_count("extend.ids", raw.ids.len(), most)?;
        }
        if !raw.properties.is_empty() {
            check_count("extend.properties", raw.properties.len(), MAX_PROPERTIES)?;
        }
        let mut properties: Vec<(String, &'static Column)> = Vec::new();
        for property in raw.properties {
            let Some(column) = column_of(&property.id) else {
                let echoed: String = property.id.chars().take(MAX_ECHOED).collect();
                let message = format!(
                    "There is no property {echoed:?} to add: choose one of those that are proposed."
                );
                return Err(ApiError::parameter("extend.properties", message));
            };
            if properties.iter().all(|(known, _)| *known != property.id) {
                properties.push((property.id, column));
            }
        }
        Ok(Extension { ids: raw.ids, properties })
    }

    /// The response: a row for each id, with a list of values for each property.
    fn response(&self, results: &[BulkEnrichResult]) -> Value {
        let meta: Vec<Value> = self
            .properties
            .iter()
            .map(|(id, column)| json!({ "id": id, "name": column.title }))
            .collect();
        let mut rows = Map::new();
        for (at, id) in self.ids.iter().enumerate() {
            let found = results.get(at).filter(|result| result.found);
            let result = found.and_then(|result| serde_json::to_value(result).ok());
            let values = |column: &Column| match &result {
                Some(result) => values_of(column, result),
                None => Vec::new(),
            };
            let cells = self
                .properties
                .iter()
                .map(|(property, column)| (property.clone(), Value::from(values(column))));
            rows.insert(id.clone(), Value::Object(cells.collect()));
        }
        json!({ "meta": meta, "rows": rows })
    }
}

/// The values of a column: none if nothing is known, else one.
fn values_of(column: &Column, result: &Value) -> Vec<Value> {
    let cell = column.cell(result);
    if cell.is_empty() {
        return Vec::new();
    }
    // OpenRefine keeps only 32 bits of a whole number: a larger one is sent as a float.
    let whole = cell.parse::<i32>().ok().map(|number| json!({ "int": number }));
    let float = || Number::from_f64(cell.parse().ok()?).map(|number| json!({ "float": number }));
    let number = if column.numeric { whole.or_else(float) } else { None };
    vec![number.unwrap_or_else(|| json!({ "str": cell }))]
}
