//! The usage page: calls and credits of a period by day, operation, key and status, and the request
//! log.

use std::collections::BTreeMap;

use askama::Template;
use axum::response::Response;
use panji_store::calendar::now_ms;
use panji_store::ledger::{Key, Mode, Request, RequestFilter, UsageGroup};
use serde::Deserialize;
use serde::de::Deserializer;

use super::chart;
use super::chart::{Chart, Series};
use super::frame::{Frame, Tab, respond, respond_with_errors};
use super::periods::{Period, PeriodError};
use super::problem::Problem;
use super::repeated::RepeatedQuery;
use super::session::SignedIn;
use crate::accounts::usage_days::{off_thread, sum_usage};
use crate::config::operation::Operation;
use crate::locale::{amounts, dates};

/// Requests on one page of the log.
const PER_PAGE: i64 = 50;
/// The key id in the log of calls made in the console.
const CONSOLE_KEY: &str = crate::http::context::CONSOLE_KEY_ID;

/// The period and the filters of the page.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct UsageQuery {
    from: String,
    to: String,
    operation: String,
    key: String,
    status: String,
    #[serde(deserialize_with = "trimmed")]
    request: String,
    before: String,
}

#[derive(Template)]
#[template(path = "usage.html")]
struct UsagePage {
    frame: Frame,
    query: UsageQuery,
    from: String,
    to: String,
    from_error: Option<String>,
    operation_ids: Vec<&'static str>,
    key_choices: Vec<(String, String)>,
    /// None if the period is invalid.
    report: Option<Report>,
}

struct Report {
    calls: String,
    credits: String,
    failed: String,
    free: String,
    calls_chart: Chart,
    credits_chart: Chart,
    days: Vec<Sum>,
    operations: Vec<Sum>,
    keys: Vec<Sum>,
    statuses: Vec<Sum>,
    requests: Vec<RequestRow>,
    older: Option<String>,
    export: String,
}

/// A row of a table.
#[derive(Clone, Debug, Default)]
struct Sum {
    name: String,
    calls: i64,
    failed: i64,
    free: i64,
    credits: i64,
    share: String,
}

/// A row of the request log.
pub struct RequestRow {
    pub time: String,
    pub operation: String,
    /// What was asked for, masked.
    pub subject: Option<String>,
    pub error_code: Option<String>,
    pub key: String,
    pub status: i64,
    pub failed: bool,
    pub credits: i64,
    /// Whether the free quota covered it.
    pub free: bool,
    pub request_id: String,
}

pub async fn show(
    signed_in: SignedIn,
    RepeatedQuery(query): RepeatedQuery<UsageQuery>,
) -> Result<Response, Problem> {
    let keys = signed_in.app.ledger.list_keys(signed_in.account_id()).await?;
    let read = query.period();
    let (report, from_error) = match read {
        Ok(period) => (Some(report(&signed_in, &query, period, &keys).await?), None),
        Err(error) => (None, Some(error.to_string())),
    };
    let (from, to) = match read {
        Ok(period) => (period.first.to_string(), period.last.to_string()),
        Err(_) => (query.from.clone(), query.to.clone()),
    };
    let page = UsagePage {
        frame: signed_in.frame(Tab::Usage, "Usage"),
        from,
        to,
        from_error,
        operation_ids: Operation::ALL.iter().map(|operation| operation.id()).collect(),
        key_choices: key_choices(&keys, signed_in.mode()),
        report,
        query,
    };
    Ok(if page.from_error.is_some() { respond_with_errors(&page) } else { respond(&page) })
}

async fn report(
    signed_in: &SignedIn,
    query: &UsageQuery,
    period: Period,
    keys: &[Key],
) -> Result<Report, Problem> {
    let (app, mode, account_id) = (&signed_in.app, signed_in.mode(), signed_in.account_id());
    let groups =
        sum_usage(&app.ledger, &app.usage_days, account_id, mode, (period.first, period.last))
            .await?;
    let requests = find_requests(signed_in, query, period).await?;
    let older = (requests.len() as i64 == PER_PAGE)
        .then(|| requests.last().map(|request| request.request_id.clone()))
        .flatten();
    let total = |part: fn(&UsageGroup) -> i64| groups.iter().map(part).sum::<i64>();
    let days = by_day(&groups, period);
    Ok(Report {
        calls: amounts::grouped(total(|group| group.calls)),
        credits: amounts::grouped(total(|group| group.credits)),
        failed: amounts::grouped(total(failed_calls)),
        free: amounts::grouped(total(|group| group.free_calls)),
        calls_chart: calls_chart(&days),
        credits_chart: credits_chart(&days),
        operations: sums(&groups, |group| group.operation.clone()),
        keys: sums(&groups, |group| key_name(&group.key_id, keys)),
        statuses: sums(&groups, |group| group.status.to_string()),
        days: days.into_iter().rev().filter(|day| day.calls > 0).collect(),
        requests: request_rows(requests, keys),
        older,
        export: export_query(query, period),
    })
}

async fn find_requests(
    signed_in: &SignedIn,
    query: &UsageQuery,
    period: Period,
) -> Result<Vec<Request>, Problem> {
    let (ledger, account_id) = (&signed_in.app.ledger, signed_in.account_id());
    if !query.request.is_empty() {
        let found = ledger.find_request(account_id, &query.request).await?;
        return Ok(found.into_iter().collect());
    }
    let filter = query.filter(signed_in.mode(), period);
    let (app, account_id) = (signed_in.app.clone(), account_id.to_owned());
    Ok(off_thread(async move || app.ledger.list_requests(&account_id, &filter, PER_PAGE).await)
        .await?)
}

impl UsageQuery {
    pub fn filter(&self, mode: Mode, period: Period) -> RequestFilter {
        let (min_status, max_status) = match self.status.as_str() {
            "good" => (200, 299),
            "failed" => (400, 599),
            _ => (0, 999),
        };
        RequestFilter {
            from_ms: period.start_ms(),
            to_ms: period.end_ms(),
            operation: self.operation.clone(),
            key_id: self.key.clone(),
            min_status,
            max_status,
            before_id: self.before.clone(),
            ..all_requests(mode)
        }
    }

    /// The requested period, or what is wrong with its first day.
    pub fn period(&self) -> Result<Period, PeriodError> {
        Period::read(&self.from, &self.to, now_ms())
    }
}

/// A filter that matches all requests of a mode; the caller sets the period.
pub fn all_requests(mode: Mode) -> RequestFilter {
    RequestFilter {
        mode,
        from_ms: 0,
        to_ms: 0,
        operation: String::new(),
        key_id: String::new(),
        min_status: 0,
        max_status: 999,
        before_id: String::new(),
    }
}

pub fn request_rows(requests: Vec<Request>, keys: &[Key]) -> Vec<RequestRow> {
    let row = |request: Request| RequestRow {
        time: dates::second(request.at_ms),
        key: key_name(&request.key_id, keys),
        failed: request.status >= 400,
        status: request.status,
        credits: request.credits,
        free: request.free,
        operation: request.operation,
        subject: request.subject,
        error_code: request.error_code,
        request_id: request.request_id,
    };
    requests.into_iter().map(row).collect()
}

/// The name of a key; its last characters if it has no name.
pub fn key_name(key_id: &str, keys: &[Key]) -> String {
    match keys.iter().find(|key| key.id == key_id) {
        Some(key) if key.name.is_empty() => key.hint.clone(),
        Some(key) => key.name.clone(),
        None if key_id == CONSOLE_KEY => "Console".to_owned(),
        None => key_id.to_owned(),
    }
}

fn key_choices(keys: &[Key], mode: Mode) -> Vec<(String, String)> {
    let of_mode = keys.iter().filter(|key| key.mode == mode);
    let choices = of_mode.map(|key| (key.id.clone(), key_name(&key.id, keys)));
    choices.chain([(CONSOLE_KEY.to_owned(), "Console".to_owned())]).collect()
}

fn failed_calls(group: &UsageGroup) -> i64 {
    if group.status >= 400 { group.calls } else { 0 }
}

fn by_day(groups: &[UsageGroup], period: Period) -> Vec<Sum> {
    let mut sums: BTreeMap<String, Sum> = period
        .days()
        .into_iter()
        .map(|day| (day.to_string(), Sum { name: day.to_string(), ..Sum::default() }))
        .collect();
    for group in groups {
        sums.entry(group.day.clone()).or_default().add(group);
    }
    sums.into_values().collect()
}

/// Sums by name, the highest costs first, then the most calls.
fn sums(groups: &[UsageGroup], name: impl Fn(&UsageGroup) -> String) -> Vec<Sum> {
    let mut sums: BTreeMap<String, Sum> = BTreeMap::new();
    for group in groups {
        let sum = sums.entry(name(group)).or_default();
        sum.name = name(group);
        sum.add(group);
    }
    let mut sums: Vec<Sum> = sums.into_values().collect();
    sums.sort_by_key(|sum| std::cmp::Reverse((sum.credits, sum.calls)));
    let largest = sums.iter().map(|sum| sum.calls).max().unwrap_or(0);
    for sum in &mut sums {
        sum.share = chart::share(sum.calls, largest);
    }
    sums
}

impl Sum {
    fn add(&mut self, group: &UsageGroup) {
        self.calls += group.calls;
        self.failed += failed_calls(group);
        self.free += group.free_calls;
        self.credits += group.credits;
    }
}

fn calls_chart(days: &[Sum]) -> Chart {
    let values = |part: fn(&Sum) -> i64| days.iter().map(|day| Some(part(day) as f64)).collect();
    Chart {
        title: "Calls by day".to_owned(),
        labels: days.iter().map(|day| dates::short_day(&day.name)).collect(),
        bars: vec![
            Series {
                name: "successful",
                class: "third",
                values: values(|day| day.calls - day.failed),
            },
            Series { name: "errors", class: "failed", values: values(|day| day.failed) },
        ],
        stacked: true,
        line: None,
        format: format_count,
    }
}

fn credits_chart(days: &[Sum]) -> Chart {
    Chart {
        title: "Credits by day".to_owned(),
        labels: days.iter().map(|day| dates::short_day(&day.name)).collect(),
        bars: vec![Series {
            name: "credits",
            class: "first",
            values: days.iter().map(|day| Some(day.credits as f64)).collect(),
        }],
        stacked: true,
        line: None,
        format: format_count,
    }
}

fn format_count(value: f64) -> String {
    if value.fract() == 0.0 { amounts::grouped(value as i64) } else { format!("{value:.1}") }
}

/// The query string of the export of this page.
fn export_query(query: &UsageQuery, period: Period) -> String {
    let (from, to) = (period.first.to_string(), period.last.to_string());
    let pairs = [
        ("from", from.as_str()),
        ("to", to.as_str()),
        ("operation", &query.operation),
        ("key", &query.key),
        ("status", &query.status),
    ];
    serde_html_form::to_string(pairs).unwrap_or_default()
}

fn trimmed<'de, D: Deserializer<'de>>(deserializer: D) -> Result<String, D::Error> {
    Ok(String::deserialize(deserializer)?.trim().to_owned())
}
