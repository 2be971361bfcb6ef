//! The page of a bulk job: its price before it runs, its progress, and its results.

use askama::Template;
use axum::Json;
use axum::extract::Path;
use axum::http::header;
use axum::response::{IntoResponse, Redirect, Response};
use panji_api::accounts::roles::Permission;
use panji_api::api::jobs::MatchWork;
use panji_api::api::jobs::match_columns::{FIELDS, title_of};
use panji_api::api::jobs::results::{Results, SPREADSHEET_MS};
use panji_api::api::jobs::task::{Chunk, Task};
use panji_api::api::jobs::work::Work;
use panji_api::config::operation::Operation;
use panji_store::calendar::now_ms;
use panji_store::ledger::{BulkJob, JobState};
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::bulk::{JobSummary, job_summary};
use super::bulk_outcome::Outcome;
use super::forms::{AuthenticatedForm, Empty};
use super::language::{amounts, filters, t, t_with};
use super::layout::{Layout, Tab, respond, respond_with_errors};
use super::load_job::{find, task_of};
use super::page_error::PageError;
use super::session::SignedIn;
use super::watch_form::WatchForm;

/// Rows that are displayed before the job runs.
const PREVIEW_ROWS: usize = 5;

#[derive(Template)]
#[template(path = "bulk_job.html")]
struct JobPage {
    layout: Layout,
    job: BulkJob,
    summary: JobSummary,
    may_call: bool,
    task: Task,
    columns: String,
    preview: Vec<Vec<String>>,
    balance: i64,
    progress: Progress,
    /// The columns of a job that matches names; empty for other jobs.
    mapped: Vec<MappedColumn>,
    /// Why the chosen columns are not accepted.
    error: Option<String>,
    /// Rows that a person should decide about.
    needs_review: i64,
    matched: i64,
    price_of_match: i64,
    /// Puts the companies of a finished job on a watch list.
    watch: Option<WatchForm>,
    /// What became of the rows, once the job is done, paused or ended.
    outcome: Option<Outcome>,
}

/// A column of a job that matches names, and the field that it is read as.
struct MappedColumn {
    heading: String,
    /// Empty if the column is ignored.
    field: String,
}

impl JobPage {
    /// The fields that a column can be read as, with their labels.
    fn fields(&self) -> Vec<(&'static str, &'static str)> {
        FIELDS.iter().map(|(field, _)| (*field, t(title_of(field)))).collect()
    }

    fn enriches(&self) -> bool {
        matches!(self.task.work, Work::Enrich(_))
    }

    /// Whether a column is read as a field.
    fn is_used(&self, column: usize) -> bool {
        self.mapped.get(column).is_some_and(|mapped| !mapped.field.is_empty())
    }
}

#[derive(Serialize)]
pub struct Progress {
    state: &'static str,
    done: i64,
    of: i64,
    text: String,
}

pub async fn show(signed_in: SignedIn, Path(id): Path<String>) -> Result<Response, PageError> {
    let job = find(&signed_in, &id).await?;
    Ok(respond(&page(&signed_in, job, None).await?))
}

/// The page of a job; with the columns that were chosen and are not accepted, and the reason.
async fn page(
    signed_in: &SignedIn,
    job: BulkJob,
    refused: Option<(Vec<String>, String)>,
) -> Result<JobPage, PageError> {
    let ledger = &signed_in.app.ledger;
    let task = task_of(&job)?;
    let snapshot = ledger.find_balance(signed_in.account_id(), job.mode, now_ms()).await?;
    let first = ledger.list_bulk_chunks((signed_in.account_id(), &job.id), 0, 1).await?;
    let first: Chunk =
        first.first().and_then(|(input, _)| serde_json::from_str(input).ok()).unwrap_or_default();
    let (chosen, error) = refused.unzip();
    let counts: serde_json::Value = serde_json::from_str(&job.counts).unwrap_or_default();
    let is_match = matches!(task.work, Work::Match(_));
    let count = |word: &str| counts[word].as_i64().filter(|_| is_match).unwrap_or(0);
    let can_watch = job.state == JobState::Done
        && job.mode == signed_in.mode()
        && (!is_match || count("match") > 0);
    let watch = match can_watch {
        true => WatchForm::for_job(signed_in, &job.id).await?,
        false => None,
    };
    Ok(JobPage {
        watch,
        mapped: mapped_columns(&task, chosen),
        error,
        needs_review: count("review"),
        matched: count("match"),
        outcome: Outcome::read(signed_in, &job, &task).await?,
        price_of_match: signed_in.app.config.prices.of(Operation::MatchCompanies),
        layout: signed_in.layout(Tab::Bulk, &job.name),
        summary: job_summary(&job),
        may_call: signed_in.may(Permission::MakeCalls),
        columns: task.operation().column_titles().into_iter().map(t).collect::<Vec<_>>().join(", "),
        task,
        preview: first.rows.into_iter().take(PREVIEW_ROWS).collect(),
        balance: snapshot.map_or(0, |snapshot| snapshot.balance),
        progress: progress_of(&job),
        job,
    })
}

fn mapped_columns(task: &Task, chosen: Option<Vec<String>>) -> Vec<MappedColumn> {
    let Work::Match(work) = &task.work else { return Vec::new() };
    let headings = task.list_headings().into_iter().enumerate();
    let field = |column: usize| match &chosen {
        Some(chosen) => chosen.get(column).cloned(),
        None => work.field_at(column, task.column).map(str::to_owned),
    };
    headings
        .map(|(column, heading)| MappedColumn { heading, field: field(column).unwrap_or_default() })
        .collect()
}

fn progress_of(job: &BulkJob) -> Progress {
    let text = t_with(
        "{0} of {1} rows · {2}",
        &[
            &amounts::grouped(job.rows_done),
            &amounts::grouped(job.row_count),
            &amounts::counted(job.credits, "credit", "credits"),
        ],
    );
    Progress { state: job.state.as_str(), done: job.rows_done, of: job.row_count, text }
}

/// The progress as JSON, for the page's script.
pub async fn progress(signed_in: SignedIn, Path(id): Path<String>) -> Result<Response, PageError> {
    let job = find(&signed_in, &id).await?;
    let headers = [(header::CACHE_CONTROL, "private, no-store")];
    Ok((headers, Json(progress_of(&job))).into_response())
}

/// The fields that the columns of a job that matches names are read as, in order; empty for other
/// jobs.
#[derive(Debug, Default, Deserialize)]
pub struct Columns {
    #[serde(default)]
    columns: Vec<String>,
}

/// Changes the columns of a job that awaits approval.
pub async fn set_columns(
    Path(id): Path<String>,
    AuthenticatedForm { signed_in, form }: AuthenticatedForm<Columns>,
) -> Result<Response, PageError> {
    signed_in.require(Permission::MakeCalls)?;
    let job = find(&signed_in, &id).await?;
    match change_columns(&signed_in, &job, form.columns).await? {
        Some(refused) => Ok(respond_with_errors(&page(&signed_in, job, Some(refused)).await?)),
        None => Ok(Redirect::to(&format!("/console/bulk/{}", job.id)).into_response()),
    }
}

/// Stores the chosen columns of a job that awaits approval. Returns them with the reason if they are
/// not accepted.
async fn change_columns(
    signed_in: &SignedIn,
    job: &BulkJob,
    chosen: Vec<String>,
) -> Result<Option<(Vec<String>, String)>, PageError> {
    let mut task = task_of(job)?;
    if chosen.len() != task.width || !matches!(task.work, Work::Match(_)) {
        return Err(PageError::bad_form(t("The columns do not belong to this job")));
    }
    match MatchWork::of_columns(&chosen) {
        Err(error) => Ok(Some((chosen, error.to_string()))),
        Ok((column, work)) => {
            task.column = column;
            task.work = Work::Match(work);
            let task = serde_json::to_string(&task)
                .map_err(|error| PageError::internal(error.to_string()))?;
            let ledger = &signed_in.app.ledger;
            ledger.change_bulk_task(signed_in.account_id(), &job.id, &task).await?;
            Ok(None)
        }
    }
}

/// Starts or resumes a job. A job that matches names starts with the columns of the form.
pub async fn start(
    Path(id): Path<String>,
    AuthenticatedForm { signed_in, form }: AuthenticatedForm<Columns>,
) -> Result<Response, PageError> {
    signed_in.require(Permission::MakeCalls)?;
    let job = find(&signed_in, &id).await?;
    if !form.columns.is_empty()
        && let Some(refused) = change_columns(&signed_in, &job, form.columns).await?
    {
        return Ok(respond_with_errors(&page(&signed_in, job, Some(refused)).await?));
    }
    if signed_in.app.ledger.start_bulk_job(signed_in.account_id(), &job.id, "").await? {
        let highest = job.highest_price;
        let details = json!({"mode": job.mode.as_str(), "rows": job.row_count, "price": highest});
        signed_in.log("job.approve", &job.id, details).await;
    }
    signed_in.app.bulk_jobs_wake.notify_one();
    Ok(Redirect::to(&format!("/console/bulk/{}", job.id)).into_response())
}

/// Cancels a job; before its approval it is discarded.
pub async fn cancel(
    Path(id): Path<String>,
    AuthenticatedForm { signed_in, .. }: AuthenticatedForm<Empty>,
) -> Result<Response, PageError> {
    signed_in.require(Permission::MakeCalls)?;
    let job = find(&signed_in, &id).await?;
    if signed_in.app.ledger.cancel_bulk_job(signed_in.account_id(), &job.id, now_ms()).await? {
        signed_in.log("job.cancel", &job.id, json!({"rows_done": job.rows_done})).await;
    }
    let to = if job.state == JobState::AwaitingApproval {
        "/console/bulk"
    } else {
        &format!("/console/bulk/{}", job.id)
    };
    Ok(Redirect::to(to).into_response())
}

pub async fn csv(signed_in: SignedIn, Path(id): Path<String>) -> Result<Response, PageError> {
    let job = find(&signed_in, &id).await?;
    Ok(Results::new(signed_in.app.clone(), job)?.csv_download())
}

pub async fn xlsx(signed_in: SignedIn, Path(id): Path<String>) -> Result<Response, PageError> {
    let job = find(&signed_in, &id).await?;
    signed_in.context.extend_deadline_ms(SPREADSHEET_MS);
    let file = Results::new(signed_in.app.clone(), job)?.xlsx_download().await;
    file.map_err(|error| PageError::internal(error.to_string()))
}
