//! Changes that another program made to the register's file.

use std::path::Path;

pub use panji_checksum_vfs::Acceptance;
use rusqlite::ErrorCode;

use super::sqlite::failure;
use crate::error::{Result, StoreError};

/// Checks the whole structure of the register's file and, if it is sound, gives correct checksums
/// to the pages that have wrong ones.
pub fn accept_changes(path: &Path) -> Result<Acceptance> {
    panji_checksum_vfs::accept(path).map_err(|error| {
        let is_open = error.sqlite_error_code() == Some(ErrorCode::DatabaseBusy);
        let reason = match failure(error) {
            _ if is_open => "it is in use: stop Panji and other programs that use it".to_owned(),
            StoreError::Unavailable(reason) | StoreError::Bug(reason) => reason,
            other => return other,
        };
        StoreError::Unavailable(format!("{}: {reason}", path.display()))
    })
}
