//! The task of a job, stored with it: verify or enrich, and the rows in chunks.

use std::collections::HashMap;

use panji_ids::CompanyId;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::columns::{self, Column, ENRICH_HEADINGS, VERIFY_HEADINGS};
use super::list::List;
use crate::api::bulk_request::{identity_of, verification_price};
use crate::api::enrich::{Selection, highest_price};
use crate::api::wire::IdentifierType;
use crate::config::Config;

/// Rows of one chunk of a verification: enough to make a call efficient, few enough to keep it
/// short.
const VERIFY_CHUNK: usize = 500;
/// Rows of one chunk of an enrichment.
const ENRICH_CHUNK: usize = 100;
/// The characters of a cell that are sent; no identifier is as long.
const MAX_VALUE: usize = 64;

#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct Task {
    /// Empty if the list has no heading.
    pub header: Vec<String>,
    pub width: usize,
    pub column: usize,
    pub work: Work,
}

#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Work {
    /// Verify identifiers.
    Verify {
        /// The type of all identifiers; none to detect each.
        kind: Option<IdentifierType>,
    },
    /// Fetch data of companies.
    Enrich {
        /// The ids of the columns to fetch.
        columns: Vec<String>,
    },
}

/// Some rows of a list. An identifier that occurred in an earlier chunk is not requested again:
/// `twins` points to its first row.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
pub struct Chunk {
    pub rows: Vec<Vec<String>>,
    /// Repeated rows: the row in this chunk, and the chunk and row of its first occurrence.
    #[serde(default)]
    pub twins: Vec<(usize, i64, usize)>,
}

impl Task {
    /// The columns to fetch; empty for a verification.
    pub fn columns(&self) -> Vec<&'static Column> {
        match &self.work {
            Work::Verify { .. } => Vec::new(),
            Work::Enrich { columns } => columns.iter().filter_map(|id| columns::find(id)).collect(),
        }
    }

    pub fn headings(&self) -> Vec<String> {
        let original = match self.header.is_empty() {
            false => self.header.clone(),
            true if self.width == 1 => vec!["value".to_owned()],
            true => (1..=self.width).map(|number| format!("column {number}")).collect(),
        };
        let common: &[&str] = match self.work {
            Work::Verify { .. } => &VERIFY_HEADINGS,
            Work::Enrich { .. } => &ENRICH_HEADINGS,
        };
        let selected = self.columns().into_iter().map(|column| column.id);
        original
            .into_iter()
            .chain(common.iter().copied().chain(selected).map(str::to_owned))
            .collect()
    }

    /// For each result column, whether the API fills it with numbers. Columns of the uploaded list
    /// stay text.
    pub fn numeric(&self) -> Vec<bool> {
        let selected = self.columns();
        let mut numeric = vec![false; self.headings().len() - selected.len()];
        numeric.extend(selected.iter().map(|column| column.numeric));
        numeric
    }

    /// The path of the API operation.
    pub fn path(&self) -> &'static str {
        match self.work {
            Work::Verify { .. } => "/v1/bulk/verify",
            Work::Enrich { .. } => "/v1/bulk/enrich",
        }
    }

    /// The body of the call for a chunk; none if every row is a repeat.
    pub fn body(&self, chunk: &Chunk) -> Option<Value> {
        let is_twin = |row: usize| chunk.twins.iter().any(|(here, _, _)| *here == row);
        let requested = chunk.rows.iter().enumerate().filter(|(row, _)| !is_twin(*row));
        let values: Vec<String> = requested.map(|(_, row)| self.value(row)).collect();
        if values.is_empty() {
            return None;
        }
        Some(match &self.work {
            Work::Verify { kind } => {
                let item = |value: &String| json!({ "type": kind, "value": value });
                json!({ "items": values.iter().map(item).collect::<Vec<_>>() })
            }
            Work::Enrich { .. } => json!({ "cins": values, "fields": self.fields() }),
        })
    }

    /// The result cells of the requested rows.
    pub fn cells(&self, results: &[Value]) -> Vec<Vec<String>> {
        let columns = self.columns();
        results
            .iter()
            .map(|result| match self.work {
                Work::Verify { .. } => columns::verified(result),
                Work::Enrich { .. } => columns::enriched(result, &columns),
            })
            .collect()
    }

    /// The identifier of a row, truncated to `MAX_VALUE`.
    fn value(&self, row: &[String]) -> String {
        let cell = row.get(self.column).map(String::as_str).unwrap_or_default();
        cell.chars().take(MAX_VALUE).collect()
    }

    fn fields(&self) -> Vec<&'static str> {
        let mut fields: Vec<&str> = self.columns().iter().map(|column| column.field).collect();
        fields.dedup();
        fields
    }

    /// The most that the rows can cost; the same as a dry run of the API returns.
    pub fn highest_price(&self, rows: &[Vec<String>], config: &Config, this_year: u16) -> i64 {
        let values: Vec<String> = rows.iter().map(|row| self.value(row)).collect();
        match &self.work {
            Work::Verify { kind } => {
                let items = values.iter().map(|value| (*kind, value.as_str()));
                verification_price(&config.prices, items, this_year)
            }
            Work::Enrich { .. } => {
                let fields: Vec<String> = self.fields().into_iter().map(str::to_owned).collect();
                match Selection::parse(&fields) {
                    Ok(selection) => highest_price(&config.prices, &values, &selection, this_year),
                    Err(_) => 0,
                }
            }
        }
    }

    /// Equal for rows with the same identifier; none for a malformed one, which costs nothing.
    fn identity(&self, value: &str, this_year: u16) -> Option<(Option<IdentifierType>, String)> {
        match &self.work {
            Work::Verify { kind } => {
                identity_of(*kind, value, this_year).map(|(kind, value)| (Some(kind), value))
            }
            Work::Enrich { .. } => {
                let id = CompanyId::parse_in_year(value, this_year).ok()?;
                Some((None, id.as_str().to_owned()))
            }
        }
    }

    pub fn chunks(&self, list: List, config: &Config, this_year: u16) -> Vec<Chunk> {
        let limits = &config.limits;
        let size = match self.work {
            Work::Verify { .. } => VERIFY_CHUNK.min(limits.bulk_verify_items.get()),
            Work::Enrich { .. } => ENRICH_CHUNK.min(limits.bulk_enrich_cins.get()),
        };
        let mut chunks: Vec<Chunk> = Vec::new();
        let mut first_rows: HashMap<(Option<IdentifierType>, String), (i64, usize)> =
            HashMap::new();
        for row in list.rows {
            if chunks.last().is_none_or(|chunk| chunk.rows.len() == size) {
                chunks.push(Chunk::default());
            }
            let number = chunks.len() as i64 - 1;
            let chunk = chunks.last_mut().expect("a chunk was just pushed");
            if let Some(identity) = self.identity(&self.value(&row), this_year) {
                let position = (number, chunk.rows.len());
                match first_rows.get(&identity) {
                    // Within one call, the API itself charges repeats once.
                    Some((there, twin)) if *there < number => {
                        chunk.twins.push((chunk.rows.len(), *there, *twin));
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
    use super::*;
    use crate::config::Overrides;

    fn config() -> Config {
        Config::load(&Overrides::default(), std::iter::empty()).expect("defaults")
    }

    fn task(work: Work) -> Task {
        Task { header: vec!["id".into()], width: 1, column: 0, work }
    }

    fn rows(values: &[String]) -> List {
        let rows = values.iter().map(|value| vec![value.clone()]).collect();
        List { header: vec!["id".into()], column: 0, rows }
    }

    #[test]
    fn a_verification_is_priced_by_kind_and_repeated_rows_cost_once() {
        let values = ["99000501", "99000501", "what", "U17110MH2001PTC990501"].map(str::to_owned);
        let list = rows(&values);
        let verify = task(Work::Verify { kind: None });
        assert_eq!(verify.highest_price(&list.rows, &config(), 2026), 2);
        let dins = task(Work::Verify { kind: Some(IdentifierType::Din) });
        assert_eq!(dins.highest_price(&list.rows, &config(), 2026), 3);
        let chunk = &verify.chunks(list, &config(), 2026)[0];
        assert!(chunk.twins.is_empty());
        assert_eq!(
            verify.body(chunk).expect("a body")["items"][0],
            json!({ "type": null, "value": "99000501" })
        );
    }

    #[test]
    fn a_repeated_identifier_is_verified_once() {
        let din = |number: usize| format!("{}", 99_000_000 + number);
        let mut values: Vec<String> = (0..VERIFY_CHUNK).map(din).collect();
        values.extend([din(7), din(600), "what".into(), "what".into()]);
        let verify = task(Work::Verify { kind: None });
        let list = rows(&values);
        assert_eq!(verify.highest_price(&list.rows, &config(), 2026), VERIFY_CHUNK as i64 + 1);
        let chunks = verify.chunks(list, &config(), 2026);
        assert_eq!(chunks[1].twins, [(0, 0, 7)]);
        let body = verify.body(&chunks[1]).expect("a body");
        assert_eq!(body["items"].as_array().expect("a list").len(), 3);
    }

    #[test]
    fn a_repeated_company_is_requested_once() {
        let cin = |number: usize| format!("U17110MH2001PTC{:06}", 990_000 + number);
        let mut values: Vec<String> = (0..150).map(cin).collect();
        values.push(cin(3).to_lowercase());
        values.push(cin(120));
        let enrich = task(Work::Enrich { columns: vec!["company.name".into(), "pan".into()] });
        let list = rows(&values);
        assert_eq!(enrich.highest_price(&list.rows, &config(), 2026), 150 * 4);
        let chunks = enrich.chunks(list, &config(), 2026);
        assert_eq!(chunks.len(), 2);
        // The first repeat is in another chunk. The second is in the same call, where the API
        // counts it.
        assert_eq!(chunks[1].twins, [(50, 0, 3)]);
        let body = enrich.body(&chunks[1]).expect("a body");
        assert_eq!(body["cins"].as_array().expect("a list").len(), 51);
        assert_eq!(body["fields"], json!(["company.name", "pan.pan"]));
        assert_eq!(
            enrich.headings(),
            ["id", "panji.cin", "panji.found", "panji.error", "company.name", "pan"]
        );
    }
}
