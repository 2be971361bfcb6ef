//! The endpoints of jobs.

use axum::body::Bytes;
use axum::extract::Request;
use axum::http::header;
use panji_store::calendar::now_ms;
use panji_store::ledger::{BulkJob, JobState};

use super::create::{CreateError, JobRequest, UPLOAD_MS, create};
use super::formats::Source;
use super::list::ListError;
use super::parameters::JobParameters;
use super::response::{status_of, task_of, wire_job};
use super::result_page::read_page;
use super::results::{Results, SPREADSHEET_MS, XLSX};
use crate::api::body::{check_content_encoding, collect, media_type};
use crate::api::call::Call;
use crate::api::idempotency::idempotency_key;
use crate::api::paging::{last_page, page_links};
use crate::api::wire::{CreateJobRequest, Job, JobResults, Jobs};
use crate::config::operation::Operation;
use crate::http::context::Via;
use crate::http::error::{ApiError, ApiResult, ErrorCode};

/// The most jobs, and the most rows of results, of one page.
const MAX_JOBS: i64 = 100;
const MAX_RESULTS: i64 = 1_000;
const DEFAULT_JOBS: i64 = 20;
const DEFAULT_RESULTS: i64 = 100;
const MAX_PAGE: i64 = 1_000_000;

/// Create a job
///
/// Sends a list of up to 100,000 rows: as JSON lines (`application/x-ndjson`), as CSV (`text/csv`) or
/// as XLSX, with the parameters in the query; or a small list as JSON, with the parameters in the
/// body. The response has the highest price. Nothing is charged until the job is approved; then its
/// rows are charged as they are processed, each identifier once. With `auto_approve` it runs at
/// once. A job that can cost more than `max_credits` is refused.
#[utoipa::path(
    post,
    path = "/v1/jobs",
    operation_id = "createJob",
    tag = "Jobs",
    params(
        ("operation" = Option<String>, Query, description = "The operation to call for the rows: `bulkVerify`, `bulkEnrich` or `matchCompanies`."),
        ("fields" = Option<String>, Query, description = "For bulkEnrich: the sections to fetch, separated by commas."),
        ("type" = Option<String>, Query, description = "For bulkVerify: the type of all identifiers; detected if left out."),
        ("column" = Option<String>, Query, description = "The column with the identifiers or names, by its heading or its number from 1; detected if left out."),
        ("type_column" = Option<String>, Query, description = "For bulkVerify: the column with the type of each identifier."),
        ("auto_approve" = Option<bool>, Query, description = "Whether the job runs at once; needs `max_credits`."),
        ("max_credits" = Option<i64>, Query, description = "The most that the job may cost; a job that could cost more is refused."),
        ("name" = Option<String>, Query, description = "Your name for the job, up to 100 characters."),
    ),
    request_body = CreateJobRequest,
    responses((status = 200, body = Job)),
)]
pub async fn create_job(call: Call, request: Request) -> ApiResult {
    call.context.extend_deadline_ms(UPLOAD_MS);
    let format = Format::of(&call)?;
    // Parameters in the query are checked before the list is received.
    let from_query = match format {
        Format::Json => None,
        _ => Some(JobParameters::from_query(&call.query)?),
    };
    let limit = call.app.config.bulk_jobs.file_bytes.get();
    let body = collect(request.into_body(), limit).await?;
    let (parameters, source) = match from_query {
        Some(parameters) => (parameters, format.source(body.clone())),
        None => {
            let (parameters, items) = JobParameters::from_body(&call.query, &body)?;
            (parameters, Source::Items(items))
        }
    };
    check_permission(&call, parameters.work.operation().operation()).await?;
    if let Some(first) = call.claim(&content_of(&call, &body)).await? {
        return Ok(first);
    }
    drop(body);
    let call = call.check_funds().await?;
    let new = JobRequest {
        source,
        mapping: parameters.mapping,
        work: parameters.work,
        name: parameters.name,
        key_id: paying_key(&call),
        request_key: idempotency_key(&call.headers)?.unwrap_or_default(),
        auto_approve: parameters.auto_approve,
        max_credits: parameters.max_credits,
    };
    let (app, caller) = (call.app.clone(), call.caller.clone());
    let job = create(&app, (&caller.account_id, caller.mode), new).await?;
    let response = call.respond(&wire_job(&job)?).await;
    if parameters.auto_approve {
        // A call that failed must not cost anything.
        match &response {
            Ok(_) => app.ledger.release_new_bulk_job(&caller.account_id, &job.id).await?,
            Err(_) => {
                app.ledger.cancel_bulk_job(&caller.account_id, &job.id, now_ms()).await?;
            }
        }
        app.bulk_jobs_wake.notify_one();
    }
    response
}

/// List the jobs
///
/// The jobs of the account in the mode of the key, newest first, whether they were created over the
/// API or in the console.
#[utoipa::path(
    get,
    path = "/v1/jobs",
    operation_id = "listJobs",
    tag = "Jobs",
    params(
        ("page" = Option<i64>, Query, minimum = 1, maximum = 1_000_000, description = "The page, from 1."),
        ("limit" = Option<i64>, Query, minimum = 1, maximum = 100, description = "Jobs per page; 20 if left out."),
    ),
    responses((status = 200, body = Jobs)),
)]
pub async fn list_jobs(call: Call) -> ApiResult {
    let page = call.query.number("page", 1..=MAX_PAGE)?.unwrap_or(1);
    let limit = call.query.number("limit", 1..=MAX_JOBS)?.unwrap_or(DEFAULT_JOBS);
    let owner = (&*call.caller.account_id, call.caller.mode);
    let stored = call.app.ledger.list_bulk_jobs_page(owner, (page - 1) * limit, limit).await?;
    let total = call.app.ledger.count_bulk_jobs(owner.0, owner.1).await?;
    let jobs: Result<Vec<Job>, ApiError> = stored.iter().map(wire_job).collect();
    let jobs = Jobs { total, page, jobs: jobs? };
    let rest = call.query.get("limit").map(|limit| format!("&limit={limit}")).unwrap_or_default();
    let links = page_links(&call, "/v1/jobs", &rest, page, last_page(total, limit));
    call.check_funds().await?.respond_with_headers(links.as_slice(), &jobs).await
}

/// Fetch a job
///
/// The status, the progress and the credits charged so far. Poll it until `status` is `done`,
/// `paused`, `cancelled` or `failed`.
#[utoipa::path(
    get,
    path = "/v1/jobs/{id}",
    operation_id = "getJob",
    tag = "Jobs",
    params(("id" = String, Path, description = "The id of the job.")),
    responses((status = 200, body = Job)),
)]
pub async fn get_job(call: Call) -> ApiResult {
    let job = find(&call).await?;
    call.check_funds().await?.respond(&wire_job(&job)?).await
}

/// Approve a job
///
/// Accepts the highest price: the job runs, and its rows are charged as they are processed. A paused
/// job continues. From now on this key pays: its monthly cap and its permissions hold.
#[utoipa::path(
    post,
    path = "/v1/jobs/{id}/approve",
    operation_id = "approveJob",
    tag = "Jobs",
    params(("id" = String, Path, description = "The id of the job.")),
    responses((status = 200, body = Job)),
)]
pub async fn approve_job(call: Call) -> ApiResult {
    let job = find(&call).await?;
    check_permission(&call, task_of(&job)?.operation().operation()).await?;
    if let Some(first) = call.claim(job.id.as_bytes()).await? {
        return Ok(first);
    }
    let call = call.check_funds().await?;
    let key_id = paying_key(&call);
    let account_id = call.caller.account_id.clone();
    if call.app.ledger.start_bulk_job(&account_id, &job.id, &key_id).await? {
        call.app.bulk_jobs_wake.notify_one();
    }
    let job = find(&call).await?;
    match job.state {
        JobState::Cancelled | JobState::Failed => Err(ended(&job)),
        _ => call.respond(&wire_job(&job)?).await,
    }
}

/// Cancel a job
///
/// Nothing more is processed or charged, except the rows that are being processed now. The results so
/// far stay.
#[utoipa::path(
    post,
    path = "/v1/jobs/{id}/cancel",
    operation_id = "cancelJob",
    tag = "Jobs",
    params(("id" = String, Path, description = "The id of the job.")),
    responses((status = 200, body = Job)),
)]
pub async fn cancel_job(call: Call) -> ApiResult {
    let job = find(&call).await?;
    if let Some(first) = call.claim(job.id.as_bytes()).await? {
        return Ok(first);
    }
    let call = call.check_funds().await?;
    call.app.ledger.cancel_bulk_job(&call.caller.account_id, &job.id, now_ms()).await?;
    let job = find(&call).await?;
    match job.state {
        JobState::Done | JobState::Failed => Err(ended(&job)),
        _ => call.respond(&wire_job(&job)?).await,
    }
}

/// Fetch the results of a job
///
/// As JSON in pages, or as a CSV or XLSX file with all columns of the list and the result columns.
/// Rows that are not processed have no result. Results are free, and kept for 30 days by default.
#[utoipa::path(
    get,
    path = "/v1/jobs/{id}/results",
    operation_id = "getJobResults",
    tag = "Jobs",
    params(
        ("id" = String, Path, description = "The id of the job."),
        ("format" = Option<String>, Query, description = "`json`, `csv` or `xlsx`; `json` if left out."),
        ("page" = Option<i64>, Query, minimum = 1, maximum = 1_000_000, description = "The page of the JSON, from 1."),
        ("limit" = Option<i64>, Query, minimum = 1, maximum = 1000, description = "Rows per page of the JSON; 100 if left out."),
    ),
    responses((status = 200, body = JobResults)),
)]
pub async fn get_job_results(call: Call) -> ApiResult {
    let format = call.query.get("format").unwrap_or("json").to_owned();
    match format.as_str() {
        "json" => json_results(call).await,
        "csv" | "xlsx" => file_results(call, &format).await,
        _ => Err(ApiError::parameter("format", "format must be json, csv or xlsx.")),
    }
}

async fn json_results(call: Call) -> ApiResult {
    let page = call.query.number("page", 1..=MAX_PAGE)?.unwrap_or(1);
    let limit = call.query.number("limit", 1..=MAX_RESULTS)?.unwrap_or(DEFAULT_RESULTS);
    let job = find(&call).await?;
    let results = read_page(&call.app.ledger, &job, (page - 1) * limit, limit).await?;
    let results = JobResults { job: wire_job(&job)?, page, results };
    call.check_funds().await?.respond(&results).await
}

async fn file_results(call: Call, format: &str) -> ApiResult {
    if let Some(name) = ["page", "limit"].into_iter().find(|name| call.query.get(name).is_some()) {
        let message = format!("{name} belongs to format=json: a file has all rows.");
        return Err(ApiError::parameter(name, message));
    }
    if idempotency_key(&call.headers)?.is_some() {
        let message = "A file is not stored for an Idempotency-Key: leave the header out.";
        return Err(ApiError::parameter("Idempotency-Key", message));
    }
    let job = find(&call).await?;
    let call = call.check_funds().await?;
    let results = Results::new(call.app.clone(), job)?;
    call.context.extend_deadline_ms(SPREADSHEET_MS);
    let response = match format {
        "csv" => results.csv_download(),
        _ => {
            let written = results.xlsx_download().await;
            written.map_err(|error| ApiError::internal(error.to_string()))?
        }
    };
    // The call is recorded like every other; its JSON is replaced by the file.
    call.respond(&()).await?;
    Ok(response)
}

/// The job in the path. A job of another account or mode does not exist for this caller.
async fn find(call: &Call) -> Result<BulkJob, ApiError> {
    let id = call.path_value("id");
    let found = call.app.ledger.find_bulk_job(&call.caller.account_id, id).await?;
    found
        .filter(|job| job.mode == call.caller.mode && job.state != JobState::Loading)
        .ok_or_else(|| ApiError::from_code(ErrorCode::JobNotFound).param("id"))
}

fn ended(job: &BulkJob) -> ApiError {
    let message = format!("The job has ended: it is {}.", status_of(job.state));
    ApiError::new(ErrorCode::JobConflict, message).param("id")
}

/// The key that pays for a job; empty for the console.
fn paying_key(call: &Call) -> String {
    match call.caller.via {
        Via::Key => call.caller.key_id.to_string(),
        Via::Console | Via::Job => String::new(),
    }
}

/// Checks that the key may call the operation of the job.
async fn check_permission(call: &Call, operation: Operation) -> Result<(), ApiError> {
    if call.caller.via != Via::Key {
        return Ok(());
    }
    let key = call.app.ledger.find_key_by_id(&call.caller.key_id).await?;
    match key.is_some_and(|key| key.allows(operation.id())) {
        true => Ok(()),
        false => {
            let message = format!("The key may not call {}.", operation.id());
            Err(ApiError::new(ErrorCode::EndpointNotAllowed, message))
        }
    }
}

/// What must be the same in a repeat under an idempotency key.
fn content_of(call: &Call, body: &Bytes) -> Vec<u8> {
    let mut content = call.query.canonical().into_bytes();
    content.push(b'\n');
    content.extend_from_slice(body);
    content
}

/// The format of the body, by its media type.
#[derive(Clone, Copy)]
enum Format {
    Json,
    JsonLines,
    Csv,
    Xlsx,
}

impl Format {
    fn of(call: &Call) -> Result<Format, ApiError> {
        check_content_encoding(&call.headers)?;
        match media_type(&call.headers).as_deref() {
            Some("application/json") => Ok(Format::Json),
            Some("application/x-ndjson" | "application/jsonl") => Ok(Format::JsonLines),
            Some("text/csv") => Ok(Format::Csv),
            Some(XLSX) => Ok(Format::Xlsx),
            _ => Err(ApiError::new(
                ErrorCode::UnsupportedMediaType,
                format!(
                    "Send the list with a Content-Type of application/x-ndjson, text/csv, {XLSX} or \
                     application/json."
                ),
            )
            .param(header::CONTENT_TYPE.as_str())),
        }
    }

    fn source(self, body: Bytes) -> Source {
        match self {
            Format::Csv => Source::Csv(body),
            Format::Xlsx => Source::Xlsx(body),
            Format::JsonLines | Format::Json => Source::JsonLines(body),
        }
    }
}

impl From<CreateError> for ApiError {
    fn from(error: CreateError) -> ApiError {
        let message = error.to_string();
        match error {
            CreateError::List(error) if error.is_about_columns() => {
                ApiError::parameter("column", message)
            }
            CreateError::List(ListError::Empty | ListError::NoRows) => {
                ApiError::new(ErrorCode::BatchEmpty, message).param("body")
            }
            CreateError::List(ListError::TooManyRows { .. }) => {
                ApiError::new(ErrorCode::BatchTooLarge, message).param("body")
            }
            CreateError::List(ListError::Storage(_)) => ApiError::internal(message),
            CreateError::List(_) => ApiError::body("body", message),
            CreateError::TooExpensive { .. } => {
                ApiError::new(ErrorCode::MaxCreditsExceeded, message).param("max_credits")
            }
            CreateError::TooManyOpen(_) => ApiError::new(ErrorCode::JobConflict, message),
            CreateError::Store(error) => error.into(),
            CreateError::Internal(cause) => ApiError::internal(cause),
        }
    }
}
