//! Lookups of keys: while queries of a statement are running on all shared connections, further keys of
//! the same statement are collected and sent as one query. Each then costs the server and the client a
//! fraction of a query of its own.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::oneshot;
use tokio_postgres::Row;
use tokio_postgres::types::ToSql;

use super::postgres::KEY_BATCH;
use super::postgres_pool::{Pool, SHARED_CONNECTIONS, Session, as_parameters, failure};
use super::{Row as AnyRow, Value};
use crate::error::{Result, StoreError};

/// A statement whose first parameter is a key, and the statement that runs it for many keys.
#[derive(Clone, Copy)]
struct KeyStatement {
    of_one: &'static str,
    /// The last column of its rows is the index of the key, from 1.
    of_many: &'static str,
}

/// The lookups of one connection pool.
#[derive(Default)]
pub(super) struct Lookups {
    // By the address of the statement, as for prepared statements.
    by_statement: Mutex<HashMap<usize, Arc<Lookup>>>,
}

/// The keys of one statement that wait to be sent.
struct Lookup {
    statement: KeyStatement,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    /// Whether a query is running on each shared connection. With one query on each, a connection
    /// that does not respond delays only the keys that were sent on it.
    running: [bool; SHARED_CONNECTIONS],
    /// Where the next free one is looked for, so that all are used in turn.
    next: usize,
    waiting: VecDeque<Waiting>,
}

struct Waiting {
    key: String,
    reply: oneshot::Sender<Result<Vec<Row>>>,
}

impl Lookups {
    /// The rows of one key.
    pub async fn find(&self, pool: &Arc<Pool>, sql: &'static str, key: &str) -> Result<Vec<Row>> {
        let lookup = self.lookup(sql);
        let (reply, rows) = oneshot::channel();
        if let Some(slot) = lookup.add(Waiting { key: key.to_owned(), reply }) {
            let running = Running { lookup, slot, ended: false };
            tokio::spawn(run(pool.clone(), running));
        }
        let interrupted = || StoreError::Unavailable("the lookup was interrupted".to_owned());
        rows.await.unwrap_or_else(|_| Err(interrupted()))
    }

    /// The rows of each of many keys. Other queries can run between two batches of keys.
    pub async fn find_each(
        &self,
        pool: &Pool,
        sql: &'static str,
        keys: &[&str],
        rest: &[Value<'_>],
    ) -> Result<Vec<Vec<Row>>> {
        let statement = self.lookup(sql).statement;
        let mut found = Vec::with_capacity(keys.len());
        for keys in keys.chunks(KEY_BATCH) {
            let session = pool.shared_session().await?;
            found.extend(find_batch(&session, statement, keys, rest).await?);
        }
        Ok(found)
    }

    fn lookup(&self, sql: &'static str) -> Arc<Lookup> {
        let mut known = self.by_statement.lock().unwrap_or_else(PoisonError::into_inner);
        known.entry(sql.as_ptr() as usize).or_insert_with(|| Arc::new(Lookup::of(sql))).clone()
    }
}

impl Lookup {
    fn of(sql: &'static str) -> Lookup {
        // Leaked once per statement and pool: statements are static everywhere.
        let of_many: &'static str = many_keys(sql).leak();
        let statement = KeyStatement { of_one: sql, of_many };
        Lookup { statement, state: Mutex::default() }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds a key; returns a shared connection on which another query may be sent.
    fn add(&self, waiting: Waiting) -> Option<usize> {
        let mut state = self.state();
        state.waiting.push_back(waiting);
        let mut slots =
            (0..SHARED_CONNECTIONS).map(|step| (state.next + step) % SHARED_CONNECTIONS);
        let slot = slots.find(|slot| !state.running[*slot])?;
        state.running[slot] = true;
        state.next = slot + 1;
        Some(slot)
    }
}

/// A task that sends the waiting keys of a statement. If its runtime ends before, the callers get an
/// error instead of waiting indefinitely.
struct Running {
    lookup: Arc<Lookup>,
    /// Its shared connection.
    slot: usize,
    ended: bool,
}

impl Running {
    /// The next keys to send; none if no key waits, which ends the task.
    fn take(&mut self) -> Option<Vec<Waiting>> {
        let mut state = self.lookup.state();
        state.waiting.retain(|each| !each.reply.is_closed());
        let keys = state.waiting.len().min(KEY_BATCH);
        if keys == 0 {
            state.running[self.slot] = false;
            self.ended = true;
            return None;
        }
        Some(state.waiting.drain(..keys).collect())
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        if self.ended {
            return;
        }
        let mut state = self.lookup.state();
        state.running[self.slot] = false;
        if !state.running.contains(&true) {
            state.waiting.clear();
        }
    }
}

/// Sends the waiting keys until none is left.
async fn run(pool: Arc<Pool>, mut running: Running) {
    let (statement, slot) = (running.lookup.statement, running.slot);
    while let Some(waiting) = running.take() {
        let keys: Vec<&str> = waiting.iter().map(|each| each.key.as_str()).collect();
        let session = match pool.session_in(slot).await {
            Ok(session) => session,
            Err(error) => {
                reply_error(waiting, &error);
                continue;
            }
        };
        match find_batch(&session, statement, &keys, &[]).await {
            Ok(found) => reply(waiting, found.into_iter().map(Ok)),
            // A key that the server refuses makes the whole query fail: each is sent alone, so that
            // only that one fails.
            Err(StoreError::Bug(reason)) => {
                let mut found = Vec::with_capacity(keys.len());
                for key in keys {
                    let rows = find_batch(&session, statement, &[key], &[]).await;
                    found.push(rows.map(|mut rows| rows.pop().unwrap_or_default()));
                }
                if found.iter().all(Result::is_ok) {
                    tracing::warn!(reason, sql = statement.of_many, "a combined lookup failed");
                }
                reply(waiting, found);
            }
            Err(error) => reply_error(waiting, &error),
        }
    }
}

fn reply(waiting: Vec<Waiting>, found: impl IntoIterator<Item = Result<Vec<Row>>>) {
    for (each, rows) in waiting.into_iter().zip(found) {
        // A caller that has stopped waiting has dropped its receiver.
        let _ = each.reply.send(rows);
    }
}

fn reply_error(waiting: Vec<Waiting>, error: &StoreError) {
    reply(waiting, std::iter::repeat_with(|| Err(error.clone())));
}

/// The rows of each key.
async fn find_batch(
    session: &Session,
    statement: KeyStatement,
    keys: &[&str],
    rest: &[Value<'_>],
) -> Result<Vec<Vec<Row>>> {
    let rest = as_parameters(rest);
    let rest = rest.iter().copied();
    if let [key] = keys {
        let prepared = session.prepare(statement.of_one).await?;
        let parameters: Vec<&(dyn ToSql + Sync)> =
            std::iter::once(key as &(dyn ToSql + Sync)).chain(rest).collect();
        return Ok(vec![session.client.query(&prepared, &parameters).await.map_err(failure)?]);
    }
    let prepared = session.prepare(statement.of_many).await?;
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

/// The statement for many keys. The offset keeps the planner from joining in another way than by
/// running the inner query once for each key, in order.
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
        "select found.*, wanted.place from unnest($1::text[]) with ordinality as wanted (key, place) \
         cross join lateral ({inner} offset 0) as found"
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
            "select found.*, wanted.place from unnest($1::text[]) with ordinality as wanted \
             (key, place) cross join lateral (select a from t where k = wanted.key and b = $2 and \
             c = $10 limit $11 offset 0) as found"
        );
    }
}
