//! The events of an account as soon as they are recorded, as server-sent events. The number of an
//! event is its id, so that a client that connects again continues after the last one it has received.

use std::convert::Infallible;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderName, header};
use axum::response::IntoResponse;
use axum::routing::get;
use futures_util::stream;
use panji_store::calendar::now_ms;
use panji_store::ledger::{Mode, Refusal, WatchedEvent};
use tokio::sync::watch;

use super::feed::EventSelection;
use super::pay::{EventPayer, pay_leading};
use crate::api::authentication::{authorize_call, check_operation, check_validity};
use crate::api::query::Query;
use crate::api::routes::{not_allowed, preflight};
use crate::app::{App, CachedKey};
use crate::config::operation::Operation;
use crate::http::authorization::presented_key;
use crate::http::context::RequestContext;
use crate::http::error::{ApiError, ApiResult, ErrorCode};
use crate::http::streams::StreamPermit;

pub const PATH: &str = "/v1/events/stream";
const ALLOW: &str = "GET, OPTIONS";
/// The events that are paid for and sent together.
const MAX_EVENTS_PER_STREAM_PAGE: i64 = 20;
/// How often the ledger is asked for events that another node has stored, and for credits.
const POLL_INTERVAL: Duration = Duration::from_secs(1);
/// After this time without an event a comment is sent, so that proxies keep the connection open.
const HEARTBEAT: Duration = Duration::from_secs(15);
/// How long a client waits before it connects again, in milliseconds.
const RETRY_MS: u32 = 2_000;
/// How long a client without a permit waits, in seconds.
const RETRY_SECONDS: u64 = 5;

/// The stream is not in the table of operations: it is listEvents in another form.
pub fn routes() -> Router<Arc<App>> {
    let refuse = || async { not_allowed(ALLOW) };
    let methods =
        get(stream_events).options(|| async { preflight(ALLOW) }).head(refuse).fallback(refuse);
    Router::new().route(PATH, methods)
}

async fn stream_events(State(app): State<Arc<App>>, request: Request) -> ApiResult {
    let (parts, _) = request.into_parts();
    let context = parts.extensions.get::<Arc<RequestContext>>().cloned();
    let context = context
        .ok_or_else(|| ApiError::internal("the request did not pass through the middleware"))?;
    context.set_operation(Operation::ListEvents);
    let key = authorize_call(&app, &context, &parts.headers, Operation::ListEvents, None).await?;
    let query = Query::parse(parts.uri.query().unwrap_or_default())?;
    query.allow_only(&["after", "watchlist", "types"])?;
    let mut wanted = EventSelection::read(&query)?;
    if let Some(last) = last_event_id(&parts.headers)? {
        wanted.after = Some(last);
    }
    let caller = &key.caller;
    let owner = (&*caller.account_id, caller.mode);
    let checked = wanted.check(&app, owner).await?;
    let after = match wanted.after {
        Some(_) => checked,
        None => app.ledger.newest_watched_event(owner).await?,
    };
    let permit = app.streams.acquire(&caller.account_id, caller.mode.as_str());
    let permit = permit.ok_or_else(|| too_many(&app))?;
    let events = EventStream {
        new_events: app.new_events.subscribe(),
        key_hash: hash_of(&app, &parts.headers)?,
        payer: payer_of(&key, &parts.headers)?,
        app,
        wanted,
        after,
        last_sent: Instant::now(),
        started: false,
        _permit: permit,
    };
    let body = Body::from_stream(stream::unfold(events, EventStream::next));
    let headers = [
        (header::CONTENT_TYPE, "text/event-stream"),
        // Some proxies collect a response before they pass it on, unless they are told not to.
        (HeaderName::from_static("x-accel-buffering"), "no"),
    ];
    Ok((headers, body).into_response())
}

fn too_many(app: &App) -> ApiError {
    let most = app.config.watch.max_streams;
    let message = format!("The account has {most} open streams: close one.");
    ApiError { retry_after: Some(RETRY_SECONDS), ..ApiError::new(ErrorCode::RateLimited, message) }
}

fn hash_of(app: &App, headers: &HeaderMap) -> Result<String, ApiError> {
    let text = presented_key(headers.get_all(header::AUTHORIZATION))?;
    Ok(app.ledger.hash_key(&text))
}

fn payer_of(key: &CachedKey, headers: &HeaderMap) -> Result<EventPayer, ApiError> {
    if headers.contains_key("panji-max-credits") {
        let message = "A stream has no price of its own: limit what the key may spend in a month, \
                       or read the events with listEvents.";
        return Err(ApiError::parameter("Panji-Max-Credits", message));
    }
    Ok(EventPayer {
        account_id: key.caller.account_id.clone(),
        mode: key.caller.mode,
        key_id: key.caller.key_id.clone(),
        monthly_cap: key.caller.monthly_cap,
        max_credits: None,
    })
}

/// The number of the last event that the client has received.
fn last_event_id(headers: &HeaderMap) -> Result<Option<i64>, ApiError> {
    const HEADER: &str = "Last-Event-ID";
    let Some(value) = headers.get(HEADER) else { return Ok(None) };
    let text = value.to_str().unwrap_or("?").trim();
    // A client that has received no event yet sends an empty one.
    if text.is_empty() {
        return Ok(None);
    }
    let number = text.parse().ok().filter(|number: &i64| *number >= 0);
    number.map(Some).ok_or_else(|| {
        let message = "The header Last-Event-ID must be the id of an event of this stream.";
        ApiError::parameter(HEADER, message)
    })
}

/// An open stream.
struct EventStream {
    app: Arc<App>,
    wanted: EventSelection,
    payer: EventPayer,
    key_hash: String,
    /// The number of the last event that was sent or excluded by the filter.
    after: i64,
    new_events: watch::Receiver<u64>,
    last_sent: Instant,
    started: bool,
    _permit: StreamPermit,
}

impl EventStream {
    /// The next part of the stream; none at its end. An error of the ledger ends it: the client
    /// connects again.
    async fn next(mut self) -> Option<(Result<Bytes, Infallible>, EventStream)> {
        if !self.started {
            self.started = true;
            let text =
                format!("retry: {RETRY_MS}\n{}: begins after {}\n\n", self.place(), self.after);
            return Some((Ok(text.into()), self));
        }
        loop {
            // Marked as seen before the ledger is read, so that nothing stored later is missed.
            self.new_events.borrow_and_update();
            match self.step().await {
                Ok(Step::Send(text)) => {
                    self.last_sent = Instant::now();
                    return Some((Ok(text.into()), self));
                }
                Ok(Step::Continue) => continue,
                Ok(Step::Wait) => {}
                Ok(Step::End) => return None,
                Err(error) => {
                    tracing::warn!(cause = error.cause, "a stream of events ended");
                    return None;
                }
            }
            if self.last_sent.elapsed() >= HEARTBEAT {
                self.last_sent = Instant::now();
                return Some((Ok(format!("{}: heartbeat\n\n", self.place()).into()), self));
            }
            let heartbeat = HEARTBEAT.saturating_sub(self.last_sent.elapsed());
            let _ =
                tokio::time::timeout(POLL_INTERVAL.min(heartbeat), self.new_events.changed()).await;
        }
    }

    /// An id without an event: a client that loses the connection before the next event continues from here.
    fn place(&self) -> String {
        format!("id: {}\n", self.after)
    }

    async fn step(&mut self) -> Result<Step, ApiError> {
        if !self.app.accepting.load(Ordering::Relaxed) || !self.key_is_valid().await? {
            return Ok(Step::End);
        }
        let (account_id, mode) = (self.payer.account_id.clone(), self.payer.mode);
        let owner: (&str, Mode) = (&account_id, mode);
        let page =
            self.wanted.page(&self.app, owner, self.after, MAX_EVENTS_PER_STREAM_PAGE).await?;
        if page.events.is_empty() {
            let moved = page.scanned_to > self.after;
            self.after = page.scanned_to;
            return Ok(if moved && page.more { Step::Continue } else { Step::Wait });
        }
        let paid = pay_leading(&self.app, &self.payer, &page.events, now_ms()).await?;
        if matches!(paid.refusal, Some(Refusal::MaxCreditsExceeded { .. })) && paid.events == 0 {
            return Ok(Step::End);
        }
        let sent = &page.events[..paid.events];
        let Some(last) = sent.last() else { return Ok(Step::Wait) };
        self.after = last.seq;
        Ok(Step::Send(sent.iter().map(message).collect()))
    }

    /// Whether the key may still be used; it is read again a few seconds after the last time.
    async fn key_is_valid(&self) -> Result<bool, ApiError> {
        let Some(key) = self.app.find_key(&self.key_hash).await? else { return Ok(false) };
        Ok(!key.caller.suspended
            && check_validity(&key.key, now_ms()).is_ok()
            && check_operation(&key, Operation::ListEvents).is_ok())
    }
}

enum Step {
    Send(String),
    /// The filter has matched no event so far, but there are more events.
    Continue,
    Wait,
    End,
}

/// An event as the stream sends it. Its JSON has no line breaks.
fn message(event: &WatchedEvent) -> String {
    format!("id: {}\nevent: {}\ndata: {}\n\n", event.seq, event.event_type, event.payload)
}
