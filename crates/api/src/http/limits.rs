//! Rate limits: per key, per key for bulk calls, and for attempts to guess keys and passwords.

use std::net::{IpAddr, Ipv6Addr};
use std::num::NonZeroU32;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use governor::clock::{Clock, DefaultClock};
use governor::middleware::StateInformationMiddleware;
use governor::state::keyed::DefaultKeyedStateStore;
use governor::{NotUntil, Quota, RateLimiter};

use crate::config::Config;

type Limiter<K> =
    RateLimiter<K, DefaultKeyedStateStore<K>, DefaultClock, StateInformationMiddleware>;

/// The log-in limit of an address, as a multiple of the limit of one person.
const PEOPLE_PER_ADDRESS: NonZeroU32 = NonZeroU32::new(5).expect("5 is not 0");
/// Buyers that an account may look up by GSTIN in a day.
const BUYERS_PER_DAY: NonZeroU32 = NonZeroU32::new(10).expect("10 is not 0");
/// Calls that visitors of an address may send from the documentation in a minute.
const TRIALS_PER_MINUTE: NonZeroU32 = NonZeroU32::new(30).expect("30 is not 0");
/// Above this number of tracked keys and addresses, idle ones are removed.
const MAX_TRACKED: usize = 100_000;
/// Calls between two checks of the number tracked, because the check locks all of them.
const CALLS_PER_CHECK: u32 = 1_024;

/// The limiters of one node.
pub struct Limits {
    calls: Limited<Arc<str>>,
    bulk_calls: Limited<Arc<str>>,
    guesses: Limited<IpAddr>,
    log_ins_by_address: Limited<IpAddr>,
    log_ins_by_person: Limited<String>,
    buyers: Limited<String>,
    trials: Limited<IpAddr>,
}

/// The state of a caller's limit, for the RateLimit headers.
#[derive(Clone, Copy, Debug)]
pub struct RateLimitState {
    pub policy: &'static str,
    /// The RateLimit-Policy header.
    pub policy_header: &'static str,
    /// Seconds until an exhausted allowance is full again.
    pub window_seconds: u64,
    /// Requests allowed now.
    pub remaining: u32,
    /// Seconds until the next request is allowed; none if one is allowed now.
    pub retry_after: Option<u64>,
}

struct Limited<K: std::hash::Hash + Eq + Clone> {
    policy: &'static str,
    limiter: Limiter<K>,
    policy_header: &'static str,
    window_seconds: u64,
    clock: DefaultClock,
    calls: AtomicU32,
}

impl Limits {
    pub fn new(config: &Config) -> Limits {
        let (second, minute) = (Duration::from_secs(1), Duration::from_secs(60));
        let (calls, bulk) = (config.rate_limit, config.bulk_rate_limit);
        let (guesses, log_ins) = (config.guess_limit, config.log_in_limit);
        Limits {
            calls: Limited::new("key", second, calls.per_second, calls.burst),
            bulk_calls: Limited::new("bulk", second, bulk.per_second, bulk.burst),
            guesses: Limited::new("address", minute, guesses.per_minute, guesses.burst),
            log_ins_by_address: Limited::new(
                "log in",
                minute,
                log_ins.per_minute.saturating_mul(PEOPLE_PER_ADDRESS),
                log_ins.burst.saturating_mul(PEOPLE_PER_ADDRESS),
            ),
            log_ins_by_person: Limited::new("log in", minute, log_ins.per_minute, log_ins.burst),
            buyers: Limited::new("buyer", minute * 24 * 60, BUYERS_PER_DAY, BUYERS_PER_DAY),
            trials: Limited::new("trial", minute, TRIALS_PER_MINUTE, TRIALS_PER_MINUTE),
        }
    }

    /// Counts a call with a key. It is allowed if `retry_after` is none.
    pub fn count_call(&self, key_id: &Arc<str>, bulk: bool) -> RateLimitState {
        let limited = if bulk { &self.bulk_calls } else { &self.calls };
        limited.count(key_id)
    }

    /// Counts a request with an invalid key from an address.
    pub fn count_guess(&self, address: IpAddr) -> RateLimitState {
        self.guesses.count(&origin(address))
    }

    /// Counts an attempt to log in with an email address, or to send an email to it. Returns the
    /// seconds until the next attempt if this one is not allowed.
    pub fn count_log_in(&self, address: IpAddr, email: &str) -> Option<u64> {
        self.count_log_in_step(address)
            .or_else(|| self.log_ins_by_person.count(&email.to_lowercase()).retry_after)
    }

    /// The same where the email address is not known yet.
    pub fn count_log_in_step(&self, address: IpAddr) -> Option<u64> {
        self.log_ins_by_address.count(&origin(address)).retry_after
    }

    /// Counts a free lookup of a buyer by GSTIN.
    pub fn count_buyer(&self, account_id: &str) -> RateLimitState {
        self.buyers.count(&account_id.to_owned())
    }

    /// Counts a call that is sent from the documentation. Returns the seconds until the next one if this
    /// one is not allowed.
    pub fn count_trial(&self, address: IpAddr) -> Option<u64> {
        self.trials.count(&origin(address)).retry_after
    }

    /// Removes keys and addresses whose allowance is full again.
    pub fn remove_idle(&self) {
        self.calls.limiter.retain_recent();
        self.bulk_calls.limiter.retain_recent();
        self.guesses.limiter.retain_recent();
        self.log_ins_by_address.limiter.retain_recent();
        self.log_ins_by_person.limiter.retain_recent();
        self.buyers.limiter.retain_recent();
        self.trials.limiter.retain_recent();
    }
}

/// The address that is counted: for IPv6 the /64 network, because one customer has all of its
/// addresses.
pub fn origin(address: IpAddr) -> IpAddr {
    match address {
        IpAddr::V4(_) => address,
        IpAddr::V6(v6) => Ipv6Addr::from(u128::from(v6) & !u128::from(u64::MAX)).into(),
    }
}

impl<K: std::hash::Hash + Eq + Clone> Limited<K> {
    fn new(
        policy: &'static str,
        period: Duration,
        per_period: NonZeroU32,
        burst: NonZeroU32,
    ) -> Limited<K> {
        let quota = Quota::with_period(period / per_period.get())
            .expect("a period divided by a number of calls is not zero")
            .allow_burst(burst);
        let full_after = period * burst.get() / per_period.get();
        let window_seconds = full_after.as_secs().max(1);
        let policy_header = format!("\"{policy}\";q={burst};w={window_seconds}");
        Limited {
            policy,
            limiter: RateLimiter::dashmap(quota).with_middleware(),
            // Leaked once per limiter, so that every response can have it without a copy.
            policy_header: policy_header.leak(),
            window_seconds,
            clock: DefaultClock::default(),
            calls: AtomicU32::new(0),
        }
    }

    fn count(&self, key: &K) -> RateLimitState {
        let check = self.calls.fetch_add(1, Ordering::Relaxed).is_multiple_of(CALLS_PER_CHECK);
        if check && self.limiter.len() > MAX_TRACKED {
            self.limiter.retain_recent();
        }
        let (remaining, retry_after) = match self.limiter.check_key(key) {
            Ok(snapshot) => (snapshot.remaining_burst_capacity(), None),
            Err(not_until) => (0, Some(self.seconds_until(&not_until))),
        };
        RateLimitState {
            policy: self.policy,
            policy_header: self.policy_header,
            window_seconds: self.window_seconds,
            remaining,
            retry_after,
        }
    }

    fn seconds_until(&self, not_until: &NotUntil<<DefaultClock as Clock>::Instant>) -> u64 {
        not_until.wait_time_from(self.clock.now()).as_secs() + 1
    }
}
