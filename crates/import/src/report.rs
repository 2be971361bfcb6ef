//! The report of an import: counts and rejected rows.

use std::collections::{BTreeMap, BTreeSet};

use panji_store::register::{Record, Stored};
use serde::{Deserialize, Serialize};

use crate::duplicates::PossibleDuplicate;

/// Reasons that are counted separately; a damaged file can have any number of reasons.
const MAX_REASONS: usize = 100;
/// Counts all reasons above that limit.
const OTHER_REASONS: &str = "other reasons";
/// Headings of unused columns that are reported.
const MAX_UNUSED_COLUMNS: usize = 100;

/// A row that could not be used.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reject {
    pub file: String,
    /// Its line, from 1.
    pub line: u64,
    /// The kind of fault, by which rejected rows are counted.
    #[serde(default)]
    pub kind: String,
    pub reason: String,
    /// The row unchanged, truncated to a bounded length.
    pub raw: String,
}

/// Receives rejected rows and the progress.
pub trait Observer {
    fn reject(&mut self, reject: Reject);
    /// Called after each batch of a file.
    fn progress(&mut self, file: &str, report: &Report);
    /// The bytes read of all files; compare with [`crate::bytes_of`].
    fn bytes_read(&mut self, _bytes: u64) {}
    /// Called before the companies of the register are compared, which takes a while if it is large.
    fn comparing_companies(&mut self) {}
}

/// The counts of an import.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Report {
    /// Rows read, without empty ones.
    pub read: u64,
    /// Records added to the register.
    pub new: u64,
    /// Records updated in the register.
    pub changed: u64,
    /// Records that were already in the register with the same values.
    pub unchanged: u64,
    /// Records older than those in the register.
    pub older: u64,
    /// Rows that could not be used.
    pub rejected: u64,
    /// Skipped rows: valid, but without data for the register; by reason.
    #[serde(rename = "left_out")]
    pub skipped: BTreeMap<String, u64>,
    /// Accepted records, by resource.
    pub by_resource: BTreeMap<String, u64>,
    /// The names of the sources of these records.
    pub sources: BTreeSet<String>,
    /// Rows that could not be used, by source, if the source is known.
    pub rejected_by_source: BTreeMap<String, u64>,
    /// Rows that could not be used, by the kind of fault.
    pub by_reason: BTreeMap<String, u64>,
    /// The first row of each kind. Not serialized: it may name a person.
    #[serde(skip)]
    pub examples: BTreeMap<String, Reject>,
    /// Unreadable cells of accepted rows, by column.
    #[serde(rename = "unread_cells")]
    pub unreadable_cells: BTreeMap<String, u64>,
    /// Ambiguous values that were accepted, by description.
    #[serde(rename = "doubts")]
    pub ambiguities: BTreeMap<String, u64>,
    /// The headings of unused columns, with the number of files that have them.
    pub unused_columns: BTreeMap<String, u64>,
    /// Sheets that are not lists, in spreadsheets with other sheets that are, each with the reason.
    pub skipped_sheets: Vec<String>,
    /// Files that were processed.
    pub files: u64,
    /// Files among them that were skipped: imported before, and their records have not changed
    /// since.
    pub known_files: u64,
    /// Periods with figures whose company is not in the register, after the import, and the number
    /// of these companies.
    pub periods_without_company: u64,
    pub companies_missing: u64,
    /// Numbers that became former numbers of other companies in the register.
    pub joined: u64,
    /// Numbers that may be of the same company. Not serialized: it depends on the whole register.
    #[serde(skip)]
    pub possible_duplicates: Vec<PossibleDuplicate>,
    /// Files that could not be imported, or only partly, each with the reason.
    pub failures: Vec<String>,
}

impl Report {
    pub(crate) fn count(&mut self, record: &Record, stored: &Stored) {
        match stored {
            Stored::New => self.new += 1,
            Stored::Changed(_) => self.changed += 1,
            Stored::Unchanged => self.unchanged += 1,
            Stored::Older => self.older += 1,
        }
        add_to(&mut self.by_resource, record.resource(), 1);
        if !self.sources.contains(record.source()) {
            self.sources.insert(record.source().to_owned());
        }
    }

    pub(crate) fn add(&mut self, other: &Report) {
        self.read += other.read;
        self.new += other.new;
        self.changed += other.changed;
        self.unchanged += other.unchanged;
        self.older += other.older;
        self.rejected += other.rejected;
        self.files += other.files;
        self.known_files += other.known_files;
        self.sources.extend(other.sources.iter().cloned());
        self.failures.extend_from_slice(&other.failures);
        self.skipped_sheets.extend_from_slice(&other.skipped_sheets);
        for (column, files) in &other.unused_columns {
            self.count_unused_column(column, *files);
        }
        for (own, other) in [
            (&mut self.skipped, &other.skipped),
            (&mut self.by_resource, &other.by_resource),
            (&mut self.unreadable_cells, &other.unreadable_cells),
            (&mut self.ambiguities, &other.ambiguities),
            (&mut self.rejected_by_source, &other.rejected_by_source),
        ] {
            for (name, count) in other {
                add_to(own, name, *count);
            }
        }
        for (reason, count) in &other.by_reason {
            self.count_kind(reason.clone(), *count);
        }
        for (reason, example) in &other.examples {
            if !self.examples.contains_key(reason) {
                self.examples.insert(reason.clone(), example.clone());
            }
        }
    }

    /// The number of rejected rows of each source, also where it is zero.
    pub(crate) fn rejects_of_sources(&self) -> BTreeMap<&str, u64> {
        let mut rejects: BTreeMap<&str, u64> =
            self.sources.iter().map(|source| (source.as_str(), 0)).collect();
        rejects.extend(self.rejected_by_source.iter().map(|(name, count)| (name.as_str(), *count)));
        rejects
    }

    pub(crate) fn count_skipped(&mut self, reason: &str) {
        add_to(&mut self.skipped, reason, 1);
    }

    pub(crate) fn count_unreadable_cell(&mut self, column: &str) {
        add_to(&mut self.unreadable_cells, column, 1);
    }

    pub(crate) fn count_ambiguity(&mut self, ambiguity: &str) {
        add_to(&mut self.ambiguities, ambiguity, 1);
    }

    pub(crate) fn count_unused_column(&mut self, column: &str, files: u64) {
        let has_room = self.unused_columns.len() < MAX_UNUSED_COLUMNS;
        if has_room || self.unused_columns.contains_key(column) {
            add_to(&mut self.unused_columns, column, files);
        }
    }

    pub(crate) fn count_reject(&mut self, source: Option<&str>, kind: &str) {
        self.rejected += 1;
        if let Some(source) = source {
            add_to(&mut self.rejected_by_source, source, 1);
        }
        self.count_kind(kind.to_owned(), 1);
    }

    /// Stores a rejected row if it is the first of its kind.
    pub(crate) fn add_example(&mut self, reject: &Reject) {
        if self.examples.len() < MAX_REASONS && !self.examples.contains_key(&reject.kind) {
            self.examples.insert(reject.kind.clone(), reject.clone());
        }
    }

    fn count_kind(&mut self, mut kind: String, count: u64) {
        if self.by_reason.len() >= MAX_REASONS && !self.by_reason.contains_key(&kind) {
            kind = OTHER_REASONS.to_owned();
        }
        *self.by_reason.entry(kind).or_default() += count;
    }
}

/// Adds to a count; copies the name only for a new entry.
fn add_to(counts: &mut BTreeMap<String, u64>, name: &str, count: u64) {
    match counts.get_mut(name) {
        Some(sum) => *sum += count,
        None => {
            counts.insert(name.to_owned(), count);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reasons_above_the_limit_are_counted_together_and_each_kind_has_its_first_example() {
        let mut report = Report::default();
        for number in 0..200 {
            let reason = "x".repeat(number);
            report.count_reject(None, &reason);
        }
        assert_eq!(report.by_reason.len(), MAX_REASONS + 1);
        assert_eq!(report.by_reason[OTHER_REASONS], 100);
        let mut report = Report::default();
        for line in [4, 9] {
            let reason = format!("character {line} must be a digit");
            let (file, raw) = ("goa.csv".to_owned(), String::new());
            let kind = "a character is wrong".to_owned();
            report.add_example(&Reject { file, line, kind, reason, raw });
        }
        let example = &report.examples["a character is wrong"];
        assert_eq!((example.line, example.reason.as_str()), (4, "character 4 must be a digit"));
    }

    #[test]
    fn the_stored_names_of_counts_are_those_of_earlier_versions() {
        let stored = r#"{"left_out":{"a":1},"unread_cells":{"b":2},"doubts":{"c":3}}"#;
        let report: Report = serde_json::from_str(stored).expect("a report");
        assert_eq!((report.skipped["a"], report.unreadable_cells["b"]), (1, 2));
        assert_eq!(report.ambiguities["c"], 3);
        let json = serde_json::to_string(&report).expect("JSON");
        assert!(json.contains(r#""left_out":{"a":1}"#), "{json}");
        assert!(json.contains(r#""unread_cells":{"b":2}"#), "{json}");
    }
}
