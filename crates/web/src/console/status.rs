//! The public status page: the current state, the last 90 days, and how fresh the data is.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use askama::Template;
use axum::extract::State as AppState;
use axum::http::{HeaderValue, header};
use axum::response::{IntoResponse, Response};
use jiff::ToSpan;
use jiff::civil::Date;
use panji_api::app::App;
use panji_api::telemetry::health::{Current, State, hour_of};
use panji_store::calendar::{now_ms, rfc3339};
use panji_store::ledger::{HealthHour, HealthMinutes};
use serde_json::json;
use tokio::sync::Mutex;

use super::language::{dates, filters, t, t_with};
use super::layout::{Layout, respond};
use super::page_error::PageError;
use super::session::Anonymous;

const DAYS: i64 = 90;
/// How long the data of the page is kept: many visitors cost no more than one.
const CACHE_TIME: Duration = Duration::from_secs(30);
const CACHE: HeaderValue = HeaderValue::from_static("private, max-age=30");
const PUBLIC_CACHE: HeaderValue = HeaderValue::from_static("public, max-age=30");

/// The data of the page, read at most once in `CACHE_TIME`.
#[derive(Default)]
pub struct StatusCache(Mutex<Option<(Instant, Arc<Report>)>>);

/// What the databases say.
struct Report {
    days: Vec<DayHealth>,
    sources: Vec<Source>,
}

#[derive(Clone, Copy)]
struct DayHealth {
    date: Date,
    minutes: HealthMinutes,
}

struct Source {
    name: String,
    /// The newest day that its records have.
    newest: Option<String>,
    /// When it was last imported.
    imported: Option<i64>,
}

#[derive(Template)]
#[template(path = "status.html")]
struct StatusPage {
    layout: Layout,
    current: Option<Current>,
    report: Arc<Report>,
}

impl DayHealth {
    /// The worst that was found on the day; none without a record.
    fn worst(&self) -> Option<State> {
        match self.minutes {
            HealthMinutes { down: 1.., .. } => Some(State::Down),
            HealthMinutes { degraded: 1.., .. } => Some(State::Degraded),
            HealthMinutes { operational: 1.., .. } => Some(State::Operational),
            HealthMinutes { .. } => None,
        }
    }

    fn name(&self) -> String {
        dates::day(&self.date.to_string())
    }

    /// As "15 Jan 2026: degraded for 4 minutes".
    fn sentence(&self) -> String {
        let HealthMinutes { degraded, down, .. } = self.minutes;
        let name = self.name();
        match self.worst() {
            None => t_with("{0}: not recorded", &[&name]),
            Some(State::Operational) => t_with("{0}: operational", &[&name]),
            Some(_) => {
                t_with("{0}: down for {1} min, degraded for {2} min", &[&name, &down, &degraded])
            }
        }
    }

    /// The height of its bar: a state differs in more than its color.
    fn height(&self) -> u32 {
        match self.worst() {
            Some(State::Operational) => 36,
            Some(State::Degraded) => 24,
            Some(State::Down) => 14,
            None => 4,
        }
    }
}

impl Report {
    async fn read(app: &App, now_ms: i64) -> Result<Report, PageError> {
        let today = dates::today(now_ms);
        let first = today.saturating_sub((DAYS - 1).days());
        let hours = app.ledger.list_health(hour_of(dates::begin_ms(first))).await?;
        let register = &app.live.register;
        let mut sources: BTreeMap<String, Source> = BTreeMap::new();
        for count in register.list_record_counts().await? {
            let source = sources.entry(count.source.clone()).or_insert_with(|| Source {
                name: count.source,
                newest: None,
                imported: None,
            });
            source.newest = source.newest.take().max(count.newest_as_of);
        }
        for latest in register.list_latest_imports().await? {
            if let Some(source) = sources.get_mut(&latest.source) {
                source.imported = Some(latest.run.updated_at);
            }
        }
        let sources = sources.into_values().collect();
        Ok(Report { days: by_day(&hours, first, today), sources })
    }

    /// The share of recorded minutes in which calls could be served; none without a record.
    fn availability(&self) -> Option<String> {
        let (mut up, mut all) = (0, 0);
        for HealthMinutes { operational, degraded, down } in self.days.iter().map(|day| day.minutes)
        {
            up += operational + degraded;
            all += operational + degraded + down;
        }
        (all > 0).then(|| format!("{:.2}%", floored(up, all)))
    }

    /// The days on which something was wrong, newest first.
    fn days_with_incidents(&self) -> Vec<&DayHealth> {
        let days_with_incidents =
            |day: &&DayHealth| matches!(day.worst(), Some(State::Degraded | State::Down));
        self.days.iter().rev().filter(days_with_incidents).collect()
    }
}

/// Per cent with two places, rounded down: 99.999 is not 100.
fn floored(part: i64, whole: i64) -> f64 {
    (part as f64 * 10_000.0 / whole as f64).floor() / 100.0
}

fn by_day(hours: &[HealthHour], first: Date, last: Date) -> Vec<DayHealth> {
    let days = first.series(1.day()).take_while(|day| *day <= last);
    days.map(|date| {
        let begin = hour_of(dates::begin_ms(date));
        let mut minutes = HealthMinutes::default();
        for hour in hours.iter().filter(|hour| (begin..begin + 24).contains(&hour.hour)) {
            minutes.operational += hour.minutes.operational;
            minutes.degraded += hour.minutes.degraded;
            minutes.down += hour.minutes.down;
        }
        DayHealth { date, minutes }
    })
    .collect()
}

async fn report(app: &App, cache: &StatusCache) -> Result<Arc<Report>, PageError> {
    let mut kept = cache.0.lock().await;
    if let Some((read, report)) = &*kept
        && read.elapsed() < CACHE_TIME
    {
        return Ok(report.clone());
    }
    let report = Arc::new(Report::read(app, now_ms()).await?);
    *kept = Some((Instant::now(), report.clone()));
    Ok(report)
}

type Cached = axum::Extension<Arc<StatusCache>>;

pub async fn show(
    anonymous: Anonymous,
    axum::Extension(cache): Cached,
) -> Result<Response, PageError> {
    let app = &anonymous.app;
    let report = report(app, &cache).await?;
    let page =
        StatusPage { layout: anonymous.layout(t("Status")), current: app.health.current(), report };
    let mut response = respond(&page);
    response.headers_mut().insert(header::CACHE_CONTROL, CACHE);
    // The theme and the language are in cookies; without one, the browser names the language.
    response
        .headers_mut()
        .insert(header::VARY, HeaderValue::from_static("cookie, accept-language"));
    Ok(response)
}

/// The current state for programs.
pub async fn json(AppState(app): AppState<Arc<App>>) -> Response {
    let body = match app.health.current() {
        Some(current) => json!({
            "status": current.state.as_str(),
            "since": rfc3339(current.since_ms),
            "checked_at": rfc3339(current.checked_ms),
        }),
        None => json!({"status": null, "since": null, "checked_at": null}),
    };
    let headers = [
        (header::CACHE_CONTROL, PUBLIC_CACHE),
        (header::ACCESS_CONTROL_ALLOW_ORIGIN, HeaderValue::from_static("*")),
    ];
    (headers, axum::Json(body)).into_response()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hours_are_added_up_by_indian_days_and_the_share_is_never_rounded_up() {
        let day = |text: &str| text.parse::<Date>().expect("a day");
        let begin = hour_of(dates::begin_ms(day("2026-01-15")));
        let hour = |hour, operational, down| HealthHour {
            hour,
            minutes: HealthMinutes { operational, degraded: 0, down },
        };
        let hours = [hour(begin - 1, 60, 0), hour(begin, 59, 1), hour(begin + 23, 60, 0)];
        let days = by_day(&hours, day("2026-01-13"), day("2026-01-15"));
        let found: Vec<Option<State>> = days.iter().map(DayHealth::worst).collect();
        assert_eq!(found, [None, Some(State::Operational), Some(State::Down)]);
        assert_eq!(days[2].sentence(), "15 Jan 2026: down for 1 min, degraded for 0 min");
        let report = Report { days, sources: Vec::new() };
        assert_eq!(report.availability().as_deref(), Some("99.44%"));
        assert_eq!(report.days_with_incidents().len(), 1);
        assert!(floored(999_999, 1_000_000) < 100.0);
        let nothing = Report { days: Vec::new(), sources: Vec::new() };
        assert_eq!(nothing.availability(), None);
    }
}
