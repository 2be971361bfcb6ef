//! The usage page: calls and credits of a period by day, operation, key, member and status, and how
//! long the balance lasts.

use std::collections::BTreeMap;

use askama::Template;
use axum::response::Response;
use jiff::ToSpan;
use jiff::civil::Date;
use panji_api::accounts::usage_days::sum_usage;
use panji_api::config::operation::Operation;
use panji_store::calendar::now_ms;
use panji_store::ledger::UsageGroup;
use serde::{Deserialize, Serialize};

use super::chart;
use super::chart::{Chart, Series};
use super::forecast::Forecast;
use super::language::{self, amounts, dates, filters, t};
use super::layout::{Layout, Tab, respond, respond_with_errors};
use super::page_error::PageError;
use super::periods::{Period, PeriodError};
use super::repeated::RepeatedQuery;
use super::request_log::{CONSOLE_KEY, Names, statuses};
use super::session::SignedIn;

/// The period and the filters of the page.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
#[serde(default)]
pub struct UsageQuery {
    from: String,
    to: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    operation: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    key: String,
    /// Who made the calls in the console.
    #[serde(skip_serializing_if = "String::is_empty")]
    member: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    status: String,
}

#[derive(Template)]
#[template(path = "usage.html")]
struct UsagePage {
    layout: Layout,
    query: UsageQuery,
    from: String,
    to: String,
    from_error: Option<String>,
    presets: Vec<Preset>,
    operation_ids: Vec<&'static str>,
    key_choices: Vec<(String, String)>,
    member_choices: Vec<(String, String)>,
    /// None if the period is invalid.
    report: Option<Report>,
    /// None in test mode, where credits are renewed every day.
    forecast: Option<Forecast>,
}

/// A period to choose.
struct Preset {
    label: &'static str,
    query: String,
    current: bool,
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
    /// Of calls in the console.
    members: Vec<Sum>,
    statuses: Vec<Sum>,
    /// The query string of these filters.
    filters: String,
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

pub async fn show(
    signed_in: SignedIn,
    RepeatedQuery(query): RepeatedQuery<UsageQuery>,
) -> Result<Response, PageError> {
    let names = Names::read(&signed_in).await?;
    let read = query.period();
    let (report, from_error) = match read {
        Ok(period) => (Some(report(&signed_in, &query, period, &names).await?), None),
        Err(error) => (None, Some(error.to_string())),
    };
    let (from, to) = match read {
        Ok(period) => (period.first.to_string(), period.last.to_string()),
        Err(_) => (query.from.clone(), query.to.clone()),
    };
    let page = UsagePage {
        layout: signed_in.layout(Tab::Usage, t("Usage")),
        from,
        to,
        from_error,
        presets: presets(&query, read.ok(), now_ms()),
        operation_ids: Operation::ALL.iter().map(|operation| operation.id()).collect(),
        key_choices: names.key_choices,
        member_choices: names.member_choices,
        report,
        forecast: Forecast::read(&signed_in).await?,
        query,
    };
    Ok(if page.from_error.is_some() { respond_with_errors(&page) } else { respond(&page) })
}

/// The periods to choose, with the other filters as they are.
fn presets(query: &UsageQuery, chosen: Option<Period>, now_ms: i64) -> Vec<Preset> {
    let last = dates::today(now_ms);
    let back = |days: i64| last.saturating_sub((days - 1).days());
    let preset = |(label, first): (&'static str, Date)| {
        let period = Period { first, last };
        Preset { label, query: query.in_period(period), current: chosen == Some(period) }
    };
    [
        (t("7 days"), back(7)),
        (t("30 days"), back(30)),
        (t("90 days"), back(90)),
        (t("This month"), last.first_of_month()),
    ]
    .map(preset)
    .into()
}

async fn report(
    signed_in: &SignedIn,
    query: &UsageQuery,
    period: Period,
    names: &Names,
) -> Result<Report, PageError> {
    let groups = query.groups(signed_in, period).await?;
    let total = |part: fn(&UsageGroup) -> i64| groups.iter().map(part).sum::<i64>();
    let days = by_day(&groups, period);
    let in_console: Vec<UsageGroup> =
        groups.iter().filter(|group| group.key_id == CONSOLE_KEY).cloned().collect();
    Ok(Report {
        calls: amounts::grouped(total(|group| group.calls)),
        credits: amounts::grouped(total(|group| group.credits)),
        failed: amounts::grouped(total(failed_calls)),
        free: amounts::grouped(total(|group| group.free_calls)),
        calls_chart: calls_chart(&days),
        credits_chart: credits_chart(&days),
        operations: sums(&groups, |group| group.operation.clone()),
        keys: sums(&groups, |group| names.key(&group.key_id)),
        members: sums(&in_console, |group| names.member(group.person_id.as_deref())),
        statuses: sums(&groups, |group| group.status.to_string()),
        days: days.into_iter().rev().filter(|day| day.calls > 0).collect(),
        filters: query.in_period(period),
    })
}

impl UsageQuery {
    /// The requested period, or what is wrong with its first day.
    pub fn period(&self) -> Result<Period, PeriodError> {
        Period::read(&self.from, &self.to, now_ms())
    }

    /// The usage of a period that the filters select.
    pub async fn groups(
        &self,
        signed_in: &SignedIn,
        period: Period,
    ) -> Result<Vec<UsageGroup>, PageError> {
        let (app, mode, account_id) = (&signed_in.app, signed_in.mode(), signed_in.account_id());
        let days = (period.first, period.last);
        let mut groups = sum_usage(&app.ledger, &app.usage_days, account_id, mode, days).await?;
        groups.retain(|group| self.includes(group));
        Ok(groups)
    }

    fn includes(&self, group: &UsageGroup) -> bool {
        let (lowest, highest) = statuses(&self.status);
        (self.operation.is_empty() || self.operation == group.operation)
            && (self.key.is_empty() || self.key == group.key_id)
            && (self.member.is_empty() || group.person_id.as_deref() == Some(&self.member))
            && (lowest..=highest).contains(&group.status)
    }

    fn in_period(&self, period: Period) -> String {
        let (from, to) = (period.first.to_string(), period.last.to_string());
        serde_html_form::to_string(UsageQuery { from, to, ..self.clone() }).unwrap_or_default()
    }
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
        title: t("Calls by day").to_owned(),
        labels: days.iter().map(|day| dates::short_day(&day.name)).collect(),
        bars: vec![
            Series {
                name: t("successful"),
                class: "third",
                values: values(|day| day.calls - day.failed),
            },
            Series { name: t("errors"), class: "failed", values: values(|day| day.failed) },
        ],
        stacked: true,
        line: None,
        format: format_count,
    }
}

fn credits_chart(days: &[Sum]) -> Chart {
    Chart {
        title: t("Credits by day").to_owned(),
        labels: days.iter().map(|day| dates::short_day(&day.name)).collect(),
        bars: vec![Series {
            name: t("credits"),
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
