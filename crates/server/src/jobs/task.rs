//! What a job is to do, kept with it: verify or enrich, and its rows in chunks.

use std::collections::HashMap;

use panji_ids::CompanyId;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::columns::{self, Column, ENRICH_HEADS, VERIFY_HEADS};
use super::list::List;
use crate::api::bulk_request::{identity_of, verification_price};
use crate::api::enrich::{Selection, highest_price};
use crate::api::wire::IdentifierType;
use crate::config::Config;

/// Rows of one chunk of a verification: enough that a call is worth it, few enough that it is short.
const VERIFY_CHUNK: usize = 500;
/// Rows of one chunk of an enrichment.
const ENRICH_CHUNK: usize = 100;
/// What is sent of a cell; no identifier is as long.
const MAX_VALUE: usize = 64;

/// A job's task.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct Task {
    /// The names of the list's columns; empty where it has none.
    pub header: Vec<String>,
    /// The number of the list's columns.
    pub width: usize,
    /// The column with the identifiers.
    pub column: usize,
    /// What to do with them.
    pub work: Work,
}

/// What to do with identifiers.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Work {
    /// Tell whether they are right.
    Verify {
        /// What they all are; none where their shape tells.
        kind: Option<IdentifierType>,
    },
    /// Fetch what is known of companies.
    Enrich {
        /// The names of the columns to fetch.
        columns: Vec<String>,
    },
}

/// Some rows of a list. An identifier that stood further up is not asked for again: its row says where.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
pub struct Chunk {
    /// The rows as they were sent.
    pub rows: Vec<Vec<String>>,
    /// Rows that repeat another: the row here, and the chunk and the row there.
    #[serde(default)]
    pub twins: Vec<(usize, i64, usize)>,
}

impl Task {
    /// The columns that an enrichment fetches.
    pub fn columns(&self) -> Vec<&'static Column> {
        match &self.work {
            Work::Verify { .. } => Vec::new(),
            Work::Enrich { columns } => columns.iter().filter_map(|id| columns::find(id)).collect(),
        }
    }

    /// The heading of the results.
    pub fn heads(&self) -> Vec<String> {
        let given = match self.header.is_empty() {
            false => self.header.clone(),
            true if self.width == 1 => vec!["value".to_owned()],
            true => (1..=self.width).map(|number| format!("column {number}")).collect(),
        };
        let common: &[&str] = match self.work {
            Work::Verify { .. } => &VERIFY_HEADS,
            Work::Enrich { .. } => &ENRICH_HEADS,
        };
        let chosen = self.columns().into_iter().map(|column| column.id);
        given.into_iter().chain(common.iter().copied().chain(chosen).map(str::to_owned)).collect()
    }

    /// For each column of the results, whether it holds numbers of ours.
    pub fn numeric(&self) -> Vec<bool> {
        let chosen = self.columns();
        let mut numeric = vec![false; self.heads().len() - chosen.len()];
        numeric.extend(chosen.iter().map(|column| column.numeric));
        numeric
    }

    /// The path of the API's operation.
    pub fn path(&self) -> &'static str {
        match self.work {
            Work::Verify { .. } => "/v1/bulk/verify",
            Work::Enrich { .. } => "/v1/bulk/enrich",
        }
    }

    /// The body of the call for a chunk; none where every row repeats another.
    pub fn body(&self, chunk: &Chunk) -> Option<Value> {
        let twin = |row: usize| chunk.twins.iter().any(|(here, _, _)| *here == row);
        let asked = chunk.rows.iter().enumerate().filter(|(row, _)| !twin(*row));
        let values: Vec<String> = asked.map(|(_, row)| self.value(row)).collect();
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

    /// The cells of the rows that were asked for.
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

    /// What is sent of a row.
    fn value(&self, row: &[String]) -> String {
        let cell = row.get(self.column).map(String::as_str).unwrap_or_default();
        cell.chars().take(MAX_VALUE).collect()
    }

    fn fields(&self) -> Vec<&'static str> {
        let mut fields: Vec<&str> = self.columns().iter().map(|column| column.field).collect();
        fields.dedup();
        fields
    }

    /// The most that the rows can cost, as a dry run of the API tells it.
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

    /// What rows that ask for the same have in common; none where a row costs nothing.
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

    /// Cuts the rows into chunks.
    pub fn chunks(&self, list: List, config: &Config, this_year: u16) -> Vec<Chunk> {
        let limits = &config.limits;
        let size = match self.work {
            Work::Verify { .. } => VERIFY_CHUNK.min(limits.bulk_verify_items),
            Work::Enrich { .. } => ENRICH_CHUNK.min(limits.bulk_enrich_cins),
        };
        let mut chunks: Vec<Chunk> = Vec::new();
        let mut first_places: HashMap<(Option<IdentifierType>, String), (i64, usize)> =
            HashMap::new();
        for row in list.rows {
            if chunks.last().is_none_or(|chunk| chunk.rows.len() == size) {
                chunks.push(Chunk::default());
            }
            let number = chunks.len() as i64 - 1;
            let chunk = chunks.last_mut().expect("one was just made");
            if let Some(identity) = self.identity(&self.value(&row), this_year) {
                let place = (number, chunk.rows.len());
                match first_places.get(&identity) {
                    // Within one call the API itself charges what is repeated once.
                    Some((there, twin)) if *there < number => {
                        chunk.twins.push((chunk.rows.len(), *there, *twin));
                    }
                    Some(_) => {}
                    None => {
                        first_places.insert(identity, place);
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
    fn a_verification_costs_what_its_kinds_cost_and_equal_rows_cost_once() {
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
    fn an_identifier_that_stands_twice_is_verified_once() {
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
    fn a_company_that_stands_twice_is_asked_for_once() {
        let cin = |number: usize| format!("U17110MH2001PTC{:06}", 990_000 + number);
        let mut values: Vec<String> = (0..150).map(cin).collect();
        values.push(cin(3).to_lowercase());
        values.push(cin(120));
        let enrich = task(Work::Enrich { columns: vec!["company.name".into(), "pan".into()] });
        let list = rows(&values);
        assert_eq!(enrich.highest_price(&list.rows, &config(), 2026), 150 * 4);
        let chunks = enrich.chunks(list, &config(), 2026);
        assert_eq!(chunks.len(), 2);
        // The first is in the other chunk; the second is in the same call, where the API counts.
        assert_eq!(chunks[1].twins, [(50, 0, 3)]);
        let body = enrich.body(&chunks[1]).expect("a body");
        assert_eq!(body["cins"].as_array().expect("a list").len(), 51);
        assert_eq!(body["fields"], json!(["company.name", "pan.pan"]));
        assert_eq!(
            enrich.heads(),
            ["id", "panji.cin", "panji.found", "panji.error", "company.name", "pan"]
        );
    }
}
