//! What an import did, and which rows it could not use.

use std::collections::BTreeMap;

use panji_store::register::Record;

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
    /// Records that went in or were there, by kind.
    pub by_resource: BTreeMap<&'static str, u64>,
}

impl Report {
    pub(crate) fn count(&mut self, record: &Record, stored: &panji_store::register::Stored) {
        use panji_store::register::Stored;
        match stored {
            Stored::New => self.new += 1,
            Stored::Changed(_) => self.changed += 1,
            Stored::Unchanged => self.unchanged += 1,
            Stored::Older => self.older += 1,
        }
        *self.by_resource.entry(record.resource()).or_default() += 1;
    }
}
