//! The request and response types: the API's contract with clients. Built from stored records,
//! never stored themselves.

mod account;
mod bulk;
mod charges;
mod company;
mod compliance;
mod coverage;
mod directors;
mod documents;
pub mod event_fields;
mod events;
mod financial_flags;
mod financials;
mod gst;
mod jobs;
mod lei;
mod matching;
mod network;
mod search;
mod value;
mod verification;
mod watch;
mod webhooks;
pub mod words;

pub use account::*;
pub use bulk::*;
pub use charges::*;
pub use company::*;
pub use compliance::*;
pub use coverage::*;
pub use directors::*;
pub use documents::*;
pub use events::*;
pub use financials::*;
pub use gst::*;
pub use jobs::*;
pub use lei::*;
pub use matching::*;
pub use network::*;
pub use search::*;
pub use value::*;
pub use verification::*;
pub use watch::*;
pub use webhooks::*;
