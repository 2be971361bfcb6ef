//! SQLite files that notice when a bit of them has flipped. Every page carries a checksum and its own
//! number in eight bytes that SQLite leaves free; both are written with the page and verified whenever
//! it is read, from the file or through the memory map. A page that fails is an error, never data.
//!
//! Any SQLite can read such a file. Only this crate can write it: what another program writes, even by
//! working the log into the file when it closes it, has no checksum and is refused afterwards.

mod layer;
mod seal;

use std::fs::File;
use std::io::Read;
use std::path::Path;

use rusqlite::{Connection, Error, OpenFlags, Result, ffi};

pub use layer::take_damaged_page;
pub use seal::PAGE;
use seal::SEAL;

/// How a SQLite file begins.
const MAGIC: &[u8] = b"SQLite format 3\0";
const HEADER: usize = 100;
/// Where a header has the size of the pages, in two bytes, and what is free at the end of each.
const SIZE_AT: usize = 16;
const FREE_AT: usize = 20;

/// Opens a file whose pages have checksums, or begins one.
pub fn open(path: &Path, flags: OpenFlags) -> Result<Connection> {
    if !has_checksums(path)? {
        let reason =
            "its pages have no checksums: another program made it, or an early version of this one";
        return Err(failure(ffi::SQLITE_NOTADB, reason.into()));
    }
    let layer = layer::registered().map_err(|code| failure(code, "no layer beneath".into()))?;
    let connection = Connection::open_with_flags_and_vfs(path, flags, layer)?;
    layer::leave_room(&connection, SEAL)?;
    Ok(connection)
}

/// Whether an error says that a page is not as it was written.
pub fn is_damage(error: &Error) -> bool {
    matches!(error, Error::SqliteFailure(code, _) if code.extended_code == ffi::SQLITE_IOERR_DATA)
}

/// True also of what is not there yet, and of what is no SQLite file at all: that SQLite says itself.
fn has_checksums(path: &Path) -> Result<bool> {
    let Ok(mut file) = File::open(path) else { return Ok(true) };
    let mut header = Vec::with_capacity(HEADER);
    let read = file.by_ref().take(HEADER as u64).read_to_end(&mut header);
    read.map_err(|error| failure(ffi::SQLITE_IOERR_READ, error.to_string()))?;
    if header.len() < HEADER || !header.starts_with(MAGIC) {
        return Ok(true);
    }
    let size = u16::from_be_bytes([header[SIZE_AT], header[SIZE_AT + 1]]);
    Ok(usize::from(size) == PAGE && usize::from(header[FREE_AT]) == SEAL)
}

fn failure(code: i32, reason: String) -> Error {
    Error::SqliteFailure(ffi::Error::new(code), Some(reason))
}
