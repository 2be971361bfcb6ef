//! Search results.

use panji_search::{Found, Hits};
use serde::Serialize;
use utoipa::ToSchema;

use super::enums;

/// The companies that a search found.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct SearchResults {
    /// The text that was looked for.
    pub query: String,
    /// How many companies match, counted up to 1,000.
    pub total: usize,
    /// The page, from 1.
    pub page: i64,
    /// Whether a further page has companies; false on page 20, which is the last.
    pub has_more: bool,
    /// The companies of this page, best first.
    pub companies: Vec<SearchResult>,
    /// Where there are none: what of the text was not understood, in a sentence.
    pub reason: Option<String>,
}

/// A company that a search found.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct SearchResult {
    /// The current CIN, LLPIN or FCRN.
    pub cin: String,
    /// The current legal name.
    pub name: String,
    /// The status, as in the company.
    #[schema(value_type = enums::CompanyStatus)]
    pub status: String,
    /// What it is.
    #[schema(value_type = enums::CompanyKind)]
    pub kind: String,
    /// The state's name.
    pub state: Option<String>,
    /// The city of the registered office.
    pub city: Option<String>,
    /// The PIN code of the registered office.
    pub pincode: Option<String>,
    /// The date of incorporation or registration.
    pub incorporated_on: Option<String>,
    /// Whether its shares are listed.
    pub listed: Option<bool>,
    /// Its legal entity identifier; null if none is known.
    pub lei: Option<String>,
    /// The former name that matched, where it was not the current one.
    pub matched_name: Option<String>,
    /// How it matched.
    #[serde(rename = "match")]
    #[schema(value_type = enums::MatchKind)]
    pub kind_of_match: &'static str,
    /// How well it matched, from 0 to 1.
    pub score: f64,
}

impl SearchResults {
    /// What a search found, within filters or not.
    pub fn new(query: String, page: i64, hits: Hits, narrowed: bool) -> SearchResults {
        let reason = hits.companies.is_empty().then(|| match hits.total {
            0 if hits.only_legal_form => ONLY_LEGAL_FORM.to_owned(),
            0 => reason(&hits.not_understood, narrowed),
            _ => "This page is past the last one that has companies.".to_owned(),
        });
        let companies = hits.companies.into_iter().map(SearchResult::from).collect();
        SearchResults { query, total: hits.total, page, has_more: hits.has_more, companies, reason }
    }

    /// The same, where an LEI in the text named this company.
    pub fn of_lei(
        query: String,
        page: i64,
        mut hits: Hits,
        narrowed: bool,
        cin: &str,
    ) -> SearchResults {
        hits.companies.retain(|found| found.cin == cin);
        hits.total = hits.companies.len();
        hits.has_more = false;
        let mut results = SearchResults::new(query, page, hits, narrowed);
        for company in &mut results.companies {
            company.kind_of_match = enums::LEI_MATCH;
        }
        results
    }

    /// Sets the LEI of each company.
    pub fn set_leis(&mut self, leis: Vec<Option<String>>) {
        for (company, lei) in self.companies.iter_mut().zip(leis) {
            company.lei = lei;
        }
    }
}

const ONLY_LEGAL_FORM: &str = "The search has only a legal form: add a word of the name.";

/// Why nothing was found.
fn reason(not_understood: &[String], narrowed: bool) -> String {
    let words: Vec<String> = not_understood.iter().map(|word| format!("\"{word}\"")).collect();
    let within = if narrowed { " within the filters" } else { "" };
    match words.as_slice() {
        [] => format!(
            "Names have these words or words like them, but no company{within} fits the search."
        ),
        [word] => format!("No company has {word} in its name, or a word like it."),
        words => format!(
            "No company has these words in its name, or words like them: {}.",
            words.join(", ")
        ),
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
            city: found.city,
            pincode: found.pincode,
            incorporated_on: found.incorporated_on,
            listed: found.listed,
            lei: None,
            matched_name: found.matched_name,
            kind_of_match: found.kind_of_match.as_str(),
            score: found.score,
        }
    }
}
