//! Names in, ranked companies out.
//!
//! `analyze` brings names into a normal form, `query` finds candidates generously, `rank` orders
//! them by a pure function, `index` holds them, and `follow` keeps the index up to date with the
//! register's change feed. The index is derived: it may be deleted at any time.

mod analyze;
mod follow;
mod index;
mod query;
mod rank;

pub use follow::follow;
pub use index::{Found, Hits, Search, SearchError, SearchRequest};
pub use rank::Match;
