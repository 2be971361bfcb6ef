//! Writes the checksums of pages that another program has changed.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::time::Duration;

use rusqlite::{Connection, ErrorCode, OpenFlags, Result, ffi};

use crate::checksum::{Format, HEADER, Kind, PAGE, is_valid, with_trailer};
use crate::{WITHOUT_CHECKSUMS, failure};

/// How long to wait for programs that have the file open.
const BUSY_TIMEOUT: Duration = Duration::from_secs(2);

/// What [`accept`] found and did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Acceptance {
    /// All pages have correct checksums; nothing was changed.
    AllCorrect {
        /// All pages of the file.
        pages: u32,
    },
    /// The structure is sound; pages with wrong checksums got new ones.
    Accepted {
        /// How many pages had a wrong checksum.
        changed: u32,
        /// All pages of the file.
        pages: u32,
    },
    /// The structure is damaged; no page was changed.
    Damaged(String),
}

/// Corrects the wrong checksums of the pages of a file, if SQLite finds no fault in the whole file.
/// The file must not be open anywhere else.
///
/// This accepts what the pages contain: a value that the disk has changed inside such a page is
/// accepted as well, unless it contradicts an index or a constraint.
pub fn accept(path: &Path) -> Result<Acceptance> {
    // With SQLite's default VFS, which verifies nothing.
    let connection = Connection::open_with_flags(path, OpenFlags::SQLITE_OPEN_READ_WRITE)?;
    connection.busy_timeout(BUSY_TIMEOUT)?;
    lock(&connection)?;
    // Opened under the lock and closed after the connection: closing a descriptor releases all
    // locks of the process on the file.
    let file = File::options().read(true).write(true).open(path).map_err(unreadable)?;
    let acceptance = accept_locked(&connection, &file);
    connection.close().map_err(|(_, error)| error)?;
    acceptance
}

/// Locks out all others until the connection is closed, and moves the WAL into the file.
fn lock(connection: &Connection) -> Result<()> {
    connection.pragma_update(None, "locking_mode", "exclusive")?;
    connection.execute_batch("begin exclusive; commit")?;
    let busy: i64 =
        connection.query_row("pragma wal_checkpoint(truncate)", [], |row| row.get(0))?;
    if busy == 0 { Ok(()) } else { Err(failure(ffi::SQLITE_BUSY, "the file is in use")) }
}

fn accept_locked(connection: &Connection, file: &File) -> Result<Acceptance> {
    let mut header = [0; HEADER];
    file.read_exact_at(&mut header, 0).map_err(unreadable)?;
    let Kind::WithChecksums(format) = Kind::of(&header) else {
        return Err(failure(ffi::SQLITE_NOTADB, WITHOUT_CHECKSUMS));
    };
    let bytes = file.metadata().map_err(unreadable)?.len();
    let pages = match u32::try_from(bytes / PAGE as u64) {
        Ok(pages) if bytes.is_multiple_of(PAGE as u64) => pages,
        _ => return Ok(Acceptance::Damaged("it ends inside a page".into())),
    };
    if for_each_wrong_page(file, pages, format, |_, _| Ok(()))? == 0 {
        return Ok(Acceptance::AllCorrect { pages });
    }
    if let Some(fault) = find_fault(connection)? {
        return Ok(Acceptance::Damaged(fault));
    }
    // A crash here leaves some pages with their wrong checksums; only the checksums differ.
    let changed = for_each_wrong_page(file, pages, format, |page, number| {
        file.write_all_at(&with_trailer(page, number, format), offset(number))
    })?;
    file.sync_all().map_err(unreadable)?;
    Ok(Acceptance::Accepted { changed, pages })
}

/// The first fault that SQLite finds in the file.
fn find_fault(connection: &Connection) -> Result<Option<String>> {
    let verdict = connection.query_row("pragma integrity_check(1)", [], |row| row.get(0));
    match verdict {
        Ok(verdict) => Ok(Some(verdict).filter(|verdict: &String| verdict != "ok")),
        // The schema itself cannot be read.
        Err(error) if error.sqlite_error_code() == Some(ErrorCode::DatabaseCorrupt) => {
            Ok(Some(error.to_string()))
        }
        Err(error) => Err(error),
    }
}

/// Calls a function for each page with a wrong checksum; returns their number.
fn for_each_wrong_page(
    file: &File,
    pages: u32,
    format: Format,
    mut handle: impl FnMut(&[u8; PAGE], u32) -> io::Result<()>,
) -> Result<u32> {
    let (mut page, mut wrong) = ([0; PAGE], 0);
    for number in 1..=pages {
        file.read_exact_at(&mut page, offset(number)).map_err(unreadable)?;
        if !is_valid(&page, number, format) {
            handle(&page, number).map_err(unreadable)?;
            wrong += 1;
        }
    }
    Ok(wrong)
}

fn offset(number: u32) -> u64 {
    u64::from(number - 1) * PAGE as u64
}

fn unreadable(error: io::Error) -> rusqlite::Error {
    failure(ffi::SQLITE_IOERR, &error.to_string())
}
