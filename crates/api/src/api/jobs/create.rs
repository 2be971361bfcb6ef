//! Creates a job from a list: reads it, prices it and stores it.

use std::sync::Arc;

use panji_store::StoreError;
use panji_store::calendar::{ist_year, now_ms};
use panji_store::ledger::{BulkJob, Mode, NewBulkJob};
use tokio::sync::Semaphore;

use super::formats::Source;
use super::list::{ListError, Mapping};
use super::task::Task;
use super::work::Work;
use crate::app::App;

/// The time limit of an upload.
pub const UPLOAD_MS: u64 = 5 * 60_000;
/// Lists that are read at the same time; each uses a processor core and the memory of its rows.
static READERS: Semaphore = Semaphore::const_new(2);
/// How long an approved job waits for the response to its creation. If that fails, it is cancelled
/// before anything is charged; if the node is killed, it runs after this time.
const CREATION_MS: i64 = 60_000;

/// A list and what to do with it.
#[derive(Debug)]
pub struct JobRequest {
    pub source: Source,
    pub mapping: Mapping,
    pub work: Work,
    /// The name under which the job is listed.
    pub name: String,
    /// The key that creates it; empty in the console.
    pub key_id: String,
    /// The idempotency key of the call; empty without one.
    pub request_key: String,
    /// Whether it runs without a further approval.
    pub auto_approve: bool,
    /// A job that can cost more is refused.
    pub max_credits: Option<i64>,
}

/// Why a job was not created.
#[derive(Debug, thiserror::Error)]
pub enum CreateError {
    #[error(transparent)]
    List(#[from] ListError),
    #[error("The job can cost {price} credits, more than its max_credits of {max_credits}.")]
    TooExpensive { price: i64, max_credits: i64 },
    /// The account has too many jobs that have not ended.
    #[error("The job was not created: {0}.")]
    TooManyOpen(String),
    #[error(transparent)]
    Store(StoreError),
    #[error("{0}")]
    Internal(String),
}

impl From<StoreError> for CreateError {
    fn from(error: StoreError) -> CreateError {
        match error {
            StoreError::Conflict(reason) => CreateError::TooManyOpen(reason),
            error => CreateError::Store(error),
        }
    }
}

/// A list that is ready to be stored.
struct Prepared {
    task: String,
    row_count: i64,
    highest_price: i64,
    chunks: Vec<String>,
}

/// Creates a job, or finds the one that an earlier call with the same idempotency key has created.
pub async fn create(
    app: &Arc<App>,
    (account_id, mode): (&str, Mode),
    mut request: JobRequest,
) -> Result<BulkJob, CreateError> {
    if !request.request_key.is_empty() {
        let owner = (account_id, mode);
        let key = &request.request_key;
        if let Some(job) = app.ledger.find_requested_bulk_job(owner, key, now_ms()).await? {
            return Ok(job);
        }
    }
    let max_credits = request.max_credits;
    let name = std::mem::take(&mut request.name);
    let key_id = std::mem::take(&mut request.key_id);
    let request_key = std::mem::take(&mut request.request_key);
    let auto_approve = request.auto_approve;
    let prepared = prepare(app, request).await?;
    if let Some(max_credits) = max_credits.filter(|most| prepared.highest_price > *most) {
        return Err(CreateError::TooExpensive { price: prepared.highest_price, max_credits });
    }
    let new = NewBulkJob {
        account_id,
        mode,
        task: &prepared.task,
        name: &name,
        highest_price: prepared.highest_price,
        row_count: prepared.row_count,
        most_open: i64::from(app.config.bulk_jobs.open_per_account.get()),
        key_id: &key_id,
        request_key: &request_key,
        runs_from_ms: auto_approve.then(|| now_ms() + CREATION_MS),
    };
    let id = app.ledger.create_bulk_job(&new, &prepared.chunks, now_ms()).await?;
    let job = app.ledger.find_bulk_job(account_id, &id).await?;
    job.ok_or_else(|| CreateError::Internal(format!("the new job {id} is not there")))
}

/// Reads and prices a list, on a thread of its own: a large one would block other requests.
async fn prepare(app: &Arc<App>, request: JobRequest) -> Result<Prepared, CreateError> {
    let internal = |error: &dyn std::fmt::Display| CreateError::Internal(error.to_string());
    let _permit = READERS.acquire().await.map_err(|error| internal(&error))?;
    let app = app.clone();
    let prepared = tokio::task::spawn_blocking(move || -> Result<Prepared, CreateError> {
        let JobRequest { source, mapping, work, .. } = request;
        let limits = (&app.config, app.config.bulk_jobs.rows.get());
        let (task, list) = Task::read(source, &mapping, work, limits)?;
        let this_year = ist_year(now_ms());
        let row_count = list.rows.len() as i64;
        let highest_price = task.highest_price(&list.rows, &app.config, this_year);
        let json = |error: serde_json::Error| CreateError::Internal(error.to_string());
        let chunks = task.chunks(list, this_year);
        let chunks: Result<Vec<String>, _> = chunks.iter().map(serde_json::to_string).collect();
        let (task, chunks) = (serde_json::to_string(&task).map_err(json)?, chunks.map_err(json)?);
        Ok(Prepared { task, row_count, highest_price, chunks })
    });
    prepared.await.map_err(|error| internal(&error))?
}
