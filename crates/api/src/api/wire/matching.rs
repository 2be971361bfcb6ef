//! Matching requests and their results.

use panji_search::Evidence as FoundEvidence;
use serde::Serialize;
use utoipa::ToSchema;

use super::{SearchResult, enums};

/// Names to match with companies.
#[derive(Clone, Debug, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct MatchRequest {
    /// What to match, at most 100 items.
    #[schema(min_items = 1, max_items = 100)]
    pub items: Vec<MatchRequestItem>,
    /// How many candidates an item gets, 1 to 10; default 3.
    #[schema(minimum = 1, maximum = 10)]
    pub limit: Option<u16>,
}

/// One item to match: a name or an identifier, and what else is known.
#[derive(Clone, Debug, Default, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct MatchRequestItem {
    /// Your own reference for the item, up to 64 characters; it is repeated in the result.
    #[serde(rename = "ref")]
    #[schema(max_length = 64)]
    pub reference: Option<String>,
    /// The name as your list has it. Without it one of `cin`, `pan` and `gstin` is required.
    #[schema(max_length = 500)]
    pub name: Option<String>,
    /// A CIN, LLPIN or FCRN, current or former.
    #[schema(max_length = 500)]
    pub cin: Option<String>,
    /// A PAN.
    #[schema(max_length = 500)]
    pub pan: Option<String>,
    /// A GSTIN.
    #[schema(max_length = 500)]
    pub gstin: Option<String>,
    /// The state, by its two letters or its name.
    #[schema(max_length = 500)]
    pub state: Option<String>,
    /// The city.
    #[schema(max_length = 500)]
    pub city: Option<String>,
    /// The PIN code.
    #[schema(max_length = 500)]
    pub pincode: Option<String>,
    /// The address.
    #[schema(max_length = 500)]
    pub address: Option<String>,
    /// The date of incorporation; only its year is compared.
    pub incorporated_on: Option<String>,
    /// The year of incorporation.
    #[schema(minimum = 1600, maximum = 9999)]
    pub incorporated_year: Option<u16>,
    /// The name of a director.
    #[schema(max_length = 500)]
    pub director: Option<String>,
}

/// Which companies the items mean.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct MatchResults {
    /// The number of items.
    pub total: usize,
    /// The number of items with the decision `match`.
    pub matched: usize,
    /// The number of items with the decision `review`.
    pub review: usize,
    /// The number of items with the decision `none`.
    pub none: usize,
    /// The results, in the order of the request.
    pub results: Vec<MatchResult>,
}

/// Which company one item means.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct MatchResult {
    /// Your own reference for the item.
    #[serde(rename = "ref")]
    pub reference: Option<String>,
    /// The item as it was read.
    pub query: MatchQuery,
    /// What the name seems to name.
    #[schema(value_type = enums::EntityKind)]
    pub entity: &'static str,
    /// Whether a company is meant.
    #[schema(value_type = enums::MatchDecision)]
    pub decision: &'static str,
    /// The company meant; only with the decision `match`.
    pub company: Option<SearchResult>,
    /// The probability, 0 to 1, that the first candidate is the company meant. If an identifier decides,
    /// it is set: 0.995, or 0.5 if the name contradicts it.
    pub score: f64,
    /// The distance to the score of the second candidate; null if there is none.
    pub margin: Option<f64>,
    /// The companies that may be meant, the likeliest first.
    pub candidates: Vec<MatchCandidate>,
    /// In the results of a job: that a person of your account decided, in the console's review of this or an earlier
    /// job; null if the matching itself did. `decision` and `company` are then the person's; `score`, `margin` and the
    /// order of the candidates stay those of the matching.
    pub person_decision: Option<PersonDecision>,
}

/// The decision of a person in place of the one that the matching made.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct PersonDecision {
    /// When the person decided.
    pub decided_at: String,
    /// What the matching had decided.
    #[schema(value_type = enums::MatchDecision)]
    pub machine_decision: &'static str,
}

/// An item as it was read: identifiers and the state in their canonical form if they have one.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct MatchQuery {
    /// The item's name.
    pub name: Option<String>,
    /// The CIN, LLPIN or FCRN.
    pub cin: Option<String>,
    /// The PAN.
    pub pan: Option<String>,
    /// The GSTIN.
    pub gstin: Option<String>,
    /// The state's name, or the text if no state has it.
    pub state: Option<String>,
    /// The item's city.
    pub city: Option<String>,
    /// The PIN code.
    pub pincode: Option<String>,
    /// The item's address.
    pub address: Option<String>,
    /// The year of incorporation.
    pub incorporated_year: Option<u16>,
    /// The item's director.
    pub director: Option<String>,
}

/// A company that may be meant, as in a search, with the evidence.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct MatchCandidate {
    /// The company; its `score` is the probability, 0 to 1, that it is the one meant.
    #[serde(flatten)]
    pub company: SearchResult,
    /// What speaks for and against it, by field.
    pub evidence: Vec<Evidence>,
}

/// What one field tells about a candidate.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct Evidence {
    /// The field.
    #[schema(value_type = enums::EvidenceField)]
    pub field: &'static str,
    /// Whether the item and the company agree in it.
    #[schema(value_type = enums::EvidenceVerdict)]
    pub verdict: &'static str,
    /// The reason in a sentence.
    pub detail: String,
    /// Its part of the score, in logits: positive for the candidate, negative against it.
    pub weight: f64,
}

impl From<FoundEvidence> for Evidence {
    fn from(evidence: FoundEvidence) -> Evidence {
        Evidence {
            field: evidence.field,
            verdict: evidence.verdict.as_str(),
            detail: evidence.detail,
            weight: evidence.weight,
        }
    }
}
