//! SQLite files that detect flipped bits. Every page has a checksum and its own number in eight
//! bytes that SQLite reserves; both are written with the page and verified whenever it is read,
//! from the file or through the memory map. A damaged page is an error, never data.
//!
//! Any SQLite can read such a file. Only this crate may write it: pages that another program
//! writes, even by a checkpoint when it closes the file, have no checksum and are rejected
//! afterwards.

mod layer;
mod pace;
mod seal;

use std::path::Path;

use rusqlite::{Connection, Error, OpenFlags, Result, ffi};

pub use layer::take_damaged_page;
pub use seal::PAGE;
use seal::SEAL;

/// Opens or creates a file whose pages have checksums.
pub fn open(path: &Path, flags: OpenFlags) -> Result<Connection> {
    let layer = layer::registered().map_err(|code| failure(code, "there is no default VFS"))?;
    let opened = Connection::open_with_flags_and_vfs(path, flags, layer);
    if layer::take_without_checksums() {
        let reason =
            "its pages have no checksums: another program made it, or its header is damaged";
        return Err(failure(ffi::SQLITE_NOTADB, reason));
    }
    let connection = opened?;
    layer::reserve_bytes(&connection, SEAL)?;
    Ok(connection)
}

/// Whether an error reports a page with a wrong checksum.
pub fn is_damage(error: &Error) -> bool {
    matches!(error, Error::SqliteFailure(code, _) if code.extended_code == ffi::SQLITE_IOERR_DATA)
}

fn failure(code: i32, reason: &str) -> Error {
    Error::SqliteFailure(ffi::Error::new(code), Some(reason.into()))
}
