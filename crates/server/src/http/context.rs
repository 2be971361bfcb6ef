//! What is known of one request while it is served.

use std::net::IpAddr;
use std::sync::atomic::{AtomicBool, AtomicI64, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock};
use std::time::Instant;

use panji_store::calendar::now_ms;
use panji_store::ledger::{BalanceSnapshot, Mode, Terms};

use crate::config::operation::Operation;
use crate::http::limits::RateLimitState;
use crate::telemetry::traces::{RequestTrace, SpanGuard};

/// One request: made at the edge, filled in as the caller becomes known, read again at the edge for
/// headers, the log line and the envelope of an error.
pub struct RequestContext {
    /// Our name for the request.
    pub request_id: String,
    /// When it came.
    pub at_ms: i64,
    /// The same, for measuring.
    pub started: Instant,
    /// The client's address.
    pub address: IpAddr,
    /// Its trace, where there is one.
    pub trace: Option<Box<RequestTrace>>,
    operation: OnceLock<Operation>,
    caller: OnceLock<Arc<Caller>>,
    rate: OnceLock<RateLimitState>,
    claimed_key: OnceLock<String>,
    unconfirmed_terms: OnceLock<Terms>,
    exhausted_for: AtomicU64,
    credits: AtomicI64,
    granted_ms: AtomicU64,
    paying: AtomicBool,
}

/// Who is calling. Made once for a key for as long as it is trusted, and once for a call from the
/// console; it is shared by everything that serves the call.
#[derive(Debug)]
pub struct Caller {
    /// The account that pays.
    pub account_id: String,
    /// The key, or [`CONSOLE_KEY_ID`].
    pub key_id: String,
    /// Test or live.
    pub mode: Mode,
    /// How the call comes in.
    pub via: Via,
    /// Whether the account is suspended.
    pub suspended: bool,
    /// The most the key may spend in a month.
    pub monthly_cap: Option<i64>,
    /// When the key was last used, to about a minute; none where that is not recorded.
    pub last_used_at: Option<i64>,
    /// What the account had after the caller's last call, where that is known.
    pub balance: LastBalance,
}

/// The key id under which calls from the console are recorded.
pub const CONSOLE_KEY_ID: &str = "console";

/// How a call comes in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Via {
    /// Over the network, with an API key.
    Key,
    /// From a page of the console.
    Console,
    /// From a bulk job. A job paces itself, so its calls do not count against the rate limit of the
    /// people who use the console, and its answers are kept until it has stored them.
    Job,
}

/// A call from inside the process, as a request extension. Nothing that comes over the network has it.
#[derive(Clone)]
pub struct InternalCall(pub Arc<Caller>);

impl Caller {
    /// The caller of a call from the console or a bulk job.
    pub fn internal(account_id: &str, mode: Mode, suspended: bool, via: Via) -> Arc<Caller> {
        Arc::new(Caller {
            account_id: account_id.to_owned(),
            key_id: CONSOLE_KEY_ID.to_owned(),
            mode,
            via,
            suspended,
            monthly_cap: None,
            last_used_at: None,
            balance: LastBalance::default(),
        })
    }
}

impl RequestContext {
    /// A request that has just come.
    pub fn new(address: IpAddr, trace: Option<Box<RequestTrace>>) -> RequestContext {
        RequestContext {
            request_id: format!("req_{}", ulid::Ulid::generate()),
            at_ms: now_ms(),
            started: Instant::now(),
            address,
            trace,
            operation: OnceLock::new(),
            caller: OnceLock::new(),
            rate: OnceLock::new(),
            claimed_key: OnceLock::new(),
            unconfirmed_terms: OnceLock::new(),
            exhausted_for: AtomicU64::new(0),
            credits: AtomicI64::new(0),
            granted_ms: AtomicU64::new(0),
            paying: AtomicBool::new(false),
        }
    }

    /// Begins a part of its work, for its trace.
    pub fn span(&self, name: &'static str) -> SpanGuard {
        self.trace.as_ref().map_or(SpanGuard::NONE, |trace| trace.span(name))
    }

    /// Notes which route was taken, for its trace.
    pub fn note_route(&self, template: &str) {
        if let Some(trace) = &self.trace {
            trace.set_route(template);
        }
    }

    /// Notes which operation it is.
    pub fn set_operation(&self, operation: Operation) {
        let _ = self.operation.set(operation);
    }

    /// Which operation it is, once the route is known.
    pub fn operation(&self) -> Option<Operation> {
        self.operation.get().copied()
    }

    /// Notes who is calling.
    pub fn set_caller(&self, caller: Arc<Caller>) {
        let _ = self.caller.set(caller);
    }

    /// Who is calling, once the key is known to be good.
    pub fn caller(&self) -> Option<&Arc<Caller>> {
        self.caller.get()
    }

    /// Notes where the caller stands with its rate limit.
    pub fn set_rate(&self, state: RateLimitState) {
        let _ = self.rate.set(state);
    }

    /// Lets it look as if the caller had used up its rate, for so many seconds: for a simulated error.
    pub fn exhaust_rate(&self, seconds: u64) {
        self.exhausted_for.store(seconds, Ordering::Relaxed);
    }

    /// Where the caller stands with its rate limit.
    pub fn rate(&self) -> Option<RateLimitState> {
        let state = self.rate.get().copied();
        match self.exhausted_for.load(Ordering::Relaxed) {
            0 => state,
            seconds => state.map(|state| RateLimitState {
                remaining: 0,
                retry_after: Some(seconds),
                ..state
            }),
        }
    }

    /// Notes the idempotency key that this request holds.
    pub fn set_claimed_key(&self, key: String) {
        let _ = self.claimed_key.set(key);
    }

    /// The idempotency key that this request holds.
    pub fn claimed_key(&self) -> Option<&str> {
        self.claimed_key.get().map(String::as_str)
    }

    /// Notes the terms of a call that were checked without reading the ledger.
    pub fn set_unconfirmed_terms(&self, terms: Terms) {
        let _ = self.unconfirmed_terms.set(terms);
    }

    /// The terms of a call, where they were checked without reading the ledger.
    pub fn unconfirmed_terms(&self) -> Option<&Terms> {
        self.unconfirmed_terms.get()
    }

    /// Notes what was charged.
    pub fn set_credits(&self, credits: i64) {
        self.credits.store(credits, Ordering::Relaxed);
    }

    /// What was charged.
    pub fn credits(&self) -> i64 {
        self.credits.load(Ordering::Relaxed)
    }

    /// Grants the request more time than it usually has, for an answer that is slow on purpose.
    pub fn grant_time_ms(&self, milliseconds: u64) {
        self.granted_ms.fetch_add(milliseconds, Ordering::Relaxed);
    }

    /// The time granted on top of the usual.
    pub fn granted_ms(&self) -> u64 {
        self.granted_ms.load(Ordering::Relaxed)
    }

    /// Notes that the charge is on its way: from here on the answer is waited for, so that nobody is
    /// charged for an answer that was given up.
    pub fn set_paying(&self) {
        self.paying.store(true, Ordering::Relaxed);
    }

    /// Whether the charge is on its way.
    pub fn paying(&self) -> bool {
        self.paying.load(Ordering::Relaxed)
    }
}

/// What an account had after the last call of a key, for as long as the key is believed without a
/// look-up. It may be out of date, so it never refuses a call: it only saves reading the ledger where the
/// price is covered, and the charge itself has the last word.
#[derive(Debug, Default)]
pub struct LastBalance(Mutex<Option<BalanceSnapshot>>);

impl LastBalance {
    /// What it was.
    pub fn get(&self) -> Option<BalanceSnapshot> {
        *self.0.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }

    /// Notes what it is now.
    pub fn set(&self, snapshot: BalanceSnapshot) {
        *self.0.lock().unwrap_or_else(std::sync::PoisonError::into_inner) = Some(snapshot);
    }
}
