//! Converts JSON tables of the open data portal to CSV: objects with `fields` and `records`
//! (responses of its API), or with `fields` and `data` (downloads).

use std::io::{self, Read};

use serde_json::{Map, Value};

use super::opened::Opened;
use super::workbook::write_cell;

/// The largest accepted text; a response with 10,000 companies has 8 MiB.
const MAX_BYTES: u64 = 64 << 20;
/// The most columns of one table.
const MAX_FIELDS: usize = 1_000;

#[derive(Debug, thiserror::Error)]
pub enum TableError {
    #[error(transparent)]
    Io(#[from] io::Error),
    #[error("the JSON is larger than {} MiB: ask the portal for fewer records at a time", MAX_BYTES >> 20)]
    TooLarge,
    #[error("the JSON cannot be read: something is wrong at line {line}, column {column}")]
    Invalid { line: usize, column: usize },
    #[error("the portal responded with an error instead of records: {0:?}")]
    Refused(String),
    #[error("the table has no list of records")]
    NoRecords,
}

/// Whether the beginning of a JSON text is such a table. The portal puts `records` last, so the
/// list of fields is enough; no other source has one.
pub fn is_table(head: &[u8]) -> bool {
    let text = String::from_utf8_lossy(head);
    let compact: String = text.chars().filter(|character| !character.is_whitespace()).collect();
    let has_fields = compact.contains("\"fields\":[{") || compact.contains("\"field\":[{");
    let has_rows = ["\"records\":[", "\"data\":["].iter().any(|name| compact.contains(name));
    let is_response = compact.contains("\"index_name\":") && compact.contains("\"records\"");
    compact.starts_with('{') && ((has_fields && has_rows) || is_response)
}

/// Converts the table to CSV; line 2 is the first record. Several tables may follow one another. If
/// the text is truncated, the complete tables before that are returned.
pub fn as_csv<'a>(opened: Opened<'a>) -> Result<Opened<'a>, TableError> {
    let mut text = Vec::new();
    let read = opened.into_reader()?.take(MAX_BYTES + 1).read_to_end(&mut text);
    if text.len() as u64 > MAX_BYTES {
        return Err(TableError::TooLarge);
    }
    let mut csv = Vec::new();
    for table in serde_json::Deserializer::from_slice(&text).into_iter::<Value>() {
        match table {
            Ok(table) => add_table(&table, &mut csv)?,
            Err(_) if read.is_err() && !csv.is_empty() => break,
            Err(error) => {
                read?;
                return Err(TableError::Invalid { line: error.line(), column: error.column() });
            }
        }
    }
    Ok(Opened::in_memory(csv, read.err()))
}

fn add_table(table: &Value, csv: &mut Vec<u8>) -> Result<(), TableError> {
    let list = |name: &str| table.get(name).and_then(Value::as_array);
    let Some(records) = list("records").or_else(|| list("data")) else {
        let message = table.get("message").and_then(Value::as_str);
        return Err(message.map_or(TableError::NoRecords, |text| TableError::Refused(text.into())));
    };
    let mut fields: Vec<Field> = list("fields")
        .or_else(|| list("field"))
        .into_iter()
        .flatten()
        .filter_map(field_of)
        .collect();
    add_missing(records, &mut fields);
    fields.truncate(MAX_FIELDS);
    add_line(fields.iter().map(|field| field.name.clone()), csv);
    for record in records {
        match record {
            Value::Object(record) => add_line(fields.iter().map(|field| field.cell(record)), csv),
            Value::Array(cells) => add_line(cells.iter().map(plain), csv),
            // One line per record keeps the line numbers right.
            _ => add_line(std::iter::once(plain(record)), csv),
        }
    }
    Ok(())
}

struct Field {
    /// The name of the member in a record.
    id: String,
    /// The column heading.
    name: String,
}

impl Field {
    fn cell(&self, record: &Map<String, Value>) -> String {
        let value = record.get(&self.id).or_else(|| record.get(&self.name));
        value.map(plain).unwrap_or_default()
    }
}

fn field_of(field: &Value) -> Option<Field> {
    let text = |name: &str| field.get(name).and_then(Value::as_str).map(str::to_owned);
    let name = text("name").or_else(|| text("label"));
    let id = text("id").or_else(|| name.clone())?;
    Some(Field { name: name.unwrap_or_else(|| id.clone()), id })
}

/// Adds the members of the first record that the list of fields does not name.
fn add_missing(records: &[Value], fields: &mut Vec<Field>) {
    let Some(Value::Object(first)) = records.first() else { return };
    for id in first.keys() {
        if !fields.iter().any(|field| field.id == *id || field.name == *id) {
            fields.push(Field { id: id.clone(), name: id.clone() });
        }
    }
}

fn plain(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

fn add_line(cells: impl Iterator<Item = String>, csv: &mut Vec<u8>) {
    for (index, cell) in cells.enumerate() {
        if index > 0 {
            csv.push(b',');
        }
        write_cell(&cell, csv);
    }
    csv.push(b'\n');
}

#[cfg(test)]
mod tests {
    use super::*;

    fn csv_of(text: &str) -> Result<String, TableError> {
        assert!(is_table(text.as_bytes()), "{text}");
        let opened = Opened::in_memory(text.as_bytes().to_vec(), None);
        let csv = as_csv(opened)?;
        Ok(String::from_utf8_lossy(csv.head()).into_owned())
    }

    #[test]
    fn responses_and_downloads_of_the_portal_become_csv() {
        let response = r#"{"index_name":"x","total":1,"records":[{"cin":"U1","name":"A, \"B\"","extra":5}],
            "fields":[{"id":"cin","name":"CIN","type":"keyword"},{"id":"name","name":"Company Name"}]}"#;
        assert_eq!(
            csv_of(response).expect("a table"),
            "CIN,Company Name,extra\nU1,\"A, \"\"B\"\"\",5\n"
        );
        let download = r#"{"fields":[{"id":"a","label":"CIN"},{"id":"b","label":"Name"}],
            "data":[["U1","A"],["U2",null]]}"#;
        assert_eq!(csv_of(download).expect("a table"), "CIN,Name\nU1,A\nU2,\n");
    }

    #[test]
    fn a_refusal_and_damage_are_reported() {
        let refused = r#"{"index_name":"x","records":null,"message":"Key not authorised"}"#;
        assert!(
            csv_of(refused).is_err_and(|error| error.to_string().contains("Key not authorised"))
        );
        let broken = "{\"fields\":[{\"id\":\"a\"}],\n\"records\":[{\"a\":1},";
        assert!(csv_of(broken).is_err_and(|error| error.to_string().contains("line 2")));
        assert!(!is_table(br#"{"gstin":"x","data":[1]}"#));
    }
}
