//! What an import did, and which rows it could not use.

use std::collections::{BTreeMap, BTreeSet};

use panji_store::register::{Record, Stored};
use serde::{Deserialize, Serialize};

/// Reasons that are told apart; those of damaged files without end are counted together.
const MAX_REASONS: usize = 100;
/// The group of the reasons beyond.
const OTHER_REASONS: &str = "other reasons";

/// A row that could not be used.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reject {
    /// The file or stream it came from.
    pub file: String,
    /// Its line, from 1.
    pub line: u64,
    /// Why it could not be used.
    pub reason: String,
    /// The row as it was, cut to a bounded length.
    pub raw: String,
}

/// The sums of an import.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Report {
    /// Rows read, without empty ones.
    pub read: u64,
    /// Records that were not there before.
    pub new: u64,
    /// Records that are different now.
    pub changed: u64,
    /// Records that were there already, just so.
    pub unchanged: u64,
    /// Records older than what is held.
    pub older: u64,
    /// Rows that could not be used.
    pub rejected: u64,
    /// Rows that are in order and hold nothing for the register, by reason.
    pub left_out: BTreeMap<String, u64>,
    /// Records that went in or were there, by kind.
    pub by_resource: BTreeMap<String, u64>,
    /// The names of the sources that these records are from.
    pub sources: BTreeSet<String>,
    /// Rows that could not be used, by reason; what differs from row to row is left out of it.
    pub by_reason: BTreeMap<String, u64>,
    /// Cells that could not be read in rows that went in without them, by column.
    pub unread_cells: BTreeMap<String, u64>,
    /// Files that were looked into.
    pub files: u64,
    /// Files among them that went in before, after which nothing of theirs has changed.
    pub known_files: u64,
    /// Files that could not be imported, or not to their end, each with the reason.
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

    /// Adds other sums to these.
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
        for (own, other) in [
            (&mut self.left_out, &other.left_out),
            (&mut self.by_resource, &other.by_resource),
            (&mut self.unread_cells, &other.unread_cells),
        ] {
            for (name, count) in other {
                add_to(own, name, *count);
            }
        }
        for (reason, count) in &other.by_reason {
            self.count_reason(reason.clone(), *count);
        }
    }

    pub(crate) fn count_left_out(&mut self, reason: &str) {
        add_to(&mut self.left_out, reason, 1);
    }

    pub(crate) fn count_unread_cell(&mut self, column: &str) {
        add_to(&mut self.unread_cells, column, 1);
    }

    pub(crate) fn count_reject(&mut self, reason: &str) {
        self.rejected += 1;
        self.count_reason(group_of(reason), 1);
    }

    fn count_reason(&mut self, mut group: String, count: u64) {
        if self.by_reason.len() >= MAX_REASONS && !self.by_reason.contains_key(&group) {
            group = OTHER_REASONS.to_owned();
        }
        *self.by_reason.entry(group).or_default() += count;
    }
}

/// Adds to a count; its name is copied for the first one only.
fn add_to(counts: &mut BTreeMap<String, u64>, name: &str, count: u64) {
    match counts.get_mut(name) {
        Some(sum) => *sum += count,
        None => {
            counts.insert(name.to_owned(), count);
        }
    }
}

/// A reason without what differs from row to row: numbers, quoted words, the character found.
fn group_of(reason: &str) -> String {
    let reason = reason.split(", found").next().unwrap_or(reason);
    // What stands before the colon names a field, or, where a number is in it, one record.
    let reason = match reason.split_once(": ") {
        Some((record, problem)) if record.contains(|c: char| c.is_ascii_digit()) => problem,
        _ => reason,
    };
    let mut group = String::new();
    let mut quoted = false;
    for character in reason.chars() {
        match character {
            '"' => {
                quoted = !quoted;
                if quoted {
                    group.push('…');
                }
            }
            _ if quoted => {}
            '0'..='9' if group.ends_with('N') => {}
            '0'..='9' => group.push('N'),
            _ => group.push(character),
        }
    }
    group
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reasons_are_grouped_without_what_differs() {
        let zero = "cin: character 17 must be a digit, found O: a zero was probably meant";
        assert_eq!(group_of(zero), "cin: character N must be a digit");
        assert_eq!(group_of("\"2023-2\" is no financial year"), "… is no financial year");
        assert_eq!(group_of("director 3 of U1: a placeholder"), "a placeholder");
        let mut report = Report::default();
        for number in 0..200 {
            report.count_reject(&"x".repeat(number));
        }
        assert_eq!(report.by_reason.len(), MAX_REASONS + 1);
        assert_eq!(report.by_reason[OTHER_REASONS], 100);
    }
}
