//! The PostgreSQL engine: reads pipelined on a few shared connections, transactions on their own.

use std::sync::Arc;

use futures_util::future::join_all;
use tokio_postgres::binary_copy::BinaryCopyInWriter;
use tokio_postgres::types::ToSql;

use super::postgres_address::Address;
use super::postgres_pool::{Pool, Session, as_parameters, causes, connect_timeout_of, failure};
use super::{PoolUse, PostgresOptions, Row, Value};
use crate::error::{Result, StoreError};

/// Many keys are looked up one by one in the index, until the transaction ends. A table that grows
/// too fast for its statistics looks small to the planner, which would read all of it every time.
const BY_INDEX: &str = "set local enable_seqscan = off; set local enable_hashjoin = off; \
                        set local enable_mergejoin = off; set local enable_bitmapscan = off";

/// Keys that are sent to a server at a time.
pub(crate) const KEYS_AT_A_TIME: usize = 32;

/// One schema of a PostgreSQL database.
pub struct Postgres {
    pool: Arc<Pool>,
}

impl Postgres {
    /// Connects once, to tell a wrong address at the start, and makes the schema.
    pub async fn open(options: PostgresOptions) -> Result<Postgres> {
        let schema = options.schema;
        let pool = Pool::of(options, None)?;
        pool.connect().await?.make_schema(schema).await?;
        Ok(Postgres { pool: Arc::new(pool) })
    }

    /// A copy of a database that is only read. Connections are made when they are needed, and only
    /// those are kept that lead to a copy of the database with this identity.
    pub fn replica(options: PostgresOptions, identity: String) -> Result<Postgres> {
        Ok(Postgres { pool: Arc::new(Pool::of(options, Some(identity))?) })
    }

    /// What a database has in common with its copies, and with no other.
    pub async fn identity(&self) -> Result<String> {
        self.pool.shared_session().await?.identity().await
    }

    /// Runs a query that gives one row on every shared connection, since each may lead to another
    /// server. Those that lead to a server of another kind than is asked for are made anew.
    pub async fn query_each<T>(
        &self,
        sql: &'static str,
        mut map: impl FnMut(&Row<'_>) -> Result<T>,
    ) -> Result<Vec<T>> {
        let mut rows = Vec::new();
        for slot in 0..self.pool.shared.len() {
            let mut session = self.pool.session_in(slot).await?;
            if self.pool.is_misplaced(&session).await? {
                self.pool.shared[slot].lock().await.take();
                session = self.pool.session_in(slot).await?;
            }
            rows.extend(session.query(sql, &[], &mut map).await?);
        }
        Ok(rows)
    }

    /// How the connections are used. Shared ones are never idle.
    pub fn pool_use(&self) -> PoolUse {
        self.pool.in_use()
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

    /// Runs a query that gives at most one row once for each key. Some are sent at a time without waiting in
    /// between, each time on another shared connection, so that others come in between.
    pub async fn query_keys<T>(
        &self,
        sql: &'static str,
        keys: &[&str],
        map: fn(&Row<'_>) -> Result<T>,
    ) -> Result<Vec<Option<T>>> {
        let mut found = Vec::with_capacity(keys.len());
        for keys in keys.chunks(KEYS_AT_A_TIME) {
            let session = self.pool.shared_session().await?;
            session.prepare(sql).await?;
            let one = async |key: &&str| session.query(sql, &[(*key).into()], map).await;
            for rows in join_all(keys.iter().map(one)).await {
                found.push(rows?.pop());
            }
        }
        Ok(found)
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
