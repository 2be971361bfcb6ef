//! A VFS that is SQLite's default one, except that it records writes, truncations and syncs. It
//! becomes the default itself, so that it is also below the layer of the register's checksums.

use std::collections::BTreeMap;
use std::ffi::{CStr, OsStr, c_char, c_int, c_void};
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, Once, PoisonError};
use std::{fs, ptr, slice};

use rusqlite::ffi::{self, sqlite3_file, sqlite3_io_methods, sqlite3_vfs};

use crate::{Call, Files, Record};

const NAME: &CStr = c"panji-power-loss";

type Log = Arc<Mutex<Vec<(String, Call)>>>;

static STATE: Mutex<State> =
    Mutex::new(State { files: BTreeMap::new(), tables: BTreeMap::new(), recorders: Vec::new() });

struct State {
    /// The open files, by their addresses.
    files: BTreeMap<usize, OpenFile>,
    /// The replaced method tables, by the addresses of the original ones.
    tables: BTreeMap<usize, &'static sqlite3_io_methods>,
    recorders: Vec<(PathBuf, Log)>,
}

#[derive(Clone)]
struct OpenFile {
    path: PathBuf,
    original: &'static sqlite3_io_methods,
}

fn state() -> MutexGuard<'static, State> {
    STATE.lock().unwrap_or_else(PoisonError::into_inner)
}

fn calls_of(log: &Log) -> MutexGuard<'_, Vec<(String, Call)>> {
    log.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Records the calls on the files of one directory.
pub struct Recorder {
    directory: PathBuf,
    start: Files,
    log: Log,
}

impl Recorder {
    /// Begins to record. Files that are open already must have been opened after [`install`], and
    /// nothing may be written meanwhile.
    pub fn start(directory: &Path) -> io::Result<Recorder> {
        let directory = directory.canonicalize()?;
        let mut start = Files::new();
        for entry in fs::read_dir(&directory)? {
            let path = entry?.path();
            let name = name_of(&path);
            // The index of a WAL is in memory; after a loss of power it is made again.
            if path.is_file() && !name.ends_with("-shm") {
                start.insert(name, fs::read(&path)?);
            }
        }
        let log = Log::default();
        state().recorders.push((directory.clone(), log.clone()));
        Ok(Recorder { directory, start, log })
    }

    /// The number of calls recorded so far. What is promised now must hold after every later loss
    /// of power.
    pub fn position(&self) -> usize {
        calls_of(&self.log).len()
    }

    /// Ends the recording.
    pub fn finish(self) -> Record {
        state().recorders.retain(|(directory, _)| *directory != self.directory);
        Record { start: self.start, calls: std::mem::take(&mut calls_of(&self.log)) }
    }
}

fn name_of(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

/// Makes the recording VFS the default of this process. Must be called before the first file is
/// opened. Files outside of recorded directories are not synced, which saves time.
pub fn install() {
    static INSTALLED: Once = Once::new();
    INSTALLED.call_once(|| {
        // SAFETY: a null name returns the default VFS, which exists until the process ends. The
        // registered copy is leaked, so it does too; its private data is that of the original.
        let code = unsafe {
            let mut layer = *ffi::sqlite3_vfs_find(ptr::null());
            layer.zName = NAME.as_ptr();
            layer.pNext = ptr::null_mut();
            layer.xOpen = Some(open);
            ffi::sqlite3_vfs_register(Box::leak(Box::new(layer)), 1)
        };
        assert_eq!(code, ffi::SQLITE_OK, "SQLite accepts a VFS");
    });
}

unsafe extern "C" fn open(
    layer: *mut sqlite3_vfs,
    name: *const c_char,
    file: *mut sqlite3_file,
    flags: c_int,
    flags_out: *mut c_int,
) -> c_int {
    const RECORDED: c_int =
        ffi::SQLITE_OPEN_MAIN_DB | ffi::SQLITE_OPEN_WAL | ffi::SQLITE_OPEN_MAIN_JOURNAL;
    // SAFETY: SQLite calls this with what the original expects. The original is still registered,
    // under its own name. A method table lives as long as the process.
    unsafe {
        let original = original_vfs();
        let code = (*original)
            .xOpen
            .map_or(ffi::SQLITE_CANTOPEN, |open| open(layer, name, file, flags, flags_out));
        if code == ffi::SQLITE_OK && flags & RECORDED != 0 && !name.is_null() {
            let path = PathBuf::from(OsStr::from_bytes(CStr::from_ptr(name).to_bytes()));
            let original: &'static sqlite3_io_methods = &*(*file).pMethods;
            let mut state = state();
            state.files.insert(file.addr(), OpenFile { path, original });
            (*file).pMethods = *state
                .tables
                .entry(ptr::from_ref(original).addr())
                .or_insert_with(|| Box::leak(Box::new(recording(original))));
        }
        code
    }
}

/// The VFS below this one: the default one of Unix systems.
fn original_vfs() -> *mut sqlite3_vfs {
    // SAFETY: the name is a C string.
    unsafe { ffi::sqlite3_vfs_find(c"unix".as_ptr()) }
}

fn recording(original: &sqlite3_io_methods) -> sqlite3_io_methods {
    sqlite3_io_methods {
        xClose: Some(close),
        xWrite: Some(write),
        xTruncate: Some(truncate),
        xSync: Some(sync),
        ..*original
    }
}

/// An open file, and its recording if there is one.
fn find(file: *mut sqlite3_file) -> (OpenFile, Option<Log>) {
    let state = state();
    let open = state.files.get(&file.addr()).expect("SQLite uses open files only").clone();
    let directory = open.path.parent();
    let log = state.recorders.iter().find(|(recorded, _)| Some(recorded.as_path()) == directory);
    (open, log.map(|(_, log)| log.clone()))
}

/// Adds a call that succeeded. It is added when it is done: a sync that begins earlier does not
/// cover it.
fn add(code: c_int, file: &OpenFile, log: Option<Log>, call: impl FnOnce() -> Call) -> c_int {
    if let Some(log) = log.filter(|_| code == ffi::SQLITE_OK) {
        calls_of(&log).push((name_of(&file.path), call()));
    }
    code
}

unsafe extern "C" fn close(file: *mut sqlite3_file) -> c_int {
    let (open, _) = find(file);
    state().files.remove(&file.addr());
    // SAFETY: SQLite closes an open file once.
    unsafe { open.original.xClose.map_or(ffi::SQLITE_MISUSE, |close| close(file)) }
}

unsafe extern "C" fn write(
    file: *mut sqlite3_file,
    data: *const c_void,
    amount: c_int,
    offset: i64,
) -> c_int {
    let (open, log) = find(file);
    // SAFETY: SQLite calls the methods of an open file, with the stated number of bytes.
    unsafe {
        let write = open.original.xWrite.expect("every file can be written");
        let code = write(file, data, amount, offset);
        add(code, &open, log, || Call::Write {
            at: usize::try_from(offset).expect("an offset is not negative"),
            bytes: slice::from_raw_parts(data.cast::<u8>(), amount.unsigned_abs() as usize).into(),
        })
    }
}

unsafe extern "C" fn truncate(file: *mut sqlite3_file, size: i64) -> c_int {
    let (open, log) = find(file);
    // SAFETY: SQLite calls the methods of an open file.
    let code = unsafe { open.original.xTruncate.expect("every file can be truncated")(file, size) };
    add(code, &open, log, || Call::Truncate(usize::try_from(size).expect("a size is not negative")))
}

unsafe extern "C" fn sync(file: *mut sqlite3_file, flags: c_int) -> c_int {
    let (open, log) = find(file);
    let Some(log) = log else { return ffi::SQLITE_OK };
    let covers = calls_of(&log).len();
    // SAFETY: SQLite calls the methods of an open file.
    let code = unsafe { open.original.xSync.expect("every file can be synced")(file, flags) };
    add(code, &open, Some(log), || Call::Sync { covers })
}
