//! The middleware around all routes. It limits size and time, catches panics, renders errors, adds
//! headers and writes one log line per request.

mod head_limits;

use std::any::Any;
use std::borrow::Cow;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::task::Poll;
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::extract::{ConnectInfo, Request};
use axum::http::{
    HeaderMap, HeaderName, HeaderValue, Method, Response as HttpResponse, Uri, Version, header,
};
use axum::response::{IntoResponse, Response};
use futures_util::FutureExt;
use panji_store::ledger::Mode;
use tokio::time::{Instant, sleep_until};
use tower::Service;

use self::head_limits::{check_head, unreadable};
use crate::api::failure::{self, ClaimGuard};
use crate::api::lookups;
use crate::app::App;
use crate::config::operation::Operation;
use crate::http::context::{InternalCall, NestedCall, RequestContext};
use crate::http::envelope;
use crate::http::error::{ApiError, ErrorCode};
use crate::http::limits::RateLimitState;
use crate::http::service::HttpService;
use crate::telemetry::crash::text_of;
use crate::telemetry::redaction::{RECONCILE_PATH, loggable, loggable_path, redact};
use crate::telemetry::traces::Outcome;

/// The longest client's `X-Request-Id` that is echoed, in bytes.
const MAX_ECHOED: usize = 200;
/// The value of Strict-Transport-Security: browsers use HTTPS for a year.
const HSTS: &str = "max-age=31536000";
/// Response headers that a page of another origin may read.
const EXPOSED: &str = "Request-Id, Panji-Mode, Panji-Free-Remaining, RateLimit, RateLimit-Policy, \
                       Retry-After, Link, Idempotent-Replayed, Panji-Index, Panji-Credits-Charged, \
                       Panji-Credits-Remaining, Content-Disposition, X-Request-Id";

const REQUEST_ID: HeaderName = HeaderName::from_static("request-id");
const PANJI_MODE: HeaderName = HeaderName::from_static("panji-mode");
const RATE_LIMIT: HeaderName = HeaderName::from_static("ratelimit");
const RATE_LIMIT_POLICY: HeaderName = HeaderName::from_static("ratelimit-policy");

/// The parts of the request that the response and the log line need.
#[derive(Default)]
struct RequestHead {
    method: Method,
    uri: Uri,
    echoed: Option<HeaderValue>,
    live_key: bool,
    /// The Authorization header, if the request has exactly one.
    authorization: Option<HeaderValue>,
    /// HTTP/1.x, where requests on a connection follow one another.
    http1: bool,
    /// Whether the body is sent in chunks.
    chunked: bool,
}

/// The routes and the middleware. It wraps all routes at once: as a layer of each route it would
/// allocate several boxes per request.
#[derive(Clone)]
pub struct Middleware {
    app: Arc<App>,
    routes: Router,
}

impl Middleware {
    pub fn around(routes: Router, app: Arc<App>) -> Middleware {
        Middleware { app, routes }
    }

    pub async fn respond(&self, mut request: Request) -> Response {
        let app = &*self.app;
        let trace = app.traces.as_ref().and_then(|traces| traces.begin(&request));
        let context = Arc::new(RequestContext::new(client_address(app, &request), trace));
        let head = RequestHead {
            method: request.method().clone(),
            uri: request.uri().clone(),
            echoed: request
                .headers()
                .get("x-request-id")
                .filter(|value| value.len() <= MAX_ECHOED)
                .cloned(),
            live_key: presents_live_key(request.headers()),
            authorization: only_authorization(request.headers()),
            http1: request.version() <= Version::HTTP_11,
            chunked: request.headers().contains_key(header::TRANSFER_ENCODING),
        };
        request.extensions_mut().insert(context.clone());
        let internal = is_internal(&request);
        let permit = if internal { None } else { app.in_flight.admit(&request) };
        let shed = permit.is_none() && !internal;
        let claim_guard = ClaimGuard::new(&self.app, &context);
        let mut response = match check_head(app, &request) {
            _ if shed => ApiError::from_code(ErrorCode::Overloaded).into_response(),
            // Boxed, so that it is not moved with the rest: the middleware's own future is small.
            Ok(()) => run_with_timeout(app, &context, Box::pin(self.route(request))).await,
            Err(error) => {
                // It is not routed, but its response has the headers of its operation.
                if let Some(operation) = Operation::of(&head.method, head.uri.path()) {
                    context.set_operation(operation);
                }
                error.into_response()
            }
        };
        let mut error = response.extensions_mut().remove::<ApiError>();
        if let Some(failed) = &mut error {
            // The key of a shed request is not looked up: shedding must stay cheap.
            let authorization = head.authorization.as_ref().filter(|_| !shed);
            response = Box::pin(failure::respond(app, &context, authorization, failed)).await;
        }
        claim_guard.end();
        add_headers(&context, &head, error.as_ref(), response.headers_mut());
        if app.public_url.starts_with("https://") && !head.uri.path().starts_with("/v1/") {
            let hsts = HeaderValue::from_static(HSTS);
            response.headers_mut().insert(header::STRICT_TRANSPORT_SECURITY, hsts);
        }
        // A stopping process closes the connection, so that the client connects to another node. A
        // chunked body also closes it: a proxy may disagree about where the body ends, so nothing
        // after it may be read as a request.
        let stopping = !app.accepting.load(Ordering::Relaxed);
        if head.http1 && (stopping || head.chunked) {
            response.headers_mut().insert(header::CONNECTION, HeaderValue::from_static("close"));
        }
        app.metrics.count_response(
            context.operation(),
            response.status().as_u16(),
            context.started.elapsed(),
        );
        if let Some(caller) = context.caller() {
            app.metrics.count_credits(context.operation(), caller.mode, context.credits());
        }
        if let Some(trace) = &context.trace {
            let outcome = outcome(&context, error.as_ref());
            trace.end(&outcome, response.status());
        }
        log(&context, &head, response.status().as_u16(), error.as_ref());
        if head.method == Method::HEAD {
            *response.body_mut() = Body::empty();
        }
        response
    }

    async fn route(&self, request: Request) -> Response {
        match lookups::find(request.method(), request.uri().path()) {
            Some(operation) => lookups::respond(&self.app, operation, request).await,
            None => {
                let Ok(response) = Box::pin(self.routes.clone().call(request)).await;
                response
            }
        }
    }

    /// The response to bytes that the HTTP layer could not parse as a request and would refuse with
    /// this status.
    pub fn refuse_unreadable(&self, status: u16, address: IpAddr) -> HttpResponse<String> {
        let app = &*self.app;
        let context = RequestContext::new(address.to_canonical(), None);
        context.set_rate(app.limits.count_guess(context.address));
        let error = unreadable(status, app.config.limits.header_bytes.get());
        let body = envelope::failure_text(&context.request_id, None, &error, &app.public_url);
        let mut response = HttpResponse::new(body);
        *response.status_mut() = error.code.status();
        let headers = response.headers_mut();
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
        // The key is unknown and may be a live one, so no page of another origin may read the
        // response.
        let head = RequestHead { live_key: true, ..RequestHead::default() };
        add_headers(&context, &head, Some(&error), headers);
        app.metrics.count_response(None, error.code.status().as_u16(), context.started.elapsed());
        tracing::info!(
            request_id = &*context.request_id,
            status = error.code.status().as_u16(),
            code = error.code.as_str(),
            "malformed request"
        );
        response
    }
}

fn outcome<'a>(context: &'a RequestContext, error: Option<&ApiError>) -> Outcome<'a> {
    Outcome {
        request_id: &context.request_id,
        operation: context.operation().map(|operation| operation.id()),
        mode: context.caller().map(|caller| caller.mode.as_str()),
        credits: context.credits(),
        error_code: error.map(|error| error.code.as_str()),
    }
}

impl HttpService for Middleware {
    async fn respond(&self, request: Request) -> Response {
        Middleware::respond(self, request).await
    }

    fn refuse_unreadable(&self, status: u16, address: IpAddr) -> Option<HttpResponse<String>> {
        Some(Middleware::refuse_unreadable(self, status, address))
    }
}

fn client_address(app: &App, request: &Request) -> IpAddr {
    let connected = request.extensions().get::<ConnectInfo<SocketAddr>>();
    let connected = connected.map_or(IpAddr::V4(Ipv4Addr::UNSPECIFIED), |info| info.0.ip());
    app.proxies.client_address(connected, request.headers())
}

/// Whether the call runs inside a request that has a permit already, as calls from the console do.
fn is_internal(request: &Request) -> bool {
    let extensions = request.extensions();
    extensions.get::<InternalCall>().is_some() || extensions.get::<NestedCall>().is_some()
}

/// Runs the request with a timeout and turns a panic into an error.
async fn run_with_timeout(
    app: &App,
    context: &RequestContext,
    work: impl Future<Output = Response>,
) -> Response {
    let mut work = std::pin::pin!(AssertUnwindSafe(work).catch_unwind().map(response_of));
    // Most requests reach their charge without waiting and need no timer.
    if let Poll::Ready(response) = futures_util::poll!(&mut work) {
        return response;
    }
    let limits = &app.config.limits;
    let bulk = context.operation().is_some_and(Operation::is_bulk);
    let seconds = if bulk { limits.bulk_request_seconds } else { limits.request_seconds };
    let mut deadline = Instant::from_std(context.started) + Duration::from_secs(seconds.get());
    let mut applied_ms = 0;
    loop {
        tokio::select! {
            response = &mut work => return response,
            () = sleep_until(deadline), if !context.timeout_disabled() => {
                let extra_ms = context.deadline_extension_ms() - applied_ms;
                if extra_ms == 0 && !context.timeout_disabled() {
                    let message = format!("The request took longer than {seconds} seconds.");
                    return ApiError::new(ErrorCode::Unavailable, message).into_response();
                }
                applied_ms += extra_ms;
                deadline += Duration::from_millis(extra_ms);
            }
        }
    }
}

fn response_of(finished: Result<Response, Box<dyn Any + Send>>) -> Response {
    match finished {
        Ok(response) => response,
        Err(panic) => ApiError::internal(format!("panic: {}", text_of(&*panic))).into_response(),
    }
}

fn add_headers(
    context: &RequestContext,
    head: &RequestHead,
    error: Option<&ApiError>,
    headers: &mut HeaderMap,
) {
    headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    if let Ok(value) = HeaderValue::from_str(&context.request_id) {
        headers.insert(REQUEST_ID, value);
    }
    if let Some(echoed) = &head.echoed {
        headers.insert("x-request-id", echoed.clone());
    }
    if let Some(rate) = context.rate() {
        add_rate_headers(&rate, headers);
    }
    if let Some(caller) = context.caller() {
        headers.insert(PANJI_MODE, HeaderValue::from_static(caller.mode.as_str()));
    }
    // Browsers call the reconciliation service, with tokens that are made for it.
    let reconciles = head.uri.path().starts_with(RECONCILE_PATH);
    if head.uri.path().starts_with("/v1/") || reconciles || error.is_some() {
        let private = HeaderValue::from_static("private, no-store");
        headers.entry(header::CACHE_CONTROL).or_insert(private);
        let live = context.caller().is_some_and(|caller| caller.mode == Mode::Live);
        if reconciles || (!live && !head.live_key) {
            let any_origin = HeaderValue::from_static("*");
            headers.insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, any_origin);
            let exposed = HeaderValue::from_static(EXPOSED);
            headers.insert(header::ACCESS_CONTROL_EXPOSE_HEADERS, exposed);
        }
    }
    let Some(error) = error else { return };
    if error.code.status().as_u16() == 401 {
        headers.insert(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
    }
    if let Some(seconds) = error.retry_after {
        headers.insert(header::RETRY_AFTER, seconds.into());
    }
    if let Some(allow) = error.allow {
        headers.insert(header::ALLOW, HeaderValue::from_static(allow));
    }
}

/// Adds the structured fields of the IETF's rate-limit headers.
fn add_rate_headers(rate: &RateLimitState, headers: &mut HeaderMap) {
    let reset = rate.retry_after.unwrap_or(rate.window_seconds);
    headers.insert(RATE_LIMIT_POLICY, HeaderValue::from_static(rate.policy_header));
    let state = format_args!("\"{}\";r={};t={reset}", rate.policy, rate.remaining);
    if let Some(value) = envelope::header_value(state) {
        headers.insert(RATE_LIMIT, value);
    }
}

fn presents_live_key(headers: &HeaderMap) -> bool {
    let value = headers.get(header::AUTHORIZATION).map(HeaderValue::as_bytes).unwrap_or_default();
    value.windows(8).any(|window| window == b"pk_live_")
}

fn only_authorization(headers: &HeaderMap) -> Option<HeaderValue> {
    let mut values = headers.get_all(header::AUTHORIZATION).iter();
    values.next().filter(|_| values.next().is_none()).cloned()
}

/// Writes the log line of a request.
fn log(context: &RequestContext, head: &RequestHead, status: u16, error: Option<&ApiError>) {
    let caller = context.caller();
    let echoed = head.echoed.as_ref().and_then(|value| value.to_str().ok());
    let path = match context.redacted_path() {
        Some(path) => Cow::Borrowed(path),
        None => loggable_path(head.uri.path()),
    };
    tracing::info!(
        request_id = &*context.request_id,
        trace_id = context.trace.as_ref().map(|trace| trace.id()),
        account = caller.map(|caller| &*caller.account_id),
        mode = caller.map(|caller| caller.mode.as_str()),
        operation = context.operation().map(|operation| operation.id()),
        method = head.method.as_str(),
        path = &*path,
        status,
        credits = context.credits(),
        code = error.map(|error| error.code.as_str()),
        cause = error.and_then(|error| error.cause.as_deref()).map(redact),
        client_request_id = echoed.map(loggable).as_deref(),
        time_ms = context.started.elapsed().as_micros() as f64 / 1000.0,
        "request"
    );
}
