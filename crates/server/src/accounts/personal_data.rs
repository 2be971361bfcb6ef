//! Everything that is held of an account as one JSON document, written part by part, and its erasure.

use panji_store::calendar::rfc3339;
use panji_store::ledger::{EXPORT_SECTIONS, Erasure, ExportRow, ExportValue};
use panji_store::{Ledger, StoreError};
use serde_json::{Map, Value, json};

/// Where the document stands.
pub struct ExportPosition {
    account_id: String,
    section: usize,
    /// The place of the last row of the section; none before its first.
    row: Option<String>,
}

impl ExportPosition {
    /// The beginning of an account's document.
    pub fn start(account_id: &str) -> ExportPosition {
        ExportPosition { account_id: account_id.to_owned(), section: 0, row: None }
    }
}

/// The next part of the document and the place behind it; none at its end. An account can have
/// millions of requests, so never more than some rows of it are in memory.
pub async fn next_part(
    ledger: &Ledger,
    place: ExportPosition,
) -> Result<Option<(String, ExportPosition)>, StoreError> {
    let Some(section) = EXPORT_SECTIONS.get(place.section) else { return Ok(None) };
    let after = place.row.as_deref().unwrap_or(section.start);
    let rows = ledger.list_export_rows(&place.account_id, section, after).await?;
    let mut part = String::new();
    if place.row.is_none() {
        part.push_str(if place.section == 0 { "{" } else { ",\n" });
        part.push_str(&format!("{:?}:[", section.name));
    }
    let mut first = place.row.is_none();
    for row in &rows {
        part.push_str(if first { "\n" } else { ",\n" });
        part.push_str(&written(row).to_string());
        first = false;
    }
    let (account_id, section) = (place.account_id, place.section);
    if let Some(last) = rows.last() {
        return Ok(Some((
            part,
            ExportPosition { account_id, section, row: Some(last.place.clone()) },
        )));
    }
    part.push(']');
    if section + 1 == EXPORT_SECTIONS.len() {
        part.push_str("}\n");
    }
    Ok(Some((part, ExportPosition { account_id, section: section + 1, row: None })))
}

fn written(row: &ExportRow) -> Value {
    let field = |(name, held): &(&'static str, ExportValue)| ((*name).to_owned(), value_of(held));
    Value::Object(row.fields.iter().map(field).collect::<Map<String, Value>>())
}

fn value_of(held: &ExportValue) -> Value {
    match held {
        ExportValue::Text(text) => json!(text),
        ExportValue::Number(number) => json!(number),
        ExportValue::Flag(flag) => json!(flag),
        ExportValue::Instant(at) => json!(at.map(rfc3339)),
        // Written by this program; if it cannot be read, it is given as the text it is.
        ExportValue::Json(text) => serde_json::from_str(text).unwrap_or_else(|_| json!(text)),
    }
}

/// What the audit log says of an erasure.
pub fn erasure_event(erasure: &Erasure) -> Value {
    json!({
        "people": erasure.people,
        "memberships": erasure.memberships,
        "keys": erasure.keys,
        "lists": erasure.lists,
    })
}
