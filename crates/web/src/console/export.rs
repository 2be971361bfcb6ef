//! The request log and the usage as CSV files. The log is streamed page by page.

use std::sync::Arc;

use axum::body::Body;
use axum::http::header;
use axum::response::{IntoResponse, Response};
use futures_util::stream;
use panji_api::app::App;
use panji_api::locale::csv::escape_csv_formula;
use panji_store::calendar::rfc3339;
use panji_store::ledger::{MAX_REQUESTS_PER_PAGE, Request, RequestFilter};

use super::page_error::PageError;
use super::periods::{Period, PeriodError};
use super::repeated::RepeatedQuery;
use super::request_log::{CONSOLE_KEY, LogQuery, Names};
use super::session::SignedIn;
use super::usage::UsageQuery;

const MAX_ROWS: usize = 1_000_000;
const HEADINGS: [&str; 13] = [
    "time",
    "request_id",
    "mode",
    "operation",
    "subject",
    "key",
    "member",
    "status",
    "error_code",
    "error_message",
    "credits",
    "free",
    "duration_ms",
];
const USAGE_HEADINGS: [&str; 8] =
    ["day", "operation", "key", "member", "status", "calls", "free_calls", "credits"];

/// The state of a streamed file.
struct Export {
    app: Arc<App>,
    account_id: String,
    filter: RequestFilter,
    names: Names,
    written: usize,
    ended: bool,
}

pub async fn csv(
    signed_in: SignedIn,
    RepeatedQuery(query): RepeatedQuery<LogQuery>,
) -> Result<Response, PageError> {
    let unusable =
        |error: PeriodError| PageError::bad_form(error.to_string().trim_end_matches('.'));
    let period = query.period().map_err(unusable)?;
    let export = Export {
        filter: query.filter(signed_in.mode(), period),
        names: Names::in_english(&signed_in).await?,
        account_id: signed_in.account_id().to_owned(),
        app: signed_in.app.clone(),
        written: 0,
        ended: false,
    };
    let name = file_name("requests", &signed_in, period);
    Ok(file(&name, Body::from_stream(stream::try_unfold(export, next))))
}

fn file_name(what: &str, signed_in: &SignedIn, period: Period) -> String {
    format!("panji-{what}-{}-{}-{}.csv", signed_in.mode().as_str(), period.first, period.last)
}

fn file(name: &str, body: Body) -> Response {
    let headers = [
        (header::CONTENT_TYPE, "text/csv; charset=utf-8".to_owned()),
        (header::CONTENT_DISPOSITION, format!("attachment; filename=\"{name}\"")),
        (header::CACHE_CONTROL, "private, no-store".to_owned()),
    ];
    (headers, body).into_response()
}

/// The usage of a period as a file: calls and credits by day, operation, key, member and status.
pub async fn usage_csv(
    signed_in: SignedIn,
    RepeatedQuery(query): RepeatedQuery<UsageQuery>,
) -> Result<Response, PageError> {
    let unusable =
        |error: PeriodError| PageError::bad_form(error.to_string().trim_end_matches('.'));
    let period = query.period().map_err(unusable)?;
    let names = Names::in_english(&signed_in).await?;
    let groups = query.groups(&signed_in, period).await?;
    let mut writer = csv::Writer::from_writer(Vec::new());
    writer.write_record(USAGE_HEADINGS).map_err(not_written)?;
    for group in &groups {
        let in_console = group.key_id == CONSOLE_KEY;
        let member = in_console.then(|| names.member(group.person_id.as_deref()));
        let record = [
            group.day.clone(),
            group.operation.clone(),
            escape_csv_formula(&names.key(&group.key_id)),
            escape_csv_formula(&member.unwrap_or_default()),
            group.status.to_string(),
            group.calls.to_string(),
            group.free_calls.to_string(),
            group.credits.to_string(),
        ];
        writer.write_record(record).map_err(not_written)?;
    }
    let bytes = writer.into_inner().map_err(|error| PageError::internal(error.to_string()))?;
    Ok(file(&file_name("usage", &signed_in, period), Body::from(bytes)))
}

fn not_written(error: csv::Error) -> PageError {
    PageError::internal(error.to_string())
}

/// The next part of the file: one page of rows; the first part starts with the headings.
async fn next(mut export: Export) -> Result<Option<(Vec<u8>, Export)>, std::io::Error> {
    if export.ended {
        return Ok(None);
    }
    let listed = export
        .app
        .ledger
        .list_requests(&export.account_id, &export.filter, MAX_REQUESTS_PER_PAGE)
        .await
        .map_err(std::io::Error::other)?;
    let mut writer = csv::Writer::from_writer(Vec::new());
    if export.written == 0 {
        writer.write_record(HEADINGS)?;
    }
    for request in &listed {
        writer.write_record(row(request, &export.names))?;
    }
    export.written += listed.len();
    export.ended = (listed.len() as i64) < MAX_REQUESTS_PER_PAGE || export.written >= MAX_ROWS;
    if let Some(last) = listed.last() {
        export.filter.before_id = last.request_id.clone();
    }
    let bytes = writer.into_inner().map_err(|error| std::io::Error::other(error.to_string()))?;
    Ok(Some((bytes, export)))
}

fn row(request: &Request, names: &Names) -> [String; 13] {
    let text = |text: &Option<String>| escape_csv_formula(text.as_deref().unwrap_or_default());
    let member = request.person_id.as_deref().map(|id| names.member(Some(id)));
    let milliseconds = request.duration_us.map(|us| format!("{:.3}", us as f64 / 1_000.0));
    [
        rfc3339(request.at_ms),
        request.request_id.clone(),
        request.mode.as_str().to_owned(),
        request.operation.clone(),
        text(&request.subject),
        escape_csv_formula(&names.key(&request.key_id)),
        text(&member),
        request.status.to_string(),
        text(&request.error_code),
        text(&request.error_message),
        request.credits.to_string(),
        request.free.to_string(),
        milliseconds.unwrap_or_default(),
    ]
}
