//! The overview page: balance, usage, a sample call, and recent requests.

use askama::Template;
use axum::response::Response;
use jiff::ToSpan;
use panji_api::accounts::roles::Permission;
use panji_api::accounts::usage_days::sum_usage;
use panji_store::calendar::now_ms;
use panji_store::ledger::{BalanceSnapshot, Mode, RequestFilter, UsageGroup};

use super::chart;
use super::confirmation::ConfirmationNotice;
use super::first_call::FirstCall;
use super::forecast::{AVERAGE_DAYS, days_left};
use super::language::{amounts, dates, filters, t, t_with};
use super::layout::{Layout, Tab, respond};
use super::page_error::PageError;
use super::request_log::{Names, RequestRow, request_rows};
use super::session::SignedIn;

const RECENT_REQUESTS: i64 = 10;
const SPARKLINE_DAYS: i64 = 30;

#[derive(Template)]
#[template(path = "overview.html")]
struct Overview {
    layout: Layout,
    unconfirmed: Option<ConfirmationNotice>,
    has_password: bool,
    balance: String,
    balance_note: String,
    calls_today: i64,
    today_note: String,
    credits_this_month: i64,
    month_note: String,
    has_spent: bool,
    sparkline: String,
    has_keys: bool,
    may_create_keys: bool,
    curl: String,
    register_is_empty: bool,
    requests: Vec<RequestRow>,
}

pub async fn show(signed_in: SignedIn) -> Result<Response, PageError> {
    let (app, mode, now_ms) = (&signed_in.app, signed_in.mode(), now_ms());
    let account_id = signed_in.account_id();
    let today = dates::today(now_ms);
    let first = today.saturating_sub((SPARKLINE_DAYS - 1).days()).min(today.first_of_month());
    let groups = sum_usage(&app.ledger, &app.usage_days, account_id, mode, (first, today)).await?;
    let snapshot = app.ledger.find_balance(account_id, mode, now_ms).await?;
    let balance = snapshot.map_or(0, |snapshot| snapshot.balance);
    let by_day = |day: &str| totals(&groups, |group| group.day == day);
    let month = today.first_of_month().to_string();
    let (calls_today, failed_today, _) = by_day(&today.to_string());
    let (calls_in_month, _, credits_in_month) =
        totals(&groups, |group| group.day.as_str() >= month.as_str());
    let per_day: Vec<i64> = (0..SPARKLINE_DAYS)
        .rev()
        .map(|days_ago| by_day(&today.saturating_sub(days_ago.days()).to_string()).2)
        .collect();
    let keys = app.ledger.list_keys(account_id).await?;
    let filter = RequestFilter { to_ms: now_ms + 1_000, ..RequestFilter::all(mode) };
    let requests = app.ledger.list_requests(account_id, &filter, RECENT_REQUESTS).await?;
    let has_keys = keys.iter().any(|key| key.mode == mode && key.revoked_at.is_none());
    let first_call = FirstCall::find(app, mode).await;
    let free = i64::from(app.config.free_quota.calls_per_day);
    let errors = amounts::percent(failed_today, calls_today);
    let today_note = t_with("{0} errors · {1}", &[&errors, &quota_note(snapshot, free)]);
    Ok(respond(&Overview {
        layout: signed_in.layout(Tab::Overview, t("Overview")),
        unconfirmed: ConfirmationNotice::of(&signed_in),
        has_password: signed_in.session.person.password_hash.is_some(),
        balance: balance_text(balance, mode),
        balance_note: balance_note(balance, mode, &per_day),
        calls_today,
        today_note,
        credits_this_month: credits_in_month,
        month_note: amounts::counted(calls_in_month, "call", "calls"),
        has_spent: per_day.iter().any(|credits| *credits > 0),
        sparkline: chart::sparkline(t("Credits by day, the last 30 days"), &per_day),
        has_keys,
        may_create_keys: signed_in.may(Permission::ManageKeys),
        curl: first_call.curl(&app.public_url, &format!("pk_{}_…", mode.as_str())),
        register_is_empty: first_call.register_is_empty,
        requests: request_rows(requests, &Names::read(&signed_in).await?),
    }))
}

/// Calls, failed calls and credits of some groups.
fn totals(groups: &[UsageGroup], include: impl Fn(&UsageGroup) -> bool) -> (i64, i64, i64) {
    groups.iter().filter(|group| include(group)).fold(
        (0, 0, 0),
        |(calls, failed, credits), group| {
            let failed_in_group = if group.status >= 400 { group.calls } else { 0 };
            (calls + group.calls, failed + failed_in_group, credits + group.credits)
        },
    )
}

fn quota_note(snapshot: Option<BalanceSnapshot>, free: i64) -> String {
    match snapshot {
        Some(snapshot) if !snapshot.has_free_quota() => t("no free calls yet").to_owned(),
        snapshot => {
            let used = snapshot.map_or(0, |snapshot| snapshot.quota_used).min(free);
            let (used, free) = (amounts::grouped(used), amounts::grouped(free));
            t_with("{0} of {1} free calls used", &[&used, &free])
        }
    }
}

fn balance_text(balance: i64, mode: Mode) -> String {
    match mode {
        Mode::Live => amounts::rupees(balance),
        Mode::Test => amounts::grouped(balance),
    }
}

fn balance_note(balance: i64, mode: Mode, per_day: &[i64]) -> String {
    if mode == Mode::Test {
        return t("test credits, renewed every day").to_owned();
    }
    if balance == 0 {
        return t("no credits yet").to_owned();
    }
    // Without today, which has not ended.
    let past = &per_day[..per_day.len().saturating_sub(1)];
    match days_left(balance, &past[past.len().saturating_sub(AVERAGE_DAYS)..]) {
        Some((days, _)) => t_with("about {0} left", &[&amounts::counted(days, "day", "days")]),
        None => amounts::counted(balance, "credit", "credits"),
    }
}
