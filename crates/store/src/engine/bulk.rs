//! Finding and inserting many rows of one table, in the fastest way of each engine.

use super::{EachRowOf, Row, Transaction, Value};
use crate::error::{Result, StoreError};

/// From this many rows on, PostgreSQL gets them as one stream. That takes one more round trip than
/// statements in a pipeline: measured with charges, 4 rows take longer, 8 somewhat less time, 64
/// less than half.
const MIN_STREAMED_ROWS: usize = 8;

/// The statements that find and insert rows of one table, built once from its columns.
pub struct BulkStatements {
    /// Reads the row with one key.
    pub find: String,
    /// Reads the rows of many keys; PostgreSQL only.
    find_many: String,
    pub insert: String,
    /// Inserts a stream of rows; PostgreSQL only.
    copy: String,
}

impl BulkStatements {
    /// The statements of a table whose key is its first `key_columns` columns, all of type text.
    pub fn new(table: &str, columns: &[&str], key_columns: usize) -> BulkStatements {
        let list = columns.join(", ");
        let placeholders: Vec<String> = (1..=columns.len()).map(|n| format!("${n}")).collect();
        let key = &columns[..key_columns];
        let each = |text: &dyn Fn(usize, &str) -> String, separator: &str| {
            let parts = key.iter().enumerate().map(|(index, column)| text(index + 1, column));
            parts.collect::<Vec<_>>().join(separator)
        };
        BulkStatements {
            find: format!(
                "select {list} from {table} where {}",
                each(&|n, column| format!("{column} = ${n}"), " and ")
            ),
            find_many: format!(
                "select {}, wanted.place from unnest({}) with ordinality as wanted ({}, place) \
                 join {table} as existing on {}",
                columns.iter().map(|c| format!("existing.{c}")).collect::<Vec<_>>().join(", "),
                each(&|n, _| format!("${n}::text[]"), ", "),
                each(&|n, _| format!("key{n}"), ", "),
                each(&|n, column| format!("existing.{column} = wanted.key{n}"), " and "),
            ),
            insert: format!("insert into {table} ({list}) values ({})", placeholders.join(", ")),
            copy: format!("copy {table} ({list}) from stdin binary"),
        }
    }
}

impl Transaction {
    /// Finds the rows with these keys. Calls `found` with the index of the key and the row, in any
    /// order.
    pub async fn find_many(
        &mut self,
        statements: &'static BulkStatements,
        keys: &[&[Value<'_>]],
        found: &mut EachRowOf<'_>,
    ) -> Result<()> {
        if keys.is_empty() {
            return Ok(());
        }
        match self {
            Transaction::Sqlite(transaction) => {
                transaction.find_many(&statements.find, keys, found)
            }
            Transaction::Postgres(transaction) => {
                let columns = (0..keys[0].len())
                    .map(|column| keys.iter().map(|key| key_text(key[column])).collect())
                    .collect::<Result<Vec<Vec<&str>>>>()?;
                let rows = transaction.find_many(&statements.find_many, &columns).await?;
                rows.iter().try_for_each(|row| {
                    let number: i64 = Row::Postgres(row).get(row.len() - 1)?;
                    found(number as usize - 1, &Row::Postgres(row))
                })
            }
        }
    }

    /// Inserts rows, each with a value for every column.
    pub async fn insert_many(
        &mut self,
        statements: &'static BulkStatements,
        rows: &[&[Value<'_>]],
    ) -> Result<()> {
        match self {
            Transaction::Sqlite(transaction) => transaction.execute_many(&statements.insert, rows),
            Transaction::Postgres(transaction) if rows.len() < MIN_STREAMED_ROWS => {
                transaction.execute_each(&statements.insert, rows).await
            }
            Transaction::Postgres(transaction) => {
                let copying = transaction.copy_in(&statements.insert, &statements.copy, rows);
                copying.await
            }
        }
    }
}

fn key_text(value: Value<'_>) -> Result<&str> {
    match value {
        Value::Text(text) => Ok(text),
        other => Err(StoreError::Bug(format!("a key must be text, this one is {other:?}"))),
    }
}
