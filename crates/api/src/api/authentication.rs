//! Authentication: checks the key, its permissions and its rate limit.

use std::sync::Arc;

use axum::http::{HeaderMap, HeaderValue, header};
use panji_store::ledger::{Key, KeyText, Mode};

use crate::app::{App, CachedKey};
use crate::config::operation::Operation;
use crate::http::authorization::{presented_key, presented_token};
use crate::http::context::{CONSOLE_KEY_ID, Caller, NestedCall, RequestContext, Via};
use crate::http::error::{ApiError, ErrorCode};

/// Authorizes a call from inside the process. Its session or job has been checked already.
pub fn authorize_internal(
    app: &App,
    context: &RequestContext,
    caller: &Arc<Caller>,
    operation: Operation,
) -> Result<(), ApiError> {
    context.set_caller(caller.clone());
    if caller.suspended {
        return Err(ApiError::from_code(ErrorCode::AccountSuspended));
    }
    match caller.via {
        Via::Job => Ok(()),
        Via::Console | Via::Key => {
            let name = format!("{CONSOLE_KEY_ID} {}", caller.account_id).into();
            count(app, context, &name, operation.is_bulk())
        }
    }
}

/// Authorizes a call with an API key. A nested call was counted with the request that makes it,
/// except against the rate limit of bulk calls.
pub async fn authorize_call(
    app: &App,
    context: &RequestContext,
    headers: &HeaderMap,
    operation: Operation,
    nested: Option<NestedCall>,
) -> Result<Arc<CachedKey>, ApiError> {
    let cached = authenticate(app, context, headers).await?;
    check_operation(&cached, operation)?;
    match nested {
        Some(NestedCall(counted)) if !operation.is_bulk() => context.set_rate(counted),
        _ => count(app, context, &cached.caller.key_id, operation.is_bulk())?,
    }
    Ok(cached)
}

/// Authorizes a request with an API key that makes calls for its client.
pub async fn authorize_mcp_request(
    app: &App,
    context: &RequestContext,
    headers: &HeaderMap,
) -> Result<(), ApiError> {
    let cached = authenticate(app, context, headers).await?;
    count(app, context, &cached.caller.key_id, false)
}

/// The key of a request, which is valid and may be used from where the request comes from.
async fn authenticate(
    app: &App,
    context: &RequestContext,
    headers: &HeaderMap,
) -> Result<Arc<CachedKey>, ApiError> {
    let text = match presented_key(headers.get_all(header::AUTHORIZATION)) {
        Ok(text) => text,
        Err(error) if error.code == ErrorCode::MissingApiKey => return Err(error),
        Err(error) => return Err(count_invalid_key(app, context).unwrap_or(error)),
    };
    let cached = find_valid(app, context, &text).await?;
    if cached.caller.suspended {
        return Err(ApiError::from_code(ErrorCode::AccountSuspended));
    }
    if cached.key.mode == Mode::Live && from_browser(headers) {
        return Err(ApiError::from_code(ErrorCode::LiveKeyInBrowser));
    }
    check_address(&cached, context)?;
    Ok(cached)
}

/// Authorizes a request with a token of the reconciliation service in its path. What it may call
/// is checked once the operation is known. A browser may send it: it can do little and has a cap.
pub async fn authorize_token(
    app: &App,
    context: &RequestContext,
    token: &str,
    is_bulk: bool,
) -> Result<Arc<CachedKey>, ApiError> {
    let text = match presented_token(token) {
        Ok(text) => text,
        Err(error) => return Err(count_invalid_key(app, context).unwrap_or(error)),
    };
    let cached = find_valid(app, context, &text).await?;
    if cached.caller.suspended {
        return Err(ApiError::from_code(ErrorCode::AccountSuspended));
    }
    check_address(&cached, context)?;
    count(app, context, &cached.caller.key_id, is_bulk)?;
    Ok(cached)
}

/// The key with this text, if it exists and is neither revoked nor expired. Sets the caller.
async fn find_valid(
    app: &App,
    context: &RequestContext,
    text: &KeyText,
) -> Result<Arc<CachedKey>, ApiError> {
    let hash = app.ledger.hash_key(text);
    let Some(cached) = app.find_key(&hash).await? else {
        let unknown = ApiError::new(
            ErrorCode::InvalidApiKey,
            "The key is unknown here: check that it belongs to this service.",
        );
        return Err(count_invalid_key(app, context).unwrap_or(unknown));
    };
    check_validity(&cached.key, context.at_ms)?;
    context.set_caller(cached.caller.clone());
    Ok(cached)
}

/// Sets the caller of a request that failed before its key was checked, such as one for an unknown
/// path. The request counts against the rate limit of its key.
pub async fn identify(app: &App, context: &RequestContext, authorization: Option<&HeaderValue>) {
    let Ok(text) = presented_key(authorization) else { return };
    let Ok(Some(cached)) = app.find_key(&app.ledger.hash_key(&text)).await else { return };
    let key = &cached.key;
    if check_validity(key, context.at_ms).is_ok() {
        context.set_caller(cached.caller.clone());
        context.set_rate(app.limits.count_call(&cached.caller.key_id, false));
    }
}

/// Counts a call against its rate limit; an error if it exceeds the limit.
fn count(
    app: &App,
    context: &RequestContext,
    name: &Arc<str>,
    is_bulk: bool,
) -> Result<(), ApiError> {
    let snapshot = app.limits.count_call(name, is_bulk);
    context.set_rate(snapshot);
    match snapshot.retry_after {
        Some(seconds) => Err(rate_limited(seconds, "this key")),
        None => Ok(()),
    }
}

/// Counts an invalid key from this address; an error if there were too many.
fn count_invalid_key(app: &App, context: &RequestContext) -> Option<ApiError> {
    let snapshot = app.limits.count_guess(context.address);
    context.set_rate(snapshot);
    snapshot.retry_after.map(|seconds| rate_limited(seconds, "unknown keys from this address"))
}

fn rate_limited(seconds: u64, what: &str) -> ApiError {
    let unit = if seconds == 1 { "second" } else { "seconds" };
    let message = format!("Too many requests with {what}: try again in {seconds} {unit}.");
    ApiError { retry_after: Some(seconds), ..ApiError::new(ErrorCode::RateLimited, message) }
}

pub fn check_validity(key: &Key, now_ms: i64) -> Result<(), ApiError> {
    if key.revoked_at.is_some() {
        return Err(ApiError::from_code(ErrorCode::RevokedApiKey));
    }
    if key.expires_at.is_some_and(|at| at <= now_ms) {
        return Err(ApiError::from_code(ErrorCode::ExpiredApiKey));
    }
    Ok(())
}

fn check_address(cached: &CachedKey, context: &RequestContext) -> Result<(), ApiError> {
    let any_address = cached.key.allowed_addresses.is_empty();
    if !any_address && !cached.networks.iter().any(|network| network.contains(&context.address)) {
        let message = format!("The key may not be used from the address {}.", context.address);
        return Err(ApiError::new(ErrorCode::IpNotAllowed, message));
    }
    Ok(())
}

pub fn check_operation(cached: &CachedKey, operation: Operation) -> Result<(), ApiError> {
    if !cached.key.allows(operation.id()) {
        let message = format!("The key may not call {}.", operation.id());
        return Err(ApiError::new(ErrorCode::EndpointNotAllowed, message));
    }
    Ok(())
}

/// Browsers send one of these headers; other clients do not.
fn from_browser(headers: &HeaderMap) -> bool {
    headers.contains_key(header::ORIGIN) || headers.contains_key("sec-fetch-site")
}
