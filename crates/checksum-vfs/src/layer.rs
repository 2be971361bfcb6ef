//! The VFS, between SQLite and the operating system's files: it forwards all calls to SQLite's
//! default VFS, and adds and verifies the checksums of the pages of the database file. WAL frames
//! have SQLite's own checksums. Writes to both files are synced in small steps.

use std::cell::Cell;
use std::ffi::{CStr, c_char, c_int, c_void};
use std::ptr;
use std::sync::OnceLock;

use rusqlite::ffi::{self, sqlite3_file, sqlite3_io_methods, sqlite3_vfs};
use rusqlite::{Connection, Error, MAIN_DB};

use crate::pace::Pace;
use crate::seal::{HEADER, PAGE, has_no_checksums, is_valid, seal};

const NAME: &CStr = c"panji-checksum-vfs";

thread_local! {
    static DAMAGED: Cell<Option<u32>> = const { Cell::new(None) };
    static WITHOUT_CHECKSUMS: Cell<bool> = const { Cell::new(false) };
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
    let mut reserved = bytes as c_int;
    // SAFETY: the handle is open as long as the connection, and SQLite accesses the integer behind
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
        ffi::SQLITE_OK => Ok(()),
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
}

/// # Safety
/// `file` was opened by this VFS as a database file or its WAL.
unsafe fn default_file(file: *mut sqlite3_file) -> *mut sqlite3_file {
    // SAFETY: SQLite allocates as many bytes for a file as the VFS requested, which covers both
    // parts.
    unsafe { file.cast::<Layered>().add(1).cast() }
}

/// # Safety
/// `layer` is the VFS created by `register`.
unsafe fn default_vfs(layer: *mut sqlite3_vfs) -> *mut sqlite3_vfs {
    // SAFETY: by the above, `pAppData` is the default VFS.
    unsafe { (*layer).pAppData.cast() }
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
    // SAFETY: the caller provides `amount` bytes behind the pointer, and bytes need no alignment.
    Some((unsafe { &*data.cast::<[u8; PAGE]>() }, number))
}

/// Verifies data that was read. The header is checked here, when SQLite reads it, because opening
/// the file a second time would release the process's locks on it.
unsafe fn verify(data: *const c_void, amount: c_int, offset: i64) -> c_int {
    if amount as usize == HEADER && offset == 0 {
        // SAFETY: the caller provides `amount` bytes behind the pointer.
        let without_checksums = has_no_checksums(unsafe { &*data.cast::<[u8; HEADER]>() });
        WITHOUT_CHECKSUMS.set(without_checksums);
        return if without_checksums { ffi::SQLITE_NOTADB } else { ffi::SQLITE_OK };
    }
    // SAFETY: as for `page_at`.
    match unsafe { page_at(data, amount, offset) } {
        Some((page, number)) if !is_valid(page, number) => {
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
    // less memory.
    unsafe {
        let other = default_vfs(layer);
        let Some(open) = (*other).xOpen else { return ffi::SQLITE_CANTOPEN };
        let methods = match flags & (ffi::SQLITE_OPEN_MAIN_DB | ffi::SQLITE_OPEN_WAL) {
            ffi::SQLITE_OPEN_MAIN_DB => &raw const DATABASE_METHODS,
            ffi::SQLITE_OPEN_WAL => &raw const WAL_METHODS,
            _ => return open(other, name, file, flags, flags_out),
        };
        let head = sqlite3_file { pMethods: ptr::null() };
        file.cast::<Layered>().write(Layered { head, pace: Pace::default() });
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
            ffi::SQLITE_OK => verify(data, amount, offset),
            // The rest is filled with zeros: an incomplete page is damaged.
            ffi::SQLITE_IOERR_SHORT_READ if page_at(data, amount, offset).is_some() => {
                verify(data, amount, offset)
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
        match page_at(data, amount, offset) {
            Some((page, number)) => {
                let sealed = seal(page, number);
                write_in_steps(file, sealed.as_ptr().cast(), amount, offset)
            }
            None => write_in_steps(file, data, amount, offset),
        }
    }
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
        let code = verify(*data, amount, offset);
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

unsafe extern "C" fn shm_barrier(file: *mut sqlite3_file) {
    // SAFETY: SQLite calls the methods of an open file.
    unsafe {
        let file = default_file(file);
        if let Some(barrier) = (*(*file).pMethods).xShmBarrier {
            barrier(file);
        }
    }
}

/// Functions that forward a call on a file to the same method of the default VFS.
macro_rules! forward_file {
    ($($name:ident = $method:ident($($argument:ident: $type:ty),*);)*) => {$(
        unsafe extern "C" fn $name(file: *mut sqlite3_file, $($argument: $type),*) -> c_int {
            // SAFETY: SQLite calls the methods of an open file, and none that its version does not
            // have.
            unsafe {
                let file = default_file(file);
                match (*(*file).pMethods).$method {
                    Some(method) => method(file, $($argument),*),
                    None => ffi::SQLITE_MISUSE,
                }
            }
        }
    )*};
}

forward_file! {
    pass_close = xClose();
    pass_read = xRead(data: *mut c_void, amount: c_int, offset: i64);
    pass_write = xWrite(data: *const c_void, amount: c_int, offset: i64);
    pass_truncate = xTruncate(size: i64);
    pass_sync = xSync(flags: c_int);
    pass_file_size = xFileSize(size: *mut i64);
    pass_lock = xLock(level: c_int);
    pass_unlock = xUnlock(level: c_int);
    pass_check_reserved_lock = xCheckReservedLock(is_locked: *mut c_int);
    pass_file_control = xFileControl(operation: c_int, argument: *mut c_void);
    pass_sector_size = xSectorSize();
    pass_device_characteristics = xDeviceCharacteristics();
    pass_shm_map = xShmMap(region: c_int, size: c_int, extend: c_int, memory: *mut *mut c_void);
    pass_shm_lock = xShmLock(offset: c_int, count: c_int, flags: c_int);
    pass_shm_unmap = xShmUnmap(delete: c_int);
    pass_fetch = xFetch(offset: i64, amount: c_int, data: *mut *mut c_void);
    pass_unfetch = xUnfetch(offset: i64, data: *mut c_void);
}

/// Functions that forward a call on the VFS to the default VFS.
macro_rules! pass_on_layer {
    ($($name:ident = $method:ident($($argument:ident: $type:ty),*);)*) => {$(
        unsafe extern "C" fn $name(layer: *mut sqlite3_vfs, $($argument: $type),*) -> c_int {
            // SAFETY: SQLite calls the functions of a registered VFS.
            unsafe {
                let layer = default_vfs(layer);
                match (*layer).$method {
                    Some(method) => method(layer, $($argument),*),
                    None => ffi::SQLITE_MISUSE,
                }
            }
        }
    )*};
}

pass_on_layer! {
    delete = xDelete(name: *const c_char, sync: c_int);
    access = xAccess(name: *const c_char, flags: c_int, answer: *mut c_int);
    full_pathname = xFullPathname(name: *const c_char, room: c_int, out: *mut c_char);
    randomness = xRandomness(amount: c_int, out: *mut c_char);
    sleep = xSleep(microseconds: c_int);
    current_time = xCurrentTime(out: *mut f64);
    last_error = xGetLastError(room: c_int, out: *mut c_char);
    current_time_int64 = xCurrentTimeInt64(out: *mut i64);
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
    xRead: Some(pass_read),
    xWrite: Some(write_in_steps),
    xDeviceCharacteristics: Some(pass_device_characteristics),
    ..METHODS
};
