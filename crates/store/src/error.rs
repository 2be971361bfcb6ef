//! What can go wrong in the store, no finer than its callers need.

/// A failure of the store. "Not found" is not one: that is an `Option`.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// The write contradicts what is stored: a duplicate key or a broken constraint.
    #[error("conflict: {0}")]
    Conflict(String),
    /// The engine cannot serve now: it is down, full, locked, read-only or damaged.
    #[error("unavailable: {0}")]
    Unavailable(String),
    /// The engine went away while it was committing: the write may or may not have taken place.
    #[error("undecided: {0}")]
    Undecided(String),
    /// A programming error of ours: bad SQL, a wrong column type, a broken invariant.
    #[error("bug: {0}")]
    Bug(String),
}

/// The result of every store operation.
pub type Result<T> = std::result::Result<T, StoreError>;
