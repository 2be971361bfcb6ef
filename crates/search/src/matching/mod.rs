//! From a name, as a list has it, to a company: which one is meant, how certain that is, and why.
//!
//! `text` reads the name, `entity` tells what it names, `name_fit` compares two names, `compare`
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
pub use decide::{Decision, MatchCandidate, MatchResult};
pub use entity::Entity;
pub use fields::{CompanyDetails, MatchItem};
pub use model::{Model, NONE_FEATURES, PAIR_FEATURES};

use crate::analyze::Name;
use crate::find::find;
use crate::legal::Suffix;
use crate::matching::name_fit::{NameFit, compare_names};
use crate::places;
use crate::prepared_query::PreparedQuery;
use crate::rarity::Rarity;
use crate::request::{Found, SearchRequest};
use crate::view::View;

/// The most companies that are compared with an item.
const MAX_CANDIDATES: usize = 30;
/// The companies of one search.
const PER_SEARCH: usize = 16;
/// From this score of the search on, other readings of the name are not searched.
const FOUND: f64 = 0.8;

/// A company that may be meant, compared by its name.
#[derive(Clone, Debug)]
pub struct Compared {
    pub company: Found,
    fit: NameFit,
    /// Whether the former name fits, and not the present one.
    former: bool,
}

/// The companies that may be meant by one item.
#[derive(Clone, Debug)]
pub struct Candidates {
    pub entity: Entity,
    cut: bool,
    pub compared: Vec<Compared>,
}

/// Finds the companies that may be meant.
pub(crate) fn candidates(view: &View, item: &MatchItem<'_>) -> tantivy::Result<Candidates> {
    let read = text::read(item.name);
    let rarity = Rarity::of(view);
    let mut found: Vec<Found> = Vec::new();
    for variant in &read.variants {
        search(view, variant, None, &mut found)?;
        if found.iter().any(|found| found.score >= FOUND) {
            break;
        }
    }
    let state = item.state.and_then(state_name);
    let elsewhere = |found: &Found| found.state.as_deref() != state;
    // Many similar names may hide the one in this state.
    let crowded = found.len() >= PER_SEARCH
        || !found.iter().any(|found| found.score >= FOUND && !elsewhere(found));
    if let (Some(_), Some(variant), true) = (state, read.variants.first(), crowded) {
        search(view, variant, state, &mut found)?;
    }
    found.truncate(MAX_CANDIDATES);
    for cin in item.identified.iter().map(String::as_str).chain(item.compared) {
        search(view, cin, None, &mut found)?;
    }
    let queries = read
        .variants
        .iter()
        .map(|variant| PreparedQuery::of(Name::new(variant), &rarity))
        .collect::<io::Result<Vec<_>>>()?;
    let compared = found
        .into_iter()
        .map(|company| compare_company(&queries, read.cut, company, &rarity))
        .collect::<io::Result<_>>()?;
    Ok(Candidates { entity: entity::entity(item.name, &read), cut: read.cut, compared })
}

fn search(
    view: &View,
    text: &str,
    state: Option<&str>,
    found: &mut Vec<Found>,
) -> tantivy::Result<()> {
    let request = SearchRequest {
        text,
        limit: PER_SEARCH,
        state,
        best_only: true,
        ..SearchRequest::default()
    };
    for company in find(view, &request)?.companies {
        if found.iter().all(|known| known.cin != company.cin) {
            found.push(company);
        }
    }
    Ok(())
}

/// Compares the present and the former name with each reading, and keeps the best.
fn compare_company(
    queries: &[PreparedQuery],
    cut: bool,
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
            let fit = compare_names(query, cut, name, &own_places, rarity)?;
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
