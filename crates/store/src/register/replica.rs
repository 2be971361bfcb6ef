//! A replica of the register: look-ups go to it while it answers and is not too far behind.

use std::collections::VecDeque;
use std::fmt;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use tokio::sync::Notify;
use tokio::time::timeout;

use super::Register;
use crate::engine::{Engine, KEYS_AT_A_TIME, PostgresOptions, Row, Value};
use crate::error::{Result, StoreError};

/// How long a look-up may take on the replica before the primary is asked instead.
const READ_TIME: Duration = Duration::from_secs(2);
/// How long a look at the replica may take, connecting included.
const LOOK_TIME: Duration = Duration::from_secs(10);
/// Heads of the primary that are remembered while the replica has not reached them.
const MAX_HEADS: usize = 1_000;

/// A replica with what is known of it.
pub struct Replica {
    engine: Engine,
    max_lag: Duration,
    usable: AtomicBool,
    doubted: Notify,
    served: AtomicU64,
    passed_over: AtomicU64,
    seen: Mutex<Seen>,
}

#[derive(Default)]
struct Seen {
    lag: Lag,
    last: Option<ReplicaLook>,
}

/// What a look at a replica found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReplicaLook {
    /// The newest change on the primary.
    pub newest: i64,
    /// The newest change that the replica holds; none where it could not be asked.
    pub reached: Option<i64>,
    /// For how long at most it has lacked something; none while that is not known yet.
    pub lag: Option<Duration>,
    /// Why look-ups do not go to it.
    pub fault: Option<ReplicaFault>,
}

/// Why look-ups do not go to a replica.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ReplicaFault {
    /// It cannot be reached, or does not answer.
    Away(String),
    /// It is no copy of the primary.
    Foreign(String),
    /// It lacks what the primary has had for longer than the bound, or was never seen to have it.
    Behind,
    /// Its tables are not those of this program.
    OtherSchema(i64),
}

impl ReplicaFault {
    /// Whether it is the same kind of fault, whatever was said about it.
    pub fn is_like(&self, other: &ReplicaFault) -> bool {
        std::mem::discriminant(self) == std::mem::discriminant(other)
    }
}

impl fmt::Display for ReplicaFault {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ReplicaFault::Away(reason) | ReplicaFault::Foreign(reason) => out.write_str(reason),
            ReplicaFault::Behind => out.write_str("it is too far behind"),
            ReplicaFault::OtherSchema(number) => {
                write!(out, "it has schema {number}, and this program has {}", Register::SCHEMA)
            }
        }
    }
}

/// How look-ups were spread since the start.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ReplicaReads {
    /// Those that the replica answered.
    pub served: u64,
    /// Those that the primary answered in its place.
    pub passed_over: u64,
}

impl Replica {
    /// Whether look-ups go to it.
    pub fn is_used(&self) -> bool {
        self.usable.load(Ordering::Relaxed)
    }

    /// How look-ups were spread.
    pub fn reads(&self) -> ReplicaReads {
        ReplicaReads {
            served: self.served.load(Ordering::Relaxed),
            passed_over: self.passed_over.load(Ordering::Relaxed),
        }
    }

    /// What the last look found.
    pub fn last_look(&self) -> Option<ReplicaLook> {
        self.seen().last.clone()
    }

    /// Comes back when a look-up failed on it, so that it should be looked at again.
    pub async fn doubted(&self) {
        self.doubted.notified().await;
    }

    /// The rows, or nothing where the primary should be asked: what is wrong there shows then.
    pub(super) async fn query<T>(
        &self,
        sql: &'static str,
        parameters: &[Value<'_>],
        map: &mut impl FnMut(&Row<'_>) -> Result<T>,
    ) -> Option<Vec<T>> {
        self.served_in_time(self.engine.query(sql, parameters, map)).await
    }

    /// The row of each key, or nothing where the primary should be asked. The time is for some keys at a
    /// time, since many take longer on a server that is well, too.
    pub(super) async fn query_keys<T>(
        &self,
        sql: &'static str,
        keys: &[&str],
        map: fn(&Row<'_>) -> Result<T>,
    ) -> Option<Vec<Option<T>>> {
        let mut found = Vec::with_capacity(keys.len());
        for keys in keys.chunks(KEYS_AT_A_TIME) {
            found.extend(self.served_in_time(self.engine.query_keys(sql, keys, map)).await?);
        }
        Some(found)
    }

    async fn served_in_time<T>(&self, asking: impl Future<Output = Result<T>>) -> Option<T> {
        if self.is_used() {
            if let Ok(Ok(found)) = timeout(READ_TIME, asking).await {
                self.served.fetch_add(1, Ordering::Relaxed);
                return Some(found);
            }
            self.usable.store(false, Ordering::Relaxed);
            self.doubted.notify_one();
        }
        self.passed_over.fetch_add(1, Ordering::Relaxed);
        None
    }

    async fn look(&self, newest: i64) -> ReplicaLook {
        let asked = timeout(LOOK_TIME, self.ask()).await;
        let (reached, fault) = match asked {
            Ok(Ok((schema, _))) if schema != Register::SCHEMA => {
                (None, Some(ReplicaFault::OtherSchema(schema)))
            }
            Ok(Ok((_, reached))) => (Some(reached), None),
            Ok(Err(StoreError::Conflict(reason))) => (None, Some(ReplicaFault::Foreign(reason))),
            Ok(Err(StoreError::Unavailable(reason) | StoreError::Undecided(reason))) => {
                (None, Some(ReplicaFault::Away(reason)))
            }
            Ok(Err(error)) => (None, Some(ReplicaFault::Away(error.to_string()))),
            Err(_) => {
                let late = format!("it did not answer within {} seconds", LOOK_TIME.as_secs());
                (None, Some(ReplicaFault::Away(late)))
            }
        };
        let lag = self.seen().lag.note(Instant::now(), newest, reached);
        let late = lag.is_none_or(|lag| lag > self.max_lag);
        let fault = fault.or_else(|| late.then_some(ReplicaFault::Behind));
        ReplicaLook { newest, reached, lag, fault }
    }

    /// Its schema and its newest change; the least of them where it is several servers.
    async fn ask(&self) -> Result<(i64, i64)> {
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
    /// Lets look-ups go to a replica from now on, once a look has found it good.
    pub async fn attach_replica(
        &mut self,
        options: PostgresOptions,
        max_lag: Duration,
    ) -> Result<()> {
        let identity = self.engine.identity().await?.ok_or_else(|| {
            StoreError::Unavailable("the embedded engine has no replicas".to_owned())
        })?;
        self.replica = Some(Replica {
            engine: Engine::open_postgres_replica(options, identity)?,
            max_lag,
            usable: AtomicBool::new(false),
            doubted: Notify::new(),
            served: AtomicU64::new(0),
            passed_over: AtomicU64::new(0),
            seen: Mutex::default(),
        });
        Ok(())
    }

    /// The replica, where there is one.
    pub fn replica(&self) -> Option<&Replica> {
        self.replica.as_ref()
    }

    /// Looks at the replica and decides whether look-ups go to it; nothing where there is none. If
    /// the primary cannot be asked, nothing is decided.
    pub async fn look_at_replica(&self) -> Result<Option<ReplicaLook>> {
        let Some(replica) = &self.replica else { return Ok(None) };
        // The primary first: what it gets meanwhile the replica need not have.
        let newest = self.newest_change().await?;
        let look = replica.look(newest).await;
        replica.usable.store(look.fault.is_none(), Ordering::Relaxed);
        replica.seen().last = Some(look.clone());
        Ok(Some(look))
    }
}

/// Since when a replica may lack something, told from the heads that were seen at each look. Times
/// of the changes themselves do not tell it: a long import gives all of them the time of its start.
#[derive(Default)]
struct Lag {
    /// Heads of the primary that the replica had not reached, each with the last time it was seen.
    heads: VecDeque<(Instant, i64)>,
    /// When the primary last had nothing that the replica lacks.
    whole_at: Option<Instant>,
}

impl Lag {
    fn note(&mut self, now: Instant, newest: i64, reached: Option<i64>) -> Option<Duration> {
        let is_full = self.heads.len() == MAX_HEADS;
        match self.heads.back_mut() {
            Some(last) if last.1 == newest || is_full => *last = (now, newest),
            _ => self.heads.push_back((now, newest)),
        }
        while let Some((seen, head)) = self.heads.front()
            && reached.is_some_and(|reached| reached >= *head)
        {
            self.whole_at = Some(*seen);
            self.heads.pop_front();
        }
        self.whole_at.map(|whole| now - whole)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seconds(lag: Option<Duration>) -> Option<u64> {
        lag.map(|lag| lag.as_secs())
    }

    #[test]
    fn lag_is_counted_from_when_the_primary_last_had_nothing_more() {
        let start = Instant::now();
        let at = |seconds: u64| start + Duration::from_secs(seconds);
        let mut lag = Lag::default();
        assert_eq!(lag.note(at(0), 100, Some(90)), None, "nobody knows since when");
        assert_eq!(seconds(lag.note(at(2), 100, Some(100))), Some(0));
        assert_eq!(seconds(lag.note(at(3602), 100, Some(100))), Some(0), "an idle primary");
        assert_eq!(seconds(lag.note(at(3604), 200, Some(100))), Some(2));
        assert_eq!(seconds(lag.note(at(3606), 300, Some(150))), Some(4));
        assert_eq!(seconds(lag.note(at(3608), 300, Some(200))), Some(4), "what it had at 3604");
        assert_eq!(seconds(lag.note(at(3610), 300, None)), Some(6), "it cannot be asked");
        assert_eq!(seconds(lag.note(at(3612), 300, Some(300))), Some(0));
    }

    #[test]
    fn heads_are_forgotten_beyond_a_bound_and_the_lag_is_never_told_too_short() {
        let start = Instant::now();
        let at = |seconds: u64| start + Duration::from_secs(seconds);
        let mut lag = Lag::default();
        lag.note(at(0), 0, Some(0));
        let looks = 2 * MAX_HEADS as u64;
        for second in 1..=looks {
            assert_eq!(seconds(lag.note(at(second), second as i64, Some(0))), Some(second));
        }
        assert_eq!(lag.heads.len(), MAX_HEADS);
        let reached = looks as i64 - 1;
        assert!(seconds(lag.note(at(looks), looks as i64, Some(reached))) > Some(1));
        assert_eq!(seconds(lag.note(at(looks), looks as i64, Some(looks as i64))), Some(0));
    }
}
