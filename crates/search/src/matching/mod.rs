//! From a name, as a list has it, to a company: which one is meant, how certain that is, and why.
//!
//! `text` reads the name, `entity` detects what it names, `name_fit` compares two names, `compare`
//! adds the other fields, `model` makes a probability of it, `decide` decides. Candidates are from
//! the search index.

mod compare;
mod decide;
mod entity;
mod fields;
mod model;
mod name_fit;
mod text;

use std::io;

pub use compare::{Evidence, Verdict, state_name};
pub use decide::{MatchCandidate, MatchDecision, MatchResult};
pub use entity::Entity;
pub use fields::{CompanyDetails, MatchItem};
pub use model::{Model, NONE_FEATURES, PAIR_FEATURES};

use crate::analyze::Name;
use crate::find::{Depth, find, find_readings};
use crate::legal::Suffix;
use crate::matching::name_fit::{NameFit, compare_names};
use crate::misspelled::SimilarTermCache;
use crate::places;
use crate::prepared_query::PreparedQuery;
use crate::rarity::Rarity;
use crate::request::{Found, Hits, SearchRequest};
use crate::snapshot::IndexSnapshot;

/// The companies of one search.
const PER_SEARCH: usize = 16;
/// From this score of the search on, a company in the right state is not searched for once more.
const FOUND: f64 = 0.6;

/// A company that may be meant, compared by its name.
#[derive(Clone, Debug)]
pub struct Compared {
    pub company: Found,
    fit: NameFit,
    /// Whether the former name fits, and not the current one.
    former: bool,
}

/// The companies that may be meant by one item.
#[derive(Clone, Debug)]
pub struct Candidates {
    pub entity: Entity,
    truncated: bool,
    pub compared: Vec<Compared>,
}

/// Finds the companies that may be meant.
pub(crate) fn candidates(
    snapshot: &IndexSnapshot,
    item: &MatchItem<'_>,
) -> tantivy::Result<Candidates> {
    let read = text::read(item.name);
    let rarity = Rarity::of(snapshot);
    let readings = read
        .variants
        .iter()
        .map(|variant| PreparedQuery::new(variant, &rarity))
        .collect::<io::Result<Vec<_>>>()?;
    let similar_term_cache = SimilarTermCache::default();
    let search = |state, readings: &[PreparedQuery], depth| {
        let text = read.variants.first().map_or("", String::as_str);
        let request = SearchRequest { text, ..request(state) };
        find_readings(snapshot, &request, readings, depth, &rarity, &similar_term_cache)
    };
    let mut found: Vec<Found> = Vec::new();
    if let Some(likeliest) = readings.first() {
        add(&mut found, search(None, &readings, Depth::OneMistake)?);
        // Many similar names may hide the one in this state.
        let state = item.state.and_then(state_name);
        let here = |one: &Found| one.score >= FOUND && one.state.as_deref() == state;
        if state.is_some() && (found.len() >= PER_SEARCH || !found.iter().any(here)) {
            add(&mut found, search(state, std::slice::from_ref(likeliest), Depth::Sound)?);
        }
    }
    for cin in item.identified.iter().map(String::as_str).chain(item.compared) {
        let request = SearchRequest { text: cin, ..request(None) };
        add(&mut found, find(snapshot, &request)?);
    }
    let compared = found
        .into_iter()
        .map(|company| compare_company(&readings, read.truncated, company, &rarity))
        .collect::<io::Result<_>>()?;
    Ok(Candidates { entity: entity::entity(item.name, &read), truncated: read.truncated, compared })
}

fn request(state: Option<&str>) -> SearchRequest<'_> {
    SearchRequest { limit: PER_SEARCH, state, best_only: true, ..SearchRequest::default() }
}

/// Adds the companies that were not found before.
fn add(found: &mut Vec<Found>, hits: Hits) {
    for company in hits.companies {
        if found.iter().all(|known| known.cin != company.cin) {
            found.push(company);
        }
    }
}

/// Compares the current and the former name with each reading, and keeps the best.
fn compare_company(
    queries: &[PreparedQuery],
    truncated: bool,
    company: Found,
    rarity: &Rarity<'_>,
) -> io::Result<Compared> {
    let mut own_places = places::words_of(company.city.as_deref(), company.state.as_deref());
    own_places.extend(company.pincode.clone());
    let present = registered(&company.name);
    let former = company.matched_name.as_deref().map(registered);
    let mut best: Option<(NameFit, bool)> = None;
    for (name, is_former) in
        std::iter::once((&present, false)).chain(former.as_ref().map(|former| (former, true)))
    {
        for query in queries {
            let fit = compare_names(query, truncated, name, &own_places, rarity)?;
            if best.as_ref().is_none_or(|(best, _)| fit.closeness() > best.closeness()) {
                best = Some((fit, is_former));
            }
        }
    }
    let (fit, former) = best.unwrap_or_default();
    Ok(Compared { company, fit, former })
}

/// A name of the register. Some are without a space before "private".
fn registered(name: &str) -> Name {
    let mut read = Name::new(name);
    if let (Some(Suffix::Limited), Some(last)) = (read.suffix, read.plain.last())
        && let Some(word) = last.strip_suffix("private").filter(|word| word.len() > 2)
    {
        read = Name::new(&format!("{} {word}", read.plain[..read.plain.len() - 1].join(" ")));
        read.suffix = Some(Suffix::PrivateLimited);
    }
    read
}
