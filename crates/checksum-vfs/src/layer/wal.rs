//! The pages in a WAL have the trailers that they will have in the database file, so that a
//! checkpoint by any program writes them. They do not change the checksum that SQLite has
//! calculated for the frame.

use std::ffi::{c_int, c_void};

use rusqlite::ffi::{self, sqlite3_file};

use super::forward::pass_read;
use super::{DAMAGED, Layered, changes_format, write_in_steps};
use crate::checksum::{Format, PAGE, is_valid_in_wal, with_trailer_in_wal};

/// The length of a frame header; it starts with the number of the page.
const FRAME_HEADER: usize = 24;
const NUMBER: usize = 4;

/// Where the page of a frame belongs.
#[derive(Clone, Copy, Debug, Default)]
pub struct Frame {
    /// Where the page begins in the WAL; 0 if there is no frame.
    page_at: i64,
    number: u32,
}

pub unsafe extern "C" fn read(
    file: *mut sqlite3_file,
    data: *mut c_void,
    amount: c_int,
    offset: i64,
) -> c_int {
    // SAFETY: SQLite calls the methods of an open file, with memory for the data; bytes need no
    // alignment.
    unsafe {
        let code = pass_read(file, data, amount, offset);
        if code != ffi::SQLITE_OK || !has_trailer(file, amount) {
            return code;
        }
        if !is_valid_in_wal(&*data.cast::<[u8; PAGE]>()) {
            DAMAGED.set(read_number(file, offset).ok());
            return ffi::SQLITE_IOERR_DATA;
        }
        ffi::SQLITE_OK
    }
}

pub unsafe extern "C" fn write(
    file: *mut sqlite3_file,
    data: *const c_void,
    amount: c_int,
    offset: i64,
) -> c_int {
    // SAFETY: SQLite calls the methods of an open file, with the stated number of bytes, which need
    // no alignment; a file is used by one thread at a time.
    unsafe {
        if amount as usize == FRAME_HEADER {
            let number = u32::from_be_bytes(*data.cast::<[u8; NUMBER]>());
            let page_at = offset + FRAME_HEADER as i64;
            (*file.cast::<Layered>()).frame = Frame { page_at, number };
        }
        if !has_trailer(file, amount) {
            return write_in_steps(file, data, amount, offset);
        }
        let number = match (*file.cast::<Layered>()).frame {
            Frame { page_at, number } if page_at == offset => number,
            // A page that is written again in one transaction gets no new header.
            _ => match read_number(file, offset) {
                Ok(number) => number,
                Err(code) => return code,
            },
        };
        let page = &*data.cast::<[u8; PAGE]>();
        if changes_format(page, number, Format::InWalToo) {
            return ffi::SQLITE_IOERR_WRITE;
        }
        let page = with_trailer_in_wal(page, number);
        write_in_steps(file, page.as_ptr().cast(), amount, offset)
    }
}

/// Whether a part of this length is a page with a trailer. Frames that SQLite reads with their
/// header, to calculate their checksum, are longer.
///
/// # Safety
/// `file` is an open WAL of this VFS.
unsafe fn has_trailer(file: *mut sqlite3_file, amount: c_int) -> bool {
    // SAFETY: by the above.
    amount as usize == PAGE && unsafe { (*file.cast::<Layered>()).format } == Format::InWalToo
}

/// The number of the page at an offset, from the header of its frame.
///
/// # Safety
/// `file` is an open WAL of this VFS.
unsafe fn read_number(file: *mut sqlite3_file, offset: i64) -> Result<u32, c_int> {
    let mut number = [0; NUMBER];
    let at = offset - FRAME_HEADER as i64;
    // SAFETY: by the above; there is memory for the number.
    match unsafe { pass_read(file, number.as_mut_ptr().cast(), NUMBER as c_int, at) } {
        ffi::SQLITE_OK => Ok(u32::from_be_bytes(number)),
        code => Err(code),
    }
}
