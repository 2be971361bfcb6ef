//! Looking at a SQLite file without changing it.

use std::path::Path;

use rusqlite::{Connection, OpenFlags, OptionalExtension};

use super::Workload;
use super::sqlite::{connect, failure};
use super::sqlite_copy::quick_check;
use crate::error::{Result, StoreError};

/// The first column of the first row.
pub fn read_sqlite(path: &Path, workload: Workload, sql: &str) -> Result<Option<String>> {
    look(path, workload, |connection| {
        let value = connection.query_row(sql, [], |row| row.get::<_, Option<String>>(0));
        Ok(value.optional()?.flatten())
    })
}

/// What is wrong with a file's structure; none if it is sound.
pub fn check_sqlite(path: &Path, workload: Workload) -> Result<Option<String>> {
    look(path, workload, quick_check)
}

fn look<T>(
    path: &Path,
    workload: Workload,
    ask: impl FnOnce(&Connection) -> rusqlite::Result<T>,
) -> Result<T> {
    let named = |error| match failure(error) {
        StoreError::Unavailable(reason) | StoreError::Bug(reason) => {
            StoreError::Unavailable(format!("{}: {reason}", path.display()))
        }
        other => other,
    };
    let connection = connect(path, workload, OpenFlags::SQLITE_OPEN_READ_ONLY).map_err(named)?;
    ask(&connection).map_err(named)
}
