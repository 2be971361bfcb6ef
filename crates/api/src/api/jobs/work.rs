//! The operations that a job can run. A new one is a type that implements `JobOperation`, and a
//! variant of `Work` here.

use serde::{Deserialize, Serialize};

use super::enrich::EnrichWork;
use super::matching::MatchWork;
use super::operation::JobOperation;
use super::verify::VerifyWork;

/// What a job does, stored with it.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Work {
    /// Verify identifiers.
    Verify(VerifyWork),
    /// Fetch data of companies.
    Enrich(EnrichWork),
    /// Match names with companies.
    Match(MatchWork),
}

impl Work {
    pub fn operation(&self) -> &dyn JobOperation {
        match self {
            Work::Verify(work) => work,
            Work::Enrich(work) => work,
            Work::Match(work) => work,
        }
    }
}
