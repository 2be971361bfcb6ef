//! The embedded engine: a pool of read connections and one writer at a time.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::ThreadId;
use std::time::{Duration, Instant};

use rusqlite::config::DbConfig;
use rusqlite::{Connection, ErrorCode, MAIN_DB, OpenFlags, params_from_iter};

mod transaction;

pub use transaction::Transaction;

use super::value::with_key;
use super::{PoolStats, Row, Value, Workload};
use crate::error::{Result, StoreError};

/// How long a write waits for the write lock of another process.
pub(super) const BUSY_TIMEOUT: Duration = Duration::from_secs(10);
/// Memory-mapped part of a file that calls read: all of it, up to SQLite's limit, which
/// `.cargo/config.toml` sets. Mapped pages are the system's cache; they are not copied.
const MMAP_BYTES: i64 = 1 << 40;
/// Page cache of a connection to the register, for pages that are in the WAL.
const REGISTER_CACHE_KIB: i64 = 16 << 10;
/// Page cache of an import, which has a single connection.
const IMPORT_CACHE_KIB: i64 = 160 << 10;
/// Size of the WAL at which an import checkpoints: large enough that a page changes many times
/// before it is written, small enough to limit the WAL.
const IMPORT_LOG_PAGES: i64 = 32_768;
/// Prepared statements cached per connection; more than the program has.
const STATEMENT_CACHE: usize = 256;
/// Idle connections kept for reuse. A read never waits while it uses one, so each thread needs only
/// one.
const IDLE_CONNECTIONS: usize = 64;

/// A SQLite database: a file, a writable draft in memory, or a read-only image in memory.
pub struct Sqlite {
    pool: Arc<Pool>,
    // Writers of this process queue here without blocking a thread; SQLite itself waits for other
    // processes.
    writer: Arc<tokio::sync::Mutex<()>>,
}

struct Pool {
    source: Source,
    // Each with the thread that used it last: its pages may still be in that processor's cache.
    idle: Mutex<Vec<(ThreadId, Connection)>>,
    // Connections in use.
    in_use: AtomicUsize,
}

enum Source {
    File { path: PathBuf, workload: Workload },
    // The only connection is the database; it is kept in the pool.
    Draft,
    // Leaked once per image, so that every connection can read it without a copy.
    Image(&'static [u8]),
}

impl Sqlite {
    pub fn open(path: &Path, workload: Workload) -> Result<Sqlite> {
        let sqlite = Sqlite::new(Source::File { path: path.to_owned(), workload });
        let connection = sqlite.pool.take()?;
        sqlite.pool.release(connection);
        Ok(sqlite)
    }

    /// An empty database in memory, writable through its only connection.
    pub fn in_memory_draft() -> Result<Sqlite> {
        let sqlite = Sqlite::new(Source::Draft);
        let connection = Connection::open_in_memory().map_err(failure)?;
        connection.set_prepared_statement_cache_capacity(STATEMENT_CACHE);
        let this_thread = std::thread::current().id();
        sqlite
            .pool
            .idle
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .push((this_thread, connection));
        Ok(sqlite)
    }

    /// Turns a draft into a read-only image for any number of threads. Its memory is never freed.
    pub fn freeze(self) -> Result<Sqlite> {
        let mut draft = self.pool.take()?;
        let image = draft.serialize(MAIN_DB).map_err(failure)?.to_vec();
        Ok(Sqlite::new(Source::Image(image.leak())))
    }

    fn new(source: Source) -> Sqlite {
        let pool = Pool { source, idle: Mutex::new(Vec::new()), in_use: AtomicUsize::new(0) };
        Sqlite { pool: Arc::new(pool), writer: Arc::default() }
    }

    pub fn pool_use(&self) -> PoolStats {
        let idle = self.pool.idle.lock().unwrap_or_else(PoisonError::into_inner).len();
        PoolStats { open: idle + self.pool.in_use.load(Ordering::Relaxed), idle }
    }

    pub fn query<T>(
        &self,
        sql: &'static str,
        parameters: &[Value<'_>],
        mut map: impl FnMut(&Row<'_>) -> Result<T>,
    ) -> Result<Vec<T>> {
        let mut mapped = Vec::new();
        self.for_each_row(sql, parameters, &mut |row| {
            mapped.push(map(row)?);
            Ok(())
        })?;
        Ok(mapped)
    }

    /// Runs a query and calls `each` with every row.
    pub fn for_each_row(
        &self,
        sql: &'static str,
        parameters: &[Value<'_>],
        each: &mut dyn FnMut(&Row<'_>) -> Result<()>,
    ) -> Result<()> {
        let connection = self.pool.take()?;
        let result = for_each_row(&connection, sql, parameters, each);
        self.pool.release(connection);
        result.map_err(|error| self.pool.add_file_name(error))
    }

    /// Runs a query once per key, its first parameter. Calls `each` with the index of the key and the row.
    pub fn for_each_row_of(
        &self,
        sql: &'static str,
        keys: &[&str],
        rest: &[Value<'_>],
        each: &mut dyn FnMut(usize, &Row<'_>) -> Result<()>,
    ) -> Result<()> {
        let connection = self.pool.take()?;
        let result = for_each_row_of(&connection, sql, keys, rest, each);
        self.pool.roll_back_and_release(connection);
        result.map_err(|error| self.pool.add_file_name(error))
    }

    /// Takes the write lock and begins a transaction.
    pub async fn transaction(&self) -> Result<Transaction> {
        let write_guard = self.writer.clone().lock_owned().await;
        Transaction::begin(&self.pool, write_guard)
    }
}

impl Pool {
    fn take(&self) -> Result<Connection> {
        let connection = self.take_idle().map_or_else(|| self.connect(), Ok)?;
        self.in_use.fetch_add(1, Ordering::Relaxed);
        Ok(connection)
    }

    fn take_idle(&self) -> Option<Connection> {
        let this_thread = std::thread::current().id();
        let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        let own = idle.iter().rposition(|(thread, _)| *thread == this_thread);
        let position = own.or_else(|| idle.len().checked_sub(1))?;
        Some(idle.swap_remove(position).1)
    }

    fn release(&self, connection: Connection) {
        self.in_use.fetch_sub(1, Ordering::Relaxed);
        let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        if idle.len() < IDLE_CONNECTIONS {
            idle.push((std::thread::current().id(), connection));
        }
    }

    /// Rolls back an open transaction and releases the connection. If the rollback fails, the state
    /// is unknown and the connection is closed, which also rolls back.
    fn roll_back_and_release(&self, connection: Connection) {
        if connection.is_autocommit() || connection.execute_batch("rollback").is_ok() {
            self.release(connection);
        } else {
            self.in_use.fetch_sub(1, Ordering::Relaxed);
        }
    }

    /// Adds the file name to an error about a full, locked or damaged file.
    fn add_file_name(&self, error: StoreError) -> StoreError {
        match (error, &self.source) {
            (StoreError::Unavailable(reason), Source::File { path, .. }) => {
                StoreError::Unavailable(format!("{}: {reason}", path.display()))
            }
            (other, _) => other,
        }
    }

    fn connect(&self) -> Result<Connection> {
        let connection = match &self.source {
            Source::File { path, workload } => {
                open_file(path, *workload).map_err(|error| self.add_file_name(error))?
            }
            Source::Image(image) => {
                let mut connection = Connection::open_in_memory().map_err(failure)?;
                connection.deserialize_bytes(MAIN_DB, image).map_err(failure)?;
                connection
            }
            Source::Draft => {
                return Err(StoreError::Bug(
                    "a draft can be used by one task at a time only".into(),
                ));
            }
        };
        connection.set_prepared_statement_cache_capacity(STATEMENT_CACHE);
        // Makes query plans independent of bound values. Otherwise SQLite would plan a statement
        // with a bound limit again at each run.
        connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true).map_err(failure)?;
        Ok(connection)
    }
}

/// Connects to a file. The pages of the register have checksums. Those of the ledger have none: its
/// entries are audited, and tools that replicate its WAL also write to it. With an original, the
/// file can become a copy of it.
pub(super) fn connect(
    path: &Path,
    workload: Workload,
    flags: OpenFlags,
    original: Option<&Connection>,
) -> rusqlite::Result<Connection> {
    let flags = flags | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = match (workload, original) {
        (Workload::Ledger, _) => Connection::open_with_flags(path, flags)?,
        (Workload::Register | Workload::Import, None) => panji_checksum_vfs::open(path, flags)?,
        (Workload::Register | Workload::Import, Some(original)) => {
            panji_checksum_vfs::open_for_copy(path, flags, original)?
        }
    };
    connection.busy_timeout(BUSY_TIMEOUT)?;
    Ok(connection)
}

/// Enables WAL. If several connections create a file concurrently, SQLite fails at once for all but
/// one without waiting for the busy timeout.
fn enable_wal(connection: &Connection) -> rusqlite::Result<()> {
    let started = Instant::now();
    loop {
        match connection.pragma_update(None, "journal_mode", "wal") {
            Err(error)
                if error.sqlite_error_code() == Some(ErrorCode::DatabaseBusy)
                    && started.elapsed() < BUSY_TIMEOUT =>
            {
                std::thread::sleep(Duration::from_millis(5));
            }
            turned => return turned,
        }
    }
}

fn open_file(path: &Path, workload: Workload) -> Result<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE;
    let connection = connect(path, workload, flags, None).map_err(failure)?;
    enable_wal(&connection).map_err(failure)?;
    let set = |name: &str, value: i64| connection.pragma_update(None, name, value).map_err(failure);
    match workload {
        Workload::Ledger => {
            connection.pragma_update(None, "synchronous", "full").map_err(failure)?;
            set("mmap_size", MMAP_BYTES)?;
        }
        Workload::Register => {
            connection.pragma_update(None, "synchronous", "normal").map_err(failure)?;
            set("cache_size", -REGISTER_CACHE_KIB)?;
            set("mmap_size", MMAP_BYTES)?;
        }
        Workload::Import => {
            connection.pragma_update(None, "synchronous", "normal").map_err(failure)?;
            set("cache_size", -IMPORT_CACHE_KIB)?;
            set("wal_autocheckpoint", IMPORT_LOG_PAGES)?;
        }
    }
    connection.pragma_update(None, "temp_store", "memory").map_err(failure)?;
    Ok(connection)
}

fn run_cached(connection: &Connection, sql: &str) -> Result<()> {
    let mut statement = connection.prepare_cached(sql).map_err(failure)?;
    statement.execute([]).map(drop).map_err(failure)
}

fn for_each_row(
    connection: &Connection,
    sql: &str,
    parameters: &[Value<'_>],
    each: &mut dyn FnMut(&Row<'_>) -> Result<()>,
) -> Result<()> {
    let mut statement = connection.prepare_cached(sql).map_err(failure)?;
    let mut rows = statement.query(params_from_iter(parameters)).map_err(failure)?;
    while let Some(row) = rows.next().map_err(failure)? {
        each(&Row::Sqlite(row))?;
    }
    Ok(())
}

fn for_each_row_of(
    connection: &Connection,
    sql: &str,
    keys: &[&str],
    rest: &[Value<'_>],
    each: &mut dyn FnMut(usize, &Row<'_>) -> Result<()>,
) -> Result<()> {
    // Each query outside a transaction locks the file, so several queries share one transaction.
    let in_transaction = keys.len() > 1;
    if in_transaction {
        run_cached(connection, "begin")?;
    }
    let mut statement = connection.prepare_cached(sql).map_err(failure)?;
    for (index, key) in keys.iter().enumerate() {
        let mut rows = statement.query(params_from_iter(with_key(key, rest))).map_err(failure)?;
        while let Some(row) = rows.next().map_err(failure)? {
            each(index, &Row::Sqlite(row))?;
        }
    }
    if in_transaction {
        run_cached(connection, "commit")?;
    }
    Ok(())
}

pub(super) fn damage_of(page: u32) -> String {
    format!("page {page} has a wrong checksum: the disk or another program has changed it")
}

pub(super) fn failure(error: rusqlite::Error) -> StoreError {
    let reason = if panji_checksum_vfs::is_damage(&error) {
        panji_checksum_vfs::take_damaged_page()
            .map_or("a page has a wrong checksum".into(), damage_of)
    } else {
        error.to_string()
    };
    match error.sqlite_error_code() {
        Some(ErrorCode::ConstraintViolation) => StoreError::Conflict(reason),
        Some(
            ErrorCode::DatabaseBusy
            | ErrorCode::DatabaseLocked
            | ErrorCode::DiskFull
            | ErrorCode::ReadOnly
            | ErrorCode::SystemIoFailure
            | ErrorCode::DatabaseCorrupt
            | ErrorCode::NotADatabase
            | ErrorCode::CannotOpen
            | ErrorCode::PermissionDenied
            | ErrorCode::OutOfMemory,
        ) => StoreError::Unavailable(reason),
        _ => StoreError::Bug(reason),
    }
}
