//! The health of the service, checked every minute: the current state, and the minutes in each state
//! by hour, until they are stored in the ledger.

use std::collections::BTreeMap;
use std::sync::Mutex;

use panji_store::calendar::IST_OFFSET_SECONDS;
use panji_store::ledger::{HealthHour, HealthMinutes};

/// Hours that wait while the ledger cannot be written; older ones are dropped.
const MAX_WAITING_HOURS: usize = 7 * 24;
const HOUR_MS: i64 = 3_600_000;
const IST_OFFSET_MS: i64 = IST_OFFSET_SECONDS as i64 * 1000;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum State {
    /// Everything works.
    Operational,
    /// It works in part: the search index is not complete, or many requests fail.
    Degraded,
    /// Calls cannot be served: `/readyz` is 503.
    Down,
}

impl State {
    pub fn as_str(self) -> &'static str {
        match self {
            State::Operational => "operational",
            State::Degraded => "degraded",
            State::Down => "down",
        }
    }
}

/// The state at the last check.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Current {
    pub state: State,
    /// Since when this node has found it so.
    pub since_ms: i64,
    pub checked_ms: i64,
}

#[derive(Default)]
pub struct Health {
    current: Mutex<Option<Current>>,
    waiting: Mutex<BTreeMap<i64, HealthMinutes>>,
}

impl Health {
    /// Records the state of one minute.
    pub fn note(&self, state: State, now_ms: i64) {
        let mut current = lock(&self.current);
        let same = current.filter(|known| known.state == state);
        let since_ms = same.map_or(now_ms, |known| known.since_ms);
        *current = Some(Current { state, since_ms, checked_ms: now_ms });
        let mut waiting = lock(&self.waiting);
        let minutes = waiting.entry(hour_of(now_ms)).or_default();
        match state {
            State::Operational => minutes.operational += 1,
            State::Degraded => minutes.degraded += 1,
            State::Down => minutes.down += 1,
        }
        while waiting.len() > MAX_WAITING_HOURS {
            waiting.pop_first();
        }
    }

    /// None before the first check.
    pub fn current(&self) -> Option<Current> {
        *lock(&self.current)
    }

    /// Takes the oldest hour that waits to be stored.
    pub fn take_waiting(&self) -> Option<HealthHour> {
        lock(&self.waiting).pop_first().map(|(hour, minutes)| HealthHour { hour, minutes })
    }

    /// Returns an hour that could not be stored.
    pub fn put_back(&self, kept: HealthHour) {
        let mut waiting = lock(&self.waiting);
        let minutes = waiting.entry(kept.hour).or_default();
        minutes.operational += kept.minutes.operational;
        minutes.degraded += kept.minutes.degraded;
        minutes.down += kept.minutes.down;
    }
}

/// The hour of an instant: hours of Indian time since 1970.
pub fn hour_of(at_ms: i64) -> i64 {
    (at_ms + IST_OFFSET_MS).div_euclid(HOUR_MS)
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Noon in India on 15 January 2026.
    const NOW_MS: i64 = 1_768_458_600_000;
    const MINUTE_MS: i64 = 60_000;

    #[test]
    fn a_state_has_a_beginning_and_its_minutes_wait_to_be_stored() {
        let health = Health::default();
        assert_eq!(health.current(), None);
        health.note(State::Operational, NOW_MS);
        health.note(State::Operational, NOW_MS + MINUTE_MS);
        health.note(State::Down, NOW_MS + 2 * MINUTE_MS);
        health.note(State::Down, NOW_MS + 3 * MINUTE_MS);
        let current = health.current().expect("checked");
        assert_eq!((current.state, current.since_ms), (State::Down, NOW_MS + 2 * MINUTE_MS));
        let hour = health.take_waiting().expect("an hour");
        assert_eq!(hour.hour % 24, 12, "noon in India");
        assert_eq!(hour.minutes, HealthMinutes { operational: 2, degraded: 0, down: 2 });
        assert_eq!(health.take_waiting(), None);
        health.put_back(hour);
        assert_eq!(health.take_waiting(), Some(hour));
    }

    #[test]
    fn no_more_than_a_week_waits() {
        let health = Health::default();
        for hour in 0..200 {
            health.note(State::Down, NOW_MS + hour * HOUR_MS);
        }
        let oldest = health.take_waiting().expect("an hour");
        assert_eq!(oldest.hour, hour_of(NOW_MS) + 200 - MAX_WAITING_HOURS as i64);
    }
}
