//! The error of a search or an index write.

use std::path::PathBuf;

use crate::index::Stamp;

/// Why a search or an index write failed.
#[derive(Debug, thiserror::Error)]
pub enum SearchError {
    #[error("search index: {0}")]
    Index(#[from] tantivy::TantivyError),
    #[error("search index: {0}")]
    Io(#[from] std::io::Error),
    #[error("search index: {0}")]
    Directory(#[from] panji_generations::GenerationsError),
    #[error("search index: {0}")]
    Json(#[from] serde_json::Error),
    #[error("search index: {0}")]
    Store(#[from] panji_store::StoreError),
    /// Reading it panicked.
    #[error("search index: the index could not be read")]
    Unreadable,
    #[error("search index: {} is damaged", .file.display())]
    Damaged { file: PathBuf },
    #[error("search index: the index has another schema")]
    OtherSchema,
    #[error("search index: the index is of another version: {0:?}")]
    OtherVersion(Option<Stamp>),
    #[error("search index: another process is building")]
    InUse,
}
