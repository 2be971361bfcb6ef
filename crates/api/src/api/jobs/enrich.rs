//! The job operation that fetches data of companies.

use panji_ids::{CompanyId, Identifier, IdentifierKind};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::columns::{self, COLUMNS, Column, ENRICH_HEADINGS};
use super::operation::{Item, JobOperation};
use crate::api::enrich::{Selection, highest_price};
use crate::config::Config;
use crate::config::operation::Operation;

/// Rows of one call.
pub const ENRICH_CHUNK: usize = 100;
const WORDS: [&str; 2] = ["found", "not_found"];

#[derive(Clone, Debug, Default, Deserialize, Serialize)]
pub struct EnrichWork {
    /// The ids of the columns of a file.
    pub columns: Vec<String>,
    /// The fields to fetch, as in the API; empty for those of the columns.
    #[serde(default)]
    pub fields: Vec<String>,
}

impl EnrichWork {
    /// The work of fields of the API. A file has the columns that these fields fill.
    pub fn of_fields(fields: Vec<String>) -> EnrichWork {
        let requested = |column: &&Column| {
            fields.iter().any(|field| field == column.field || field == column.section())
        };
        let columns = COLUMNS.iter().filter(requested).map(|column| column.id.to_owned());
        EnrichWork { columns: columns.collect(), fields }
    }

    fn columns(&self) -> Vec<&'static Column> {
        self.columns.iter().filter_map(|id| columns::find(id)).collect()
    }

    fn fields(&self) -> Vec<String> {
        if !self.fields.is_empty() {
            return self.fields.clone();
        }
        let mut fields: Vec<&str> = self.columns().iter().map(|column| column.field).collect();
        fields.dedup();
        fields.into_iter().map(str::to_owned).collect()
    }
}

impl JobOperation for EnrichWork {
    fn operation(&self) -> Operation {
        Operation::BulkEnrich
    }

    fn chunk_rows(&self, config: &Config) -> usize {
        ENRICH_CHUNK.min(config.limits.bulk_enrich_cins.get())
    }

    fn identifier_score(&self, cell: &str) -> usize {
        usize::from(Identifier::classify(cell) == Some(IdentifierKind::Cin))
    }

    fn value_name(&self) -> &'static str {
        "cin"
    }

    fn body(&self, items: &[Item<'_>]) -> Value {
        let cins: Vec<String> = items.iter().map(Item::value).collect();
        json!({ "cins": cins, "fields": self.fields() })
    }

    fn highest_price(&self, items: &[Item<'_>], config: &Config, this_year: u16) -> i64 {
        let cins: Vec<String> = items.iter().map(Item::value).collect();
        match Selection::parse(&self.fields()) {
            Ok(selection) => highest_price(&config.prices, &cins, &selection, this_year),
            Err(_) => 0,
        }
    }

    fn identity(&self, item: &Item<'_>, this_year: u16) -> Option<String> {
        let id = CompanyId::parse_in_year(&item.value(), this_year).ok()?;
        Some(id.as_str().to_owned())
    }

    fn repeated(&self, first: &Value, item: &Item<'_>) -> Value {
        let mut result = first.clone();
        if result.is_object() {
            result["requested"] = item.value().into();
            // It was charged at its first row.
            result["credits"] = 0.into();
        }
        result
    }

    fn headings(&self) -> Vec<&'static str> {
        let selected = self.columns().into_iter().map(|column| column.id);
        ENRICH_HEADINGS.into_iter().chain(selected).collect()
    }

    fn numeric(&self) -> Vec<bool> {
        let selected = self.columns().into_iter().map(|column| column.numeric);
        ENRICH_HEADINGS.iter().map(|_| false).chain(selected).collect()
    }

    fn cells(&self, result: &Value) -> Vec<String> {
        columns::enriched(result, &self.columns())
    }

    fn count_words(&self) -> &'static [&'static str] {
        &WORDS
    }

    fn count_as(&self, result: &Value) -> &'static str {
        if result["found"] == true { "found" } else { "not_found" }
    }

    fn column_titles(&self) -> Vec<&'static str> {
        self.columns().into_iter().map(|column| column.title).collect()
    }
}
