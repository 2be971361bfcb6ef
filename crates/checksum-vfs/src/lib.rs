//! SQLite files that notice when a bit of them has flipped. Every page carries a checksum and its own
//! number in eight bytes that SQLite leaves free; both are written with the page and verified whenever
//! it is read, from the file or through the memory map. A page that fails is an error, never data.
//!
//! Any SQLite can read such a file. Only this crate can write it: what another program writes, even by
//! working the log into the file when it closes it, has no checksum and is refused afterwards.

mod layer;
mod pace;
mod seal;

use std::path::Path;

use rusqlite::{Connection, Error, OpenFlags, Result, ffi};

pub use layer::take_damaged_page;
pub use seal::PAGE;
use seal::SEAL;

/// Opens a file whose pages have checksums, or begins one.
pub fn open(path: &Path, flags: OpenFlags) -> Result<Connection> {
    let layer = layer::registered().map_err(|code| failure(code, "no layer beneath"))?;
    let opened = Connection::open_with_flags_and_vfs(path, flags, layer);
    if layer::take_foreign() {
        let reason =
            "its pages have no checksums: another program made it, or its header is damaged";
        return Err(failure(ffi::SQLITE_NOTADB, reason));
    }
    let connection = opened?;
    layer::leave_room(&connection, SEAL)?;
    Ok(connection)
}

/// Whether an error says that a page is not as it was written.
pub fn is_damage(error: &Error) -> bool {
    matches!(error, Error::SqliteFailure(code, _) if code.extended_code == ffi::SQLITE_IOERR_DATA)
}

fn failure(code: i32, reason: &str) -> Error {
    Error::SqliteFailure(ffi::Error::new(code), Some(reason.into()))
}
