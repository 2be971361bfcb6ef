//! Calls that fail: what the answer says of its caller, and what is undone.

use std::sync::Arc;
use std::time::Duration;

use axum::http::HeaderValue;
use axum::response::Response;
use panji_store::ledger::{BalanceSnapshot, UsageRow};
use tokio::time::timeout;

use crate::api::call::insert_free_remaining;
use crate::api::caller::identify;
use crate::api::cover::refused;
use crate::api::idempotency::release;
use crate::app::App;
use crate::config::operation::Tariff;
use crate::http::context::RequestContext;
use crate::http::envelope;
use crate::http::error::{ApiError, ErrorCode};

/// How long an error waits for who the caller is, and for their balance; without them, it says null.
const BALANCE_TIME: Duration = Duration::from_secs(1);

/// The answer to a call that failed, with the balance and the free calls left where the caller is known.
/// `authorization` tells who called where that was not found out yet.
pub async fn answer(
    app: &App,
    context: &RequestContext,
    authorization: Option<&HeaderValue>,
    error: &mut ApiError,
) -> Response {
    release(app, context).await;
    if context.caller().is_none() && error.code.status().as_u16() != 401 {
        let _ = timeout(BALANCE_TIME, identify(app, context, authorization)).await;
    }
    // Who is not known counts by address, so that every error says where its caller stands.
    if context.rate().is_none() {
        context.set_rate(app.limits.count_guess(context.address));
    }
    let snapshot = find_balance(app, context).await;
    confirm_not_found(app, context, snapshot, error);
    note_failed_call(app, context, error);
    render(app, context, snapshot, error)
}

/// What the caller's account has, where the caller is known and the ledger answers in time.
async fn find_balance(app: &App, context: &RequestContext) -> Option<BalanceSnapshot> {
    let caller = context.caller()?;
    let snapshot = app.ledger.find_balance(&caller.account_id, caller.mode, context.at_ms);
    timeout(BALANCE_TIME, snapshot).await.ok().and_then(Result::ok).flatten()
}

/// A call whose price was covered by what its key was last seen to have may not be covered any more. Had
/// its subject been held, the charge would have been refused: so the same is said of one that is not held.
fn confirm_not_found(
    app: &App,
    context: &RequestContext,
    snapshot: Option<BalanceSnapshot>,
    error: &mut ApiError,
) {
    let not_held = error.code.reveals_existence();
    let Some(terms) = context.unconfirmed_terms().filter(|_| not_held) else { return };
    let Some(snapshot) = snapshot else {
        *error = ApiError::plain(ErrorCode::Unavailable);
        return;
    };
    let limit = i64::from(app.config.free_quota.calls_per_day);
    if let Some(refusal) = terms.refusal(snapshot, None, limit) {
        *error = refused(refusal, snapshot.balance);
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

fn note_failed_call(app: &App, context: &RequestContext, error: &ApiError) {
    if let (Some(caller), Some(operation)) = (context.caller(), context.operation()) {
        app.charge_writer.note_failed_call(UsageRow {
            account_id: caller.account_id.clone(),
            request_id: context.request_id.clone(),
            mode: caller.mode,
            key_id: caller.key_id.clone(),
            operation: operation.id(),
            status: i64::from(error.code.status().as_u16()),
            credits: 0,
            free: false,
            at_ms: context.at_ms,
        });
    }
}

/// Gives back the idempotency key of a call that is dropped before its charge is on its way, because its
/// client went away: a repeat then need not wait until the key's time is over.
pub struct ClaimGuard<'a> {
    app: &'a Arc<App>,
    context: &'a Arc<RequestContext>,
    answered: bool,
}

impl<'a> ClaimGuard<'a> {
    /// Watches over a call that is about to be answered.
    pub fn new(app: &'a Arc<App>, context: &'a Arc<RequestContext>) -> ClaimGuard<'a> {
        ClaimGuard { app, context, answered: false }
    }

    /// The call was answered.
    pub fn end(mut self) {
        self.answered = true;
    }
}

impl Drop for ClaimGuard<'_> {
    fn drop(&mut self) {
        let unpaid = !self.answered && !self.context.paying();
        if !unpaid || self.context.claimed_key().is_none() {
            return;
        }
        if let Ok(runtime) = tokio::runtime::Handle::try_current() {
            let (app, context) = (self.app.clone(), self.context.clone());
            runtime.spawn(async move { release(&app, &context).await });
        }
    }
}
