//! The search for directors: the search for names, with the ways in which people's names are written.

use crate::error::SearchError;
use crate::person_name::{initial_forms, without_titles};
use crate::rank::Match;
use crate::request::{Found, Hits, SearchRequest};
use crate::search::Search;

/// The highest score of a name that matches only in a form with initials: below that of the same name.
const BY_INITIALS: f64 = 0.78;
/// From this score on, two names are the same.
const SAME_NAME: f64 = 0.8;

/// A director that was found.
#[derive(Clone, Debug, PartialEq)]
pub struct FoundDirector {
    pub din: String,
    pub name: String,
    /// Of the DIN; `unknown` if only appointments name the person.
    pub status: String,
    /// The other spelling of the name that matched; none if the name itself did.
    pub matched_name: Option<String>,
    pub kind_of_match: Match,
    /// From 0 to 1.
    pub score: f64,
}

/// The directors of one search, best first.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct DirectorHits {
    /// The number of matches, up to a bound.
    pub total: usize,
    pub directors: Vec<FoundDirector>,
    /// If there are none: the words, as typed, that are not similar to a word of any name.
    pub not_understood: Vec<String>,
}

impl Search {
    /// Finds directors by name, in an index of directors. Errors as in `find`.
    pub fn find_directors(&self, text: &str, limit: usize) -> Result<DirectorHits, SearchError> {
        let text = without_titles(text);
        let Hits { total, companies, not_understood, .. } =
            self.find(&request(text, limit, false))?;
        let mut directors: Vec<FoundDirector> = companies.into_iter().map(director).collect();
        let mut total = total;
        let has_same = directors.first().is_some_and(|found| found.score >= SAME_NAME);
        if !has_same {
            // The register may have initials where the text has words.
            for form in initial_forms(text) {
                let hits = self.find(&request(&form, limit, true))?;
                for found in hits.companies.into_iter().filter(|found| found.score >= SAME_NAME) {
                    let mut found = director(found);
                    if !has_initials(&found.name) {
                        continue;
                    }
                    limit_to_initials(&mut found);
                    match directors.iter_mut().find(|known| known.din == found.din) {
                        Some(known) if known.score < found.score => *known = found,
                        Some(_) => {}
                        None => {
                            total += 1;
                            directors.push(found);
                        }
                    }
                }
            }
        }
        directors.sort_by(|one, other| {
            other.score.total_cmp(&one.score).then_with(|| one.din.cmp(&other.din))
        });
        directors.truncate(limit);
        let not_understood = if directors.is_empty() { not_understood } else { Vec::new() };
        Ok(DirectorHits { total, directors, not_understood })
    }
}

fn request(text: &str, limit: usize, best_only: bool) -> SearchRequest<'_> {
    SearchRequest { text, limit, best_only, ..SearchRequest::default() }
}

/// Whether a name has a word of one letter.
fn has_initials(name: &str) -> bool {
    let mut words = name.split(|character: char| character.is_whitespace() || character == '.');
    words.any(|word| word.chars().count() == 1)
}

fn director(found: Found) -> FoundDirector {
    let is_form = |matched: &String| initial_forms(&found.name).contains(matched);
    let by_initials = found.matched_name.as_ref().is_some_and(is_form);
    let mut director = FoundDirector {
        din: found.cin,
        name: found.name,
        status: found.status,
        matched_name: found.matched_name.filter(|_| !by_initials),
        kind_of_match: found.kind_of_match,
        score: found.score,
    };
    if by_initials {
        limit_to_initials(&mut director);
    }
    director
}

/// Initials stand for many names: the match is not that of the name itself.
fn limit_to_initials(director: &mut FoundDirector) {
    director.score = director.score.min(BY_INITIALS);
    director.kind_of_match = director.kind_of_match.max(Match::Words);
}
