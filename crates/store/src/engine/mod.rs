//! One interface over two engines: embedded SQLite and PostgreSQL.
//!
//! On SQLite every call runs on the calling thread, because a read from the page cache takes
//! microseconds and a thread switch would cost more. On PostgreSQL calls are pipelined on a few
//! connections, and concurrent lookups are combined into one query.
//!
//! The same SQL text runs on both. SQLite numbers `$n` parameters by their first appearance and
//! PostgreSQL by their number, so a statement's parameters must first appear in numeric order;
//! debug builds check it.
//!
//! What depends on the type of a row is small: the rest is compiled once, in this crate. The futures of the
//! PostgreSQL driver are boxed, so the future of a SQLite query stays small.

mod bulk;
mod postgres;
mod postgres_address;
mod postgres_lookup_queue;
mod postgres_lookups;
mod postgres_pool;
mod postgres_programs;
pub(crate) mod shard;
mod sqlite;
mod sqlite_accept;
mod sqlite_copy;
mod sqlite_probe;
mod value;

use std::path::Path;

pub use bulk::BulkStatements;
pub(crate) use postgres::read_postgres;
pub(crate) use postgres_address::count_servers;
pub(crate) use postgres_lookup_queue::KEY_BATCH;
pub use postgres_pool::PostgresOptions;
pub use postgres_programs::{dump_postgres, has_tables, restore_postgres};
pub use sqlite_accept::{Acceptance, accept_changes};
pub use sqlite_copy::copy_sqlite;
pub(crate) use sqlite_probe::{check_sqlite, read_sqlite};
pub use value::{Column, Row, Value};

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use value::map_rows;

use crate::engine::shard::sharded_bytes;
use crate::error::{Result, StoreError};

/// Called with every row of a query.
pub type EachRow<'f> = dyn FnMut(&Row<'_>) -> Result<()> + Send + 'f;
/// Called with every row of a query for several keys, and the index of its key.
pub type EachRowOf<'f> = dyn FnMut(usize, &Row<'_>) -> Result<()> + Send + 'f;

/// An engine, chosen once at startup.
pub enum Engine {
    /// A local file, or a read-only image in memory.
    Sqlite(sqlite::Sqlite),
    /// A schema in a PostgreSQL database.
    Postgres(postgres::Postgres),
}

/// Which engine it is, for migrations and messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EngineKind {
    Sqlite,
    Postgres,
}

/// Number of connections.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PoolStats {
    pub open: usize,
    /// Open connections that are not in use.
    pub idle: usize,
}

/// What a file is opened for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Workload {
    /// Small commits, each on disk before it returns.
    Ledger,
    /// Fast reads. Commits reach the disk at checkpoints: a crash may lose the last ones but never
    /// reorders them, and the register can be imported again.
    Register,
    /// Large commits to the register, with limited memory.
    Import,
}

impl Engine {
    /// Opens or creates a SQLite file.
    pub fn open_sqlite(path: &Path, workload: Workload) -> Result<Engine> {
        Ok(Engine::Sqlite(sqlite::Sqlite::open(path, workload)?))
    }

    /// Creates a database in memory for one task; `fill` writes its content. Its memory is freed with
    /// it.
    pub async fn in_memory<F>(fill: F) -> Result<Engine>
    where
        F: AsyncFnOnce(&Engine) -> Result<()>,
    {
        let draft = Engine::Sqlite(sqlite::Sqlite::in_memory_draft()?);
        fill(&draft).await?;
        Ok(draft)
    }

    /// Creates a read-only database in memory for any number of threads; `fill` writes its content.
    /// Its memory is never freed.
    pub async fn static_image<F>(fill: F) -> Result<Engine>
    where
        F: AsyncFnOnce(&Engine) -> Result<()>,
    {
        match Engine::in_memory(fill).await? {
            Engine::Sqlite(draft) => Ok(Engine::Sqlite(draft.freeze()?)),
            Engine::Postgres(_) => Err(StoreError::Bug("an in-memory engine is SQLite".into())),
        }
    }

    /// Connects to one schema of a PostgreSQL database; creates the schema if it is missing.
    pub async fn open_postgres(options: PostgresOptions) -> Result<Engine> {
        Ok(Engine::Postgres(postgres::Postgres::open(options).await?))
    }

    /// A read-only replica of one schema of a PostgreSQL database. Connections to a database with
    /// another identity are rejected. Does not connect yet.
    pub fn open_postgres_replica(options: PostgresOptions, identity: String) -> Result<Engine> {
        Ok(Engine::Postgres(postgres::Postgres::replica(options, identity)?))
    }

    /// Identifies the database and its replicas; `None` for SQLite.
    pub async fn identity(&self) -> Result<Option<String>> {
        match self {
            Engine::Sqlite(_) => Ok(None),
            Engine::Postgres(postgres) => postgres.identity().await.map(Some),
        }
    }

    /// Runs a query that returns one row on every shared connection.
    pub async fn query_each<T>(
        &self,
        sql: &'static str,
        map: impl FnMut(&Row<'_>) -> Result<T>,
    ) -> Result<Vec<T>> {
        match self {
            Engine::Sqlite(sqlite) => sqlite.query(sql, &[], map),
            Engine::Postgres(postgres) => map_rows(&postgres.query_each(sql).await?, map),
        }
    }

    pub fn pool_use(&self) -> PoolStats {
        match self {
            Engine::Sqlite(sqlite) => sqlite.pool_use(),
            Engine::Postgres(postgres) => postgres.pool_use(),
        }
    }

    pub fn kind(&self) -> EngineKind {
        match self {
            Engine::Sqlite(_) => EngineKind::Sqlite,
            Engine::Postgres(_) => EngineKind::Postgres,
        }
    }

    /// Disk space of the data, over all servers.
    pub async fn size_bytes(&self) -> Result<i64> {
        if let Some(bytes) = sharded_bytes(self).await? {
            return Ok(bytes);
        }
        let sql = match self {
            Engine::Sqlite(_) => {
                "select page_count * page_size from pragma_page_count, pragma_page_size"
            }
            Engine::Postgres(_) => {
                "select coalesce(sum(pg_total_relation_size(oid)), 0)::bigint from pg_class \
                 where relnamespace = current_schema()::regnamespace and relkind in ('r', 'p')"
            }
        };
        Ok(self.query_opt(sql, &[], |row| row.get(0)).await?.unwrap_or(0))
    }

    /// Runs a query and maps every row.
    pub async fn query<T>(
        &self,
        sql: &'static str,
        parameters: &[Value<'_>],
        map: impl FnMut(&Row<'_>) -> Result<T>,
    ) -> Result<Vec<T>> {
        check_parameter_order(sql);
        match self {
            Engine::Sqlite(sqlite) => sqlite.query(sql, parameters, map),
            Engine::Postgres(postgres) => map_rows(&postgres.query(sql, parameters).await?, map),
        }
    }

    /// Runs a query that only reads. If its only parameter is a key, it may be combined with the same query
    /// for other keys on PostgreSQL.
    pub async fn look_up<T>(
        &self,
        sql: &'static str,
        parameters: &[Value<'_>],
        map: impl FnMut(&Row<'_>) -> Result<T>,
    ) -> Result<Vec<T>> {
        check_parameter_order(sql);
        match self {
            Engine::Sqlite(sqlite) => sqlite.query(sql, parameters, map),
            Engine::Postgres(postgres) => map_rows(&postgres.look_up(sql, parameters).await?, map),
        }
    }

    /// Runs a query with very many rows. Each is mapped when it arrives, and none is stored.
    pub async fn scan(&self, sql: &'static str, map: &mut EachRow<'_>) -> Result<()> {
        match self {
            Engine::Sqlite(sqlite) => sqlite.query(sql, &[], map).map(drop),
            Engine::Postgres(postgres) => postgres.scan(sql, map).await,
        }
    }

    /// From now on concurrent lookups are combined on PostgreSQL. Not for a database with Citus, where
    /// each key may be on another server.
    pub fn combine_lookups(&mut self) {
        if let Engine::Postgres(postgres) = self {
            postgres.combine_lookups();
        }
    }

    /// Runs a query that returns at most one row.
    pub async fn query_opt<T>(
        &self,
        sql: &'static str,
        parameters: &[Value<'_>],
        map: impl FnMut(&Row<'_>) -> Result<T>,
    ) -> Result<Option<T>> {
        let mut rows = self.query(sql, parameters, map).await?;
        debug_assert!(rows.len() <= 1, "more than one row from: {sql}");
        Ok(rows.pop())
    }

    /// Runs a query once per key, which is its first parameter; `rest` are the others. SQLite reads
    /// all keys from one snapshot; PostgreSQL reads them in batches, or with Citus one by one.
    pub async fn query_keys<T: Send>(
        &self,
        sql: &'static str,
        keys: &[&str],
        rest: &[Value<'_>],
        map: fn(&Row<'_>) -> Result<T>,
    ) -> Result<Vec<Vec<T>>> {
        let mut found = Vec::new();
        found.resize_with(keys.len(), Vec::new);
        let mut each = |index: usize, row: &Row<'_>| {
            found[index].push(map(row)?);
            Ok(())
        };
        self.for_each_row_of(sql, keys, rest, &mut each).await?;
        Ok(found)
    }

    /// Runs a query once per key. Calls `each` with the index of the key and the row.
    pub fn for_each_row_of<'a>(
        &'a self,
        sql: &'static str,
        keys: &'a [&str],
        rest: &'a [Value<'a>],
        each: &'a mut EachRowOf<'_>,
    ) -> BoxFuture<'a, Result<()>> {
        check_parameter_order(sql);
        async move {
            match self {
                Engine::Sqlite(sqlite) => sqlite.for_each_row_of(sql, keys, rest, each),
                Engine::Postgres(postgres) => {
                    let found = postgres.query_keys(sql, keys, rest).await?;
                    for (index, rows) in found.iter().enumerate() {
                        for row in rows {
                            each(index, &Row::Postgres(row))?;
                        }
                    }
                    Ok(())
                }
            }
        }
        .boxed()
    }

    /// Runs one statement in its own transaction and returns the number of changed rows.
    pub async fn execute(&self, sql: &'static str, parameters: &[Value<'_>]) -> Result<u64> {
        let mut transaction = self.transaction().await?;
        let changed = transaction.execute(sql, parameters).await?;
        transaction.commit().await?;
        Ok(changed)
    }

    /// Begins a write transaction. Dropping it without `commit` rolls it back.
    pub async fn transaction(&self) -> Result<Transaction> {
        Ok(match self {
            Engine::Sqlite(sqlite) => Transaction::Sqlite(sqlite.transaction().await?),
            Engine::Postgres(postgres) => Transaction::Postgres(postgres.transaction().await?),
        })
    }
}

pub enum Transaction {
    /// Holds SQLite's single write lock.
    Sqlite(sqlite::Transaction),
    /// Uses its own PostgreSQL connection.
    Postgres(postgres::Transaction),
}

impl Transaction {
    /// Runs a query inside the transaction and maps every row.
    pub async fn query<T>(
        &mut self,
        sql: &'static str,
        parameters: &[Value<'_>],
        map: impl FnMut(&Row<'_>) -> Result<T>,
    ) -> Result<Vec<T>> {
        check_parameter_order(sql);
        match self {
            Transaction::Sqlite(transaction) => transaction.query(sql, parameters, map),
            Transaction::Postgres(transaction) => {
                map_rows(&transaction.query(sql, parameters).await?, map)
            }
        }
    }

    /// Runs a query inside the transaction that returns at most one row.
    pub async fn query_opt<T>(
        &mut self,
        sql: &'static str,
        parameters: &[Value<'_>],
        map: impl FnMut(&Row<'_>) -> Result<T>,
    ) -> Result<Option<T>> {
        let mut rows = self.query(sql, parameters, map).await?;
        debug_assert!(rows.len() <= 1, "more than one row from: {sql}");
        Ok(rows.pop())
    }

    /// Runs a statement inside the transaction and returns the number of changed rows.
    pub async fn execute(&mut self, sql: &'static str, parameters: &[Value<'_>]) -> Result<u64> {
        check_parameter_order(sql);
        match self {
            Transaction::Sqlite(transaction) => transaction.execute(sql, parameters),
            Transaction::Postgres(transaction) => transaction.execute(sql, parameters).await,
        }
    }

    /// Runs a query for each set of parameters, in order; on PostgreSQL they are pipelined.
    pub async fn query_each<T>(
        &mut self,
        sql: &'static str,
        parameter_sets: &[Vec<Value<'_>>],
        map: fn(&Row<'_>) -> Result<T>,
    ) -> Result<Vec<Vec<T>>> {
        check_parameter_order(sql);
        match self {
            Transaction::Sqlite(transaction) => {
                parameter_sets.iter().map(|set| transaction.query(sql, set, map)).collect()
            }
            Transaction::Postgres(transaction) => {
                let results = transaction.query_each(sql, parameter_sets).await?;
                results.iter().map(|rows| map_rows(rows, map)).collect()
            }
        }
    }

    /// Runs one statement for each set of parameters; on PostgreSQL they are pipelined.
    pub async fn execute_each(
        &mut self,
        sql: &'static str,
        parameter_sets: &[Vec<Value<'_>>],
    ) -> Result<()> {
        check_parameter_order(sql);
        if parameter_sets.is_empty() {
            return Ok(());
        }
        let rows: Vec<&[Value<'_>]> = parameter_sets.iter().map(Vec::as_slice).collect();
        match self {
            Transaction::Sqlite(transaction) => transaction.execute_many(sql, &rows),
            Transaction::Postgres(transaction) => transaction.execute_each(sql, &rows).await,
        }
    }

    /// Runs several statements without parameters.
    pub async fn run_script(&mut self, script: &str) -> Result<()> {
        match self {
            Transaction::Sqlite(transaction) => transaction.run_script(script),
            Transaction::Postgres(transaction) => transaction.run_script(script).await,
        }
    }

    pub fn kind(&self) -> EngineKind {
        match self {
            Transaction::Sqlite(_) => EngineKind::Sqlite,
            Transaction::Postgres(_) => EngineKind::Postgres,
        }
    }

    /// Commits. If a PostgreSQL connection is lost meanwhile, the result is `Undecided`; SQLite
    /// rolls back a failed commit.
    pub async fn commit(self) -> Result<()> {
        match self {
            Transaction::Sqlite(transaction) => transaction.commit(),
            Transaction::Postgres(transaction) => {
                transaction.commit().await.map_err(|error| match error {
                    StoreError::Unavailable(reason) => StoreError::Undecided(reason),
                    other => other,
                })
            }
        }
    }
}

/// See the module documentation: first appearances must be in numeric order.
fn check_parameter_order(sql: &str) {
    if !cfg!(debug_assertions) {
        return;
    }
    let mut highest = 0;
    for piece in sql.split('$').skip(1) {
        let digits: String = piece.chars().take_while(char::is_ascii_digit).collect();
        let Ok(number) = digits.parse::<u32>() else { continue };
        assert!(number <= highest + 1, "parameter ${number} appears out of order in: {sql}");
        highest = highest.max(number);
    }
}
