//! The embedded engine: a pool of reading connections and one writer at a time.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::ThreadId;
use std::time::{Duration, Instant};

use rusqlite::config::DbConfig;
use rusqlite::{Connection, ErrorCode, MAIN_DB, OpenFlags, params_from_iter};

mod transaction;

pub use transaction::Transaction;

use super::{PoolUse, Row, Value, Workload};
use crate::error::{Result, StoreError};

/// How long a write waits for another process that holds the file's write lock.
pub(super) const BUSY_TIMEOUT: Duration = Duration::from_secs(10);
/// How much of the ledger's file is read through the memory map: all that SQLite can.
const LEDGER_MMAP_BYTES: i64 = 0x7fff_0000;
/// What a connection keeps of the register's file in memory: the upper levels of its trees. The rest is
/// in the system's own cache. Through a memory map every connection would have the whole file once more
/// in its tables of pages, and what lies behind 2 GB would not be in it.
const REGISTER_CACHE_KIB: i64 = 16 << 10;
/// What an import keeps of the file in memory: its one writer takes it all.
const IMPORT_CACHE_KIB: i64 = 160 << 10;
/// How far an import lets the log grow before it is worked into the file: seldom enough for a page
/// to change many times before it is written, often enough to keep the log small.
const IMPORT_LOG_PAGES: i64 = 32_768;
/// Prepared statements kept per connection; more than the statements the program has.
const STATEMENT_CACHE: usize = 256;
/// Connections kept for reuse. A read never waits while it holds one, so a thread needs one only.
const IDLE_CONNECTIONS: usize = 64;

/// A SQLite database: a file, a draft in memory, or a frozen image in memory.
pub struct Sqlite {
    pool: Arc<Pool>,
    // Writers of this process queue here without blocking a thread; other processes are waited
    // for inside SQLite.
    writer: Arc<tokio::sync::Mutex<()>>,
}

struct Pool {
    source: Source,
    // Each with the thread that used it last, whose processor may still have its pages at hand.
    idle: Mutex<Vec<(ThreadId, Connection)>>,
    // Connections that were taken and not given back.
    taken: AtomicUsize,
}

enum Source {
    File { path: PathBuf, workload: Workload },
    // The one connection is the database; it lives in the pool.
    Draft,
    // Leaked once per image, so that every connection can read it without a copy.
    Image(&'static [u8]),
}

impl Sqlite {
    /// Opens or creates a file.
    pub fn open(path: &Path, workload: Workload) -> Result<Sqlite> {
        let sqlite = Sqlite::new(Source::File { path: path.to_owned(), workload });
        let connection = sqlite.pool.take()?;
        sqlite.pool.give_back(connection);
        Ok(sqlite)
    }

    /// An empty database in memory that can be written through its one connection.
    pub fn in_memory_draft() -> Result<Sqlite> {
        let sqlite = Sqlite::new(Source::Draft);
        let connection = Connection::open_in_memory().map_err(failure)?;
        connection.set_prepared_statement_cache_capacity(STATEMENT_CACHE);
        let me = std::thread::current().id();
        sqlite.pool.idle.lock().unwrap_or_else(PoisonError::into_inner).push((me, connection));
        Ok(sqlite)
    }

    /// Turns a draft into a read-only image that any number of threads can read.
    pub fn freeze(self) -> Result<Sqlite> {
        let mut draft = self.pool.take()?;
        let image = draft.serialize(MAIN_DB).map_err(failure)?.to_vec();
        Ok(Sqlite::new(Source::Image(image.leak())))
    }

    fn new(source: Source) -> Sqlite {
        let pool = Pool { source, idle: Mutex::new(Vec::new()), taken: AtomicUsize::new(0) };
        Sqlite { pool: Arc::new(pool), writer: Arc::default() }
    }

    /// How the connections are used.
    pub fn pool_use(&self) -> PoolUse {
        let idle = self.pool.idle.lock().unwrap_or_else(PoisonError::into_inner).len();
        PoolUse { open: idle + self.pool.taken.load(Ordering::Relaxed), idle }
    }

    /// Runs a query in place.
    pub fn query<T>(
        &self,
        sql: &'static str,
        parameters: &[Value<'_>],
        map: impl FnMut(&Row<'_>) -> Result<T>,
    ) -> Result<Vec<T>> {
        let connection = self.pool.take()?;
        let result = query(&connection, sql, parameters, map);
        self.pool.give_back(connection);
        result.map_err(|error| self.pool.name_file(error))
    }

    /// Runs a query that gives at most one row once for each key, in place.
    pub fn query_keys<T>(
        &self,
        sql: &'static str,
        keys: &[&str],
        map: fn(&Row<'_>) -> Result<T>,
    ) -> Result<Vec<Option<T>>> {
        let connection = self.pool.take()?;
        let result = query_keys(&connection, sql, keys, map);
        self.pool.give_back_at_rest(connection);
        result.map_err(|error| self.pool.name_file(error))
    }

    /// Takes the write lock and begins.
    pub async fn transaction(&self) -> Result<Transaction> {
        let turn = self.writer.clone().lock_owned().await;
        Transaction::begin(&self.pool, turn)
    }
}

impl Pool {
    fn take(&self) -> Result<Connection> {
        let connection = self.take_idle().map_or_else(|| self.connect(), Ok)?;
        self.taken.fetch_add(1, Ordering::Relaxed);
        Ok(connection)
    }

    fn take_idle(&self) -> Option<Connection> {
        let me = std::thread::current().id();
        let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        let mine = idle.iter().rposition(|(thread, _)| *thread == me);
        let place = mine.or_else(|| idle.len().checked_sub(1))?;
        Some(idle.swap_remove(place).1)
    }

    fn give_back(&self, connection: Connection) {
        self.taken.fetch_sub(1, Ordering::Relaxed);
        let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        if idle.len() < IDLE_CONNECTIONS {
            idle.push((std::thread::current().id(), connection));
        }
    }

    /// Ends a transaction that is still open, and gives the connection back. One whose rollback fails is
    /// in an unknown state and is closed instead, which undoes the transaction too.
    fn give_back_at_rest(&self, connection: Connection) {
        if connection.is_autocommit() || connection.execute_batch("rollback").is_ok() {
            self.give_back(connection);
        } else {
            self.taken.fetch_sub(1, Ordering::Relaxed);
        }
    }

    /// Says which file is full, locked or damaged.
    fn name_file(&self, error: StoreError) -> StoreError {
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
                open_file(path, *workload).map_err(|error| self.name_file(error))?
            }
            Source::Image(image) => {
                let mut connection = Connection::open_in_memory().map_err(failure)?;
                connection.deserialize_bytes(MAIN_DB, image).map_err(failure)?;
                connection
            }
            Source::Draft => {
                return Err(StoreError::Bug("a draft is read by one task at a time".into()));
            }
        };
        connection.set_prepared_statement_cache_capacity(STATEMENT_CACHE);
        // A plan does not depend on what is bound. Otherwise a statement with a bound limit would be
        // parsed and planned again each time it runs.
        connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true).map_err(failure)?;
        Ok(connection)
    }
}

/// Connects to a file. The register's pages have checksums. The ledger's have not: its entries are
/// audited, and tools that copy its log also write to it.
pub(super) fn connect(
    path: &Path,
    workload: Workload,
    flags: OpenFlags,
) -> rusqlite::Result<Connection> {
    let flags = flags | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = match workload {
        Workload::Ledger => Connection::open_with_flags(path, flags)?,
        Workload::Register | Workload::Import => panji_checksum_vfs::open(path, flags)?,
    };
    connection.busy_timeout(BUSY_TIMEOUT)?;
    Ok(connection)
}

/// Turns the log on. Where several begin a file at once SQLite refuses all but one at once, without
/// the wait that it keeps everywhere else.
fn turn_log_on(connection: &Connection) -> rusqlite::Result<()> {
    let begun = Instant::now();
    loop {
        match connection.pragma_update(None, "journal_mode", "wal") {
            Err(error)
                if error.sqlite_error_code() == Some(ErrorCode::DatabaseBusy)
                    && begun.elapsed() < BUSY_TIMEOUT =>
            {
                std::thread::sleep(Duration::from_millis(5));
            }
            turned => return turned,
        }
    }
}

fn open_file(path: &Path, workload: Workload) -> Result<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE;
    let connection = connect(path, workload, flags).map_err(failure)?;
    turn_log_on(&connection).map_err(failure)?;
    let set = |name: &str, value: i64| connection.pragma_update(None, name, value).map_err(failure);
    match workload {
        Workload::Ledger => {
            connection.pragma_update(None, "synchronous", "full").map_err(failure)?;
            set("mmap_size", LEDGER_MMAP_BYTES)?;
        }
        Workload::Register => {
            connection.pragma_update(None, "synchronous", "normal").map_err(failure)?;
            set("cache_size", -REGISTER_CACHE_KIB)?;
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

fn query<T>(
    connection: &Connection,
    sql: &str,
    parameters: &[Value<'_>],
    mut map: impl FnMut(&Row<'_>) -> Result<T>,
) -> Result<Vec<T>> {
    let mut statement = connection.prepare_cached(sql).map_err(failure)?;
    let mut rows = statement.query(params_from_iter(parameters)).map_err(failure)?;
    let mut mapped = Vec::new();
    while let Some(row) = rows.next().map_err(failure)? {
        mapped.push(map(&Row::Sqlite(row))?);
    }
    Ok(mapped)
}

fn query_keys<T>(
    connection: &Connection,
    sql: &str,
    keys: &[&str],
    map: fn(&Row<'_>) -> Result<T>,
) -> Result<Vec<Option<T>>> {
    // Every query is a transaction of its own, with locks of the file, unless several are in one.
    let together = keys.len() > 1;
    if together {
        run_cached(connection, "begin")?;
    }
    let mut statement = connection.prepare_cached(sql).map_err(failure)?;
    let mut found = Vec::with_capacity(keys.len());
    for key in keys {
        let mut rows = statement.query([key]).map_err(failure)?;
        let row = rows.next().map_err(failure)?;
        found.push(row.map(|row| map(&Row::Sqlite(row))).transpose()?);
    }
    if together {
        run_cached(connection, "commit")?;
    }
    Ok(found)
}

pub(super) fn damage_of(page: u32) -> String {
    format!("page {page} is not as it was written")
}

pub(super) fn failure(error: rusqlite::Error) -> StoreError {
    let reason = if panji_checksum_vfs::is_damage(&error) {
        panji_checksum_vfs::take_damaged_page()
            .map_or("a page is not as it was written".into(), damage_of)
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
