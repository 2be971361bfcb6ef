//! The job operation that matches names with companies.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::match_columns::{NO_NAME, field_of};
use super::operation::{Item, JobOperation};
use crate::api::match_request::{MAX_TEXT, YEARS, year_of};
use crate::config::Config;
use crate::config::operation::Operation;

const WORDS: [&str; 3] = ["match", "review", "none"];
const HEADINGS: [&str; 9] = [
    "panji.cin",
    "panji.name",
    "panji.status",
    "panji.decision",
    "panji.decided_by",
    "panji.score",
    "panji.candidate_cin",
    "panji.candidate_name",
    "panji.evidence",
];

#[derive(Clone, Debug, Default, Deserialize, Serialize)]
pub struct MatchWork {
    /// The columns with other fields than the name, by the field.
    #[serde(default)]
    pub fields: Vec<(String, usize)>,
    /// Whether the list has identifiers and no column of names.
    #[serde(default)]
    pub without_names: bool,
}

impl MatchWork {
    /// An item of the call. A cell that cannot be a year or a date is left out: it has no information.
    fn item(&self, item: &Item<'_>) -> Value {
        let cell =
            |column: usize| -> String { item.cell(column).trim().chars().take(MAX_TEXT).collect() };
        let mut fields = Map::new();
        let name = if self.without_names { String::new() } else { cell(item.column) };
        fields.insert("name".into(), name.into());
        for (field, column) in &self.fields {
            let text = cell(*column);
            let value = match field.as_str() {
                "incorporated_on" => year_of(&text).map(|_| Value::from(text)),
                "incorporated_year" => {
                    let year = text.parse().ok().filter(|year| YEARS.contains(year));
                    year.map(|year: u16| json!(year))
                }
                _ => Some(text).filter(|text| !text.is_empty()).map(Value::from),
            };
            fields.extend(value.map(|value| (field.clone(), value)));
        }
        let identified = ["cin", "pan", "gstin"].iter().any(|field| fields.contains_key(*field));
        if fields["name"] == "" && !identified {
            fields.insert("name".into(), NO_NAME.into());
        }
        Value::Object(fields)
    }
}

impl JobOperation for MatchWork {
    fn operation(&self) -> Operation {
        Operation::MatchCompanies
    }

    fn chunk_rows(&self, config: &Config) -> usize {
        config.limits.match_items.get()
    }

    /// Names have several words of letters; those of companies often have a legal form.
    fn identifier_score(&self, cell: &str) -> usize {
        let lower = cell.to_lowercase();
        let words: Vec<&str> =
            lower.split(|c: char| !c.is_alphabetic()).filter(|word| word.len() > 1).collect();
        let form = words.iter().any(|word| ["ltd", "limited", "llp", "pvt"].contains(word));
        match (form, words.len()) {
            (true, _) => 4,
            (false, 2..) => 1,
            _ => 0,
        }
    }

    fn content(&self) -> &'static str {
        "names"
    }

    fn is_heading(&self, cell: &str) -> bool {
        field_of(cell).is_some()
    }

    /// Two known headings next to an unknown one of the names are enough.
    fn is_heading_row(&self, cells: &[String], column: usize) -> bool {
        let known = cells.iter().filter(|cell| self.is_heading(cell)).count();
        known >= 2 || self.is_heading(&cells[column])
    }

    fn is_own_heading(&self, cell: &str) -> bool {
        field_of(cell) == Some("name")
    }

    fn value_name(&self) -> &'static str {
        "name"
    }

    fn body(&self, items: &[Item<'_>]) -> Value {
        json!({ "items": items.iter().map(|item| self.item(item)).collect::<Vec<_>>() })
    }

    fn highest_price(&self, items: &[Item<'_>], config: &Config, _this_year: u16) -> i64 {
        config.prices.of(Operation::MatchCompanies) * items.len() as i64
    }

    /// Every row is matched by itself, as in a call.
    fn identity(&self, _item: &Item<'_>, _this_year: u16) -> Option<String> {
        None
    }

    fn repeated(&self, first: &Value, _item: &Item<'_>) -> Value {
        first.clone()
    }

    fn headings(&self) -> Vec<&'static str> {
        HEADINGS.to_vec()
    }

    fn numeric(&self) -> Vec<bool> {
        HEADINGS.iter().map(|heading| *heading == "panji.score").collect()
    }

    fn cells(&self, result: &Value) -> Vec<String> {
        let text = |value: &Value| match value {
            Value::String(text) => text.clone(),
            Value::Null => String::new(),
            other => other.to_string(),
        };
        let candidates = result["candidates"].as_array().map(Vec::as_slice).unwrap_or_default();
        let (company, first) = (&result["company"], &result["candidates"][0]);
        let shown = candidates.iter().find(|candidate| candidate["cin"] == company["cin"]);
        let evidence: Vec<String> = shown.unwrap_or(first)["evidence"]
            .as_array()
            .into_iter()
            .flatten()
            .map(|evidence| text(&evidence["detail"]))
            .collect();
        let by = if result["person_decision"].is_null() { "machine" } else { "person" };
        vec![
            text(&company["cin"]),
            text(&company["name"]),
            text(&company["status"]),
            text(&result["decision"]),
            by.to_owned(),
            text(&result["score"]),
            text(&first["cin"]),
            text(&first["name"]),
            evidence.join(" "),
        ]
    }

    fn count_words(&self) -> &'static [&'static str] {
        &WORDS
    }

    fn count_as(&self, result: &Value) -> &'static str {
        let decision = result["decision"].as_str();
        WORDS.into_iter().find(|word| Some(*word) == decision).unwrap_or("none")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(cells: &[&str]) -> Vec<String> {
        cells.iter().map(|cell| (*cell).to_owned()).collect()
    }

    #[test]
    fn an_item_has_the_cells_that_tell_something() {
        let header = row(&["name", "state", "incorporated_on", "year_of_incorporation", "cin"]);
        let mut work = MatchWork::default();
        work.set_fields(&header, 0);
        let item = |cells: &[&str]| work.item(&Item { cells: &row(cells), column: 0 });
        let whole = item(&["Namuna Ltd", "MH", "1994-03-18", "1994", ""]);
        assert_eq!(whole["incorporated_on"], "1994-03-18");
        assert_eq!((&whole["state"], &whole["incorporated_year"]), (&json!("MH"), &json!(1994)));
        assert_eq!(whole.get("cin"), None);
        let odd = item(&["Namuna Ltd", "", "long ago", "MCMXCIV", ""]);
        assert_eq!(odd, json!({ "name": "Namuna Ltd" }));
        assert_eq!(item(&[" ", "MH", "", "", ""])["name"], NO_NAME);
        assert_eq!(item(&[" ", "MH", "", "", "L17111MH1994PLC990011"])["name"], "");
        assert_eq!(item(&[&"n".repeat(900)])["name"].as_str().map(str::len), Some(MAX_TEXT));
    }
}
