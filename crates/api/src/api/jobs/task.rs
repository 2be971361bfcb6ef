//! The task of a job, stored with it: its operation, and the rows in chunks.

use std::collections::HashMap;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::formats::Source;
use super::list::{List, ListError, Mapping};
use super::operation::{Item, JobOperation};
use super::work::Work;
use crate::config::Config;

#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct Task {
    /// Empty if the list has no heading.
    pub header: Vec<String>,
    pub width: usize,
    /// The column with the identifiers.
    pub column: usize,
    pub work: Work,
    /// Rows of each chunk except the last; 0 in jobs of older versions.
    #[serde(default)]
    pub chunk_rows: usize,
}

/// Some rows of a list. An identifier that occurred in an earlier chunk is not requested again:
/// `repeats` points to its first row.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
pub struct Chunk {
    pub rows: Vec<Vec<String>>,
    /// Repeated rows: the row in this chunk, and the chunk and row of its first occurrence.
    #[serde(default, rename = "twins")]
    pub repeats: Vec<(usize, i64, usize)>,
}

/// Whether results are counted under this word because they are no success.
pub fn is_failure(word: &str) -> bool {
    ["invalid", "not_found", "none"].contains(&word)
}

impl Task {
    /// Reads a list, and finds its columns.
    pub fn read(
        source: Source,
        mapping: &Mapping,
        mut work: Work,
        (config, max_rows): (&Config, usize),
    ) -> Result<(Task, List), ListError> {
        let table = source.read(work.operation().value_name(), max_rows)?;
        let list = table.into_list(mapping, &mut work, max_rows)?;
        let task = Task {
            header: list.header.clone(),
            width: list.rows.first().map_or(0, Vec::len),
            column: list.column,
            chunk_rows: work.operation().chunk_rows(config),
            work,
        };
        Ok((task, list))
    }

    pub fn operation(&self) -> &dyn JobOperation {
        self.work.operation()
    }

    /// Whether a result is no success: invalid, not found, or no match. False for
    /// results that older versions stored as cells, which do not say it.
    pub fn failed(&self, result: &Value) -> bool {
        result.is_object() && is_failure(self.operation().count_as(result))
    }

    /// The columns of the list.
    pub fn list_headings(&self) -> Vec<String> {
        match self.header.is_empty() {
            false => self.header.clone(),
            true if self.width == 1 => vec!["value".to_owned()],
            true => (1..=self.width).map(|number| format!("column {number}")).collect(),
        }
    }

    /// The columns of a file with results.
    pub fn headings(&self) -> Vec<String> {
        let results = self.operation().headings();
        self.list_headings().into_iter().chain(results.into_iter().map(str::to_owned)).collect()
    }

    /// For each column of a file, whether the API fills it with numbers. Columns of the list stay
    /// text.
    pub fn numeric(&self) -> Vec<bool> {
        let own = self.list_headings().len();
        std::iter::repeat_n(false, own).chain(self.operation().numeric()).collect()
    }

    /// The names of a row's cells in JSON: the headings, made unique.
    pub fn input_names(&self) -> Vec<String> {
        let mut names: Vec<String> = Vec::new();
        for (position, heading) in self.list_headings().into_iter().enumerate() {
            let taken = heading.is_empty() || names.contains(&heading);
            names.push(if taken { format!("{heading} column {}", position + 1) } else { heading });
        }
        names.iter().map(|name| name.trim().to_owned()).collect()
    }

    /// A row with its names.
    pub fn input(&self, names: &[String], row: &[String]) -> Map<String, Value> {
        names.iter().cloned().zip(row.iter().cloned().map(Value::from)).collect()
    }

    pub fn item<'a>(&self, row: &'a [String]) -> Item<'a> {
        Item { cells: row, column: self.column }
    }

    /// The body of the call for a chunk; none if every row is a repeat.
    pub fn body(&self, chunk: &Chunk) -> Option<Value> {
        let is_repeat = |row: usize| chunk.repeats.iter().any(|(here, _, _)| *here == row);
        let requested = chunk.rows.iter().enumerate().filter(|(row, _)| !is_repeat(*row));
        let items: Vec<Item<'_>> = requested.map(|(_, row)| self.item(row)).collect();
        (!items.is_empty()).then(|| self.operation().body(&items))
    }

    /// The most that the rows can cost; the same as a dry run of the API returns.
    pub fn highest_price(&self, rows: &[Vec<String>], config: &Config, this_year: u16) -> i64 {
        let items: Vec<Item<'_>> = rows.iter().map(|row| self.item(row)).collect();
        self.operation().highest_price(&items, config, this_year)
    }

    pub fn chunks(&self, list: List, this_year: u16) -> Vec<Chunk> {
        let size = self.chunk_rows.max(1);
        let mut chunks: Vec<Chunk> = Vec::new();
        let mut first_rows: HashMap<String, (i64, usize)> = HashMap::new();
        for row in list.rows {
            if chunks.last().is_none_or(|chunk| chunk.rows.len() == size) {
                chunks.push(Chunk::default());
            }
            let number = chunks.len() as i64 - 1;
            let chunk = chunks.last_mut().expect("a chunk was just pushed");
            if let Some(identity) = self.operation().identity(&self.item(&row), this_year) {
                let position = (number, chunk.rows.len());
                match first_rows.get(&identity) {
                    // Within one call, the API itself charges repeats once.
                    Some((there, first)) if *there < number => {
                        chunk.repeats.push((chunk.rows.len(), *there, *first));
                    }
                    Some(_) => {}
                    None => {
                        first_rows.insert(identity, position);
                    }
                }
            }
            chunk.rows.push(row);
        }
        chunks
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::api::jobs::verify::VERIFY_CHUNK;
    use crate::api::jobs::{EnrichWork, VerifyWork};
    use crate::api::wire::IdentifierType;
    use crate::config::Overrides;

    fn config() -> Config {
        Config::load(&Overrides::default(), std::iter::empty()).expect("defaults")
    }

    fn task(work: Work) -> Task {
        let chunk_rows = work.operation().chunk_rows(&config());
        Task { header: vec!["id".into()], width: 1, column: 0, work, chunk_rows }
    }

    fn verify(kind: Option<IdentifierType>) -> Work {
        Work::Verify(VerifyWork { kind, type_column: None })
    }

    fn rows(values: &[String]) -> List {
        let rows = values.iter().map(|value| vec![value.clone()]).collect();
        List { header: vec!["id".into()], column: 0, rows }
    }

    #[test]
    fn a_verification_is_priced_by_kind_and_repeated_rows_cost_once() {
        let values = ["99000501", "99000501", "what", "U17110MH2001PTC990501"].map(str::to_owned);
        let list = rows(&values);
        let any = task(verify(None));
        assert_eq!(any.highest_price(&list.rows, &config(), 2026), 2);
        let dins = task(verify(Some(IdentifierType::Din)));
        assert_eq!(dins.highest_price(&list.rows, &config(), 2026), 3);
        let chunk = &any.chunks(list, 2026)[0];
        assert!(chunk.repeats.is_empty());
        assert_eq!(
            any.body(chunk).expect("a body")["items"][0],
            json!({ "type": null, "value": "99000501" })
        );
    }

    #[test]
    fn a_task_of_an_older_version_is_read() {
        let stored = r#"{"header":[],"width":1,"column":0,"work":{"verify":{"kind":"din"}}}"#;
        let task: Task = serde_json::from_str(stored).expect("a stored task");
        assert!(matches!(&task.work, Work::Verify(work) if work.kind == Some(IdentifierType::Din)));
        let stored = r#"{"header":[],"width":1,"column":0,"work":{"enrich":{"columns":["pan"]}}}"#;
        let task: Task = serde_json::from_str(stored).expect("a stored task");
        assert_eq!(task.operation().body(&[])["fields"], json!(["pan.pan"]));
    }

    #[test]
    fn names_of_input_are_unique() {
        let header = ["id", "", "id"].map(str::to_owned).to_vec();
        let task = Task { header, width: 3, ..task(verify(None)) };
        assert_eq!(task.input_names(), ["id", "column 2", "id column 3"]);
    }

    #[test]
    fn a_repeated_identifier_is_verified_once() {
        let din = |number: usize| format!("{}", 99_000_000 + number);
        let mut values: Vec<String> = (0..VERIFY_CHUNK).map(din).collect();
        values.extend([din(7), din(600), "what".into(), "what".into()]);
        let any = task(verify(None));
        let list = rows(&values);
        assert_eq!(any.highest_price(&list.rows, &config(), 2026), VERIFY_CHUNK as i64 + 1);
        let chunks = any.chunks(list, 2026);
        assert_eq!(chunks[1].repeats, [(0, 0, 7)]);
        let body = any.body(&chunks[1]).expect("a body");
        assert_eq!(body["items"].as_array().expect("a list").len(), 3);
    }

    #[test]
    fn a_repeated_company_is_requested_once() {
        let cin = |number: usize| format!("U17110MH2001PTC{:06}", 990_000 + number);
        let mut values: Vec<String> = (0..150).map(cin).collect();
        values.push(cin(3).to_lowercase());
        values.push(cin(120));
        let enrich = task(Work::Enrich(EnrichWork {
            columns: vec!["company.name".into(), "pan".into()],
            fields: Vec::new(),
        }));
        let list = rows(&values);
        assert_eq!(enrich.highest_price(&list.rows, &config(), 2026), 150 * 4);
        let chunks = enrich.chunks(list, 2026);
        assert_eq!(chunks.len(), 2);
        // The first repeat is in another chunk. The second is in the same call, where the API
        // counts it.
        assert_eq!(chunks[1].repeats, [(50, 0, 3)]);
        let body = enrich.body(&chunks[1]).expect("a body");
        assert_eq!(body["cins"].as_array().expect("a list").len(), 51);
        assert_eq!(body["fields"], json!(["company.name", "pan.pan"]));
        assert_eq!(
            enrich.headings(),
            ["id", "panji.cin", "panji.found", "panji.error", "company.name", "pan"]
        );
    }
}
