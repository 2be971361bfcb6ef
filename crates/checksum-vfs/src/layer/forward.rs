//! Calls that go to SQLite's default VFS unchanged.

use std::ffi::{c_char, c_int, c_void};

use rusqlite::ffi::{self, sqlite3_file, sqlite3_vfs};

use super::Layered;

/// # Safety
/// `file` was opened by this VFS as a database file or its WAL.
pub unsafe fn default_file(file: *mut sqlite3_file) -> *mut sqlite3_file {
    // SAFETY: SQLite allocates as many bytes for a file as the VFS requested, which covers both
    // parts.
    unsafe { file.cast::<Layered>().add(1).cast() }
}

/// # Safety
/// `layer` is the VFS created by `register`.
pub unsafe fn default_vfs(layer: *mut sqlite3_vfs) -> *mut sqlite3_vfs {
    // SAFETY: by the above, `pAppData` is the default VFS.
    unsafe { (*layer).pAppData.cast() }
}

pub unsafe extern "C" fn shm_barrier(file: *mut sqlite3_file) {
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
        pub unsafe extern "C" fn $name(file: *mut sqlite3_file, $($argument: $type),*) -> c_int {
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
        pub unsafe extern "C" fn $name(layer: *mut sqlite3_vfs, $($argument: $type),*) -> c_int {
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
