//! Counts of the written records, to check an import.

use std::collections::BTreeMap;
use std::fmt::Write;

use crate::faults::Fault;

/// The kinds of record, as in the native format.
pub const KINDS: [&str; 12] = [
    "company",
    "pan",
    "director",
    "appointment",
    "charge",
    "financial_year",
    "filing",
    "document",
    "rating",
    "epfo",
    "gst",
    "gst_filing",
];

/// The expected result of an import of the files.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Records in the register afterwards, by kind.
    pub records: BTreeMap<&'static str, u64>,
    /// Lines that change an existing record.
    pub changes: u64,
    /// Rows that must be rejected.
    pub rejects: u64,
    /// Rows and lines with a fault, by its name.
    pub faults: BTreeMap<&'static str, u64>,
    pub bytes: u64,
    pub files: u64,
}

impl Tally {
    pub(crate) fn record(&mut self, kind: &'static str) {
        *self.records.entry(kind).or_default() += 1;
    }

    pub(crate) fn fault(&mut self, fault: Fault) {
        *self.faults.entry(fault.word()).or_default() += 1;
    }

    pub(crate) fn add(&mut self, other: Tally) {
        for (kind, count) in other.records {
            *self.records.entry(kind).or_default() += count;
        }
        for (fault, count) in other.faults {
            *self.faults.entry(fault).or_default() += count;
        }
        self.changes += other.changes;
        self.rejects += other.rejects;
        self.bytes += other.bytes;
        self.files += other.files;
    }

    pub fn all_records(&self) -> u64 {
        self.records.values().sum()
    }

    /// The content of `EXPECTED.json`.
    pub(crate) fn to_json(&self, head: &str) -> String {
        let mut json = format!("{{\n{head}  \"records\": {{");
        let counts = |json: &mut String, counts: &mut dyn Iterator<Item = (&str, u64)>| {
            for (index, (name, count)) in counts.enumerate() {
                let comma = if index == 0 { "" } else { "," };
                let _ = write!(json, "{comma}\n    \"{name}\": {count}");
            }
            json.push_str("\n  }");
        };
        let counted = |kind: &&'static str| (*kind, self.records.get(*kind).copied().unwrap_or(0));
        counts(&mut json, &mut KINDS.iter().map(counted));
        let new = self.all_records();
        let read = new + self.changes + self.rejects;
        let rows =
            [("read", read), ("new", new), ("changed", self.changes), ("rejected", self.rejects)];
        json.push_str(",\n  \"rows\": {");
        counts(&mut json, &mut rows.into_iter());
        json.push_str(",\n  \"faults\": {");
        counts(&mut json, &mut self.faults.iter().map(|(fault, count)| (*fault, *count)));
        json.push_str("\n}\n");
        json
    }
}
