//! Coverage: what the sources state about the sections of a company, so that an empty list can be
//! distinguished from missing data.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{Company, CompanyOf};

/// A section that a source can state the coverage of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CoveredSection {
    Company,
    Capital,
    Directors,
    Charges,
    Financials,
    Compliance,
    Documents,
}

impl CoveredSection {
    pub const ALL: [CoveredSection; 7] = [
        CoveredSection::Company,
        CoveredSection::Capital,
        CoveredSection::Directors,
        CoveredSection::Charges,
        CoveredSection::Financials,
        CoveredSection::Compliance,
        CoveredSection::Documents,
    ];
}

/// How much of a section a source lists. A section without a statement and without records is
/// unknown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CoverageLevel {
    Partial,
    /// Everything: what the source does not list does not exist.
    Full,
}

/// A source's statement about one section of a company.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CoverageStatement {
    pub coverage: CoverageLevel,
    /// The date of the source data.
    pub as_of: Option<String>,
    /// The name of the source format.
    pub source: String,
}

impl CoverageStatement {
    /// The newer statement decides; of two with the same date, the one that covers more.
    fn rank(&self) -> (Option<&str>, CoverageLevel) {
        (self.as_of.as_deref(), self.coverage)
    }
}

/// The statements about a company's sections. Stored as JSON text in the company's row.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Coverage(BTreeMap<CoveredSection, CoverageStatement>);

impl Coverage {
    /// Without a statement.
    pub const EMPTY: &str = "{}";

    /// Reads the stored text. Damaged text states nothing.
    pub fn from_stored(text: &str) -> Coverage {
        if text == Coverage::EMPTY {
            return Coverage::default();
        }
        serde_json::from_str(text).unwrap_or_default()
    }

    pub fn to_stored(&self) -> String {
        serde_json::to_string(self).unwrap_or_else(|_| Coverage::EMPTY.to_owned())
    }

    pub fn get(&self, section: CoveredSection) -> Option<&CoverageStatement> {
        self.0.get(&section)
    }

    pub fn insert(&mut self, section: CoveredSection, statement: CoverageStatement) {
        self.0.insert(section, statement);
    }

    /// Takes over the statements of another record of the company that are newer or about other
    /// sections.
    pub(super) fn merge(&mut self, other: Coverage) {
        for (section, statement) in other.0 {
            match self.0.get(&section) {
                Some(own) if own.rank() >= statement.rank() => {}
                _ => drop(self.0.insert(section, statement)),
            }
        }
    }

    fn date_if_undated(&mut self, as_of: &str) {
        for statement in self.0.values_mut() {
            statement.as_of.get_or_insert_with(|| as_of.to_owned());
        }
    }
}

impl<Text: AsRef<str>> CompanyOf<Text> {
    pub fn coverage(&self) -> Coverage {
        Coverage::from_stored(self.coverage.as_ref())
    }
}

impl Company {
    /// Adds the coverage statements of another record of the company.
    pub(super) fn merge_coverage(&mut self, other: &Company) {
        if other.coverage != Coverage::EMPTY && other.coverage != self.coverage {
            let mut coverage = self.coverage();
            coverage.merge(other.coverage());
            self.coverage = coverage.to_stored();
        }
    }

    /// Sets the date of the record and of its statements where the source states none.
    pub(super) fn date_if_undated(&mut self, as_of: &str) {
        self.as_of.get_or_insert_with(|| as_of.to_owned());
        if self.coverage != Coverage::EMPTY {
            let mut coverage = self.coverage();
            coverage.date_if_undated(as_of);
            self.coverage = coverage.to_stored();
        }
    }
}
