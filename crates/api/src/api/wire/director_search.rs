//! Results of the search for directors.

use panji_search::FoundDirector;
use panji_store::register::{Directorship, IndexedDirector};
use serde::Serialize;
use utoipa::ToSchema;

use super::enums;

/// The most names of companies in a result.
const MAX_COMPANY_NAMES: usize = 3;

/// The directors that a search found.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct DirectorSearchResults {
    /// The text that was looked for.
    pub query: String,
    /// How many directors match, counted up to 1,000.
    pub total: usize,
    /// The directors, best first.
    pub directors: Vec<DirectorSearchResult>,
    /// Where there are none: what of the text was not understood, in a sentence.
    pub reason: Option<String>,
}

/// A director that a search found.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct DirectorSearchResult {
    /// The DIN.
    #[schema(example = "99000101")]
    pub din: String,
    /// The person's name.
    pub name: String,
    /// The status of the DIN; `unknown` if only the directors of a company name the person.
    #[schema(value_type = enums::DirectorStatus)]
    pub status: String,
    /// The number of companies in which the person is a director now; null if no company is known.
    pub current_companies: Option<usize>,
    /// The names of up to three of these companies.
    pub companies: Vec<String>,
    /// The other spelling of the name that matched, where it was not `name`.
    pub matched_name: Option<String>,
    /// How it matched.
    #[serde(rename = "match")]
    #[schema(value_type = enums::DirectorMatchKind)]
    pub kind_of_match: &'static str,
    /// How well it matched, from 0 to 1.
    pub score: f64,
}

impl DirectorSearchResults {
    pub fn new(
        query: String,
        total: usize,
        directors: Vec<DirectorSearchResult>,
        not_understood: &[String],
    ) -> DirectorSearchResults {
        let reason = directors.is_empty().then(|| reason(not_understood));
        DirectorSearchResults { query, total, directors, reason }
    }
}

impl DirectorSearchResult {
    pub fn new(director: FoundDirector, directorships: &[Directorship]) -> DirectorSearchResult {
        let (current_companies, companies) = present(directorships);
        DirectorSearchResult {
            din: director.din,
            name: director.name,
            status: director.status,
            current_companies,
            companies,
            matched_name: director.matched_name,
            kind_of_match: director.kind_of_match.as_str(),
            score: director.score,
        }
    }

    /// The person whose DIN was looked for.
    pub fn of_din(
        director: IndexedDirector,
        directorships: &[Directorship],
    ) -> DirectorSearchResult {
        let (current_companies, companies) = present(directorships);
        DirectorSearchResult {
            din: director.din,
            name: director.name,
            status: director.status,
            current_companies,
            companies,
            matched_name: None,
            kind_of_match: enums::DIN_MATCH,
            score: 1.0,
        }
    }
}

/// The number of current companies, and some of their names.
fn present(directorships: &[Directorship]) -> (Option<usize>, Vec<String>) {
    let current = || directorships.iter().filter(|directorship| directorship.ceased_on.is_none());
    let names = current()
        .filter_map(|directorship| directorship.company_name.clone())
        .take(MAX_COMPANY_NAMES);
    ((!directorships.is_empty()).then(|| current().count()), names.collect())
}

/// Why nothing was found.
fn reason(not_understood: &[String]) -> String {
    let words: Vec<String> = not_understood.iter().map(|word| format!("\"{word}\"")).collect();
    match words.as_slice() {
        [] => {
            "Names have these words or words like them, but no director fits the search.".to_owned()
        }
        [word] => format!("No director has {word} in the name, or a word like it."),
        words => format!(
            "No director has these words in the name, or words like them: {}.",
            words.join(", ")
        ),
    }
}
