//! Errors of the store, as coarse as its callers allow.

/// An error of the store. "Not found" is not an error but an `Option`.
#[derive(Clone, Debug, thiserror::Error)]
pub enum StoreError {
    /// The write violates a unique key or another constraint.
    #[error("conflict: {0}")]
    Conflict(String),
    /// The engine cannot serve now: it is down, full, locked, read-only or damaged.
    #[error("unavailable: {0}")]
    Unavailable(String),
    /// The connection was lost during a commit: the write may or may not have taken place.
    #[error("undecided: {0}")]
    Undecided(String),
    /// A programming error: invalid SQL, a wrong column type, a violated invariant.
    #[error("bug: {0}")]
    Bug(String),
}

pub type Result<T> = std::result::Result<T, StoreError>;
