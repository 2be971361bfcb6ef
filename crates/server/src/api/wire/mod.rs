//! The request and response types: the API's contract with clients. Built from stored records,
//! never stored themselves.

mod account;
mod bulk;
mod charges;
mod company;
mod compliance;
mod coverage;
mod director_search;
mod directors;
mod documents;
mod financial_flags;
mod financials;
mod findings;
mod gst;
mod jobs;
mod lei;
mod matching;
mod search;
mod value;
mod verification;
pub mod words;

pub use account::*;
pub use bulk::*;
pub use charges::*;
pub use company::*;
pub use compliance::*;
pub use coverage::*;
pub use director_search::*;
pub use directors::*;
pub use documents::*;
pub use financials::*;
pub use findings::*;
pub use gst::*;
pub use jobs::*;
pub use lei::*;
pub use matching::*;
pub use search::*;
pub use value::*;
pub use verification::*;
