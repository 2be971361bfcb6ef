//! The pages of the request log: the list with its filters, new requests while they arrive, and one
//! request.

use askama::Template;
use axum::extract::Path;
use axum::response::Response;
use panji_api::accounts::usage_days::run_blocking;
use panji_api::config::operation::Operation;
use panji_api::http::error::ErrorCode;
use panji_store::ledger::Request;

use super::language::{self, filters, t};
use super::layout::{Layout, Tab, respond, respond_with_errors};
use super::page_error::PageError;
use super::periods::{Period, PeriodError};
use super::repeated::RepeatedQuery;
use super::request_log::{LogQuery, Names, RequestRow, curl, request_rows, sends_body};
use super::session::SignedIn;

/// Requests on one page of the log, and in one response about new ones.
const PER_PAGE: i64 = 50;

#[derive(Template)]
#[template(path = "request_log.html")]
struct LogPage {
    layout: Layout,
    query: LogQuery,
    from: String,
    to: String,
    from_error: Option<String>,
    operation_ids: Vec<&'static str>,
    error_codes: Vec<&'static str>,
    key_choices: Vec<(String, String)>,
    /// None if the period is invalid.
    list: Option<List>,
}

struct List {
    requests: Vec<RequestRow>,
    /// The request after which the next page begins.
    older: Option<String>,
    /// The query string of these filters.
    filters: String,
    /// Whether requests that arrive now belong to the list.
    open_ended: bool,
}

/// Rows for the script that follows the log.
#[derive(Template)]
#[template(path = "request_rows.html")]
struct NewRows {
    requests: Vec<RequestRow>,
    /// Whether there may be more than these.
    full: bool,
}

#[derive(Template)]
#[template(path = "request.html")]
struct RequestPage {
    layout: Layout,
    row: RequestRow,
    curl: Option<String>,
    sends_body: bool,
}

pub async fn show(
    signed_in: SignedIn,
    RepeatedQuery(query): RepeatedQuery<LogQuery>,
) -> Result<Response, PageError> {
    let names = Names::read(&signed_in).await?;
    let read = query.period();
    let (list, from_error) = match read {
        Ok(period) => (Some(list(&signed_in, &query, period, &names).await?), None),
        Err(error) => (None, Some(error.to_string())),
    };
    let (from, to) = match read {
        Ok(period) => (period.first.to_string(), period.last.to_string()),
        Err(_) => (query.from.clone(), query.to.clone()),
    };
    let page = LogPage {
        layout: signed_in.layout(Tab::Usage, t("Requests")),
        from,
        to,
        from_error,
        operation_ids: Operation::ALL.iter().map(|operation| operation.id()).collect(),
        error_codes: ErrorCode::ALL.iter().map(|code| code.as_str()).collect(),
        key_choices: names.key_choices,
        list,
        query,
    };
    Ok(if page.from_error.is_some() { respond_with_errors(&page) } else { respond(&page) })
}

async fn list(
    signed_in: &SignedIn,
    query: &LogQuery,
    period: Period,
    names: &Names,
) -> Result<List, PageError> {
    let requests = find(signed_in, query, period).await?;
    let older = (requests.len() as i64 == PER_PAGE)
        .then(|| requests.last().map(|request| request.request_id.clone()))
        .flatten();
    let reaches_today = period.end_ms() > signed_in.context.at_ms;
    Ok(List {
        requests: request_rows(requests, names),
        older,
        filters: query.in_period(period),
        open_ended: reaches_today && query.before.is_empty() && query.request.is_empty(),
    })
}

async fn find(
    signed_in: &SignedIn,
    query: &LogQuery,
    period: Period,
) -> Result<Vec<Request>, PageError> {
    let (ledger, account_id) = (&signed_in.app.ledger, signed_in.account_id());
    if !query.request.is_empty() {
        let found = ledger.find_request(account_id, &query.request).await?;
        return Ok(found.into_iter().collect());
    }
    let filter = query.filter(signed_in.mode(), period);
    let (app, account_id) = (signed_in.app.clone(), account_id.to_owned());
    Ok(run_blocking(async move || app.ledger.list_requests(&account_id, &filter, PER_PAGE).await)
        .await?)
}

/// The requests that arrived after the newest one of the list, for the script.
pub async fn new_rows(
    signed_in: SignedIn,
    RepeatedQuery(query): RepeatedQuery<LogQuery>,
) -> Result<Response, PageError> {
    let unusable =
        |error: PeriodError| PageError::bad_form(error.to_string().trim_end_matches('.'));
    let period = query.period().map_err(unusable)?;
    let requests = find(&signed_in, &query, period).await?;
    let names = Names::read(&signed_in).await?;
    let full = requests.len() as i64 == PER_PAGE;
    Ok(respond(&NewRows { requests: request_rows(requests, &names), full }))
}

pub async fn show_one(
    signed_in: SignedIn,
    Path(request_id): Path<String>,
) -> Result<Response, PageError> {
    let found = signed_in.app.ledger.find_request(signed_in.account_id(), &request_id).await?;
    let Some(request) = found else {
        return Err(PageError::not_found(t("No request with this ID is in this account.")));
    };
    let names = Names::read(&signed_in).await?;
    let row = RequestRow::new(request, &names);
    let target = row.target.as_deref();
    Ok(respond(&RequestPage {
        layout: signed_in.layout(Tab::Usage, t("Request")),
        curl: target.and_then(|target| curl(&signed_in.app.public_url, target)),
        sends_body: target.is_some_and(sends_body),
        row,
    }))
}
