//! Bulk requests and their results.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use utoipa::ToSchema;

use super::{Verification, words};

/// A bulk verification.
#[derive(Clone, Debug, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct BulkVerifyRequest {
    /// What to verify, at most 1,000 items.
    #[schema(min_items = 1, max_items = 1000)]
    pub items: Vec<BulkVerifyItem>,
}

/// One identifier to verify.
#[derive(Clone, Debug, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct BulkVerifyItem {
    /// What it is; may be left out where its shape tells.
    #[serde(rename = "type", default)]
    pub kind: Option<IdentifierType>,
    /// The identifier.
    pub value: String,
    /// Your own name for the item, up to 64 characters; it comes back with the result.
    #[serde(rename = "ref", default)]
    #[schema(max_length = 64)]
    pub reference: Option<String>,
}

/// The kinds of identifiers; LLPIN and FCRN count as CIN.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq, Hash, Serialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum IdentifierType {
    /// A CIN, LLPIN or FCRN.
    Cin,
    /// A DIN.
    Din,
    /// A GSTIN.
    Gstin,
    /// A PAN.
    Pan,
}

impl IdentifierType {
    /// All of them.
    pub const ALL: [IdentifierType; 4] =
        [IdentifierType::Cin, IdentifierType::Din, IdentifierType::Gstin, IdentifierType::Pan];

    /// The word for it.
    pub fn as_str(self) -> &'static str {
        match self {
            IdentifierType::Cin => "cin",
            IdentifierType::Din => "din",
            IdentifierType::Gstin => "gstin",
            IdentifierType::Pan => "pan",
        }
    }
}

/// The result of a bulk verification.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct BulkVerifyResults {
    /// How many items there were.
    pub total: usize,
    /// How many are valid.
    pub valid: usize,
    /// How many are not, items of no telling kind included.
    pub invalid: usize,
    /// The results in the order asked.
    pub results: Vec<BulkVerifyResult>,
}

/// The result for one item.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct BulkVerifyResult {
    /// The item's own name.
    #[serde(rename = "ref")]
    pub reference: Option<String>,
    /// What it is; null where that cannot be told.
    #[serde(rename = "type")]
    pub kind: Option<IdentifierType>,
    /// The value as it was sent.
    pub value: String,
    /// The verdict, as the verify endpoint gives it; null where the kind cannot be told.
    // The description makes one schema per kind of this one.
    #[schema(value_type = Object)]
    pub result: Option<Verification>,
    /// Why there is no verdict; such an item costs nothing.
    pub error: Option<ItemError>,
}

/// Why an item of a bulk request has no result.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct ItemError {
    /// A code of the error table.
    #[schema(value_type = words::ErrorCode)]
    pub code: &'static str,
    /// What was wrong and what to do.
    pub message: String,
}

/// A bulk enrichment.
#[derive(Clone, Debug, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct BulkEnrichRequest {
    /// The companies, at most 100 CINs, LLPINs or FCRNs.
    #[schema(min_items = 1, max_items = 100)]
    pub cins: Vec<BulkEnrichCin>,
    /// The sections to fetch: `company`, `pan`, `capital`, `directors`, `charges`, `financials`,
    /// `compliance`, `documents`; or one member of a section, as `company.name`.
    #[schema(min_items = 1)]
    pub fields: Vec<String>,
}

/// A company to fetch sections of: its number, or its number with a name of your own.
#[derive(Clone, Debug, ToSchema)]
#[serde(untagged)]
pub enum BulkEnrichCin {
    /// A CIN, LLPIN or FCRN.
    Number(String),
    /// The same with a name of your own.
    Named(BulkEnrichItem),
}

/// One company to fetch sections of.
#[derive(Clone, Debug, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct BulkEnrichItem {
    /// A CIN, LLPIN or FCRN.
    pub cin: String,
    /// Your own name for the company, up to 64 characters; it comes back with the result.
    #[serde(rename = "ref", default)]
    #[schema(max_length = 64)]
    pub reference: Option<String>,
}

impl BulkEnrichCin {
    /// The caller's own name for it.
    pub fn reference(&self) -> Option<&str> {
        match self {
            BulkEnrichCin::Number(_) => None,
            BulkEnrichCin::Named(item) => item.reference.as_deref(),
        }
    }
}

impl AsRef<str> for BulkEnrichCin {
    fn as_ref(&self) -> &str {
        match self {
            BulkEnrichCin::Number(cin) => cin,
            BulkEnrichCin::Named(item) => &item.cin,
        }
    }
}

/// The result of a bulk enrichment.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct BulkEnrichResults {
    /// How many companies were asked for.
    pub total: usize,
    /// How many are held.
    pub found: usize,
    /// How many are not held or malformed.
    pub not_found: usize,
    /// The results in the order asked.
    pub results: Vec<BulkEnrichResult>,
}

/// The result for one company. Besides these fields it has one member per section asked for, as the
/// section's own endpoint gives it; null where the company is not held.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct BulkEnrichResult {
    /// Your own name for the company, where you gave one.
    #[serde(rename = "ref")]
    pub reference: Option<String>,
    /// The number as it was sent.
    pub requested: String,
    /// The present number in its canonical form; the one asked for where the company is not held, and
    /// null where it is malformed.
    pub cin: Option<String>,
    /// Whether the company is held.
    pub found: bool,
    /// What it cost; a company asked for twice is charged once.
    pub credits: i64,
    /// The sections asked for, by name.
    #[serde(flatten)]
    // The description names each of them.
    #[schema(ignore)]
    pub sections: Map<String, Value>,
    /// Why there is nothing: the number is malformed, or the company is not held.
    pub error: Option<ItemError>,
}

/// What a bulk call would cost at most; the answer to a dry run.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct BulkPrice {
    /// The most it can cost. What is not found costs nothing, so the call itself may cost less.
    pub credits: i64,
}
