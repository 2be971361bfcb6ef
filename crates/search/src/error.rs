//! The error of a search or an index write.

#[derive(Debug, thiserror::Error)]
#[error("search index: {0}")]
pub struct SearchError(String);

impl SearchError {
    pub(crate) fn new(reason: impl Into<String>) -> SearchError {
        SearchError(reason.into())
    }
}

impl From<tantivy::TantivyError> for SearchError {
    fn from(error: tantivy::TantivyError) -> Self {
        SearchError(error.to_string())
    }
}

impl From<std::io::Error> for SearchError {
    fn from(error: std::io::Error) -> Self {
        SearchError(error.to_string())
    }
}

impl From<serde_json::Error> for SearchError {
    fn from(error: serde_json::Error) -> Self {
        SearchError(error.to_string())
    }
}

impl From<panji_store::StoreError> for SearchError {
    fn from(error: panji_store::StoreError) -> Self {
        SearchError(error.to_string())
    }
}
