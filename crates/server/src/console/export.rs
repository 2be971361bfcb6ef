//! The request log as a CSV file, streamed page by page.

use axum::body::Body;
use axum::http::header;
use axum::response::{IntoResponse, Response};
use futures_util::stream;
use panji_store::calendar::rfc3339;
use panji_store::ledger::{Key, MAX_LISTED_REQUESTS, Request, RequestFilter};
use std::sync::Arc;

use super::periods::PeriodError;
use super::problem::Problem;
use super::repeated::RepeatedQuery;
use super::session::SignedIn;
use super::usage::{UsageQuery, key_name};
use crate::app::App;
use crate::locale::csv::escape_csv_formula;

const MAX_ROWS: usize = 1_000_000;
const HEADINGS: [&str; 8] =
    ["time", "request_id", "mode", "operation", "key", "status", "credits", "free"];

/// The state of a streamed file.
struct Export {
    app: Arc<App>,
    account_id: String,
    filter: RequestFilter,
    keys: Vec<Key>,
    written: usize,
    ended: bool,
}

pub async fn csv(
    signed_in: SignedIn,
    RepeatedQuery(query): RepeatedQuery<UsageQuery>,
) -> Result<Response, Problem> {
    let unusable = |error: PeriodError| Problem::bad_form(error.to_string().trim_end_matches('.'));
    let period = query.period().map_err(unusable)?;
    let export = Export {
        filter: query.filter(signed_in.mode(), period),
        keys: signed_in.app.ledger.list_keys(signed_in.account_id()).await?,
        account_id: signed_in.account_id().to_owned(),
        app: signed_in.app.clone(),
        written: 0,
        ended: false,
    };
    let name =
        format!("panji-usage-{}-{}-{}.csv", signed_in.mode().as_str(), period.first, period.last);
    let headers = [
        (header::CONTENT_TYPE, "text/csv; charset=utf-8".to_owned()),
        (header::CONTENT_DISPOSITION, format!("attachment; filename=\"{name}\"")),
        (header::CACHE_CONTROL, "private, no-store".to_owned()),
    ];
    let body = Body::from_stream(stream::try_unfold(export, next));
    Ok((headers, body).into_response())
}

/// The next part of the file: one page of rows; the first part starts with the headings.
async fn next(mut export: Export) -> Result<Option<(Vec<u8>, Export)>, std::io::Error> {
    if export.ended {
        return Ok(None);
    }
    let listed = export
        .app
        .ledger
        .list_requests(&export.account_id, &export.filter, MAX_LISTED_REQUESTS)
        .await
        .map_err(std::io::Error::other)?;
    let mut writer = csv::Writer::from_writer(Vec::new());
    if export.written == 0 {
        writer.write_record(HEADINGS)?;
    }
    for request in &listed {
        writer.write_record(row(request, &export.keys))?;
    }
    export.written += listed.len();
    export.ended = (listed.len() as i64) < MAX_LISTED_REQUESTS || export.written >= MAX_ROWS;
    if let Some(last) = listed.last() {
        export.filter.before_id = last.request_id.clone();
    }
    let bytes = writer.into_inner().map_err(|error| std::io::Error::other(error.to_string()))?;
    Ok(Some((bytes, export)))
}

fn row(request: &Request, keys: &[Key]) -> [String; 8] {
    [
        rfc3339(request.at_ms),
        request.request_id.clone(),
        request.mode.as_str().to_owned(),
        request.operation.clone(),
        escape_csv_formula(&key_name(&request.key_id, keys)),
        request.status.to_string(),
        request.credits.to_string(),
        request.free.to_string(),
    ]
}
