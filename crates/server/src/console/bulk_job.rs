//! The page of a bulk job: its price before it runs, its progress, and its results.

use askama::Template;
use axum::Json;
use axum::extract::Path;
use axum::http::header;
use axum::response::{IntoResponse, Redirect, Response};
use panji_store::calendar::now_ms;
use panji_store::ledger::{BulkJob, JobState};
use serde::Serialize;
use serde_json::json;

use super::bulk::{JobSummary, job_summary};
use super::forms::{AuthenticatedForm, Empty};
use super::frame::{Frame, Tab, respond};
use super::problem::Problem;
use super::session::SignedIn;
use crate::accounts::roles::Permission;
use crate::api::jobs::results::{Results, SPREADSHEET_MS};
use crate::api::jobs::task::{Chunk, Task};

use crate::locale::amounts;

/// Rows that are displayed before the job runs.
const PREVIEW_ROWS: usize = 5;

#[derive(Template)]
#[template(path = "bulk_job.html")]
struct JobPage {
    frame: Frame,
    job: BulkJob,
    summary: JobSummary,
    may_call: bool,
    task: Task,
    columns: String,
    preview: Vec<Vec<String>>,
    balance: i64,
    progress: Progress,
}

#[derive(Serialize)]
pub struct Progress {
    state: &'static str,
    done: i64,
    of: i64,
    text: String,
}

pub async fn show(signed_in: SignedIn, Path(id): Path<String>) -> Result<Response, Problem> {
    let job = find(&signed_in, &id).await?;
    let ledger = &signed_in.app.ledger;
    let task: Task = serde_json::from_str(&job.task)
        .map_err(|error| Problem::internal(format!("job {id}: {error}")))?;
    let snapshot = ledger.find_balance(signed_in.account_id(), job.mode, now_ms()).await?;
    let first = ledger.list_bulk_chunks((signed_in.account_id(), &job.id), 0, 1).await?;
    let first: Chunk =
        first.first().and_then(|(input, _)| serde_json::from_str(input).ok()).unwrap_or_default();
    Ok(respond(&JobPage {
        frame: signed_in.frame(Tab::Bulk, &job.name),
        summary: job_summary(&job),
        may_call: signed_in.may(Permission::MakeCalls),
        columns: task.operation().column_titles().join(", "),
        task,
        preview: first.rows.into_iter().take(PREVIEW_ROWS).collect(),
        balance: snapshot.map_or(0, |snapshot| snapshot.balance),
        progress: progress_of(&job),
        job,
    }))
}

async fn find(signed_in: &SignedIn, id: &str) -> Result<BulkJob, Problem> {
    let job = signed_in.app.ledger.find_bulk_job(signed_in.account_id(), id).await?;
    job.ok_or_else(|| Problem::not_found("This list does not exist."))
}

fn progress_of(job: &BulkJob) -> Progress {
    let text = format!(
        "{} of {} rows · {}",
        amounts::grouped(job.rows_done),
        amounts::grouped(job.row_count),
        amounts::counted(job.credits, "credit", "credits"),
    );
    Progress { state: job.state.as_str(), done: job.rows_done, of: job.row_count, text }
}

/// The progress as JSON, for the page's script.
pub async fn progress(signed_in: SignedIn, Path(id): Path<String>) -> Result<Response, Problem> {
    let job = find(&signed_in, &id).await?;
    let headers = [(header::CACHE_CONTROL, "private, no-store")];
    Ok((headers, Json(progress_of(&job))).into_response())
}

/// Starts or resumes a job.
pub async fn start(
    Path(id): Path<String>,
    AuthenticatedForm { signed_in, .. }: AuthenticatedForm<Empty>,
) -> Result<Response, Problem> {
    signed_in.require(Permission::MakeCalls)?;
    let job = find(&signed_in, &id).await?;
    if signed_in.app.ledger.start_bulk_job(signed_in.account_id(), &job.id, "").await? {
        let highest = job.highest_price;
        let details = json!({"mode": job.mode.as_str(), "rows": job.row_count, "price": highest});
        signed_in.log("bulk.start", &job.id, details).await;
    }
    signed_in.app.bulk_jobs_wake.notify_one();
    Ok(Redirect::to(&format!("/console/bulk/{}", job.id)).into_response())
}

/// Stops a job; a draft is discarded.
pub async fn stop(
    Path(id): Path<String>,
    AuthenticatedForm { signed_in, .. }: AuthenticatedForm<Empty>,
) -> Result<Response, Problem> {
    signed_in.require(Permission::MakeCalls)?;
    let job = find(&signed_in, &id).await?;
    if signed_in.app.ledger.stop_bulk_job(signed_in.account_id(), &job.id, now_ms()).await? {
        signed_in.log("bulk.stop", &job.id, json!({"rows_done": job.rows_done})).await;
    }
    let to = if job.state == JobState::Draft {
        "/console/bulk"
    } else {
        &format!("/console/bulk/{}", job.id)
    };
    Ok(Redirect::to(to).into_response())
}

pub async fn csv(signed_in: SignedIn, Path(id): Path<String>) -> Result<Response, Problem> {
    let job = find(&signed_in, &id).await?;
    Ok(Results::new(signed_in.app.clone(), job)?.csv_download())
}

pub async fn xlsx(signed_in: SignedIn, Path(id): Path<String>) -> Result<Response, Problem> {
    let job = find(&signed_in, &id).await?;
    signed_in.context.grant_time_ms(SPREADSHEET_MS);
    let file = Results::new(signed_in.app.clone(), job)?.xlsx_download().await;
    file.map_err(|error| Problem::internal(error.to_string()))
}
