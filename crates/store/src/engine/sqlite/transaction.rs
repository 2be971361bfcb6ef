//! A write transaction of the embedded engine.

use std::sync::Arc;

use rusqlite::{Connection, params_from_iter};
use tokio::sync::OwnedMutexGuard;

use super::{Pool, Row, Value, failure, for_each_row, run_cached};
use crate::error::Result;

/// A write transaction; it holds the process's write lock until it ends.
pub struct Transaction {
    // `None` only after `commit` has released it.
    connection: Option<Connection>,
    pool: Arc<Pool>,
    _write_guard: OwnedMutexGuard<()>,
}

impl Transaction {
    /// Takes the file's write lock.
    pub(super) fn begin(pool: &Arc<Pool>, write_guard: OwnedMutexGuard<()>) -> Result<Transaction> {
        let connection = pool.take()?;
        let started = run_cached(&connection, "begin immediate");
        let transaction = Transaction {
            connection: Some(connection),
            pool: pool.clone(),
            _write_guard: write_guard,
        };
        started.map(|()| transaction).map_err(|error| pool.add_file_name(error))
    }

    fn connection(&self) -> &Connection {
        self.connection.as_ref().expect("the connection is released only when the transaction ends")
    }

    /// Runs a query and calls `each` with every row.
    pub fn for_each_row(
        &mut self,
        sql: &'static str,
        parameters: &[Value<'_>],
        each: &mut dyn FnMut(&Row<'_>) -> Result<()>,
    ) -> Result<()> {
        let result = for_each_row(self.connection(), sql, parameters, each);
        result.map_err(|error| self.pool.add_file_name(error))
    }

    pub fn query<T>(
        &mut self,
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

    pub fn execute(&mut self, sql: &'static str, parameters: &[Value<'_>]) -> Result<u64> {
        let mut statement = self.connection().prepare_cached(sql).map_err(failure)?;
        let changed = statement.execute(params_from_iter(parameters)).map_err(failure);
        changed.map(|changed| changed as u64).map_err(|error| self.pool.add_file_name(error))
    }

    /// Runs a query once per key. Calls `found` with the index of the key and the row.
    pub fn find_many(
        &mut self,
        sql: &'static str,
        keys: &[&[Value<'_>]],
        found: &mut dyn FnMut(usize, &Row<'_>) -> Result<()>,
    ) -> Result<()> {
        let mut statement = self.connection().prepare_cached(sql).map_err(failure)?;
        for (index, key) in keys.iter().enumerate() {
            let mut rows = statement
                .query(params_from_iter(*key))
                .map_err(|error| self.pool.add_file_name(failure(error)))?;
            while let Some(row) =
                rows.next().map_err(|error| self.pool.add_file_name(failure(error)))?
            {
                found(index, &Row::Sqlite(row))?;
            }
        }
        Ok(())
    }

    /// Runs a statement once per row of parameters.
    pub fn execute_many(&mut self, sql: &'static str, rows: &[&[Value<'_>]]) -> Result<()> {
        let mut statement = self.connection().prepare_cached(sql).map_err(failure)?;
        for row in rows {
            statement
                .execute(params_from_iter(*row))
                .map_err(|error| self.pool.add_file_name(failure(error)))?;
        }
        Ok(())
    }

    pub fn run_script(&mut self, script: &str) -> Result<()> {
        self.connection().execute_batch(script).map_err(failure)
    }

    pub fn commit(mut self) -> Result<()> {
        let committed = run_cached(self.connection(), "commit");
        committed.map_err(|error| self.pool.add_file_name(error))?;
        if let Some(connection) = self.connection.take() {
            self.pool.release(connection);
        }
        Ok(())
    }
}

impl Drop for Transaction {
    fn drop(&mut self) {
        if let Some(connection) = self.connection.take() {
            self.pool.roll_back_and_release(connection);
        }
    }
}
