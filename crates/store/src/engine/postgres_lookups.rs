//! Lookups of keys: while queries of a statement are running on all shared connections, further keys of
//! the same statement are collected and sent as one query. Each then costs the server and the client a
//! fraction of a query of its own.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use futures_util::future::join_all;
use tokio::sync::oneshot;
use tokio_postgres::Row;
use tokio_postgres::types::ToSql;

use super::postgres_lookup_queue::{LookupQueue, SendingTask, WaitingKey};
use super::postgres_pool::{Pool, Session, as_parameters, failure};
use super::value::with_key;
use super::{Row as AnyRow, Value};
use crate::error::{Result, StoreError};

/// The lookups of one connection pool.
#[derive(Default)]
pub(super) struct Lookups {
    // By the address of the statement, as for prepared statements.
    by_statement: Mutex<HashMap<usize, Arc<Lookup>>>,
}

/// A statement whose first parameter is a key.
struct Lookup {
    of_one: &'static str,
    /// The statement for many keys. The last column of its rows is the index of the key, from 1.
    of_many: &'static str,
    /// Whether the server refuses the statement for many keys.
    is_refused: AtomicBool,
    queue: Arc<LookupQueue>,
}

impl Lookups {
    /// The rows of one key.
    pub async fn find(&self, pool: &Arc<Pool>, sql: &'static str, key: &str) -> Result<Vec<Row>> {
        let lookup = self.lookup(sql);
        if !lookup.is_combined() {
            return pool.shared_session().await?.query(sql, &[Value::Text(key)]).await;
        }
        let (reply, rows) = oneshot::channel();
        if let Some(task) = lookup.queue.add(WaitingKey { key: key.to_owned(), reply })? {
            tokio::spawn(send(pool.clone(), lookup, task));
        }
        let interrupted = || StoreError::Unavailable("the lookup was interrupted".to_owned());
        rows.await.unwrap_or_else(|_| Err(interrupted()))
    }

    /// The rows of each key of a batch.
    pub async fn find_batch(
        &self,
        session: &Session,
        sql: &'static str,
        keys: &[&str],
        rest: &[Value<'_>],
    ) -> Vec<Result<Vec<Row>>> {
        self.lookup(sql).find_batch(session, keys, rest).await
    }

    fn lookup(&self, sql: &'static str) -> Arc<Lookup> {
        let mut known = self.by_statement.lock().unwrap_or_else(PoisonError::into_inner);
        known.entry(sql.as_ptr() as usize).or_insert_with(|| Arc::new(Lookup::of(sql))).clone()
    }
}

impl Lookup {
    fn of(sql: &'static str) -> Lookup {
        Lookup {
            of_one: sql,
            // Leaked once per statement and pool: statements are static everywhere.
            of_many: many_keys(sql).leak(),
            is_refused: AtomicBool::new(false),
            queue: Arc::default(),
        }
    }

    fn is_combined(&self) -> bool {
        !self.is_refused.load(Ordering::Relaxed)
    }

    /// From now on each key is looked up by a query of its own. Returns whether that is new.
    fn stop_combining(&self, reason: &str) -> bool {
        let is_new = !self.is_refused.swap(true, Ordering::Relaxed);
        if is_new {
            let sql = self.of_many;
            tracing::warn!(reason, sql, "lookups are no longer combined: the query is refused");
        }
        is_new
    }

    /// The rows of each key, by one query if possible.
    async fn find_batch(
        &self,
        session: &Session,
        keys: &[&str],
        rest: &[Value<'_>],
    ) -> Vec<Result<Vec<Row>>> {
        if keys.len() < 2 || !self.is_combined() {
            return find_separately(session, self.of_one, keys, rest).await;
        }
        match self.find_combined(session, keys, rest).await {
            Ok(found) => found.into_iter().map(Ok).collect(),
            // A key that the server refuses makes the whole query fail: each is sent alone, so that
            // only that one fails.
            Err(StoreError::Bug(reason)) => {
                let found = find_separately(session, self.of_one, keys, rest).await;
                let all_succeeded = found.iter().all(Result::is_ok);
                // No key is sent when a statement is prepared.
                if all_succeeded || session.prepare(self.of_many).await.is_err_and(is_bug) {
                    self.stop_combining(&reason);
                }
                debug_assert!(!all_succeeded, "only the combined query fails: {reason}");
                found
            }
            Err(error) => keys.iter().map(|_| Err(error.clone())).collect(),
        }
    }

    async fn find_combined(
        &self,
        session: &Session,
        keys: &[&str],
        rest: &[Value<'_>],
    ) -> Result<Vec<Vec<Row>>> {
        let prepared = session.prepare(self.of_many).await?;
        let rest = as_parameters(rest);
        let parameters: Vec<&(dyn ToSql + Sync)> =
            std::iter::once(&keys as &(dyn ToSql + Sync)).chain(rest).collect();
        let mut found: Vec<Vec<Row>> = keys.iter().map(|_| Vec::new()).collect();
        for row in session.client.query(&prepared, &parameters).await.map_err(failure)? {
            let place: i64 = AnyRow::Postgres(&row).get(row.len() - 1)?;
            let rows = usize::try_from(place - 1).ok().and_then(|index| found.get_mut(index));
            rows.ok_or_else(|| StoreError::Bug(format!("no key has the index {place}")))?.push(row);
        }
        Ok(found)
    }
}

fn is_bug(error: StoreError) -> bool {
    matches!(error, StoreError::Bug(_))
}

/// The rows of each key of a batch, by one query for each. They are pipelined.
pub(super) async fn find_separately(
    session: &Session,
    sql: &'static str,
    keys: &[&str],
    rest: &[Value<'_>],
) -> Vec<Result<Vec<Row>>> {
    // Otherwise each of the queries would prepare it.
    if let Err(error) = session.prepare(sql).await {
        return keys.iter().map(|_| Err(error.clone())).collect();
    }
    let one = async |key: &&str| {
        let parameters: Vec<Value<'_>> = with_key(key, rest).collect();
        session.query(sql, &parameters).await
    };
    join_all(keys.iter().map(one)).await
}

/// Sends the waiting keys until none is left.
async fn send(pool: Arc<Pool>, lookup: Arc<Lookup>, mut task: SendingTask) {
    while let Some(waiting) = task.take() {
        let keys: Vec<&str> = waiting.iter().map(|each| each.key.as_str()).collect();
        let found = match pool.session_in(task.slot()).await {
            Ok(session) => lookup.find_batch(&session, &keys, &[]).await,
            Err(error) => keys.iter().map(|_| Err(error.clone())).collect(),
        };
        for (each, rows) in waiting.into_iter().zip(found) {
            // A caller that has stopped waiting has dropped its receiver.
            let _ = each.reply.send(rows);
        }
    }
}

/// The statement for many keys. The offset keeps the planner from joining in another way than by
/// running the inner query once for each key, in order.
///
/// The keys are in a subquery of their own so that the planner does not count them: the plan for any
/// keys then costs the same as one for these, and the server keeps it after five queries. Otherwise it
/// would plan each query with fewer than 10 keys. The setting `plan_cache_mode` would do the same, but for
/// all other queries on the shared connections, too.
fn many_keys(sql: &str) -> String {
    let mut inner = String::with_capacity(sql.len());
    let mut parts = sql.split("$1");
    inner.push_str(parts.next().unwrap_or_default());
    for part in parts {
        let is_longer = part.starts_with(|next: char| next.is_ascii_digit());
        inner.push_str(if is_longer { "$1" } else { "wanted.key" });
        inner.push_str(part);
    }
    format!(
        "select found.*, wanted.place from unnest((select $1::text[])) with ordinality as wanted \
         (key, place) cross join lateral ({inner} offset 0) as found"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_key_is_replaced_and_other_parameters_are_not() {
        let sql = "select a from t where k = $1 and b = $2 and c = $10 limit $11";
        assert_eq!(
            many_keys(sql),
            "select found.*, wanted.place from unnest((select $1::text[])) with ordinality as wanted \
             (key, place) cross join lateral (select a from t where k = wanted.key and b = $2 and \
             c = $10 limit $11 offset 0) as found"
        );
    }

    #[test]
    fn a_statement_that_is_refused_is_no_longer_combined_and_that_is_new_once() {
        let lookup = Lookup::of("select a from t where k = $1");
        assert!(lookup.is_combined());
        assert!(lookup.stop_combining("syntax error"));
        assert!(!lookup.stop_combining("syntax error"));
        assert!(!lookup.is_combined());
    }
}
