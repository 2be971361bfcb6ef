//! Search results.

use panji_search::{Found, Hits};
use serde::Serialize;
use utoipa::ToSchema;

use super::words;

/// The companies that a search found.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct SearchResults {
    /// The text that was looked for.
    pub query: String,
    /// How many companies match, counted up to 1,000.
    pub total: usize,
    /// The best of them, best first.
    pub companies: Vec<SearchResult>,
}

/// A company that a search found.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct SearchResult {
    /// The present CIN, LLPIN or FCRN.
    pub cin: String,
    /// The present legal name.
    pub name: String,
    /// The status, as in the company.
    #[schema(value_type = words::CompanyStatus)]
    pub status: String,
    /// What it is.
    #[schema(value_type = words::CompanyKind)]
    pub kind: String,
    /// The state's name.
    pub state: Option<String>,
    /// The date of incorporation or registration.
    pub incorporated_on: Option<String>,
    /// Whether its shares are listed.
    pub listed: Option<bool>,
    /// The former name that matched, where it was not the present one.
    pub matched_name: Option<String>,
    /// How it matched.
    #[serde(rename = "match")]
    #[schema(value_type = words::MatchKind)]
    pub kind_of_match: &'static str,
    /// How well it matched, from 0 to 1.
    pub score: f64,
}

impl SearchResults {
    /// What a search found.
    pub fn new(query: String, hits: Hits) -> SearchResults {
        let companies = hits.companies.into_iter().map(SearchResult::from).collect();
        SearchResults { query, total: hits.total, companies }
    }
}

impl From<Found> for SearchResult {
    fn from(found: Found) -> SearchResult {
        SearchResult {
            cin: found.cin,
            name: found.name,
            status: found.status,
            kind: found.kind,
            state: found.state,
            incorporated_on: found.incorporated_on,
            listed: found.listed,
            matched_name: found.matched_name,
            kind_of_match: found.kind_of_match.as_str(),
            score: found.score,
        }
    }
}
