//! Searches companies and directors by name.
//!
//! `analyze` converts names to a normal form; `stages` finds many candidates, the cheap stages first;
//! `rank` orders them by a pure function; `matching` finds the company for each name of a list. `index`
//! is one index, the crate `generations` manages them on disk, `index_kind` says whether it contains companies
//! or directors, `build` builds a new one from the register and `follow` keeps it up to date with the change
//! feed. The index is derived data: it may be deleted at any time.

mod analyze;
mod automaton;
mod build;
mod candidates;
mod company_number;
mod devanagari;
mod directors;
mod doc_sets;
mod error;
mod filter;
mod find;
mod follow;
mod index;
mod index_kind;
mod legal;
mod loanwords;
mod matching;
mod misspelled;
mod numbers;
mod person_name;
mod places;
mod plural;
mod prepared_query;
mod rank;
mod rarity;
mod request;
mod schema;
mod scripts;
mod search;
mod short_forms;
mod similarity;
mod snapshot;
mod sound;
mod stages;
mod stored_company;
mod typos;

pub use analyze::is_same_name;
pub use build::{BuildObserver, build, build_from};
pub use directors::{DirectorHits, FoundDirector};
pub use error::SearchError;
pub use index_kind::IndexKind;
pub use matching::{
    Candidates, CompanyDetails, Compared, Entity, Evidence, MatchCandidate, MatchDecision,
    MatchItem, MatchResult, Model, NONE_FEATURES, PAIR_FEATURES, Verdict, state_name,
};
pub use panji_generations::{BuildOutcome, Built, Derived, Generation, Generations, follow};
pub use rank::Match;
pub use request::{Found, Hits, Order, SearchRequest};
pub use search::Search;
