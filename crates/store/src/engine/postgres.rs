//! The PostgreSQL engine: pipelined reads on a few shared connections, transactions on their own
//! connections.
//!
//! What other crates await through the engine are boxed futures of functions that are not `async`: the
//! compiler generates the code of an `async` function in every crate that awaits it, but the code of these
//! and of the driver once, in this crate.

use std::sync::Arc;

use futures_util::future::{BoxFuture, join_all};
use futures_util::{FutureExt, TryStreamExt};
use tokio_postgres::Row;
use tokio_postgres::binary_copy::BinaryCopyInWriter;
use tokio_postgres::types::ToSql;

use super::postgres_address::Address;
use super::postgres_lookup_queue::KEY_BATCH;
use super::postgres_lookups::{Lookups, find_separately};
use super::postgres_pool::{Pool, Session, as_parameters, causes, connect_timeout_of, failure};
use super::{EachRow, PoolStats, PostgresOptions, Value};
use crate::error::{Result, StoreError};

/// Forces index lookups for many keys until the transaction ends. A table that grows faster than
/// its statistics looks small to the planner, which would scan it every time.
const BY_INDEX: &str = "set local enable_seqscan = off; set local enable_hashjoin = off; \
                        set local enable_mergejoin = off; set local enable_bitmapscan = off";

/// The time of a statement includes the time in which the client reads its rows. The limit is back when
/// the transaction ends.
const NO_TIME_LIMIT: &str = "set local statement_timeout = 0";

const NO_PARAMETERS: [&(dyn ToSql + Sync); 0] = [];

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
    pub fn identity(&self) -> BoxFuture<'_, Result<String>> {
        async move { self.pool.shared_session().await?.identity().await }.boxed()
    }

    /// Runs a query that returns one row on every shared connection, because each may use another
    /// server. Connections to a server of the wrong kind are replaced.
    pub fn query_each(&self, sql: &'static str) -> BoxFuture<'_, Result<Vec<Row>>> {
        async move {
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
        .boxed()
    }

    pub fn pool_use(&self) -> PoolStats {
        self.pool.in_use()
    }

    pub fn query<'a>(
        &'a self,
        sql: &'static str,
        parameters: &'a [Value<'a>],
    ) -> BoxFuture<'a, Result<Vec<Row>>> {
        async move {
            let session = self.pool.shared_session().await?;
            session.query(sql, parameters).await
        }
        .boxed()
    }

    /// Maps each row as it arrives, in a transaction of its own. The driver reads ahead by one message.
    pub fn scan<'a>(
        &'a self,
        sql: &'static str,
        map: &'a mut EachRow<'_>,
    ) -> BoxFuture<'a, Result<()>> {
        async move {
            let transaction = self.transaction().await?;
            let session = &transaction.session;
            session.run_script(NO_TIME_LIMIT).await?;
            let statement = session.prepare(sql).await?;
            let rows =
                session.client.query_raw(&statement, NO_PARAMETERS).await.map_err(failure)?;
            let mut rows = std::pin::pin!(rows);
            while let Some(row) = rows.try_next().await.map_err(failure)? {
                map(&super::Row::Postgres(&row))?;
            }
            transaction.commit().await
        }
        .boxed()
    }

    /// Runs a query that looks up one key, if that is its only parameter.
    pub fn look_up<'a>(
        &'a self,
        sql: &'static str,
        parameters: &'a [Value<'a>],
    ) -> BoxFuture<'a, Result<Vec<Row>>> {
        async move {
            match (&self.lookups, parameters) {
                (Some(lookups), [Value::Text(key)]) => lookups.find(&self.pool, sql, key).await,
                _ => self.query(sql, parameters).await,
            }
        }
        .boxed()
    }

    /// Runs a query once per key, its first parameter. The keys are sent in batches, each on the next
    /// shared connection, so that other queries can run in between.
    pub fn query_keys<'a>(
        &'a self,
        sql: &'static str,
        keys: &'a [&str],
        rest: &'a [Value<'a>],
    ) -> BoxFuture<'a, Result<Vec<Vec<Row>>>> {
        async move {
            if let (Some(lookups), [key], []) = (&self.lookups, keys, rest) {
                return Ok(vec![lookups.find(&self.pool, sql, key).await?]);
            }
            let mut found = Vec::with_capacity(keys.len());
            for keys in keys.chunks(KEY_BATCH) {
                let session = self.pool.shared_session().await?;
                let batch = match &self.lookups {
                    Some(lookups) => lookups.find_batch(&session, sql, keys, rest).await,
                    None => find_separately(&session, sql, keys, rest).await,
                };
                for rows in batch {
                    found.push(rows?);
                }
            }
            Ok(found)
        }
        .boxed()
    }

    /// Begins a transaction on its own connection.
    pub fn transaction(&self) -> BoxFuture<'_, Result<Transaction>> {
        async move {
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
        .boxed()
    }
}

/// A transaction. Without `commit` its connection is closed and the server rolls back.
pub struct Transaction {
    session: Session,
    pool: Arc<Pool>,
}

impl Transaction {
    pub fn query<'a>(
        &'a mut self,
        sql: &'static str,
        parameters: &'a [Value<'a>],
    ) -> BoxFuture<'a, Result<Vec<Row>>> {
        async move { self.session.query(sql, parameters).await }.boxed()
    }

    /// Pipelines one query with many sets of parameters. The server runs them in order.
    pub fn query_each<'a>(
        &'a mut self,
        sql: &'static str,
        parameter_sets: &'a [Vec<Value<'a>>],
    ) -> BoxFuture<'a, Result<Vec<Vec<Row>>>> {
        async move {
            self.session.prepare(sql).await?;
            let session = &self.session;
            let sent = parameter_sets.iter().map(|set| session.query(sql, set));
            join_all(sent).await.into_iter().collect()
        }
        .boxed()
    }

    pub fn execute<'a>(
        &'a mut self,
        sql: &'static str,
        parameters: &'a [Value<'a>],
    ) -> BoxFuture<'a, Result<u64>> {
        async move { self.session.execute(sql, parameters).await }.boxed()
    }

    /// Pipelines one statement with many sets of parameters.
    pub fn execute_each<'a>(
        &'a mut self,
        sql: &'static str,
        parameter_sets: &'a [&'a [Value<'a>]],
    ) -> BoxFuture<'a, Result<()>> {
        async move {
            if parameter_sets.is_empty() {
                return Ok(());
            }
            self.session.prepare(sql).await?;
            let session = &self.session;
            let sent = parameter_sets.iter().map(|set| session.execute(sql, set));
            // A failed statement makes all later ones fail: the first error is the cause.
            join_all(sent).await.into_iter().find(Result::is_err).map_or(Ok(()), |e| e.map(drop))
        }
        .boxed()
    }

    /// Finds rows by their keys, given column by column; the last column of the result is the index
    /// of the key, from 1.
    pub fn find_many<'a>(
        &'a mut self,
        sql: &'static str,
        key_columns: &'a [Vec<&'a str>],
    ) -> BoxFuture<'a, Result<Vec<Row>>> {
        async move {
            self.session.run_script(BY_INDEX).await?;
            let statement = self.session.prepare(sql).await?;
            let parameters: Vec<&(dyn ToSql + Sync)> =
                key_columns.iter().map(|column| column as &(dyn ToSql + Sync)).collect();
            self.session.client.query(&statement, &parameters).await.map_err(failure)
        }
        .boxed()
    }

    /// Streams rows into a table. `insert` is only prepared: its parameters give the types of the
    /// columns.
    pub fn copy_in<'a>(
        &'a mut self,
        insert: &'static str,
        copy: &'static str,
        rows: &'a [&'a [Value<'a>]],
    ) -> BoxFuture<'a, Result<()>> {
        async move {
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
        .boxed()
    }

    pub fn run_script<'a>(&'a mut self, script: &'a str) -> BoxFuture<'a, Result<()>> {
        async move { self.session.run_script(script).await }.boxed()
    }

    /// Commits and keeps the connection for the next transaction.
    pub fn commit(self) -> BoxFuture<'static, Result<()>> {
        async move {
            self.session.run_script("commit").await?;
            self.pool.release(self.session);
            Ok(())
        }
        .boxed()
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
