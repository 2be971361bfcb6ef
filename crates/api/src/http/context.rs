//! The state of one request while it is served.

use std::net::IpAddr;
use std::sync::atomic::{AtomicBool, AtomicI64, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock};
use std::time::Instant;

use panji_store::calendar::now_ms;
use panji_store::ledger::{BalanceSnapshot, Mode, RequestDetails, Terms};

use crate::config::operation::Operation;
use crate::http::limits::RateLimitState;
use crate::telemetry::traces::{RequestTrace, SpanGuard};

/// One request. The middleware creates it, authentication sets the caller, and the middleware reads
/// it again for headers, the log line and errors.
pub struct RequestContext {
    /// The id sent in the Request-Id header.
    pub request_id: Arc<str>,
    /// The time of arrival.
    pub at_ms: i64,
    /// The time of arrival on the monotonic clock, for durations.
    pub started: Instant,
    pub address: IpAddr,
    /// None where the request is not traced.
    pub trace: Option<Box<RequestTrace>>,
    operation: OnceLock<Operation>,
    subject: OnceLock<Arc<str>>,
    target: OnceLock<Arc<str>>,
    caller: OnceLock<Arc<Caller>>,
    rate: OnceLock<RateLimitState>,
    claimed_key: OnceLock<String>,
    unconfirmed_terms: OnceLock<Terms>,
    exhausted_for: AtomicU64,
    credits: AtomicI64,
    deadline_extension_ms: AtomicU64,
    timeout_disabled: AtomicBool,
    debiting: AtomicBool,
}

/// Who is calling. Created once per cached key and once per call from the console; shared by
/// everything that serves the call.
#[derive(Debug)]
pub struct Caller {
    pub account_id: Arc<str>,
    pub key_id: Arc<str>,
    pub mode: Mode,
    pub via: Via,
    /// Who calls from the console; none for other calls.
    pub person_id: Option<Arc<str>>,
    /// The account is suspended.
    pub suspended: bool,
    /// The most credits the key may spend in a month.
    pub monthly_cap: Option<i64>,
    /// To about a minute; none if it is not recorded.
    pub last_used_at: Option<i64>,
    /// The account's balance after the caller's last call, if known.
    pub balance: LastBalance,
}

/// The key id under which calls from the console are recorded.
pub const CONSOLE_KEY_ID: &str = "console";

/// The origin of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Via {
    /// Over the network, with an API key.
    Key,
    /// From a page of the console.
    Console,
    /// From a bulk job. Its calls do not count against the console's rate limit, because a job
    /// limits its own rate, and its responses stay stored until the job has saved them.
    Job,
}

/// A call from inside the process, as a request extension. Requests from the network never have it.
#[derive(Clone)]
pub struct InternalCall(pub Arc<Caller>);

/// A call that a request makes for its client with the client's key, as a request extension. The
/// request has a permit, and was counted against the rate limit of the key with this result.
#[derive(Clone, Copy)]
pub struct NestedCall(pub RateLimitState);

impl Caller {
    /// The caller of a call from the console, or from a job that was started there.
    pub fn internal(account_id: &str, mode: Mode, suspended: bool, via: Via) -> Arc<Caller> {
        Arc::new(Caller::new(account_id, (CONSOLE_KEY_ID, None), mode, suspended, via))
    }

    /// The caller of a call that a person makes in the console.
    pub fn person(account_id: &str, person_id: &str, mode: Mode, suspended: bool) -> Arc<Caller> {
        let caller = Caller::new(account_id, (CONSOLE_KEY_ID, None), mode, suspended, Via::Console);
        Arc::new(Caller { person_id: Some(person_id.into()), ..caller })
    }

    /// The caller of a call from a job that a key has approved, with the key's monthly cap.
    pub fn job(
        account_id: &str,
        (key_id, monthly_cap): (&str, Option<i64>),
        mode: Mode,
        suspended: bool,
    ) -> Arc<Caller> {
        Arc::new(Caller::new(account_id, (key_id, monthly_cap), mode, suspended, Via::Job))
    }

    fn new(
        account_id: &str,
        (key_id, monthly_cap): (&str, Option<i64>),
        mode: Mode,
        suspended: bool,
        via: Via,
    ) -> Caller {
        Caller {
            account_id: account_id.into(),
            key_id: key_id.into(),
            mode,
            via,
            person_id: None,
            suspended,
            monthly_cap,
            last_used_at: None,
            balance: LastBalance::default(),
        }
    }
}

/// A new id for a request or a charge.
pub fn generate_request_id() -> Arc<str> {
    const PREFIX: &str = "req_";
    let mut id = [0; PREFIX.len() + ulid::ULID_LEN];
    let (prefix, digits) = id.split_at_mut(PREFIX.len());
    prefix.copy_from_slice(PREFIX.as_bytes());
    let digits = digits.try_into().expect("the rest has the length of the digits");
    ulid::Ulid::generate().array_to_str(digits);
    std::str::from_utf8(&id).expect("an id has only ASCII characters").into()
}

impl RequestContext {
    pub fn new(address: IpAddr, trace: Option<Box<RequestTrace>>) -> RequestContext {
        RequestContext {
            request_id: generate_request_id(),
            at_ms: now_ms(),
            started: Instant::now(),
            address,
            trace,
            operation: OnceLock::new(),
            subject: OnceLock::new(),
            target: OnceLock::new(),
            caller: OnceLock::new(),
            rate: OnceLock::new(),
            claimed_key: OnceLock::new(),
            unconfirmed_terms: OnceLock::new(),
            exhausted_for: AtomicU64::new(0),
            credits: AtomicI64::new(0),
            deadline_extension_ms: AtomicU64::new(0),
            timeout_disabled: AtomicBool::new(false),
            debiting: AtomicBool::new(false),
        }
    }

    /// Starts a span in the request's trace.
    pub fn span(&self, name: &'static str) -> SpanGuard {
        self.trace.as_ref().map_or(SpanGuard::NONE, |trace| trace.span(name))
    }

    /// Records the route in the request's trace.
    pub fn record_route(&self, template: &str) {
        if let Some(trace) = &self.trace {
            trace.set_route(template);
        }
    }

    pub fn set_operation(&self, operation: Operation) {
        let _ = self.operation.set(operation);
    }

    /// None until the route is known.
    pub fn operation(&self) -> Option<Operation> {
        self.operation.get().copied()
    }

    /// Records what is asked for, already redacted.
    pub fn set_subject(&self, subject: impl Into<Arc<str>>) {
        let _ = self.subject.set(subject.into());
    }

    /// Records the method and the address, already redacted.
    pub fn set_target(&self, target: String) {
        let _ = self.target.set(target.into());
    }

    /// The path, redacted; none until the route is known, or if the address has a query.
    pub fn redacted_path(&self) -> Option<&str> {
        let (_, address) = self.target.get()?.split_once(' ')?;
        (!address.contains('?')).then_some(address)
    }

    /// What is stored about the request, as of now.
    pub fn details(&self) -> RequestDetails {
        let duration_us = i64::try_from(self.started.elapsed().as_micros()).ok();
        RequestDetails {
            subject: self.subject.get().cloned(),
            duration_us,
            target: self.target.get().cloned(),
            error_message: None,
            person_id: self.caller().and_then(|caller| caller.person_id.clone()),
        }
    }

    pub fn set_caller(&self, caller: Arc<Caller>) {
        let _ = self.caller.set(caller);
    }

    /// None until the key is checked.
    pub fn caller(&self) -> Option<&Arc<Caller>> {
        self.caller.get()
    }

    pub fn set_rate(&self, state: RateLimitState) {
        let _ = self.rate.set(state);
    }

    /// Makes the rate limit appear exhausted for this many seconds, for a simulated error.
    pub fn exhaust_rate(&self, seconds: u64) {
        self.exhausted_for.store(seconds, Ordering::Relaxed);
    }

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

    /// Records the idempotency key that this request has claimed.
    pub fn set_claimed_key(&self, key: String) {
        let _ = self.claimed_key.set(key);
    }

    pub fn claimed_key(&self) -> Option<&str> {
        self.claimed_key.get().map(String::as_str)
    }

    /// Records the terms of a call that were checked against a cached balance, without reading the
    /// ledger.
    pub fn set_unconfirmed_terms(&self, terms: Terms) {
        let _ = self.unconfirmed_terms.set(terms);
    }

    pub fn unconfirmed_terms(&self) -> Option<&Terms> {
        self.unconfirmed_terms.get()
    }

    /// Records the credits charged.
    pub fn set_credits(&self, credits: i64) {
        self.credits.store(credits, Ordering::Relaxed);
    }

    pub fn credits(&self) -> i64 {
        self.credits.load(Ordering::Relaxed)
    }

    /// Extends the request's deadline, for a response that is slow on purpose.
    pub fn extend_deadline_ms(&self, milliseconds: u64) {
        self.deadline_extension_ms.fetch_add(milliseconds, Ordering::Relaxed);
    }

    pub fn deadline_extension_ms(&self) -> u64 {
        self.deadline_extension_ms.load(Ordering::Relaxed)
    }

    /// From now on the request does not time out.
    pub fn disable_timeout(&self) {
        self.timeout_disabled.store(true, Ordering::Relaxed);
    }

    pub fn timeout_disabled(&self) -> bool {
        self.timeout_disabled.load(Ordering::Relaxed)
    }

    /// Records that the debit has started. From now on the request does not time out: a client is not
    /// charged for a response that is abandoned.
    pub fn set_debiting(&self) {
        self.disable_timeout();
        self.debiting.store(true, Ordering::Relaxed);
    }

    /// Whether the debit has started.
    pub fn debiting(&self) -> bool {
        self.debiting.load(Ordering::Relaxed)
    }
}

/// The balance of an account after the last call of a key, cached as long as the key. It may be out
/// of date, so it never refuses a call: it only saves a read of the ledger if the price is covered.
/// The charge itself decides.
#[derive(Debug, Default)]
pub struct LastBalance(Mutex<Option<BalanceSnapshot>>);

impl LastBalance {
    pub fn get(&self) -> Option<BalanceSnapshot> {
        *self.0.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }

    pub fn set(&self, snapshot: BalanceSnapshot) {
        *self.0.lock().unwrap_or_else(std::sync::PoisonError::into_inner) = Some(snapshot);
    }
}
