//! What a rule is, and what it can find.

use std::borrow::Cow;

use jiff::ToSpan;
use jiff::civil::Date;

use crate::api::company_records::CompanyRecords;
use crate::api::wire::{Finding, FindingEvidence, FindingRule, enums};

/// The most records in the evidence of one finding.
const MAX_EVIDENCE: usize = 25;

/// A rule: what it says of itself, and a pure function.
pub struct Rule {
    /// One of [`enums::FINDING_CODES`].
    pub code: &'static str,
    pub threshold: Cow<'static, str>,
    pub basis: &'static str,
    pub cannot_see: &'static str,
    pub check: fn(&CompanyRecords) -> Outcome,
}

/// What a rule found.
#[derive(Debug, PartialEq, Eq)]
pub enum Outcome {
    Found(Vec<Found>),
    Nothing,
    /// Data is missing; the sentence says which.
    NotChecked(String),
}

/// A finding without the text of its rule.
#[derive(Debug, PartialEq, Eq)]
pub struct Found {
    pub is_risk: bool,
    pub severity: Level,
    pub confidence: Level,
    pub sentence: String,
    pub evidence: Vec<FindingEvidence>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    Low,
    Medium,
    High,
}

impl Level {
    fn as_str(self) -> &'static str {
        match self {
            Level::Low => enums::LOW,
            Level::Medium => enums::MEDIUM,
            Level::High => enums::HIGH,
        }
    }
}

impl Outcome {
    /// What was found, if anything was.
    pub fn of(found: Vec<Found>) -> Outcome {
        if found.is_empty() { Outcome::Nothing } else { Outcome::Found(found) }
    }

    pub fn not_checked(reason: &str) -> Outcome {
        Outcome::NotChecked(reason.to_owned())
    }
}

impl Rule {
    pub fn text(&self) -> FindingRule {
        FindingRule {
            threshold: self.threshold.clone(),
            comes_from: self.basis.into(),
            cannot_see: self.cannot_see.into(),
        }
    }

    /// A finding of this rule, as the API returns it.
    pub fn finding(&self, mut found: Found) -> Finding {
        let as_of = found.evidence.iter().filter_map(|evidence| evidence.as_of.clone()).max();
        let evidence_total = found.evidence.len();
        found.evidence.truncate(MAX_EVIDENCE);
        Finding {
            code: self.code.into(),
            kind: if found.is_risk { enums::RISK } else { enums::CONTEXT }.into(),
            severity: found.severity.as_str().into(),
            confidence: found.confidence.as_str().into(),
            sentence: found.sentence,
            evidence: found.evidence,
            evidence_total,
            rule: self.text(),
            as_of,
        }
    }
}

/// The day that is `months` before another, as text that can be compared with a stored day.
pub fn months_before(day: Date, months: i64) -> String {
    day.saturating_sub(months.months()).to_string()
}

/// Whether a stored day lies after one day and not after another.
pub fn is_between(day: Option<&str>, after: &str, until: Date) -> bool {
    day.is_some_and(|day| day > after && *day <= *until.to_string())
}

/// Whether a section with this coverage says nothing.
pub fn is_unknown(coverage: &str) -> bool {
    coverage == enums::NONE
}

/// The confidence that the coverage of a section allows.
pub fn confidence_of(coverage: &str) -> Level {
    if coverage == enums::FULL { Level::High } else { Level::Medium }
}
