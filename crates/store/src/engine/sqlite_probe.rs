//! Looking at a SQLite file without changing it.

use std::path::Path;

use rusqlite::{Connection, OpenFlags, OptionalExtension};

use super::sqlite::{BUSY_TIMEOUT, failure};
use super::sqlite_copy::quick_check;
use crate::error::{Result, StoreError};

/// The first column of the first row.
pub fn read_sqlite(path: &Path, sql: &str) -> Result<Option<String>> {
    look(path, |connection| {
        let value = connection.query_row(sql, [], |row| row.get::<_, Option<String>>(0));
        Ok(value.optional()?.flatten())
    })
}

/// What is wrong with a file's structure; none if it is sound.
pub fn check_sqlite(path: &Path) -> Result<Option<String>> {
    look(path, quick_check)
}

fn look<T>(path: &Path, ask: impl FnOnce(&Connection) -> rusqlite::Result<T>) -> Result<T> {
    let named = |error| match failure(error) {
        StoreError::Unavailable(reason) | StoreError::Bug(reason) => {
            StoreError::Unavailable(format!("{}: {reason}", path.display()))
        }
        other => other,
    };
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(path, flags).map_err(named)?;
    connection.busy_timeout(BUSY_TIMEOUT).map_err(named)?;
    ask(&connection).map_err(named)
}
