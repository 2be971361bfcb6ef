//! The PostgreSQL engine: reads pipelined on a few shared connections, transactions on their own.

use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use futures_util::future::join_all;
use tokio::time::timeout;
use tokio_postgres::binary_copy::BinaryCopyInWriter;
use tokio_postgres::error::SqlState;
use tokio_postgres::types::ToSql;
use tokio_postgres::{Client, Statement};
use tokio_postgres_rustls::MakeRustlsConnect;

use super::postgres_address::Address;
use super::{PoolUse, Row, Value};
use crate::error::{Result, StoreError};

/// Connections shared by all reads; more gain nothing because they are pipelined.
const SHARED_CONNECTIONS: usize = 4;
/// Connections kept for the next transaction.
const IDLE_TRANSACTION_CONNECTIONS: usize = 8;
/// How long connecting may take before the engine counts as away.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(3);
/// How long a server may leave what was sent unacknowledged before the connection counts as broken.
const SILENCE_TIMEOUT: Duration = Duration::from_secs(10);
/// How long one statement may take: longer than any of ours, shorter than for ever.
const STATEMENT_TIMEOUT: Duration = Duration::from_secs(60);
/// After a failed attempt to connect, others fail at once for this long instead of queueing up.
const RECONNECT_PAUSE: Duration = Duration::from_millis(200);
/// A transaction whose client has gone away is ended by the server after this.
const IDLE_IN_TRANSACTION_MS: u64 = 30_000;

/// Many keys are looked up one by one in the index, until the transaction ends. A table that grows
/// too fast for its statistics looks small to the planner, which would read all of it every time.
const BY_INDEX: &str = "set local enable_seqscan = off; set local enable_hashjoin = off; \
                        set local enable_mergejoin = off; set local enable_bitmapscan = off";

/// Where and how to connect.
#[derive(Clone, Debug)]
pub struct PostgresOptions {
    /// `postgres://user:password@host:port/database`
    pub url: String,
    /// The schema that holds the tables; made if it is missing.
    pub schema: &'static str,
}

/// One schema of a PostgreSQL database.
pub struct Postgres {
    pool: Arc<Pool>,
}

struct Pool {
    config: tokio_postgres::Config,
    tls: MakeRustlsConnect,
    // Several servers may be tried one after the other.
    connect_time: Duration,
    shared: Vec<tokio::sync::Mutex<Option<Arc<Session>>>>,
    next: AtomicUsize,
    idle: Mutex<Vec<Session>>,
    last_failure: Mutex<Option<Instant>>,
    open: Arc<AtomicUsize>,
}

/// A connection with its prepared statements.
struct Session {
    client: Client,
    // Statements are `&'static str`, so their address tells them apart without hashing the text.
    statements: Mutex<HashMap<usize, Statement>>,
    // The pool's count of open connections.
    open: Arc<AtomicUsize>,
}

impl Drop for Session {
    fn drop(&mut self) {
        self.open.fetch_sub(1, Ordering::Relaxed);
    }
}

impl Postgres {
    /// Connects once, to tell a wrong address at the start, and makes the schema.
    pub async fn open(options: PostgresOptions) -> Result<Postgres> {
        let Address { mut config, tls, .. } = Address::parse(&options.url)?;
        config.connect_timeout(CONNECT_TIMEOUT);
        config.tcp_user_timeout(SILENCE_TIMEOUT);
        config.keepalives_idle(SILENCE_TIMEOUT);
        config.application_name("panji");
        config.options(format!(
            "-c search_path={} -c statement_timeout={} -c idle_in_transaction_session_timeout={}",
            options.schema,
            STATEMENT_TIMEOUT.as_millis(),
            IDLE_IN_TRANSACTION_MS,
        ));
        let shared = (0..SHARED_CONNECTIONS).map(|_| tokio::sync::Mutex::new(None)).collect();
        let servers = config.get_hosts().len().max(config.get_hostaddrs().len()).max(1);
        let pool = Pool {
            config,
            tls,
            connect_time: CONNECT_TIMEOUT * servers as u32,
            shared,
            next: AtomicUsize::new(0),
            idle: Mutex::new(Vec::new()),
            last_failure: Mutex::new(None),
            open: Arc::default(),
        };
        let session = pool.connect().await?;
        let create = format!("create schema if not exists {}", options.schema);
        match session.client.batch_execute(&create).await.map_err(failure) {
            // Two nodes that start at once may both try; the loser finds the schema there.
            Ok(()) | Err(StoreError::Conflict(_)) => {}
            Err(error) => return Err(error),
        }
        Ok(Postgres { pool: Arc::new(pool) })
    }

    /// How the connections are used. Shared ones are never idle.
    pub fn pool_use(&self) -> PoolUse {
        let idle = self.pool.idle.lock().unwrap_or_else(PoisonError::into_inner).len();
        PoolUse { open: self.pool.open.load(Ordering::Relaxed), idle }
    }

    /// Runs a query on a shared connection.
    pub async fn query<T>(
        &self,
        sql: &'static str,
        parameters: &[Value<'_>],
        map: impl FnMut(&Row<'_>) -> Result<T>,
    ) -> Result<Vec<T>> {
        let session = self.pool.shared_session().await?;
        session.query(sql, parameters, map).await
    }

    /// Begins a transaction on a connection of its own.
    pub async fn transaction(&self) -> Result<Transaction> {
        // An idle connection may have died meanwhile; a fresh one tells whether the server did.
        if let Some(session) = self.pool.take_idle()
            && session.run_script("begin").await.is_ok()
        {
            return Ok(Transaction { session, pool: self.pool.clone() });
        }
        let session = self.pool.connect().await?;
        session.run_script("begin").await?;
        Ok(Transaction { session, pool: self.pool.clone() })
    }
}

impl Pool {
    async fn shared_session(&self) -> Result<Arc<Session>> {
        let slot = self.next.fetch_add(1, Ordering::Relaxed) % self.shared.len();
        let mut slot = self.shared[slot].lock().await;
        if let Some(session) = slot.as_ref().filter(|session| !session.client.is_closed()) {
            return Ok(session.clone());
        }
        let session = Arc::new(self.connect().await?);
        *slot = Some(session.clone());
        Ok(session)
    }

    fn take_idle(&self) -> Option<Session> {
        let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        while let Some(session) = idle.pop() {
            if !session.client.is_closed() {
                return Some(session);
            }
        }
        None
    }

    fn give_back(&self, session: Session) {
        let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        if idle.len() < IDLE_TRANSACTION_CONNECTIONS && !session.client.is_closed() {
            idle.push(session);
        }
    }

    async fn connect(&self) -> Result<Session> {
        if self.failed_just_now() {
            return Err(StoreError::Unavailable("PostgreSQL could not be reached".into()));
        }
        let connecting = timeout(self.connect_time, self.config.connect(self.tls.clone())).await;
        let outcome = match connecting {
            Ok(Ok(connected)) => Ok(connected),
            Ok(Err(error)) => Err(format!("PostgreSQL could not be reached: {}", causes(&error))),
            Err(_) => Err("PostgreSQL did not answer in time".to_owned()),
        };
        let mut last_failure = self.last_failure.lock().unwrap_or_else(PoisonError::into_inner);
        let (client, connection) = outcome.map_err(|reason| {
            *last_failure = Some(Instant::now());
            StoreError::Unavailable(reason)
        })?;
        *last_failure = None;
        // The connection task ends when the client is dropped or the server goes away; both are
        // seen through the client.
        tokio::spawn(connection);
        self.open.fetch_add(1, Ordering::Relaxed);
        Ok(Session { client, statements: Mutex::default(), open: self.open.clone() })
    }

    fn failed_just_now(&self) -> bool {
        let last_failure = self.last_failure.lock().unwrap_or_else(PoisonError::into_inner);
        last_failure.is_some_and(|at| at.elapsed() < RECONNECT_PAUSE)
    }
}

impl Session {
    async fn prepare(&self, sql: &'static str) -> Result<Statement> {
        let key = sql.as_ptr() as usize;
        let known =
            self.statements.lock().unwrap_or_else(PoisonError::into_inner).get(&key).cloned();
        if let Some(statement) = known {
            return Ok(statement);
        }
        let statement = self.client.prepare(sql).await.map_err(failure)?;
        let mut statements = self.statements.lock().unwrap_or_else(PoisonError::into_inner);
        statements.insert(key, statement.clone());
        Ok(statement)
    }

    async fn query<T>(
        &self,
        sql: &'static str,
        parameters: &[Value<'_>],
        mut map: impl FnMut(&Row<'_>) -> Result<T>,
    ) -> Result<Vec<T>> {
        let statement = self.prepare(sql).await?;
        let querying = self.client.query(&statement, &as_parameters(parameters)).await;
        querying.map_err(failure)?.iter().map(|row| map(&Row::Postgres(row))).collect()
    }

    async fn execute(&self, sql: &'static str, parameters: &[Value<'_>]) -> Result<u64> {
        let statement = self.prepare(sql).await?;
        self.client.execute(&statement, &as_parameters(parameters)).await.map_err(failure)
    }

    async fn run_script(&self, script: &str) -> Result<()> {
        self.client.batch_execute(script).await.map_err(failure)
    }
}

/// A transaction. Dropped without `commit`, its connection is closed and the server undoes it.
pub struct Transaction {
    session: Session,
    pool: Arc<Pool>,
}

impl Transaction {
    /// Runs a query inside the transaction.
    pub async fn query<T>(
        &mut self,
        sql: &'static str,
        parameters: &[Value<'_>],
        map: impl FnMut(&Row<'_>) -> Result<T>,
    ) -> Result<Vec<T>> {
        self.session.query(sql, parameters, map).await
    }

    /// Runs a statement inside the transaction.
    pub async fn execute(&mut self, sql: &'static str, parameters: &[Value<'_>]) -> Result<u64> {
        self.session.execute(sql, parameters).await
    }

    /// Sends one statement with many sets of parameters without waiting in between.
    pub async fn execute_each(
        &mut self,
        sql: &'static str,
        parameter_sets: &[Vec<Value<'_>>],
    ) -> Result<()> {
        self.session.prepare(sql).await?;
        let session = &self.session;
        let sent = parameter_sets.iter().map(|parameters| session.execute(sql, parameters));
        // A statement that fails makes all later ones fail: the first in order tells why.
        join_all(sent).await.into_iter().find(Result::is_err).map_or(Ok(()), |e| e.map(drop))
    }

    /// Finds rows by their keys, given column by column; the last column is the key's place.
    pub async fn find_many(
        &mut self,
        sql: &'static str,
        key_columns: &[Vec<&str>],
        mut found: impl FnMut(usize, &Row<'_>) -> Result<()>,
    ) -> Result<()> {
        self.session.run_script(BY_INDEX).await?;
        let statement = self.session.prepare(sql).await?;
        let parameters: Vec<&(dyn ToSql + Sync)> =
            key_columns.iter().map(|column| column as &(dyn ToSql + Sync)).collect();
        let rows = self.session.client.query(&statement, &parameters).await.map_err(failure)?;
        for row in &rows {
            let place: i64 = row.try_get(row.len() - 1).map_err(failure)?;
            found(place as usize - 1, &Row::Postgres(row))?;
        }
        Ok(())
    }

    /// Streams rows into a table. `insert` is never run: its parameters tell the columns' types.
    pub async fn copy_in(
        &mut self,
        insert: &'static str,
        copy: &'static str,
        rows: &[&[Value<'_>]],
    ) -> Result<()> {
        let types = self.session.prepare(insert).await?;
        let sink = self.session.client.copy_in(copy).await.map_err(failure)?;
        let mut writer = std::pin::pin!(BinaryCopyInWriter::new(sink, types.params()));
        for row in rows {
            writer.as_mut().write(&as_parameters(row)).await.map_err(failure)?;
        }
        writer.finish().await.map_err(failure)?;
        Ok(())
    }

    /// Runs several statements without parameters.
    pub async fn run_script(&mut self, script: &str) -> Result<()> {
        self.session.run_script(script).await
    }

    /// Commits and keeps the connection for the next transaction.
    pub async fn commit(self) -> Result<()> {
        self.session.run_script("commit").await?;
        self.pool.give_back(self.session);
        Ok(())
    }
}

/// The first column of the first row, asked on a connection of its own.
pub(crate) async fn read_postgres(
    url: &str,
    sql: &str,
    parameters: &[&str],
) -> Result<Option<String>> {
    let Address { mut config, tls, .. } = Address::parse(url)?;
    config.connect_timeout(CONNECT_TIMEOUT);
    let unreachable = |error: tokio_postgres::Error| {
        StoreError::Unavailable(format!("PostgreSQL could not be reached: {}", causes(&error)))
    };
    let (client, connection) = config.connect(tls).await.map_err(unreachable)?;
    tokio::spawn(connection);
    let parameters: Vec<&(dyn ToSql + Sync)> =
        parameters.iter().map(|text| text as &(dyn ToSql + Sync)).collect();
    let row = client.query_opt(sql, &parameters).await.map_err(failure)?;
    Ok(row.map(|row| row.try_get(0).map_err(failure)).transpose()?.flatten())
}

fn as_parameters<'a>(values: &'a [Value<'_>]) -> Vec<&'a (dyn ToSql + Sync)> {
    values.iter().map(|value| value as &(dyn ToSql + Sync)).collect()
}

fn failure(error: tokio_postgres::Error) -> StoreError {
    let reason = causes(&error);
    let Some(state) = error.code() else {
        // Without a state the server said nothing: the connection broke.
        return StoreError::Unavailable(reason);
    };
    let class = &state.code()[..2];
    match class {
        // Integrity constraints; two nodes that create the same thing at once.
        "23" => StoreError::Conflict(reason),
        // Connection, resources, operator intervention, system error; a failed or read-only
        // transaction (a standby), a serialisation failure.
        "08" | "53" | "57" | "58" | "25" | "40" | "28" | "3D" => StoreError::Unavailable(reason),
        _ if *state == SqlState::DUPLICATE_SCHEMA || *state == SqlState::DUPLICATE_TABLE => {
            StoreError::Conflict(reason)
        }
        _ => StoreError::Bug(reason),
    }
}

/// An error with its causes in one line, because the driver's own text leaves them out.
fn causes(error: &tokio_postgres::Error) -> String {
    let mut text = error.to_string();
    let mut source = std::error::Error::source(error);
    while let Some(cause) = source {
        text = format!("{text}: {cause}");
        source = cause.source();
    }
    text
}
