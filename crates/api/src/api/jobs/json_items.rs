//! Rows that are JSON: an identifier, or an object whose members are the columns.

use std::fmt;

use serde::de::{Deserialize, Deserializer, Error, MapAccess, Visitor};
use serde_json::Value;

use super::list::{ListError, MAX_CELL, MAX_COLUMNS, Table, echo};

/// A row in JSON. Unlike serde_json's own map it keeps duplicate members, which are refused.
#[derive(Clone, Debug)]
pub enum JsonItem {
    Identifier(String),
    Members(Vec<(String, Value)>),
}

impl JsonItem {
    pub fn parse(text: &str, row: u64) -> Result<JsonItem, ListError> {
        serde_json::from_str(text).map_err(|error| {
            let message = error.to_string();
            let reason = message.split(" at line ").next().unwrap_or_default();
            let reason = format!("{} at column {}", echo(reason), error.column());
            ListError::NotJson { row, reason }
        })
    }
}

impl<'de> Deserialize<'de> for JsonItem {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<JsonItem, D::Error> {
        deserializer.deserialize_any(ItemVisitor)
    }
}

struct ItemVisitor;

impl<'de> Visitor<'de> for ItemVisitor {
    type Value = JsonItem;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a string or an object")
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<JsonItem, E> {
        Ok(JsonItem::Identifier(text.to_owned()))
    }

    /// A DIN that was written as a number.
    fn visit_u64<E: Error>(self, number: u64) -> Result<JsonItem, E> {
        Ok(JsonItem::Identifier(number.to_string()))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<JsonItem, A::Error> {
        let mut members = Vec::new();
        while let Some(member) = map.next_entry()? {
            if members.len() > MAX_COLUMNS {
                return Err(A::Error::custom(format!("more than {MAX_COLUMNS} members")));
            }
            members.push(member);
        }
        Ok(JsonItem::Members(members))
    }
}

/// Collects items as rows. The columns are the names of members, in the order of their first use.
pub struct JsonRows<'a> {
    value_name: &'a str,
    max_rows: usize,
    names: Vec<String>,
    table: Table,
}

impl<'a> JsonRows<'a> {
    pub fn new(value_name: &'a str, max_rows: usize) -> JsonRows<'a> {
        let table = Table { names: Some(Vec::new()), ..Table::default() };
        JsonRows { value_name, max_rows, names: Vec::new(), table }
    }

    pub fn add(&mut self, place: u64, item: JsonItem) -> Result<(), ListError> {
        let members = match item {
            JsonItem::Identifier(text) => vec![(self.value_name.to_owned(), Value::from(text))],
            JsonItem::Members(members) => members,
        };
        let mut row: Vec<Option<String>> = vec![None; self.names.len()];
        for (name, value) in members {
            if name.len() > MAX_CELL {
                return Err(ListError::LongCell { row: place });
            }
            let cell = match value {
                Value::Null => String::new(),
                Value::String(text) => text.trim().to_owned(),
                Value::Bool(_) | Value::Number(_) => value.to_string(),
                Value::Array(_) | Value::Object(_) => {
                    return Err(ListError::Nested { row: place, name: echo(&name) });
                }
            };
            let column = self.column(&name);
            row.resize(self.names.len().max(row.len()), None);
            if row[column].replace(cell).is_some() {
                return Err(ListError::NamedTwice { row: place, name: echo(&name) });
            }
        }
        let row = row.into_iter().map(Option::unwrap_or_default).collect();
        self.table.add(place, row, self.max_rows)
    }

    fn column(&mut self, name: &str) -> usize {
        let known = self.names.iter().position(|known| known == name);
        known.unwrap_or_else(|| {
            self.names.push(name.to_owned());
            self.names.len() - 1
        })
    }

    pub fn into_table(self) -> Table {
        Table { names: Some(self.names), ..self.table }
    }
}
