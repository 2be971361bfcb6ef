//! Read-only inspection of a SQLite file.

use std::path::Path;

use rusqlite::{Connection, OpenFlags, OptionalExtension};

use super::Workload;
use super::sqlite::{connect, failure};
use super::sqlite_copy::quick_check;
use crate::error::{Result, StoreError};

/// The first column of the first row.
pub fn read_sqlite(path: &Path, workload: Workload, sql: &str) -> Result<Option<String>> {
    inspect(path, workload, |connection| {
        let value = connection.query_row(sql, [], |row| row.get::<_, Option<String>>(0));
        Ok(value.optional()?.flatten())
    })
}

/// Damage to a file's structure; `None` if there is none.
pub fn check_sqlite(path: &Path, workload: Workload) -> Result<Option<String>> {
    inspect(path, workload, quick_check)
}

fn inspect<T>(
    path: &Path,
    workload: Workload,
    read: impl FnOnce(&Connection) -> rusqlite::Result<T>,
) -> Result<T> {
    let with_file_name = |error| match failure(error) {
        StoreError::Unavailable(reason) | StoreError::Bug(reason) => {
            StoreError::Unavailable(format!("{}: {reason}", path.display()))
        }
        other => other,
    };
    let connection =
        connect(path, workload, OpenFlags::SQLITE_OPEN_READ_ONLY, None).map_err(with_file_name)?;
    read(&connection).map_err(with_file_name)
}
