//! Connections to PostgreSQL: a few shared ones for reads, idle ones for transactions.

use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use tokio::time::timeout;
use tokio_postgres::config::TargetSessionAttrs;
use tokio_postgres::error::SqlState;
use tokio_postgres::types::ToSql;
use tokio_postgres::{Client, Row as PostgresRow, Statement};
use tokio_postgres_rustls::MakeRustlsConnect;

use super::postgres_address::{Address, servers_of};
use super::value::map_rows;
use super::{PoolStats, Value};
use crate::error::{Result, StoreError};

/// Connections shared by all reads. Each runs one query at a time, in a server process of its own. Batches
/// of `KEY_BATCH` keys, measured like that constant: one connection 52,000 keys a second, two 86,000, four
/// 111,000, eight 144,000. Four are several times what one node serves (docs/benchmarks.md), and every
/// node takes them from the server's limit.
pub(super) const SHARED_CONNECTIONS: usize = 4;
/// Idle connections kept for the next transaction.
const IDLE_TRANSACTION_CONNECTIONS: usize = 8;
/// Time limit for connecting to one server, if the address has no `connect_timeout`.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(3);
/// If sent data is unacknowledged for this long, the connection counts as broken.
const SILENCE_TIMEOUT: Duration = Duration::from_secs(10);
/// Time limit of one statement. Reading all companies takes the longest.
const STATEMENT_TIMEOUT: Duration = Duration::from_secs(60);
/// After a failed attempt to connect, others fail at once for this time instead of queueing.
const RECONNECT_PAUSE: Duration = Duration::from_millis(200);
/// The server ends a transaction whose client is gone after this time.
const IDLE_IN_TRANSACTION_MS: u64 = 30_000;

/// Error text for a connection to a wrong database.
const FOREIGN: &str = "it leads to another database, which is not a replica of the primary";

#[derive(Clone, Debug)]
pub struct PostgresOptions {
    /// `postgres://user:password@host:port/database`
    pub url: String,
    /// The schema of the tables; created if it is missing.
    pub schema: &'static str,
}

/// The connections of one schema.
pub(super) struct Pool {
    config: tokio_postgres::Config,
    tls: MakeRustlsConnect,
    // Whether a server of another kind is used if none of the requested kind is available.
    or_any: bool,
    // If set, every connection must lead to this database.
    identity: Option<String>,
    // Covers all servers of the address, tried one after another.
    connect_time: Duration,
    pub(super) shared: Vec<tokio::sync::Mutex<Option<Arc<Session>>>>,
    next: AtomicUsize,
    idle: Mutex<Vec<Session>>,
    last_failure: Mutex<Option<Instant>>,
    open: Arc<AtomicUsize>,
}

/// A connection with its prepared statements.
pub(super) struct Session {
    pub(super) client: Client,
    // Statements are `&'static str`, so their address identifies them without hashing the text.
    statements: Mutex<HashMap<usize, Statement>>,
    // The pool's count of open connections.
    open: Arc<AtomicUsize>,
}

impl Drop for Session {
    fn drop(&mut self) {
        self.open.fetch_sub(1, Ordering::Relaxed);
    }
}

pub(super) fn connect_timeout_of(config: &tokio_postgres::Config) -> Duration {
    config.get_connect_timeout().copied().unwrap_or(CONNECT_TIMEOUT)
}

impl Pool {
    /// A pool without connections.
    pub(super) fn of(options: PostgresOptions, identity: Option<String>) -> Result<Pool> {
        let Address { mut config, tls, or_any, .. } = Address::parse(&options.url)?;
        let connect_timeout = connect_timeout_of(&config);
        config.connect_timeout(connect_timeout);
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
        let servers = servers_of(&config);
        Ok(Pool {
            config,
            tls,
            or_any,
            identity,
            connect_time: connect_timeout * servers as u32,
            shared,
            next: AtomicUsize::new(0),
            idle: Mutex::new(Vec::new()),
            last_failure: Mutex::new(None),
            open: Arc::default(),
        })
    }

    pub(super) async fn shared_session(&self) -> Result<Arc<Session>> {
        self.session_in(self.next.fetch_add(1, Ordering::Relaxed) % self.shared.len()).await
    }

    pub(super) async fn session_in(&self, slot: usize) -> Result<Arc<Session>> {
        let mut slot = self.shared[slot].lock().await;
        if let Some(session) = slot.as_ref().filter(|session| !session.client.is_closed()) {
            return Ok(session.clone());
        }
        let session = Arc::new(self.connect().await?);
        *slot = Some(session.clone());
        Ok(session)
    }

    /// Whether a connection that should lead to a replica leads to a server that has been promoted.
    pub(super) async fn is_promoted(&self, session: &Session) -> Result<bool> {
        if self.config.get_target_session_attrs() != TargetSessionAttrs::ReadOnly {
            return Ok(false);
        }
        let sql = "select pg_is_in_recovery()";
        let replica = map_rows(&session.query(sql, &[]).await?, |row| row.get::<bool>(0))?;
        Ok(replica != [true])
    }

    pub(super) fn in_use(&self) -> PoolStats {
        let idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner).len();
        PoolStats { open: self.open.load(Ordering::Relaxed), idle }
    }

    pub(super) fn take_idle(&self) -> Option<Session> {
        let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        while let Some(session) = idle.pop() {
            if !session.client.is_closed() {
                return Some(session);
            }
        }
        None
    }

    pub(super) fn release(&self, session: Session) {
        let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        if idle.len() < IDLE_TRANSACTION_CONNECTIONS && !session.client.is_closed() {
            idle.push(session);
        }
    }

    /// Boxed, because its future takes 6 KB, and nearly all queries find a connection.
    pub(super) fn connect(&self) -> BoxFuture<'_, Result<Session>> {
        async move {
            if self.failed_recently() {
                return Err(StoreError::Unavailable("PostgreSQL could not be reached".into()));
            }
            let connecting = timeout(self.connect_time, self.connect_to_target()).await;
            let outcome = match connecting {
                Ok(Ok(session)) => Ok(session),
                Ok(Err(error)) => Err(error),
                Err(_) => {
                    Err(StoreError::Unavailable("PostgreSQL did not respond in time".to_owned()))
                }
            };
            let mut last_failure = self.last_failure.lock().unwrap_or_else(PoisonError::into_inner);
            let unreachable = matches!(outcome, Err(StoreError::Unavailable(_)));
            *last_failure = unreachable.then(Instant::now);
            outcome
        }
        .boxed()
    }

    async fn connect_to_target(&self) -> Result<Session> {
        let mut connected = self.config.connect(self.tls.clone()).await;
        if connected.is_err() && self.or_any {
            let mut config = self.config.clone();
            config.target_session_attrs(TargetSessionAttrs::Any);
            connected = config.connect(self.tls.clone()).await;
        }
        let (client, connection) = connected.map_err(|error| {
            StoreError::Unavailable(format!("PostgreSQL could not be reached: {}", causes(&error)))
        })?;
        // The connection task ends when the client is dropped or the connection is lost; the client
        // reports both.
        tokio::spawn(connection);
        self.open.fetch_add(1, Ordering::Relaxed);
        let session = Session { client, statements: Mutex::default(), open: self.open.clone() };
        if let Some(identity) = &self.identity
            && session.identity().await? != *identity
        {
            return Err(StoreError::Conflict(FOREIGN.to_owned()));
        }
        Ok(session)
    }

    fn failed_recently(&self) -> bool {
        let last_failure = self.last_failure.lock().unwrap_or_else(PoisonError::into_inner);
        last_failure.is_some_and(|at| at.elapsed() < RECONNECT_PAUSE)
    }
}

impl Session {
    /// Identifies the database and its replicas: the system identifier of the server, and the name
    /// of the database.
    pub(super) async fn identity(&self) -> Result<String> {
        let sql = "select cast(system_identifier as text) || ' ' || current_database() \
                   from pg_control_system()";
        let found = map_rows(&self.query(sql, &[]).await?, |row| row.get(0))?.pop();
        found.ok_or_else(|| StoreError::Bug("a server without an identifier".into()))
    }

    pub(super) async fn prepare(&self, sql: &'static str) -> Result<Statement> {
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

    pub(super) async fn query(
        &self,
        sql: &'static str,
        parameters: &[Value<'_>],
    ) -> Result<Vec<PostgresRow>> {
        let statement = self.prepare(sql).await?;
        self.client.query(&statement, &as_parameters(parameters)).await.map_err(failure)
    }

    pub(super) async fn execute(&self, sql: &'static str, parameters: &[Value<'_>]) -> Result<u64> {
        let statement = self.prepare(sql).await?;
        self.client.execute(&statement, &as_parameters(parameters)).await.map_err(failure)
    }

    /// Checks first: `create schema`, even of an existing one, is sent to every Citus server.
    pub(super) async fn create_schema(&self, schema: &str) -> Result<()> {
        let known = "select oid from pg_namespace where nspname = $1";
        if self.client.query_opt(known, &[&schema]).await.map_err(failure)?.is_some() {
            return Ok(());
        }
        match self.run_script(&format!("create schema if not exists {schema}")).await {
            // Two nodes may start at the same time; one of them finds the schema created.
            Ok(()) | Err(StoreError::Conflict(_)) => Ok(()),
            Err(error) => Err(error),
        }
    }

    pub(super) async fn run_script(&self, script: &str) -> Result<()> {
        self.client.batch_execute(script).await.map_err(failure)
    }
}

pub(super) fn as_parameters<'a>(values: &'a [Value<'_>]) -> Vec<&'a (dyn ToSql + Sync)> {
    values.iter().map(|value| value as &(dyn ToSql + Sync)).collect()
}

pub(super) fn failure(error: tokio_postgres::Error) -> StoreError {
    let reason = causes(&error);
    let Some(state) = error.code() else {
        // Without an SQLSTATE the server sent no error: the connection broke.
        return StoreError::Unavailable(reason);
    };
    let class = &state.code()[..2];
    match class {
        // Integrity constraints; two nodes that create the same object concurrently.
        "23" => StoreError::Conflict(reason),
        // Connection, resources, operator intervention, system error; a failed or read-only
        // transaction (a replica), a serialization failure.
        "08" | "53" | "57" | "58" | "25" | "40" | "28" | "3D" => StoreError::Unavailable(reason),
        _ if *state == SqlState::DUPLICATE_SCHEMA || *state == SqlState::DUPLICATE_TABLE => {
            StoreError::Conflict(reason)
        }
        _ => StoreError::Bug(reason),
    }
}

/// An error with its causes in one line; the driver's own text omits them.
pub(super) fn causes(error: &tokio_postgres::Error) -> String {
    let mut text = error.to_string();
    let mut source = std::error::Error::source(error);
    while let Some(cause) = source {
        text = format!("{text}: {cause}");
        source = cause.source();
    }
    text
}
