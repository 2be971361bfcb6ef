//! Bulk requests and their results.

use serde::{Deserialize, Serialize, Serializer};
use serde_json::{Map, Value};
use utoipa::ToSchema;

use super::{
    Capital, Company, CompanyCharges, CompanyDirectors, CompanyPan, Compliance, Documents,
    Financials, Verification, enums,
};

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
    /// The type; may be omitted if the format of the value identifies it.
    #[serde(rename = "type", default)]
    pub kind: Option<IdentifierType>,
    /// The identifier.
    pub value: String,
    /// Your own reference for the item, up to 64 characters; it is repeated in the result.
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
    pub const ALL: [IdentifierType; 4] =
        [IdentifierType::Cin, IdentifierType::Din, IdentifierType::Gstin, IdentifierType::Pan];

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
    /// The number of items.
    pub total: usize,
    /// The number of valid items.
    pub valid: usize,
    /// The number of invalid items, including items of unknown type.
    pub invalid: usize,
    /// The results, in the order of the request.
    pub results: Vec<BulkVerifyResult>,
}

/// The result for one item.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct BulkVerifyResult {
    /// Your own reference for the item.
    #[serde(rename = "ref")]
    pub reference: Option<String>,
    /// The type; null if it is unknown.
    #[serde(rename = "type")]
    pub kind: Option<IdentifierType>,
    /// The value as sent.
    pub value: String,
    /// The verdict, as the verify endpoint returns it; null if the type is unknown.
    // `openapi::components` replaces this by one schema per type.
    #[schema(value_type = Object)]
    pub result: Option<Verification>,
    /// Why there is no verdict; such an item costs nothing.
    pub error: Option<ItemError>,
}

/// Why an item of a bulk request has no result.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct ItemError {
    /// A code of the error table.
    #[schema(value_type = enums::ErrorCode)]
    pub code: &'static str,
    /// What is wrong and what to do.
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
    /// `compliance`, `documents`; or one member of a section, such as `company.name`.
    #[schema(min_items = 1)]
    pub fields: Vec<String>,
}

/// A company to fetch sections of: its number, or its number with your own reference.
#[derive(Clone, Debug, ToSchema)]
#[serde(untagged)]
pub enum BulkEnrichCin {
    /// A CIN, LLPIN or FCRN.
    Number(String),
    /// A number with your own reference.
    Named(BulkEnrichItem),
}

/// One company to fetch sections of.
#[derive(Clone, Debug, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct BulkEnrichItem {
    /// A CIN, LLPIN or FCRN.
    pub cin: String,
    /// Your own reference for the company, up to 64 characters; it is repeated in the result.
    #[serde(rename = "ref", default)]
    #[schema(max_length = 64)]
    pub reference: Option<String>,
}

impl BulkEnrichCin {
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
    /// The number of requested companies.
    pub total: usize,
    /// The number of companies found.
    pub found: usize,
    /// The number of companies not found or malformed.
    pub not_found: usize,
    /// The results, in the order of the request.
    pub results: Vec<BulkEnrichResult>,
}

/// The result for one company. In addition to these fields it has one member per requested section, as the
/// section's own endpoint returns it; null if the company is not in the register.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct BulkEnrichResult {
    /// Your own reference for the company, if you sent one.
    #[serde(rename = "ref")]
    pub reference: Option<String>,
    /// The number as sent.
    pub requested: String,
    /// The current number in its canonical form; the requested one if the company is not in the
    /// register, and null if it is malformed.
    pub cin: Option<String>,
    /// Whether the company is in the register.
    pub found: bool,
    /// The price; a company requested twice is charged once.
    pub credits: i64,
    /// The requested sections, by name.
    #[serde(flatten)]
    // `openapi::components` adds each of them.
    #[schema(ignore)]
    pub sections: EnrichedSections,
    /// Why there is no data: the number is malformed, or the company is not in the register.
    pub error: Option<ItemError>,
}

/// Sections of a company by name, in the order of the request.
#[derive(Clone, Debug)]
pub struct EnrichedSections(pub Vec<(&'static str, EnrichedSection)>);

impl Serialize for EnrichedSections {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(name, section)| (name, section)))
    }
}

/// A section of a company as its own endpoint returns it.
#[derive(Clone, Debug, Serialize)]
#[serde(untagged)]
pub enum EnrichedSection {
    Company(Box<Company<'static>>),
    Pan(CompanyPan),
    Capital(Capital),
    Directors(CompanyDirectors),
    Charges(CompanyCharges),
    Financials(Financials),
    Compliance(Compliance),
    Documents(Documents),
    /// Some members of a section.
    Members(Map<String, Value>),
    /// The company is not in the register.
    Null,
}

/// The most that a bulk call can cost; the response to a dry run.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct BulkPrice {
    /// The most it can cost. Items that are not found cost nothing, so the call itself may cost
    /// less.
    pub credits: i64,
}
