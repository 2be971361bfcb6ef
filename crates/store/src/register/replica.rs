//! A replica of the register: lookups use it while it responds and its lag is within the limit.

use std::collections::VecDeque;
use std::fmt;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use tokio::sync::Notify;
use tokio::time::timeout;

use super::Register;
use crate::engine::shard::has_citus;
use crate::engine::{EachRow, EachRowOf, Engine, KEY_BATCH, PostgresOptions, Row, Value};
use crate::error::{Result, StoreError};

/// Time limit of a lookup on the replica; after it the primary is used.
const READ_TIME: Duration = Duration::from_secs(2);
/// Time limit of a check of the replica, including connecting.
const CHECK_TIME: Duration = Duration::from_secs(10);
/// Change numbers of the primary that are remembered until the replica has reached them.
const MAX_HEADS: usize = 1_000;

/// A replica and its state.
pub struct Replica {
    engine: Engine,
    max_lag: Duration,
    usable: AtomicBool,
    lookup_failed: Notify,
    served: AtomicU64,
    fallbacks: AtomicU64,
    seen: Mutex<Seen>,
}

#[derive(Default)]
struct Seen {
    lag: Lag,
    last: Option<ReplicaCheck>,
}

/// The result of a check of a replica.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReplicaCheck {
    /// The newest change on the primary.
    pub newest: i64,
    /// The newest change on the replica; `None` if it could not be read.
    pub reached: Option<i64>,
    /// Upper bound of the lag; `None` while it is unknown.
    pub lag: Option<Duration>,
    /// Why lookups do not use it.
    pub fault: Option<ReplicaFault>,
}

/// Why lookups do not use a replica.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ReplicaFault {
    /// It cannot be reached, or does not respond.
    Unreachable(String),
    /// It is not a replica of the primary.
    OtherDatabase(String),
    /// Its lag is above the limit, or unknown.
    Behind,
    /// Its schema version differs from that of this program.
    OtherSchema(i64),
}

impl ReplicaFault {
    /// Whether it is the same kind of fault, with any reason.
    pub fn is_like(&self, other: &ReplicaFault) -> bool {
        std::mem::discriminant(self) == std::mem::discriminant(other)
    }
}

impl fmt::Display for ReplicaFault {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ReplicaFault::Unreachable(reason) | ReplicaFault::OtherDatabase(reason) => {
                out.write_str(reason)
            }
            ReplicaFault::Behind => out.write_str("it is too far behind"),
            ReplicaFault::OtherSchema(number) => {
                write!(out, "it has schema {number}, and this program has {}", Register::SCHEMA)
            }
        }
    }
}

/// Number of lookups since the start.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ReplicaReads {
    /// Lookups that the replica served.
    pub served: u64,
    /// Lookups that the primary served instead.
    pub fallbacks: u64,
}

impl Replica {
    pub fn is_used(&self) -> bool {
        self.usable.load(Ordering::Relaxed)
    }

    pub fn reads(&self) -> ReplicaReads {
        ReplicaReads {
            served: self.served.load(Ordering::Relaxed),
            fallbacks: self.fallbacks.load(Ordering::Relaxed),
        }
    }

    pub fn last_check(&self) -> Option<ReplicaCheck> {
        self.seen().last.clone()
    }

    /// Returns when a lookup on the replica has failed, so that it should be checked again.
    pub async fn lookup_failed(&self) {
        self.lookup_failed.notified().await;
    }

    /// Runs a query. Returns false if the primary should be used, which then reports any error.
    pub(super) fn for_each_row<'a>(
        &'a self,
        sql: &'static str,
        parameters: &'a [Value<'a>],
        each: &'a mut EachRow<'_>,
    ) -> BoxFuture<'a, bool> {
        let reading = self.engine.look_up(sql, parameters, each);
        self.within_time(reading).map(|found| found.is_some()).boxed()
    }

    /// Runs a query once per key. Returns false if the primary should be used. The time limit applies to
    /// each batch of keys, because many keys take longer on a healthy server, too.
    pub(super) fn for_each_row_of<'a>(
        &'a self,
        sql: &'static str,
        keys: &'a [&str],
        rest: &'a [Value<'a>],
        each: &'a mut EachRowOf<'_>,
    ) -> BoxFuture<'a, bool> {
        async move {
            for (batch, keys) in keys.chunks(KEY_BATCH).enumerate() {
                let mut each = |index: usize, row: &Row<'_>| each(batch * KEY_BATCH + index, row);
                let reading = self.engine.for_each_row_of(sql, keys, rest, &mut each);
                if self.within_time(reading).await.is_none() {
                    return false;
                }
            }
            true
        }
        .boxed()
    }

    async fn within_time<T>(&self, reading: impl Future<Output = Result<T>>) -> Option<T> {
        if self.is_used() {
            if let Ok(Ok(found)) = timeout(READ_TIME, reading).await {
                self.served.fetch_add(1, Ordering::Relaxed);
                return Some(found);
            }
            self.usable.store(false, Ordering::Relaxed);
            self.lookup_failed.notify_one();
        }
        self.fallbacks.fetch_add(1, Ordering::Relaxed);
        None
    }

    async fn check(&self, newest: i64) -> ReplicaCheck {
        let state = timeout(CHECK_TIME, self.read_state()).await;
        let (reached, fault) = match state {
            Ok(Ok((schema, _))) if schema != Register::SCHEMA => {
                (None, Some(ReplicaFault::OtherSchema(schema)))
            }
            Ok(Ok((_, reached))) => (Some(reached), None),
            Ok(Err(StoreError::Conflict(reason))) => {
                (None, Some(ReplicaFault::OtherDatabase(reason)))
            }
            Ok(Err(StoreError::Unavailable(reason) | StoreError::Undecided(reason))) => {
                (None, Some(ReplicaFault::Unreachable(reason)))
            }
            Ok(Err(error)) => (None, Some(ReplicaFault::Unreachable(error.to_string()))),
            Err(_) => {
                let late = format!("it did not respond within {} seconds", CHECK_TIME.as_secs());
                (None, Some(ReplicaFault::Unreachable(late)))
            }
        };
        let lag = self.seen().lag.update(Instant::now(), newest, reached);
        let late = lag.is_none_or(|lag| lag > self.max_lag);
        let fault = fault.or_else(|| late.then_some(ReplicaFault::Behind));
        ReplicaCheck { newest, reached, lag, fault }
    }

    /// Its schema version and newest change; the minimum over several servers.
    async fn read_state(&self) -> Result<(i64, i64)> {
        let sql = "select (select coalesce(max(number), 0) from schema_history), \
                   (select coalesce(max(seq), 0) from change_head)";
        let found = self.engine.query_each(sql, |row| Ok((row.get(0)?, row.get(1)?))).await?;
        let least = found
            .into_iter()
            .reduce(|one: (i64, i64), other| (one.0.min(other.0), one.1.min(other.1)));
        least.ok_or_else(|| StoreError::Bug("a replica without connections".into()))
    }

    fn seen(&self) -> MutexGuard<'_, Seen> {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Register {
    /// Attaches a replica. Lookups use it once a check has succeeded.
    pub fn attach_replica(
        &mut self,
        options: PostgresOptions,
        max_lag: Duration,
    ) -> BoxFuture<'_, Result<()>> {
        async move {
            let identity = self.engine.identity().await?.ok_or_else(|| {
                StoreError::Unavailable("the embedded engine has no replicas".to_owned())
            })?;
            let mut engine = Engine::open_postgres_replica(options, identity)?;
            if !has_citus(&self.engine).await? {
                engine.combine_lookups();
            }
            self.replica = Some(Replica {
                engine,
                max_lag,
                usable: AtomicBool::new(false),
                lookup_failed: Notify::new(),
                served: AtomicU64::new(0),
                fallbacks: AtomicU64::new(0),
                seen: Mutex::default(),
            });
            Ok(())
        }
        .boxed()
    }

    pub fn replica(&self) -> Option<&Replica> {
        self.replica.as_ref()
    }

    /// Checks the replica and decides whether lookups use it; `None` without a replica. If the
    /// primary cannot be read, nothing changes.
    pub fn check_replica(&self) -> BoxFuture<'_, Result<Option<ReplicaCheck>>> {
        async move {
            let Some(replica) = &self.replica else { return Ok(None) };
            // The primary first: the replica need not have what is written meanwhile.
            let newest = self.newest_change().await?;
            let check = replica.check(newest).await;
            replica.usable.store(check.fault.is_none(), Ordering::Relaxed);
            replica.seen().last = Some(check.clone());
            Ok(Some(check))
        }
        .boxed()
    }
}

/// Measures the lag from the change numbers seen at each check. The times of the changes
/// cannot be used: all changes of a long import have the time of its start.
#[derive(Default)]
struct Lag {
    /// Change numbers of the primary that the replica had not reached, each with the last time it
    /// was seen.
    heads: VecDeque<(Instant, i64)>,
    /// When the replica last had all changes of the primary.
    complete_at: Option<Instant>,
}

impl Lag {
    fn update(&mut self, now: Instant, newest: i64, reached: Option<i64>) -> Option<Duration> {
        let is_full = self.heads.len() == MAX_HEADS;
        match self.heads.back_mut() {
            Some(last) if last.1 == newest || is_full => *last = (now, newest),
            _ => self.heads.push_back((now, newest)),
        }
        while let Some((seen, head)) = self.heads.front()
            && reached.is_some_and(|reached| reached >= *head)
        {
            self.complete_at = Some(*seen);
            self.heads.pop_front();
        }
        self.complete_at.map(|complete| now - complete)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seconds(lag: Option<Duration>) -> Option<u64> {
        lag.map(|lag| lag.as_secs())
    }

    #[test]
    fn lag_is_measured_from_the_last_time_the_replica_was_complete() {
        let start = Instant::now();
        let at = |seconds: u64| start + Duration::from_secs(seconds);
        let mut lag = Lag::default();
        assert_eq!(lag.update(at(0), 100, Some(90)), None, "unknown since when");
        assert_eq!(seconds(lag.update(at(2), 100, Some(100))), Some(0));
        assert_eq!(seconds(lag.update(at(3602), 100, Some(100))), Some(0), "an idle primary");
        assert_eq!(seconds(lag.update(at(3604), 200, Some(100))), Some(2));
        assert_eq!(seconds(lag.update(at(3606), 300, Some(150))), Some(4));
        assert_eq!(seconds(lag.update(at(3608), 300, Some(200))), Some(4), "what it had at 3604");
        assert_eq!(seconds(lag.update(at(3610), 300, None)), Some(6), "the replica cannot be read");
        assert_eq!(seconds(lag.update(at(3612), 300, Some(300))), Some(0));
    }

    #[test]
    fn old_heads_are_dropped_and_the_lag_is_never_underestimated() {
        let start = Instant::now();
        let at = |seconds: u64| start + Duration::from_secs(seconds);
        let mut lag = Lag::default();
        lag.update(at(0), 0, Some(0));
        let checks = 2 * MAX_HEADS as u64;
        for second in 1..=checks {
            assert_eq!(seconds(lag.update(at(second), second as i64, Some(0))), Some(second));
        }
        assert_eq!(lag.heads.len(), MAX_HEADS);
        let reached = checks as i64 - 1;
        assert!(seconds(lag.update(at(checks), checks as i64, Some(reached))) > Some(1));
        assert_eq!(seconds(lag.update(at(checks), checks as i64, Some(checks as i64))), Some(0));
    }
}
