//! Account endpoints: the caller's account, its usage and its earlier requests. They are free.

use std::collections::BTreeMap;

use jiff::ToSpan;
use jiff::civil::Date;
use panji_store::calendar::rfc3339;

use super::call::Call;
use super::wire::{self, UsageGroupBy};
use crate::accounts::usage_days::sum_usage;
use crate::config::operation::Operation;
use crate::http::error::{ApiError, ApiResult, ErrorCode};
use crate::locale::dates;

/// The most days of one usage report.
const MAX_USAGE_DAYS: i32 = 366;
/// The days of a report whose first day is not given.
const DEFAULT_USAGE_DAYS: i32 = 30;
/// The characters of a request id after its prefix: a ULID.
const ULID_CHARACTERS: usize = 26;

/// The account and the key of the caller
///
/// The balance, the free calls of today, the key with its restrictions and its spending this month, the rate
/// limit and the prices. Free, also without a balance.
#[utoipa::path(
    get,
    path = "/v1/account",
    operation_id = "getAccount",
    tag = "Account",
    responses((status = 200, body = wire::Account)),
)]
pub async fn get_account(call: Call) -> ApiResult {
    let Some(trusted) = call.key.clone() else {
        let message = "This operation returns data about a key: call it with a key.";
        return Err(ApiError::new(ErrorCode::EndpointNotAllowed, message));
    };
    let account = call.app.ledger.find_account_by_id(&call.caller.account_id).await?;
    let account = account.ok_or_else(|| ApiError::internal("the key has no account"))?;
    let snapshot = call.find_balance().await?;
    let spent = spent_this_month(&call).await?;
    let config = &call.app.config;
    let limit = i64::from(config.free_quota.calls_per_day);
    let tomorrow = dates::today(call.context.at_ms).saturating_add(1.day());
    let data = wire::Account {
        account: wire::AccountIdentity { id: account.id, name: account.name },
        mode: call.caller.mode.as_str(),
        credits_remaining: snapshot.balance,
        free_quota: wire::FreeQuota {
            limit: if snapshot.has_free_quota() { limit } else { 0 },
            used: snapshot.free_calls_used(),
            resets_at: rfc3339(dates::begin_ms(tomorrow)),
        },
        key: wire::AccountKey::new(&trusted.key, spent),
        rate_limit: wire::AccountRateLimit {
            per_second: config.rate_limit.per_second.get(),
            burst: config.rate_limit.burst.get(),
        },
        prices: prices(&call),
    };
    call.check_funds().await?.respond(&data).await
}

fn prices(call: &Call) -> BTreeMap<&'static str, Option<i64>> {
    let price = |operation: Operation| match operation {
        // The price of an item depends on what it is, or on what is asked for.
        Operation::BulkVerify | Operation::BulkEnrich => None,
        _ => Some(call.app.config.prices.of(operation)),
    };
    Operation::ALL.iter().map(|operation| (operation.id(), price(*operation))).collect()
}

/// The credits that the key has spent this month. The ledger counts them for a key with a cap; for
/// another one they are summed up.
async fn spent_this_month(call: &Call) -> Result<i64, ApiError> {
    if call.caller.monthly_cap.is_some() {
        return call.find_spent().await;
    }
    let today = dates::today(call.context.at_ms);
    let (app, caller) = (&call.app, &call.caller);
    let period = (today.first_of_month(), today);
    let groups =
        sum_usage(&app.ledger, &app.usage_days, &caller.account_id, caller.mode, period).await?;
    let own = groups.iter().filter(|group| *group.key_id == *caller.key_id);
    Ok(own.map(|group| group.credits).sum())
}

/// Calls and credits of a period
///
/// The calls of the account in the mode of the key, summed up by day, operation or key. Days are days in India.
/// Free.
#[utoipa::path(
    get,
    path = "/v1/usage",
    operation_id = "getUsage",
    tag = "Account",
    params(
        ("from" = Option<String>, Query, description = "The first day, such as `2026-03-01`; default 29 days before `to`. At most 366 days are reported."),
        ("to" = Option<String>, Query, description = "The last day; default today."),
        ("group_by" = Option<String>, Query, description = "What the rows are about; default `day`."),
    ),
    responses((status = 200, body = wire::Usage)),
)]
pub async fn get_usage(call: Call) -> ApiResult {
    let today = dates::today(call.context.at_ms);
    let (first, last) = usage_period(&call, today)?;
    let by = match call.query.get("group_by") {
        None => UsageGroupBy::Day,
        Some(word) => UsageGroupBy::from_word(word).ok_or_else(|| {
            let message = format!("group_by must be one of {}.", UsageGroupBy::WORDS.join(", "));
            ApiError::parameter("group_by", message)
        })?,
    };
    let (app, caller) = (&call.app, &call.caller);
    // Nothing is recorded for days to come.
    let period = (first, last.min(today));
    let groups =
        sum_usage(&app.ledger, &app.usage_days, &caller.account_id, caller.mode, period).await?;
    let usage = wire::Usage::new((first.to_string(), last.to_string()), by, &groups);
    call.check_funds().await?.respond(&usage).await
}

/// The first and the last day of a report.
fn usage_period(call: &Call, today: Date) -> Result<(Date, Date), ApiError> {
    let last = call.query.day("to")?.unwrap_or(today);
    let default = last.saturating_sub((DEFAULT_USAGE_DAYS - 1).days());
    let first = call.query.day("from")?.unwrap_or(default);
    if first > last {
        let message = format!("from must not be after to, which is {last}.");
        return Err(ApiError::parameter("from", message));
    }
    if first < last.saturating_sub((MAX_USAGE_DAYS - 1).days()) {
        let message =
            format!("The period has more than {MAX_USAGE_DAYS} days: ask for a shorter one.");
        return Err(ApiError::parameter("from", message));
    }
    Ok((first, last))
}

/// One earlier request
///
/// What a request of this account was and what became of it, for as long as usage is kept; never its response.
/// Only requests in the mode of the key are found. Free.
#[utoipa::path(
    get,
    path = "/v1/requests/{request_id}",
    operation_id = "getRequest",
    tag = "Account",
    params(("request_id" = String, Path, description = "The id of a request, as in its response.")),
    responses((status = 200, body = wire::PastRequest)),
)]
pub async fn get_request(call: Call) -> ApiResult {
    let request_id = parse_request_id(call.path_value("request_id"))?;
    let found = call.app.ledger.find_request(&call.caller.account_id, &request_id).await?;
    let found = found.filter(|request| request.mode == call.caller.mode);
    let request = found.ok_or_else(|| {
        let message = format!("No request {request_id} of this account and mode is recorded.");
        ApiError::new(ErrorCode::RequestNotFound, message).param("request_id")
    })?;
    call.check_funds().await?.respond(&wire::PastRequest::from(request)).await
}

/// The canonical form of a request id.
fn parse_request_id(text: &str) -> Result<String, ApiError> {
    let text = text.trim();
    let random = text.get(..4).filter(|prefix| prefix.eq_ignore_ascii_case("req_"));
    let random = random.and_then(|_| text.get(4..)).map(str::to_ascii_uppercase);
    let fits = |random: &String| {
        let crockford = |byte: u8| byte.is_ascii_alphanumeric() && !b"ILOU".contains(&byte);
        random.len() == ULID_CHARACTERS && random.bytes().all(crockford)
    };
    random.filter(fits).map(|random| format!("req_{random}")).ok_or_else(|| {
        let message = format!(
            "The request id in the path is malformed: it is req_ and {ULID_CHARACTERS} characters \
             of 0-9 and A-Z without I, L, O and U."
        );
        ApiError::new(ErrorCode::InvalidIdentifier, message).param("request_id")
    })
}
