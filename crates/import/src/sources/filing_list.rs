//! The exchange's own list of results filings: when each was filed, and by which company.

use std::collections::HashMap;
use std::io::{self, Read};

use ring::digest::{SHA256, digest};
use serde_json::Value;

/// The largest accepted list; a whole year has about ten thousand entries.
const MAX_LIST_BYTES: u64 = 256 << 20;
/// The members with the time, the most exact one first.
const TIMES: [&str; 5] =
    ["broadCastDate", "broadcast_Date", "filingDate", "exchdisstime", "creation_Date"];

/// The filings of the list, by file name.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FilingList {
    by_file: HashMap<String, ListedFiling>,
    /// SHA-256 of each list, concatenated.
    digest: Vec<u8>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListedFiling {
    /// In the format of the exchange.
    pub time: String,
    /// The current symbol and the ISIN of the company, if the list has them.
    pub names: Vec<String>,
}

#[derive(Debug, thiserror::Error)]
pub enum FilingListError {
    #[error(transparent)]
    Io(#[from] io::Error),
    #[error("it is larger than {} MiB", MAX_LIST_BYTES >> 20)]
    TooLarge,
    #[error("it is no JSON: {0}")]
    NoJson(#[from] serde_json::Error),
    #[error("it must be a list of filings, each with xbrl and broadCastDate or filingDate")]
    NoList,
}

impl FilingList {
    /// Adds a list: an array of objects, bare or as the member `data`.
    pub fn add(&mut self, source: impl Read) -> Result<(), FilingListError> {
        let mut bytes = Vec::new();
        source.take(MAX_LIST_BYTES + 1).read_to_end(&mut bytes)?;
        if bytes.len() as u64 > MAX_LIST_BYTES {
            return Err(FilingListError::TooLarge);
        }
        let document: Value = serde_json::from_slice(&bytes)?;
        let entries = document.get("data").unwrap_or(&document).as_array();
        let entries = entries.ok_or(FilingListError::NoList)?;
        let known = entries.iter().filter_map(listed);
        let before = self.by_file.len();
        self.by_file.extend(known);
        if self.by_file.len() == before && !entries.is_empty() && before == 0 {
            return Err(FilingListError::NoList);
        }
        self.digest.extend_from_slice(digest(&SHA256, &bytes).as_ref());
        Ok(())
    }

    /// The list's entry for a file. The file name may have prefixes before the exchange's own name.
    pub fn find(&self, name: &str) -> Option<&ListedFiling> {
        let name = name.rsplit(['/', '\\']).next().unwrap_or(name);
        let mut name = name.strip_suffix(".gz").unwrap_or(name);
        loop {
            if let Some(found) = self.by_file.get(name) {
                return Some(found);
            }
            name = name.split_once('_')?.1;
        }
    }

    /// Identifies the content of the lists.
    pub(crate) fn digest(&self) -> &[u8] {
        &self.digest
    }
}

/// The name of the file and its entry. Filings from before XBRL have `-` as the name.
fn listed(entry: &Value) -> Option<(String, ListedFiling)> {
    let text = |member: &str| entry.get(member).and_then(Value::as_str).map(str::trim);
    let file = text("xbrl")?.rsplit('/').next()?;
    if !file.ends_with(".xml") {
        return None;
    }
    let is_time = |time: &&str| time.len() > 1;
    let time = TIMES.iter().find_map(|member| text(member).filter(is_time))?.to_owned();
    let names = ["isin", "symbol"].iter().filter_map(|member| text(member));
    Some((file.to_owned(), ListedFiling { time, names: names.map(str::to_owned).collect() }))
}

#[cfg(test)]
mod tests {
    use super::*;

    const ENTRY: &str = r#"{"symbol":"NAMUNA","isin":"INE000Z01010","filingDate":"17-May-2024 18:05",
        "broadCastDate":null,"xbrl":"https://exchange.example/xbrl/INDAS_1001_2001_17052024060501.xml"}"#;

    #[test]
    fn a_list_is_bare_or_in_data_and_finds_a_file_with_a_longer_name() {
        for text in [format!("[{ENTRY},{{\"xbrl\":\"a/-\"}}]"), format!("{{\"data\":[{ENTRY}]}}")] {
            let mut list = FilingList::default();
            list.add(text.as_bytes()).expect("it is there");
            let name = "x/17May2024_1805_INDAS_1001_2001_17052024060501.xml.gz";
            let found = list.find(name).expect("it is there");
            assert_eq!(found.time, "17-May-2024 18:05");
            assert_eq!(found.names, ["INE000Z01010", "NAMUNA"]);
            assert_eq!(list.find("INDAS_1001_2001_17052024060502.xml"), None);
        }
    }

    #[test]
    fn other_content_is_refused() {
        let refused = |text: &str| {
            FilingList::default().add(text.as_bytes()).expect_err("it is refused").to_string()
        };
        assert!(refused("symbol,cin\n").contains("no JSON"));
        assert!(refused("{\"a\":1}").contains("must be a list"));
        assert!(refused("[{\"symbol\":\"NAMUNA\"}]").contains("must be a list"));
    }
}
