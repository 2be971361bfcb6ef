//! Who is calling: the key, what it may do, and how fast.

use std::sync::Arc;

use axum::http::{HeaderMap, HeaderValue, header};
use panji_store::ledger::{Key, KeyText, KeyTextError, Mode};

use super::CONSOLE_KEY_ID;
use super::cover::LastBalance;
use crate::context::{KnownCaller, RequestContext};
use crate::error::{ApiError, ErrorCode};
use crate::operation::{Operation, Tariff};
use crate::state::{App, TrustedKey};

/// A caller whose key is good and may do what is asked.
#[derive(Clone, Debug)]
pub struct Caller {
    /// The account that pays.
    pub account_id: String,
    /// The key.
    pub key_id: String,
    /// Test or live.
    pub mode: Mode,
    /// The most the key may spend in a month.
    pub monthly_cap: Option<i64>,
    /// When the key was last used, to about a minute.
    pub last_used_at: Option<i64>,
    /// Whether answers under an idempotency key are kept until they are dropped by name.
    pub holds_answers: bool,
    /// What the account had after the key's last call, where that is known.
    pub snapshot: Arc<LastBalance>,
}

/// A person who makes a call in the console, for the account they work in. Only the console puts it
/// beside a request; nothing that comes over the network can.
#[derive(Clone, Debug)]
pub struct ConsoleCaller {
    /// The account that pays.
    pub account_id: String,
    /// Whether that account is suspended.
    pub suspended: bool,
    /// Test or live.
    pub mode: Mode,
    /// Whether it is a job that calls. A job paces itself, so its calls are not counted against the
    /// rate of those who click, and it keeps its answers until it has written them down.
    pub job: bool,
}

/// Lets a call of the console in: the session has been checked, the rest is as with a key.
pub fn admit_console(
    app: &App,
    context: &RequestContext,
    caller: &ConsoleCaller,
    operation: Operation,
) -> Result<Caller, ApiError> {
    let ConsoleCaller { account_id, suspended, mode, job } = caller.clone();
    let key_id = CONSOLE_KEY_ID.to_owned();
    context.set_caller(KnownCaller {
        account_id: account_id.clone(),
        key_id: key_id.clone(),
        mode,
    });
    if suspended {
        return Err(ApiError::plain(ErrorCode::AccountSuspended));
    }
    if !job {
        count(app, context, &format!("{CONSOLE_KEY_ID} {account_id}"), operation)?;
    }
    Ok(Caller {
        account_id,
        key_id,
        mode,
        monthly_cap: None,
        last_used_at: Some(context.at_ms),
        holds_answers: job,
        snapshot: Arc::default(),
    })
}

/// Lets a request in, or says why not.
pub async fn admit(
    app: &App,
    context: &RequestContext,
    headers: &HeaderMap,
    operation: Operation,
) -> Result<Caller, ApiError> {
    let text = match presented_key(headers.get_all(header::AUTHORIZATION)) {
        Ok(text) => text,
        Err(error) if error.code == ErrorCode::MissingApiKey => return Err(error),
        Err(error) => return Err(slow_down_guessing(app, context).unwrap_or(error)),
    };
    let hash = app.ledger.hash_key(&text);
    let Some(trusted) = app.find_key(&hash).await? else {
        let unknown = ApiError::new(
            ErrorCode::InvalidApiKey,
            "The key is unknown here: check that it belongs to this service.",
        );
        return Err(slow_down_guessing(app, context).unwrap_or(unknown));
    };
    let key = &trusted.known.key;
    check_life(key, context.at_ms)?;
    context.set_caller(KnownCaller {
        account_id: key.account_id.clone(),
        key_id: key.id.clone(),
        mode: key.mode,
    });
    check_permission(&trusted, context, headers, operation)?;
    count(app, context, &key.id, operation)?;
    Ok(Caller {
        account_id: key.account_id.clone(),
        key_id: key.id.clone(),
        mode: key.mode,
        monthly_cap: key.monthly_cap,
        last_used_at: key.last_used_at,
        holds_answers: false,
        snapshot: trusted.snapshot.clone(),
    })
}

/// Finds out who made a call that failed before its key was looked at, as one to an unknown path. It
/// counts against the rate of its key like any other.
pub async fn identify(app: &App, context: &RequestContext, authorization: Option<&HeaderValue>) {
    let Ok(text) = presented_key(authorization) else { return };
    let Ok(Some(trusted)) = app.find_key(&app.ledger.hash_key(&text)).await else { return };
    let key = &trusted.known.key;
    if check_life(key, context.at_ms).is_ok() {
        context.set_caller(KnownCaller {
            account_id: key.account_id.clone(),
            key_id: key.id.clone(),
            mode: key.mode,
        });
        context.set_rate(app.limits.count_call(&key.id, false));
    }
}

/// Counts a call against its rate; an error once there were too many.
fn count(
    app: &App,
    context: &RequestContext,
    name: &str,
    operation: Operation,
) -> Result<(), ApiError> {
    let snapshot = app.limits.count_call(name, operation.tariff() == Tariff::Items);
    context.set_rate(snapshot);
    match snapshot.retry_after {
        Some(seconds) => Err(rate_limited(seconds, "this key")),
        None => Ok(()),
    }
}

/// Whether a key is presented that may exist: it is well formed, and was not looked for.
pub fn presents_key(headers: &HeaderMap) -> bool {
    presented_key(headers.get_all(header::AUTHORIZATION)).is_ok()
}

/// The key among the Authorization headers.
fn presented_key<'a>(
    values: impl IntoIterator<Item = &'a HeaderValue>,
) -> Result<KeyText, ApiError> {
    let invalid = |message: &str| ApiError::new(ErrorCode::InvalidApiKey, message);
    let mut values = values.into_iter();
    let value = values.next().ok_or_else(|| {
        ApiError::new(
            ErrorCode::MissingApiKey,
            "Send your key in the header \"Authorization: Bearer <API_KEY>\".",
        )
    })?;
    if values.next().is_some() {
        return Err(invalid("There are two Authorization headers: send one."));
    }
    let text = value
        .to_str()
        .map_err(|_| invalid("The Authorization header has characters that no key has."))?;
    // A scheme's name is taken without regard to case, as HTTP says.
    let key = match text.split_once(' ') {
        Some((scheme, key)) if scheme.eq_ignore_ascii_case("bearer") => key.trim(),
        _ => {
            return Err(invalid(
                "The Authorization header must be the word Bearer, a space and your key.",
            ));
        }
    };
    KeyText::parse(key).map_err(|error| {
        invalid(match error {
            KeyTextError::Prefix => "That is no key of this service: keys begin with pk_test_ or pk_live_.",
            KeyTextError::Shape => {
                "The key is cut or has characters too many: after its prefix come 32 letters and digits."
            }
            KeyTextError::Checksum => {
                "The key is mistyped or cut: its last six characters do not fit the rest."
            }
        })
    })
}

/// Counts a bad key from this address; an error once there were too many.
fn slow_down_guessing(app: &App, context: &RequestContext) -> Option<ApiError> {
    let snapshot = app.limits.count_guess(context.address);
    context.set_rate(snapshot);
    snapshot.retry_after.map(|seconds| rate_limited(seconds, "unknown keys from this address"))
}

fn rate_limited(seconds: u64, what: &str) -> ApiError {
    let unit = if seconds == 1 { "second" } else { "seconds" };
    let message = format!("Too many requests with {what}: try again in {seconds} {unit}.");
    ApiError { retry_after: Some(seconds), ..ApiError::new(ErrorCode::RateLimited, message) }
}

fn check_life(key: &Key, now_ms: i64) -> Result<(), ApiError> {
    if key.revoked_at.is_some() {
        return Err(ApiError::plain(ErrorCode::RevokedApiKey));
    }
    if key.expires_at.is_some_and(|at| at <= now_ms) {
        return Err(ApiError::plain(ErrorCode::ExpiredApiKey));
    }
    Ok(())
}

fn check_permission(
    trusted: &Arc<TrustedKey>,
    context: &RequestContext,
    headers: &HeaderMap,
    operation: Operation,
) -> Result<(), ApiError> {
    let key = &trusted.known.key;
    if trusted.known.account_suspended {
        return Err(ApiError::plain(ErrorCode::AccountSuspended));
    }
    if key.mode == Mode::Live && from_browser(headers) {
        return Err(ApiError::plain(ErrorCode::LiveKeyInBrowser));
    }
    let anywhere = key.allowed_addresses.is_empty();
    if !anywhere && !trusted.networks.iter().any(|network| network.contains(&context.address)) {
        let message = format!("The key may not be used from the address {}.", context.address);
        return Err(ApiError::new(ErrorCode::IpNotAllowed, message));
    }
    let anything = key.allowed_operations.is_empty();
    if !anything && !key.allowed_operations.iter().any(|allowed| allowed == operation.id()) {
        let message = format!("The key may not call {}.", operation.id());
        return Err(ApiError::new(ErrorCode::EndpointNotAllowed, message));
    }
    Ok(())
}

/// Browsers send these two; servers do not.
fn from_browser(headers: &HeaderMap) -> bool {
    headers.contains_key(header::ORIGIN) || headers.contains_key("sec-fetch-site")
}
