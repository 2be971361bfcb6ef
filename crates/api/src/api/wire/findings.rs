//! Findings: what stands out about a company, with the records that show it.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::enums;

/// What stands out about a company. Facts with their sources and dates; no finding is an accusation.
#[derive(Clone, Debug, Deserialize, Serialize, ToSchema)]
pub struct CompanyFindings {
    /// The company's CIN, LLPIN or FCRN.
    pub cin: String,
    /// The company's name.
    pub name: String,
    /// The day for which the rules were checked: "within 12 months" counts back from it.
    #[schema(format = "date")]
    pub checked_on: String,
    /// What stands out: risks first, the most severe first.
    pub findings: Vec<Finding>,
    /// The rules that were checked. One without a finding found nothing.
    pub checked: Vec<CheckedRule>,
    /// The rules that could not be checked: what they say is unknown, not "nothing found".
    pub not_checked: Vec<UncheckedRule>,
}

/// Something that stands out.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize, ToSchema)]
pub struct Finding {
    /// The rule that found it.
    #[schema(value_type = enums::FindingCode)]
    pub code: Cow<'static, str>,
    /// Whether it is a risk, or context for a decision.
    #[schema(value_type = enums::FindingKind)]
    pub kind: Cow<'static, str>,
    /// How much it matters.
    #[schema(value_type = enums::FindingSeverity)]
    pub severity: Cow<'static, str>,
    /// How certain it is, by the sources behind it.
    #[schema(value_type = enums::FindingConfidence)]
    pub confidence: Cow<'static, str>,
    /// What was found, in a sentence.
    pub sentence: String,
    /// The records that show it, at most 25.
    pub evidence: Vec<FindingEvidence>,
    /// How many records show it.
    pub evidence_total: usize,
    /// The rule.
    pub rule: FindingRule,
    /// The date of the newest source data among the evidence; null if no source states one.
    pub as_of: Option<String>,
}

/// A record that shows a finding.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, Serialize, ToSchema)]
pub struct FindingEvidence {
    /// What kind of record it is.
    #[schema(value_type = enums::FindingRecord)]
    pub record: Cow<'static, str>,
    /// The record's own number: a CIN, DIN, GSTIN, charge number or form; null if it has none.
    pub id: Option<String>,
    /// The name of the company, person or lender.
    pub name: Option<String>,
    /// What the record says, in a sentence.
    pub detail: String,
    /// The day that matters, as the day of appointment.
    #[schema(format = "date")]
    pub date: Option<String>,
    /// The date of the source data.
    pub as_of: Option<String>,
    /// The format of the source; null if it is not known.
    pub source: Option<String>,
}

/// A rule in words.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize, ToSchema)]
pub struct FindingRule {
    /// When the rule finds something.
    pub threshold: Cow<'static, str>,
    /// Where the threshold comes from: a section of an Act, or a choice of this service.
    pub comes_from: Cow<'static, str>,
    /// What the rule cannot see.
    pub cannot_see: Cow<'static, str>,
}

/// A rule that was checked.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize, ToSchema)]
pub struct CheckedRule {
    /// The rule.
    #[schema(value_type = enums::FindingCode)]
    pub code: Cow<'static, str>,
    /// How many findings it has.
    pub findings: usize,
    /// The rule in words.
    pub rule: FindingRule,
}

/// A rule that could not be checked.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize, ToSchema)]
pub struct UncheckedRule {
    /// The rule.
    #[schema(value_type = enums::FindingCode)]
    pub code: Cow<'static, str>,
    /// What is not known, in a sentence.
    pub reason: String,
}
