//! The VFS, between SQLite and the operating system's files: it forwards all calls to SQLite's
//! default VFS, and adds and verifies the checksums of pages in the database file and in the WAL.
//! Writes to both files are synced in small steps.

mod forward;
mod wal;

use std::cell::Cell;
use std::ffi::{CStr, c_char, c_int, c_void};
use std::ptr;
use std::sync::OnceLock;

use rusqlite::ffi::{self, sqlite3_file, sqlite3_io_methods, sqlite3_vfs};
use rusqlite::{Connection, Error, MAIN_DB};

use crate::checksum::{Format, HEADER, Kind, PAGE, is_valid, with_trailer};
use crate::pace::Pace;
use forward::*;

const NAME: &CStr = c"panji-checksum-vfs";

thread_local! {
    static DAMAGED: Cell<Option<u32>> = const { Cell::new(None) };
    static WITHOUT_CHECKSUMS: Cell<bool> = const { Cell::new(false) };
    static NEW_FILES: Cell<Format> = const { Cell::new(Format::InWalToo) };
}

/// Sets the format of new files that this thread opens; returns the previous one.
pub fn replace_new_format(format: Format) -> Format {
    NEW_FILES.replace(format)
}

/// The page that this thread last found damaged. Clears it.
pub fn take_damaged_page() -> Option<u32> {
    DAMAGED.take()
}

/// Whether this thread has just opened a file without checksums. Clears the mark.
pub fn take_without_checksums() -> bool {
    WITHOUT_CHECKSUMS.take()
}

/// The name of the VFS, which is registered on the first call.
pub fn registered() -> Result<&'static CStr, c_int> {
    static REGISTERED: OnceLock<c_int> = OnceLock::new();
    match *REGISTERED.get_or_init(register) {
        ffi::SQLITE_OK => Ok(NAME),
        code => Err(code),
    }
}

/// Makes SQLite reserve bytes at the end of every page of a new file.
pub fn reserve_bytes(connection: &Connection, bytes: usize) -> rusqlite::Result<()> {
    control_reserve(connection, bytes as c_int).map(drop)
}

/// The bytes that are reserved at the end of every page; 0 for a new file.
pub fn reserved_bytes(connection: &Connection) -> rusqlite::Result<usize> {
    const ONLY_ASK: c_int = -1;
    Ok(control_reserve(connection, ONLY_ASK)?.unsigned_abs() as usize)
}

fn control_reserve(connection: &Connection, wanted: c_int) -> rusqlite::Result<c_int> {
    let mut reserved = wanted;
    // SAFETY: the handle is open as long as the connection, and SQLite accesses the integer at
    // the pointer only during the call.
    let code = unsafe {
        let reserved = (&raw mut reserved).cast::<c_void>();
        let main = MAIN_DB.as_ptr();
        ffi::sqlite3_file_control(
            connection.handle(),
            main,
            ffi::SQLITE_FCNTL_RESERVE_BYTES,
            reserved,
        )
    };
    match code {
        ffi::SQLITE_OK => Ok(reserved),
        code => Err(Error::SqliteFailure(ffi::Error::new(code), None)),
    }
}

fn register() -> c_int {
    // SAFETY: a null name returns the default VFS, which exists until the process ends. The
    // registered VFS is leaked, so it does too.
    unsafe {
        let default_vfs = ffi::sqlite3_vfs_find(ptr::null());
        if default_vfs.is_null() {
            return ffi::SQLITE_ERROR;
        }
        let layer = sqlite3_vfs {
            iVersion: 2,
            szOsFile: size_of::<Layered>() as c_int + (*default_vfs).szOsFile,
            mxPathname: (*default_vfs).mxPathname,
            pNext: ptr::null_mut(),
            zName: NAME.as_ptr(),
            pAppData: default_vfs.cast(),
            xOpen: Some(open),
            xDelete: Some(delete),
            xAccess: Some(access),
            xFullPathname: Some(full_pathname),
            // Used only by loadable extensions, which Panji does not load.
            xDlOpen: None,
            xDlError: None,
            xDlSym: None,
            xDlClose: None,
            xRandomness: Some(randomness),
            xSleep: Some(sleep),
            xCurrentTime: Some(current_time),
            xGetLastError: Some(last_error),
            xCurrentTimeInt64: Some(current_time_int64),
            xSetSystemCall: None,
            xGetSystemCall: None,
            xNextSystemCall: None,
        };
        ffi::sqlite3_vfs_register(Box::leak(Box::new(layer)), 0)
    }
}

/// A database file or its WAL: this header, followed by the file of the default VFS. SQLite's
/// memory is aligned to eight bytes, and so is its own file.
#[repr(C, align(8))]
struct Layered {
    head: sqlite3_file,
    pace: Pace,
    format: Format,
    // Of a WAL: the last frame header that was written.
    frame: wal::Frame,
}

/// The page at an offset. SQLite transfers whole pages only, except for the header when it opens a
/// file.
unsafe fn page_at<'a>(
    data: *const c_void,
    amount: c_int,
    offset: i64,
) -> Option<(&'a [u8; PAGE], u32)> {
    if amount as usize != PAGE || offset % PAGE as i64 != 0 || data.is_null() {
        return None;
    }
    let number = u32::try_from(offset / PAGE as i64 + 1).ok()?;
    // SAFETY: the caller provides `amount` bytes at the pointer, and bytes need no alignment.
    Some((unsafe { &*data.cast::<[u8; PAGE]>() }, number))
}

/// Verifies data that was read. The header is checked here, when SQLite reads it, because opening
/// the file a second time would release the process's locks on it.
///
/// # Safety
/// `file` is an open database file of this VFS, and `amount` bytes are at `data`.
unsafe fn verify(
    file: *mut sqlite3_file,
    data: *const c_void,
    amount: c_int,
    offset: i64,
) -> c_int {
    // SAFETY: by the above; a file is used by one thread at a time.
    let format = unsafe { &mut (*file.cast::<Layered>()).format };
    if amount as usize == HEADER && offset == 0 {
        // SAFETY: by the above.
        let kind = Kind::of(unsafe { &*data.cast::<[u8; HEADER]>() });
        WITHOUT_CHECKSUMS.set(kind == Kind::WithoutChecksums);
        return match kind {
            Kind::WithoutChecksums => ffi::SQLITE_NOTADB,
            Kind::WithChecksums(found) => {
                *format = found;
                ffi::SQLITE_OK
            }
            Kind::Other => ffi::SQLITE_OK,
        };
    }
    // SAFETY: as for `page_at`.
    match unsafe { page_at(data, amount, offset) } {
        Some((page, number)) if !is_valid(page, number, *format) => {
            DAMAGED.set(Some(number));
            ffi::SQLITE_IOERR_DATA
        }
        _ => ffi::SQLITE_OK,
    }
}

unsafe extern "C" fn open(
    layer: *mut sqlite3_vfs,
    name: *const c_char,
    file: *mut sqlite3_file,
    flags: c_int,
    flags_out: *mut c_int,
) -> c_int {
    // SAFETY: SQLite opens a file with the VFS it was given and with the requested memory. A file
    // that is neither the database nor its WAL belongs entirely to the default VFS, which needs
    // less memory. SQLite opens a WAL after its database, with the same VFS.
    unsafe {
        let other = default_vfs(layer);
        let Some(open) = (*other).xOpen else { return ffi::SQLITE_CANTOPEN };
        let (methods, format) = match flags & (ffi::SQLITE_OPEN_MAIN_DB | ffi::SQLITE_OPEN_WAL) {
            ffi::SQLITE_OPEN_MAIN_DB => (&raw const DATABASE_METHODS, NEW_FILES.get()),
            ffi::SQLITE_OPEN_WAL => {
                let database = ffi::sqlite3_database_file_object(name);
                (&raw const WAL_METHODS, (*database.cast::<Layered>()).format)
            }
            _ => return open(other, name, file, flags, flags_out),
        };
        let head = sqlite3_file { pMethods: ptr::null() };
        let (pace, frame) = (Pace::default(), wal::Frame::default());
        file.cast::<Layered>().write(Layered { head, pace, format, frame });
        let code = open(other, name, default_file(file), flags, flags_out);
        // SQLite closes a file that has methods, even after a failure.
        if !(*default_file(file)).pMethods.is_null() {
            (*file).pMethods = methods;
        }
        code
    }
}

unsafe extern "C" fn read(
    file: *mut sqlite3_file,
    data: *mut c_void,
    amount: c_int,
    offset: i64,
) -> c_int {
    // SAFETY: SQLite calls the methods of an open file, with memory for the data.
    unsafe {
        match pass_read(file, data, amount, offset) {
            ffi::SQLITE_OK => verify(file, data, amount, offset),
            // The rest is filled with zeros: an incomplete page is damaged.
            ffi::SQLITE_IOERR_SHORT_READ if page_at(data, amount, offset).is_some() => {
                verify(file, data, amount, offset)
            }
            code => code,
        }
    }
}

unsafe extern "C" fn write(
    file: *mut sqlite3_file,
    data: *const c_void,
    amount: c_int,
    offset: i64,
) -> c_int {
    // SAFETY: SQLite calls the methods of an open file, with the stated number of bytes.
    unsafe {
        let format = (*file.cast::<Layered>()).format;
        match page_at(data, amount, offset) {
            Some((page, number)) if !changes_format(page, number, format) => {
                let page = with_trailer(page, number, format);
                write_in_steps(file, page.as_ptr().cast(), amount, offset)
            }
            Some(_) => ffi::SQLITE_IOERR_WRITE,
            None => write_in_steps(file, data, amount, offset),
        }
    }
}

/// Whether the page is a header that reserves another number of bytes than the file does: then
/// other pages have content where their trailer would be written.
fn changes_format(page: &[u8; PAGE], number: u32, format: Format) -> bool {
    number == 1
        && page.first_chunk().is_some_and(|header| {
            ![Kind::WithChecksums(format), Kind::Other].contains(&Kind::of(header))
        })
}

unsafe extern "C" fn write_in_steps(
    file: *mut sqlite3_file,
    data: *const c_void,
    amount: c_int,
    offset: i64,
) -> c_int {
    // SAFETY: SQLite calls the methods of an open file, with the stated number of bytes; a file is
    // used by one thread at a time.
    unsafe {
        let code = pass_write(file, data, amount, offset);
        let due = (*file.cast::<Layered>()).pace.add(amount.unsigned_abs());
        if code == ffi::SQLITE_OK && due {
            return pass_sync(file, ffi::SQLITE_SYNC_NORMAL);
        }
        code
    }
}

unsafe extern "C" fn fetch(
    file: *mut sqlite3_file,
    offset: i64,
    amount: c_int,
    data: *mut *mut c_void,
) -> c_int {
    // SAFETY: SQLite calls the methods of an open file, with memory for the pointer. The default
    // VFS keeps a mapping until it is asked to unmap it.
    unsafe {
        let code = pass_fetch(file, offset, amount, data);
        if code != ffi::SQLITE_OK {
            return code;
        }
        let code = verify(file, *data, amount, offset);
        if code != ffi::SQLITE_OK {
            pass_unfetch(file, offset, *data);
            *data = ptr::null_mut();
        }
        code
    }
}

unsafe extern "C" fn device_characteristics(file: *mut sqlite3_file) -> c_int {
    // SAFETY: SQLite calls the methods of an open file. Without this capability SQLite reads whole
    // pages only, which can be verified.
    unsafe { pass_device_characteristics(file) & !ffi::SQLITE_IOCAP_SUBPAGE_READ }
}

const METHODS: sqlite3_io_methods = sqlite3_io_methods {
    iVersion: 3,
    xClose: Some(pass_close),
    xRead: Some(read),
    xWrite: Some(write),
    xTruncate: Some(pass_truncate),
    xSync: Some(pass_sync),
    xFileSize: Some(pass_file_size),
    xLock: Some(pass_lock),
    xUnlock: Some(pass_unlock),
    xCheckReservedLock: Some(pass_check_reserved_lock),
    xFileControl: Some(pass_file_control),
    xSectorSize: Some(pass_sector_size),
    xDeviceCharacteristics: Some(device_characteristics),
    xShmMap: Some(pass_shm_map),
    xShmLock: Some(pass_shm_lock),
    xShmBarrier: Some(shm_barrier),
    xShmUnmap: Some(pass_shm_unmap),
    xFetch: Some(fetch),
    xUnfetch: Some(pass_unfetch),
};

static DATABASE_METHODS: sqlite3_io_methods = METHODS;

static WAL_METHODS: sqlite3_io_methods = sqlite3_io_methods {
    xRead: Some(wal::read),
    xWrite: Some(wal::write),
    xDeviceCharacteristics: Some(pass_device_characteristics),
    ..METHODS
};
