//! The response to a failed call, and the release of what the call claimed.

use std::sync::Arc;
use std::time::Duration;

use axum::http::HeaderValue;
use axum::response::Response;
use panji_store::ledger::{BalanceSnapshot, RequestDetails, UsageRow};
use tokio::time::timeout;

use crate::api::authentication::identify;
use crate::api::call::insert_free_remaining;
use crate::api::charging::refusal_error;
use crate::api::idempotency::release;
use crate::app::App;
use crate::config::operation::Tariff;
use crate::http::context::RequestContext;
use crate::http::envelope;
use crate::http::error::{ApiError, ErrorCode};
use crate::telemetry::redaction::redacted_line;

/// How long an error response waits for the caller and the balance; without them, its fields are
/// null.
const BALANCE_TIME: Duration = Duration::from_secs(1);

/// The response to a failed call, with the balance and the free calls left if the caller is known.
/// `authorization` identifies the caller of a request that failed before authentication.
pub async fn respond(
    app: &App,
    context: &RequestContext,
    authorization: Option<&HeaderValue>,
    error: &mut ApiError,
) -> Response {
    release(app, context).await;
    if context.caller().is_none() && error.code.status().as_u16() != 401 {
        let _ = timeout(BALANCE_TIME, identify(app, context, authorization)).await;
    }
    // An unknown caller counts by address, so that every error has rate-limit headers.
    if context.rate().is_none() {
        context.set_rate(app.limits.count_guess(context.address));
    }
    let snapshot = find_balance(app, context).await;
    confirm_not_found(app, context, snapshot, error);
    record_failed_call(app, context, error);
    render(app, context, snapshot, error)
}

/// The caller's balance; none if the caller is unknown or the ledger does not respond in time.
async fn find_balance(app: &App, context: &RequestContext) -> Option<BalanceSnapshot> {
    let caller = context.caller()?;
    let snapshot = app.ledger.find_balance(&caller.account_id, caller.mode, context.at_ms);
    timeout(BALANCE_TIME, snapshot).await.ok().and_then(Result::ok).flatten()
}

/// Replaces "not found" by the refusal that a found record would have got. The price was checked
/// against a cached balance, which may be out of date: without this, a caller who cannot pay could
/// learn that a record does not exist.
fn confirm_not_found(
    app: &App,
    context: &RequestContext,
    snapshot: Option<BalanceSnapshot>,
    error: &mut ApiError,
) {
    let not_found = error.code.reveals_existence();
    let Some(terms) = context.unconfirmed_terms().filter(|_| not_found) else { return };
    let Some(snapshot) = snapshot else {
        *error = ApiError::from_code(ErrorCode::Unavailable);
        return;
    };
    let limit = i64::from(app.config.free_quota.calls_per_day);
    if let Some(refusal) = terms.refusal(snapshot, None, limit) {
        *error = refusal_error(refusal, snapshot.balance);
    }
}

fn render(
    app: &App,
    context: &RequestContext,
    snapshot: Option<BalanceSnapshot>,
    error: &ApiError,
) -> Response {
    let remaining = snapshot.map(|snapshot| snapshot.balance);
    let mut response = envelope::failure(&context.request_id, remaining, error, &app.public_url);
    let operation = context.operation();
    if operation.is_some_and(|operation| operation.tariff() == Tariff::FreeQuota)
        && let Some(snapshot) = snapshot
    {
        insert_free_remaining(app, snapshot.quota_used, response.headers_mut());
    }
    response
}

fn record_failed_call(app: &App, context: &RequestContext, error: &ApiError) {
    if let (Some(caller), Some(operation)) = (context.caller(), context.operation()) {
        app.charge_writer.record_failed_call(UsageRow {
            account_id: caller.account_id.clone(),
            request_id: context.request_id.clone(),
            mode: caller.mode,
            key_id: caller.key_id.clone(),
            operation: operation.id(),
            status: i64::from(error.code.status().as_u16()),
            credits: 0,
            free: false,
            at_ms: context.at_ms,
            error_code: Some(error.code.as_str()),
            details: RequestDetails {
                error_message: Some(redacted_line(&error.message).into()),
                ..context.details()
            },
        });
    }
}

/// Releases the idempotency key of a call that is dropped before its charge starts because the
/// client disconnected. A repeat then need not wait until the claim expires.
pub struct ClaimGuard<'a> {
    app: &'a Arc<App>,
    context: &'a Arc<RequestContext>,
    responded: bool,
}

impl<'a> ClaimGuard<'a> {
    pub fn new(app: &'a Arc<App>, context: &'a Arc<RequestContext>) -> ClaimGuard<'a> {
        ClaimGuard { app, context, responded: false }
    }

    /// Marks that the call has a response: the key is not released on drop.
    pub fn end(mut self) {
        self.responded = true;
    }
}

impl Drop for ClaimGuard<'_> {
    fn drop(&mut self) {
        let abandoned = !self.responded && !self.context.debiting();
        if !abandoned || self.context.claimed_key().is_none() {
            return;
        }
        if let Ok(runtime) = tokio::runtime::Handle::try_current() {
            let (app, context) = (self.app.clone(), self.context.clone());
            runtime.spawn(async move { release(&app, &context).await });
        }
    }
}
