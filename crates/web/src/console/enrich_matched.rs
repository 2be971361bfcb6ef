//! "Enrich these": a new job with the matched companies of a job that matched names.

use axum::extract::Path;
use axum::response::{IntoResponse, Redirect, Response};
use panji_api::accounts::roles::Permission;
use panji_api::api::jobs::EnrichWork;
use panji_api::api::jobs::create::{CreateError, JobRequest, UPLOAD_MS, create};
use panji_api::api::jobs::formats::Source;
use panji_api::api::jobs::list::Mapping;
use panji_api::api::jobs::task::{Chunk, Task};
use panji_api::api::jobs::work::Work;
use panji_store::ledger::{BulkJob, MatchFilter};
use serde_json::json;

use super::bulk::DEFAULT_COLUMNS;
use super::forms::{AuthenticatedForm, Empty};
use super::language::t;
use super::load_job::{find, task_of};
use super::page_error::PageError;
use super::session::SignedIn;

/// Chunks read at a time.
const CHUNKS_PER_READ: i64 = 10;
/// The column with the matched companies.
const CIN_HEADING: &str = "matched_cin";

/// Creates a job from the matched rows; its price is accepted on the next page.
pub async fn create_job(
    Path(id): Path<String>,
    AuthenticatedForm { signed_in, .. }: AuthenticatedForm<Empty>,
) -> Result<Response, PageError> {
    signed_in.require(Permission::MakeCalls)?;
    signed_in.context.extend_deadline_ms(UPLOAD_MS);
    let job = find(&signed_in, &id).await?;
    let task = task_of(&job)?;
    let rows = matched_rows(&signed_in, &job, &task).await?;
    if rows.is_empty() {
        return Err(PageError::conflict(t("No row of this job is matched with a company yet.")));
    }
    let mut names = task.list_headings();
    names.push(CIN_HEADING.to_owned());
    let new_job = NewJob {
        column: names.len(),
        names,
        rows,
        work: Work::Enrich(EnrichWork {
            columns: DEFAULT_COLUMNS.map(str::to_owned).to_vec(),
            fields: Vec::new(),
        }),
        name: format!("{}, enriched", job.name),
    };
    create_from_rows(&signed_in, &job, new_job, "match.enrich").await
}

/// A new job from rows of another one.
pub struct NewJob {
    /// The number of the column that is read, from 1.
    pub column: usize,
    pub names: Vec<String>,
    pub rows: Vec<Vec<String>>,
    pub work: Work,
    pub name: String,
}

/// Creates a job from rows of another one, in its mode, records it in the audit log and leads to its page.
pub async fn create_from_rows(
    signed_in: &SignedIn,
    job: &BulkJob,
    new_job: NewJob,
    action: &'static str,
) -> Result<Response, PageError> {
    let request = JobRequest {
        mapping: Mapping { column: new_job.column.to_string(), ..Mapping::default() },
        source: Source::Rows { names: new_job.names, rows: new_job.rows },
        work: new_job.work,
        name: new_job.name,
        key_id: String::new(),
        request_key: String::new(),
        auto_approve: false,
        max_credits: None,
    };
    let created = create(&signed_in.app, (signed_in.account_id(), job.mode), request).await;
    let new = created.map_err(|error| match error {
        CreateError::Store(error) => error.into(),
        CreateError::Internal(cause) => PageError::internal(cause),
        refused => PageError::conflict(refused.to_string()),
    })?;
    signed_in.log(action, &new.id, json!({"from": job.id, "rows": new.row_count})).await;
    Ok(Redirect::to(&format!("/console/bulk/{}", new.id)).into_response())
}

/// The matched rows with their own columns and the CIN.
async fn matched_rows(
    signed_in: &SignedIn,
    job: &BulkJob,
    task: &Task,
) -> Result<Vec<Vec<String>>, PageError> {
    let ledger = &signed_in.app.ledger;
    let size = task.chunk_rows as i64;
    let mut rows = Vec::new();
    for first in (0..job.chunks_done).step_by(CHUNKS_PER_READ as usize) {
        let limit = CHUNKS_PER_READ * size;
        let decided = ledger.list_match_rows(job, MatchFilter::All, first * size, limit).await?;
        let mut decided = decided.into_iter();
        let key = (job.account_id.as_str(), job.id.as_str());
        for (input, _) in ledger.list_bulk_chunks(key, first, CHUNKS_PER_READ).await? {
            let chunk: Chunk = serde_json::from_str(&input)
                .map_err(|error| PageError::internal(format!("job {}: {error}", job.id)))?;
            for (mut row, decided) in chunk.rows.into_iter().zip(&mut decided) {
                if let Some(cin) = decided.cin {
                    row.push(cin);
                    rows.push(row);
                }
            }
        }
    }
    Ok(rows)
}
