//! What an import did, and which rows it could not use.

use std::collections::BTreeMap;

use panji_store::register::{Record, Stored};

/// Reasons that are told apart; those of damaged files without end are counted together.
const MAX_REASONS: usize = 100;
/// The group of the reasons beyond.
const OTHER_REASONS: &str = "other reasons";

/// A row that could not be used.
#[derive(Clone, Debug, PartialEq, Eq)]
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
#[derive(Clone, Debug, Default, PartialEq, Eq)]
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
    pub left_out: BTreeMap<&'static str, u64>,
    /// Records that went in or were there, by kind.
    pub by_resource: BTreeMap<&'static str, u64>,
    /// Rows that could not be used, by reason; what differs from row to row is left out of it.
    pub by_reason: BTreeMap<String, u64>,
    /// Cells that could not be read in rows that went in without them, by column.
    pub unread_cells: BTreeMap<&'static str, u64>,
    /// Files that were looked into.
    pub files: u64,
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
        *self.by_resource.entry(record.resource()).or_default() += 1;
    }

    /// Adds the sums of records that were stored.
    pub(crate) fn add_stored(&mut self, sums: &Report) {
        self.new += sums.new;
        self.changed += sums.changed;
        self.unchanged += sums.unchanged;
        self.older += sums.older;
        for (resource, count) in &sums.by_resource {
            *self.by_resource.entry(resource).or_default() += count;
        }
    }

    pub(crate) fn count_reject(&mut self, reason: &str) {
        self.rejected += 1;
        let mut group = group_of(reason);
        if self.by_reason.len() >= MAX_REASONS && !self.by_reason.contains_key(&group) {
            group = OTHER_REASONS.to_owned();
        }
        *self.by_reason.entry(group).or_default() += 1;
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
