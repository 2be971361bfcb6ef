//! Processes bulk jobs in the background: leases the job that has waited longest, processes some of
//! its chunks through the API's bulk operations, releases it, and takes the next.

use std::sync::Arc;
use std::time::Duration;

use axum::body::{Body, to_bytes};
use axum::http::{Request, header};
use panji_store::StoreError;
use panji_store::calendar::now_ms;
use panji_store::ledger::{BulkJob, BulkLease, FinishedChunk, JobState, Ledger, NewMatchRow};
use serde_json::Value;
use tokio::sync::watch;

use crate::api::authentication::check_validity;
use crate::api::jobs::task::{Chunk, Task};
use crate::api::jobs::work::Work;
use crate::api::middleware::Middleware;
use crate::api::person_decision::row_of;
use crate::app::App;
use crate::http::context::{Caller, InternalCall, Via};

/// Jobs that one node processes at the same time.
pub const WORKERS: usize = 2;
/// How long a node's lease on a job lasts without renewal.
const LEASE_MS: i64 = 10_000;
/// How often a lease is renewed.
const RENEWAL: Duration = Duration::from_secs(3);
/// Chunks of one job before the worker takes the next job.
const CHUNKS_PER_LEASE: i64 = 10;
/// How often the worker checks for jobs whose lease has expired on another node.
const POLL_INTERVAL: Duration = Duration::from_secs(2);
/// How long a job waits after a server error.
const RETRY_MS: i64 = 5_000;
const MAX_RESPONSE_BYTES: usize = 64 * 1024 * 1024;

/// The outcome of a chunk.
enum Outcome {
    /// The results and their price, the word under which each is counted, and the decisions of a
    /// matching job.
    Done { output: String, credits: i64, counts: Vec<&'static str>, match_rows: Vec<NewMatchRow> },
    /// The job stops: for a retry without `state`, else in that state. The note says why.
    Stopped { state: Option<JobState>, note: String },
}

/// Processes jobs until `stop` is true, and then finishes the chunk in progress. `api` serves the
/// API's routes.
pub async fn run(app: Arc<App>, api: Middleware, mut stop: watch::Receiver<bool>) {
    let holder = format!("worker_{}", ulid::Ulid::generate());
    while !*stop.borrow() {
        let worked = process_job(&app, &api, &holder, &stop).await;
        if let Err(error) = &worked {
            tracing::warn!(%error, "bulk jobs could not be processed");
        }
        if matches!(worked, Ok(true)) {
            continue;
        }
        tokio::select! {
            () = app.bulk_jobs_wake.notified() => {}
            () = tokio::time::sleep(POLL_INTERVAL) => {}
            _ = stop.wait_for(|stop| *stop) => {}
        }
    }
}

/// Processes up to `CHUNKS_PER_LEASE` chunks of one job; false if no job is waiting.
async fn process_job(
    app: &Arc<App>,
    api: &Middleware,
    holder: &str,
    stop: &watch::Receiver<bool>,
) -> Result<bool, StoreError> {
    let Some(lease) = app.ledger.lease_bulk_job(holder, now_ms(), LEASE_MS).await? else {
        return Ok(false);
    };
    let mut charged = lease.job.credits;
    let end = lease.job.chunk_count.min(lease.job.chunks_done + CHUNKS_PER_LEASE);
    for number in lease.job.chunks_done..end {
        if *stop.borrow() {
            break;
        }
        let work = process_chunk(app, api, &lease, number, charged);
        let (chunk, outcome) = with_renewed_lease(app, &lease, work).await?;
        match outcome {
            Outcome::Done { output, credits, counts, match_rows } => {
                charged += credits;
                let finished = FinishedChunk {
                    number,
                    rows: chunk.rows.len() as i64,
                    credits,
                    output: &output,
                    counts: &counts,
                    match_rows: &match_rows,
                };
                if !app.ledger.finish_bulk_chunk(&lease, &finished, now_ms()).await? {
                    return Ok(true);
                }
            }
            Outcome::Stopped { state, note } => {
                tracing::info!(job = lease.job.id, note, "a bulk job stopped");
                let free_at = now_ms() + RETRY_MS;
                app.ledger.release_bulk_lease(&lease, state, &note, free_at).await?;
                return Ok(true);
            }
        }
    }
    app.ledger.release_bulk_lease(&lease, None, "", 0).await?;
    Ok(true)
}

/// Runs `work` and renews the lease meanwhile. If another node takes over the job, the ledger
/// refuses the result; a cancelled job keeps the chunk that is being paid for.
async fn with_renewed_lease<T>(app: &App, lease: &BulkLease, work: impl Future<Output = T>) -> T {
    let mut work = std::pin::pin!(work);
    loop {
        tokio::select! {
            done = &mut work => return done,
            () = tokio::time::sleep(RENEWAL) => {
                let renewed = app.ledger.renew_bulk_lease(lease, now_ms() + LEASE_MS).await;
                if let Err(error) = renewed {
                    tracing::warn!(%error, "the lease on a bulk job could not be renewed");
                }
            }
        }
    }
}

async fn process_chunk(
    app: &Arc<App>,
    api: &Middleware,
    lease: &BulkLease,
    number: i64,
    charged: i64,
) -> Result<(Chunk, Outcome), StoreError> {
    let job = &lease.job;
    let task: Task = from_json(&job.task)?;
    let job_key = (job.account_id.as_str(), job.id.as_str());
    let stored = app.ledger.list_bulk_chunks(job_key, number, 1).await?;
    let Some((input, _)) = stored.first() else {
        return Err(StoreError::Bug(format!("job {} has no chunk {number}", job.id)));
    };
    let chunk: Chunk = from_json(input)?;
    let Some(body) = task.body(&chunk) else {
        let results = with_repeated_rows(app, job, &task, &chunk, Vec::new()).await?;
        return Ok((chunk, done(&task, number, results, 0)));
    };
    let caller = match caller_of(app, job, &task).await? {
        JobCaller::Valid(caller) => caller,
        JobCaller::Refused { note } => {
            return Ok((chunk, Outcome::Stopped { state: Some(JobState::Paused), note }));
        }
    };
    let path = task.operation().operation().path();
    // The job never costs more than the price that was accepted.
    let most = (job.highest_price - charged).max(0);
    let request = Request::post(path)
        .header(header::CONTENT_TYPE, "application/json")
        // A retry gets the same response and is not charged again.
        .header("idempotency-key", Ledger::chunk_key(&job.id, number))
        .header("panji-max-credits", most)
        .extension(InternalCall(caller))
        .body(Body::from(body.to_string()))
        .map_err(|error| StoreError::Bug(format!("job {}: {error}", job.id)))?;
    let (status, mut response) = call(api, job, request).await?;
    if status != 200 {
        return Ok((chunk, stop_outcome(status, &response)));
    }
    let credits = response["credits_charged"].as_i64().unwrap_or(0);
    let results = match response["data"]["results"].take() {
        Value::Array(results) => results,
        _ => Vec::new(),
    };
    let results = with_repeated_rows(app, job, &task, &chunk, results).await?;
    Ok((chunk, done(&task, number, results, credits)))
}

enum JobCaller {
    Valid(Arc<Caller>),
    /// The job pauses with this note.
    Refused {
        note: String,
    },
}

/// The caller of a job: the console, or the key that has approved it, which must still be valid and
/// may still call the operation.
async fn caller_of(app: &App, job: &BulkJob, task: &Task) -> Result<JobCaller, StoreError> {
    let account = app.ledger.find_account_by_id(&job.account_id).await?;
    let suspended = account.is_none_or(|account| account.suspended_at.is_some());
    if job.key_id.is_empty() {
        let caller = Caller::internal(&job.account_id, job.mode, suspended, Via::Job);
        return Ok(JobCaller::Valid(caller));
    }
    let operation = task.operation().operation().id();
    let key = app.ledger.find_key_by_id(&job.key_id).await?;
    let Some(key) = key.filter(|key| check_validity(key, now_ms()).is_ok()) else {
        let note = "The key that approved the job was revoked or has expired: approve the job with \
                    another key or in the console.";
        return Ok(JobCaller::Refused { note: note.to_owned() });
    };
    if !key.allows(operation) {
        let note = format!("The key that approved the job may not call {operation} any more.");
        return Ok(JobCaller::Refused { note });
    }
    let paying = (key.id.as_str(), key.monthly_cap);
    Ok(JobCaller::Valid(Caller::job(&job.account_id, paying, job.mode, suspended)))
}

fn done(task: &Task, chunk_number: i64, results: Vec<Value>, credits: i64) -> Outcome {
    let counts = results.iter().map(|result| task.operation().count_as(result)).collect();
    let match_rows = match task.work {
        Work::Match(_) => {
            let first_row = chunk_number * task.chunk_rows as i64;
            (first_row..).zip(&results).map(|(number, result)| row_of(number, result)).collect()
        }
        _ => Vec::new(),
    };
    Outcome::Done { output: Value::from(results).to_string(), credits, counts, match_rows }
}

async fn call(
    api: &Middleware,
    job: &BulkJob,
    request: Request<Body>,
) -> Result<(u16, Value), StoreError> {
    let bug = |error: &dyn std::fmt::Display| StoreError::Bug(format!("job {}: {error}", job.id));
    let response = api.respond(request).await;
    let status = response.status().as_u16();
    let bytes =
        to_bytes(response.into_body(), MAX_RESPONSE_BYTES).await.map_err(|error| bug(&error))?;
    Ok((status, serde_json::from_slice(&bytes).map_err(|error| bug(&error))?))
}

/// Maps an error to the job's next state: paused, failed, or a retry.
fn stop_outcome(status: u16, response: &Value) -> Outcome {
    let message = response["error"]["message"].as_str().unwrap_or("no reason given").to_owned();
    let code = response["error"]["code"].as_str().unwrap_or_default();
    let (state, note) = match (status, code) {
        (_, "max_credits_exceeded") => {
            let note = "The prices have risen since the job was priced: cancel it, and create it again \
                        with the remaining rows.";
            (Some(JobState::Paused), note.to_owned())
        }
        (402 | 403, _) => (Some(JobState::Paused), message),
        (_, "idempotency_in_progress") | (429 | 500.., _) => (None, message),
        _ => (Some(JobState::Failed), message),
    };
    Outcome::Stopped { state, note }
}

/// The results of all rows of a chunk: the requested ones, and copies for repeated rows.
async fn with_repeated_rows(
    app: &App,
    job: &BulkJob,
    task: &Task,
    chunk: &Chunk,
    requested: Vec<Value>,
) -> Result<Vec<Value>, StoreError> {
    let mut results = Vec::with_capacity(chunk.rows.len());
    let mut requested = requested.into_iter();
    let mut cached: Option<(i64, Vec<Value>)> = None;
    for (position, row) in chunk.rows.iter().enumerate() {
        let repeat = chunk.repeats.iter().find(|(here, _, _)| *here == position);
        let Some((_, there, first)) = repeat else {
            results.push(requested.next().unwrap_or_default());
            continue;
        };
        if cached.as_ref().is_none_or(|(number, _)| number != there) {
            let job_key = (job.account_id.as_str(), job.id.as_str());
            let stored = app.ledger.list_bulk_chunks(job_key, *there, 1).await?;
            let output = stored.into_iter().next().and_then(|(_, output)| output);
            cached = Some((*there, from_json(output.as_deref().unwrap_or("[]"))?));
        }
        let found = cached.as_ref().and_then(|(_, results)| results.get(*first));
        let repeated = found.map(|found| task.operation().repeated(found, &task.item(row)));
        results.push(repeated.unwrap_or_default());
    }
    Ok(results)
}

fn from_json<T: serde::de::DeserializeOwned>(text: &str) -> Result<T, StoreError> {
    serde_json::from_str(text).map_err(|error| StoreError::Bug(format!("a bulk job: {error}")))
}
