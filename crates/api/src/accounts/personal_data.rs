//! All data stored about an account as one JSON document, streamed in parts, and the audit details
//! of its erasure.

use panji_store::calendar::rfc3339;
use panji_store::ledger::{EXPORT_SECTIONS, Erasure, ExportRow, ExportValue};
use panji_store::{Ledger, StoreError};
use serde_json::{Map, Value, json};

/// The position in the document.
pub struct ExportPosition {
    account_id: String,
    section: usize,
    /// The cursor of the last row of the section; none before its first row.
    row: Option<String>,
}

impl ExportPosition {
    pub fn start(account_id: &str) -> ExportPosition {
        ExportPosition { account_id: account_id.to_owned(), section: 0, row: None }
    }
}

/// The next part of the document and the position after it; none at the end. An account can have
/// millions of requests, so only some rows are in memory at a time.
pub async fn next_part(
    ledger: &Ledger,
    position: ExportPosition,
) -> Result<Option<(String, ExportPosition)>, StoreError> {
    let Some(section) = EXPORT_SECTIONS.get(position.section) else { return Ok(None) };
    let after = position.row.as_deref().unwrap_or(section.start);
    let rows = ledger.list_export_rows(&position.account_id, section, after).await?;
    let mut part = String::new();
    if position.row.is_none() {
        part.push_str(if position.section == 0 { "{" } else { ",\n" });
        part.push_str(&format!("{:?}:[", section.name));
    }
    let mut first = position.row.is_none();
    for row in &rows {
        part.push_str(if first { "\n" } else { ",\n" });
        part.push_str(&to_json(row).to_string());
        first = false;
    }
    let (account_id, section) = (position.account_id, position.section);
    if let Some(last) = rows.last() {
        return Ok(Some((
            part,
            ExportPosition { account_id, section, row: Some(last.cursor.clone()) },
        )));
    }
    part.push(']');
    if section + 1 == EXPORT_SECTIONS.len() {
        part.push_str("}\n");
    }
    Ok(Some((part, ExportPosition { account_id, section: section + 1, row: None })))
}

fn to_json(row: &ExportRow) -> Value {
    let field =
        |(name, value): &(&'static str, ExportValue)| ((*name).to_owned(), to_json_value(value));
    Value::Object(row.fields.iter().map(field).collect::<Map<String, Value>>())
}

fn to_json_value(value: &ExportValue) -> Value {
    match value {
        ExportValue::Text(text) => json!(text),
        ExportValue::Number(number) => json!(number),
        ExportValue::Flag(flag) => json!(flag),
        ExportValue::Instant(at) => json!(at.map(rfc3339)),
        // Stored by this program as JSON; if it is malformed, it is exported as text.
        ExportValue::Json(text) => serde_json::from_str(text).unwrap_or_else(|_| json!(text)),
    }
}

/// The audit details of an erasure.
pub fn erasure_event(erasure: &Erasure) -> Value {
    json!({
        "people": erasure.people,
        "memberships": erasure.memberships,
        "keys": erasure.keys,
        "jobs": erasure.jobs,
    })
}
