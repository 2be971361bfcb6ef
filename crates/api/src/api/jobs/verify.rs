//! The job operation that verifies identifiers.

use panji_ids::{Identifier, IdentifierKind};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::columns::{self, VERIFY_HEADINGS};
use super::operation::{Item, JobOperation};
use crate::api::bulk_request::{identity_of, kind_of, verification_price};
use crate::api::wire::IdentifierType;
use crate::config::Config;
use crate::config::operation::Operation;

/// Rows of one call.
pub const VERIFY_CHUNK: usize = 500;
const WORDS: [&str; 2] = ["valid", "invalid"];

#[derive(Clone, Debug, Default, Deserialize, Serialize)]
pub struct VerifyWork {
    /// The type of all identifiers; none to detect each.
    pub kind: Option<IdentifierType>,
    /// The column with the type of each row. An empty cell means that the type is detected.
    #[serde(default)]
    pub type_column: Option<usize>,
}

impl VerifyWork {
    fn kind_of(&self, item: &Item<'_>) -> Option<IdentifierType> {
        let named = self.type_column.and_then(|column| kind_named(item.cell(column)));
        named.or(self.kind)
    }
}

/// The type with this name, in any case.
pub fn kind_named(name: &str) -> Option<IdentifierType> {
    IdentifierType::ALL.into_iter().find(|kind| kind.as_str().eq_ignore_ascii_case(name.trim()))
}

impl JobOperation for VerifyWork {
    fn operation(&self) -> Operation {
        Operation::BulkVerify
    }

    fn chunk_rows(&self, config: &Config) -> usize {
        VERIFY_CHUNK.min(config.limits.bulk_verify_items.get())
    }

    /// Short numbers score 0: they are mostly serial numbers.
    fn identifier_score(&self, cell: &str) -> usize {
        if self.kind.is_some_and(|kind| kind_of(None, cell) != Some(kind)) {
            return 0;
        }
        match Identifier::classify(cell) {
            Some(IdentifierKind::Din) if cell.len() < 6 => 0,
            Some(IdentifierKind::Din) => 1,
            Some(_) => 3,
            None => 0,
        }
    }

    fn value_name(&self) -> &'static str {
        "value"
    }

    fn body(&self, items: &[Item<'_>]) -> Value {
        let item = |item: &Item<'_>| json!({ "type": self.kind_of(item), "value": item.value() });
        json!({ "items": items.iter().map(item).collect::<Vec<_>>() })
    }

    fn highest_price(&self, items: &[Item<'_>], config: &Config, this_year: u16) -> i64 {
        let items: Vec<_> = items.iter().map(|item| (self.kind_of(item), item.value())).collect();
        let items = items.iter().map(|(kind, value)| (*kind, value.as_str()));
        verification_price(&config.prices, items, this_year)
    }

    fn identity(&self, item: &Item<'_>, this_year: u16) -> Option<String> {
        let value = item.value();
        let (kind, id) = identity_of(self.kind_of(item), &value, this_year)?;
        Some(format!("{} {id}", kind.as_str()))
    }

    fn repeated(&self, first: &Value, item: &Item<'_>) -> Value {
        let mut result = first.clone();
        if result.is_object() {
            result["value"] = item.value().into();
        }
        result
    }

    fn headings(&self) -> Vec<&'static str> {
        VERIFY_HEADINGS.to_vec()
    }

    fn numeric(&self) -> Vec<bool> {
        vec![false; VERIFY_HEADINGS.len()]
    }

    fn cells(&self, result: &Value) -> Vec<String> {
        columns::verified(result)
    }

    fn count_words(&self) -> &'static [&'static str] {
        &WORDS
    }

    fn count_as(&self, result: &Value) -> &'static str {
        if result["result"]["valid"] == true { "valid" } else { "invalid" }
    }
}
