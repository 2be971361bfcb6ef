//! SQLite files that detect flipped bits. Every page has a checksum and its own number in sixteen
//! bytes that SQLite reserves; both are written with the page and verified whenever it is read,
//! from the file, from the WAL or through the memory map. A damaged page is an error, never data.
//!
//! # Other programs
//!
//! Any SQLite can read such a file. It can also checkpoint the WAL, as the `sqlite3` shell does when
//! it closes a file after a crash: the pages in the WAL have their checksums already, so the
//! checkpoint writes them as well. The sixteen bytes are balanced so that SQLite's own checksums in
//! the WAL stay right.
//!
//! A page that another program changes keeps its old checksum or gets none. Its content cannot be
//! told apart from damage, so it is an error until the operator decides: [`accept`] checks the
//! structure of the whole file and writes new checksums for such pages. Nothing does this
//! automatically, because it would also accept a flipped bit.
//!
//! Files of Panji 1.0 have eight reserved bytes and no checksums in the WAL. They stay as they are,
//! so a checkpoint by another program makes [`accept`] necessary for them.

mod accept;
mod checksum;
mod layer;
mod pace;

use std::path::Path;

use rusqlite::{Connection, Error, OpenFlags, Result, ffi};

pub use accept::{Acceptance, accept};
use checksum::Format;
pub use checksum::PAGE;
pub use layer::take_damaged_page;

const WITHOUT_CHECKSUMS: &str =
    "its pages have no checksums: another program made it, or its header is damaged";

/// Opens or creates a file whose pages have checksums.
pub fn open(path: &Path, flags: OpenFlags) -> Result<Connection> {
    open_as(path, flags, Format::InWalToo)
}

/// Opens or creates a file that a file opened by this crate will be copied to, page by page.
pub fn open_for_copy(path: &Path, flags: OpenFlags, original: &Connection) -> Result<Connection> {
    let format = Format::with_reserved(layer::reserved_bytes(original)?);
    open_as(path, flags, format.unwrap_or(Format::InWalToo))
}

/// Opens a file; a new one gets this format.
fn open_as(path: &Path, flags: OpenFlags, format: Format) -> Result<Connection> {
    let layer = layer::registered().map_err(|code| failure(code, "there is no default VFS"))?;
    let previous = layer::replace_new_format(format);
    let opened = Connection::open_with_flags_and_vfs(path, flags, layer);
    layer::replace_new_format(previous);
    if layer::take_without_checksums() {
        return Err(failure(ffi::SQLITE_NOTADB, WITHOUT_CHECKSUMS));
    }
    let connection = opened?;
    if layer::reserved_bytes(&connection)? == 0 {
        layer::reserve_bytes(&connection, format.reserved())?;
    }
    Ok(connection)
}

/// Whether an error reports a page with a wrong checksum.
pub fn is_damage(error: &Error) -> bool {
    matches!(error, Error::SqliteFailure(code, _) if code.extended_code == ffi::SQLITE_IOERR_DATA)
}

fn failure(code: i32, reason: &str) -> Error {
    Error::SqliteFailure(ffi::Error::new(code), Some(reason.into()))
}
