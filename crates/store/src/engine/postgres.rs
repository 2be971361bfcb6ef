//! The PostgreSQL engine: pipelined reads on a few shared connections, transactions on their own
//! connections.

use std::sync::Arc;

use futures_util::TryStreamExt;
use futures_util::future::join_all;
use tokio_postgres::Row;
use tokio_postgres::binary_copy::BinaryCopyInWriter;
use tokio_postgres::types::ToSql;

use super::postgres_address::Address;
use super::postgres_lookups::Lookups;
use super::postgres_pool::{Pool, Session, as_parameters, causes, connect_timeout_of, failure};
use super::value::with_key;
use super::{PoolStats, PostgresOptions, Value};
use crate::error::{Result, StoreError};

/// Forces index lookups for many keys until the transaction ends. A table that grows faster than
/// its statistics looks small to the planner, which would scan it every time.
const BY_INDEX: &str = "set local enable_seqscan = off; set local enable_hashjoin = off; \
                        set local enable_mergejoin = off; set local enable_bitmapscan = off";

const NO_PARAMETERS: [&(dyn ToSql + Sync); 0] = [];

/// Keys sent to a server at a time.
pub(crate) const KEY_BATCH: usize = 32;

pub struct Postgres {
    pool: Arc<Pool>,
    /// None where each key is looked up by a query of its own.
    lookups: Option<Lookups>,
}

impl Postgres {
    /// Connects once, to detect a wrong address at startup, and creates the schema.
    pub async fn open(options: PostgresOptions) -> Result<Postgres> {
        let schema = options.schema;
        let pool = Pool::of(options, None)?;
        pool.connect().await?.create_schema(schema).await?;
        Ok(Postgres { pool: Arc::new(pool), lookups: None })
    }

    /// A read-only replica. It connects on demand, and accepts only connections to a replica of the
    /// database with this identity.
    pub fn replica(options: PostgresOptions, identity: String) -> Result<Postgres> {
        Ok(Postgres { pool: Arc::new(Pool::of(options, Some(identity))?), lookups: None })
    }

    /// From now on concurrent lookups are combined.
    pub fn combine_lookups(&mut self) {
        self.lookups.get_or_insert_default();
    }

    /// Identifies the database and its replicas.
    pub async fn identity(&self) -> Result<String> {
        self.pool.shared_session().await?.identity().await
    }

    /// Runs a query that returns one row on every shared connection, because each may use another
    /// server. Connections to a server of the wrong kind are replaced.
    pub async fn query_each(&self, sql: &'static str) -> Result<Vec<Row>> {
        let mut rows = Vec::new();
        for slot in 0..self.pool.shared.len() {
            let mut session = self.pool.session_in(slot).await?;
            if self.pool.is_promoted(&session).await? {
                self.pool.shared[slot].lock().await.take();
                session = self.pool.session_in(slot).await?;
            }
            rows.extend(session.query(sql, &[]).await?);
        }
        Ok(rows)
    }

    pub fn pool_use(&self) -> PoolStats {
        self.pool.in_use()
    }

    pub async fn query(&self, sql: &'static str, parameters: &[Value<'_>]) -> Result<Vec<Row>> {
        let session = self.pool.shared_session().await?;
        session.query(sql, parameters).await
    }

    /// Maps each row as it arrives, on a connection of its own. The driver reads ahead by one message.
    pub async fn scan(
        &self,
        sql: &'static str,
        map: &mut (dyn FnMut(&super::Row<'_>) -> Result<()> + Send),
    ) -> Result<()> {
        let session = match self.pool.take_idle() {
            Some(session) => session,
            None => self.pool.connect().await?,
        };
        let statement = session.prepare(sql).await?;
        let rows = session.client.query_raw(&statement, NO_PARAMETERS).await.map_err(failure)?;
        let mut rows = std::pin::pin!(rows);
        while let Some(row) = rows.try_next().await.map_err(failure)? {
            map(&super::Row::Postgres(&row))?;
        }
        self.pool.release(session);
        Ok(())
    }

    /// Runs a query that looks up one key, if that is its only parameter.
    pub async fn look_up(&self, sql: &'static str, parameters: &[Value<'_>]) -> Result<Vec<Row>> {
        match (&self.lookups, parameters) {
            (Some(lookups), [Value::Text(key)]) => lookups.find(&self.pool, sql, key).await,
            _ => self.query(sql, parameters).await,
        }
    }

    /// Runs a query once per key, its first parameter. The keys are sent in batches, each on the next
    /// shared connection, so that other queries can run in between.
    pub async fn query_keys(
        &self,
        sql: &'static str,
        keys: &[&str],
        rest: &[Value<'_>],
    ) -> Result<Vec<Vec<Row>>> {
        match (&self.lookups, keys, rest) {
            (Some(lookups), [key], []) => {
                return Ok(vec![lookups.find(&self.pool, sql, key).await?]);
            }
            (Some(lookups), ..) => return lookups.find_each(&self.pool, sql, keys, rest).await,
            (None, ..) => {}
        }
        let mut found = Vec::with_capacity(keys.len());
        for keys in keys.chunks(KEY_BATCH) {
            let session = self.pool.shared_session().await?;
            session.prepare(sql).await?;
            let one = async |key: &&str| {
                let parameters: Vec<Value<'_>> = with_key(key, rest).collect();
                session.query(sql, &parameters).await
            };
            for rows in join_all(keys.iter().map(one)).await {
                found.push(rows?);
            }
        }
        Ok(found)
    }

    /// Begins a transaction on its own connection.
    pub async fn transaction(&self) -> Result<Transaction> {
        // An idle connection may be broken; a new one shows whether the server is down.
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

/// A transaction. Without `commit` its connection is closed and the server rolls back.
pub struct Transaction {
    session: Session,
    pool: Arc<Pool>,
}

impl Transaction {
    pub async fn query(&mut self, sql: &'static str, parameters: &[Value<'_>]) -> Result<Vec<Row>> {
        self.session.query(sql, parameters).await
    }

    /// Pipelines one query with many sets of parameters. The server runs them in order.
    pub async fn query_each(
        &mut self,
        sql: &'static str,
        parameter_sets: &[Vec<Value<'_>>],
    ) -> Result<Vec<Vec<Row>>> {
        self.session.prepare(sql).await?;
        let session = &self.session;
        let sent = parameter_sets.iter().map(|set| session.query(sql, set));
        join_all(sent).await.into_iter().collect()
    }

    pub async fn execute(&mut self, sql: &'static str, parameters: &[Value<'_>]) -> Result<u64> {
        self.session.execute(sql, parameters).await
    }

    /// Pipelines one statement with many sets of parameters.
    pub async fn execute_each(
        &mut self,
        sql: &'static str,
        parameter_sets: &[&[Value<'_>]],
    ) -> Result<()> {
        if parameter_sets.is_empty() {
            return Ok(());
        }
        self.session.prepare(sql).await?;
        let session = &self.session;
        let sent = parameter_sets.iter().map(|set| session.execute(sql, set));
        // A failed statement makes all later ones fail: the first error is the cause.
        join_all(sent).await.into_iter().find(Result::is_err).map_or(Ok(()), |e| e.map(drop))
    }

    /// Finds rows by their keys, given column by column; the last column of the result is the index
    /// of the key, from 1.
    pub async fn find_many(
        &mut self,
        sql: &'static str,
        key_columns: &[Vec<&str>],
    ) -> Result<Vec<Row>> {
        self.session.run_script(BY_INDEX).await?;
        let statement = self.session.prepare(sql).await?;
        let parameters: Vec<&(dyn ToSql + Sync)> =
            key_columns.iter().map(|column| column as &(dyn ToSql + Sync)).collect();
        self.session.client.query(&statement, &parameters).await.map_err(failure)
    }

    /// Streams rows into a table. `insert` is only prepared: its parameters give the types of the
    /// columns.
    pub async fn copy_in(
        &mut self,
        insert: &'static str,
        copy: &'static str,
        rows: &[&[Value<'_>]],
    ) -> Result<()> {
        let types = self.session.prepare(insert).await?;
        let copy = self.session.prepare(copy).await?;
        let sink = self.session.client.copy_in(&copy).await.map_err(failure)?;
        let mut writer = std::pin::pin!(BinaryCopyInWriter::new(sink, types.params()));
        for row in rows {
            writer.as_mut().write(&as_parameters(row)).await.map_err(failure)?;
        }
        writer.finish().await.map_err(failure)?;
        Ok(())
    }

    pub async fn run_script(&mut self, script: &str) -> Result<()> {
        self.session.run_script(script).await
    }

    /// Commits and keeps the connection for the next transaction.
    pub async fn commit(self) -> Result<()> {
        self.session.run_script("commit").await?;
        self.pool.release(self.session);
        Ok(())
    }
}

/// The first column of the first row, read on a new connection.
pub(crate) async fn read_postgres(
    url: &str,
    sql: &str,
    parameters: &[&str],
) -> Result<Option<String>> {
    let Address { mut config, tls, .. } = Address::parse(url)?;
    config.connect_timeout(connect_timeout_of(&config));
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
