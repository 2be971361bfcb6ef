//! What is known of one request while it is served.

use std::net::IpAddr;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicI64, AtomicU64, Ordering};
use std::time::Instant;

use panji_store::calendar::now_ms;
use panji_store::ledger::{Mode, Terms};

use crate::limits::RateLimitState;
use crate::operation::Operation;
use crate::traces::{RequestTrace, SpanGuard};

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
    caller: OnceLock<KnownCaller>,
    rate: OnceLock<RateLimitState>,
    claimed_key: OnceLock<String>,
    unconfirmed_terms: OnceLock<Terms>,
    exhausted_for: AtomicU64,
    credits: AtomicI64,
    granted_ms: AtomicU64,
    paying: AtomicBool,
}

/// Who is calling.
#[derive(Clone, Debug)]
pub struct KnownCaller {
    /// The account that pays.
    pub account_id: String,
    /// The key.
    pub key_id: String,
    /// Test or live.
    pub mode: Mode,
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
    pub fn set_caller(&self, caller: KnownCaller) {
        let _ = self.caller.set(caller);
    }

    /// Who is calling, once the key is known to be good.
    pub fn caller(&self) -> Option<&KnownCaller> {
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
