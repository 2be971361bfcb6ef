//! Who is connected with whom: companies, the people in office, registered offices and email domains.
//!
//! `address` and `email` say what makes two offices or domains the same. `base` is a compact read-only
//! graph, `file` its form on disk and `builder` makes one; `overlay` has what changed since, and
//! `snapshot` reads both as one graph. `network` and `paths` are the questions. `build` makes a generation
//! from the register and `follow` keeps the graph up to date with the change feed. It is derived data: it
//! may be deleted at any time.

mod address;
mod address_words;
mod base;
mod build;
mod builder;
mod email;
mod error;
mod file;
mod follow;
mod graph;
mod network;
mod node;
mod overlay;
mod paths;
mod snapshot;

pub use address::{address_key, address_tokens};
pub use build::{BuildObserver, build};
pub use builder::{Builder, CompanyLinks};
pub use email::email_domain;
pub use error::GraphError;
pub use graph::Graph;
pub use network::{Edge, MAX_DEPTH, MAX_NODES, Network, NetworkNode};
pub use node::{NodeId, Relation};
pub use panji_generations::{BuildOutcome, Built, Derived, Generation, Generations, follow};
pub use paths::{MAX_PATHS, MAX_STEPS, Paths, Step};
pub use snapshot::{GraphSnapshot, Hub, MAX_NEIGHBORS};
