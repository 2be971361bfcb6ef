//! Works off jobs in the background: takes the one that waited longest, does some of its chunks by
//! the API's own bulk operations, puts it down, and takes the next.

use std::sync::Arc;
use std::time::Duration;

use axum::body::{Body, to_bytes};
use axum::http::{Request, header};
use panji_store::StoreError;
use panji_store::calendar::now_ms;
use panji_store::ledger::{BulkJob, BulkLease, FinishedChunk, JobState, Ledger};
use serde_json::Value;
use tokio::sync::watch;

use super::task::{Chunk, Task};
use crate::api::middleware::Middleware;
use crate::app::App;
use crate::http::context::{Caller, InternalCall, Via};

/// Jobs that one node works on at a time.
pub const WORKERS: usize = 2;
/// How long a job belongs to the node that took it, unless it says so again.
const LEASE_MS: i64 = 10_000;
/// How often it does.
const RENEWAL: Duration = Duration::from_secs(3);
/// Chunks after which another job has its turn.
const CHUNKS_A_TURN: i64 = 10;
/// How often jobs are looked for that another node has left.
const PAUSE: Duration = Duration::from_secs(2);
/// How long a job waits after the service failed.
const RETRY_MS: i64 = 5_000;
/// Bytes of one answer.
const MAX_ANSWER_BYTES: usize = 64 * 1024 * 1024;

/// What came of a chunk.
enum Outcome {
    /// Its results, and what they cost.
    Done { output: String, credits: i64 },
    /// The job cannot go on like this; the note says why.
    Put { state: Option<JobState>, note: String },
}

/// Works until told to stop, and then finishes the chunk under way. `calls` are the API's routes.
pub async fn work(app: Arc<App>, calls: Middleware, mut stop: watch::Receiver<bool>) {
    let holder = format!("worker_{}", ulid::Ulid::generate());
    while !*stop.borrow() {
        let worked = take_turn(&app, &calls, &holder, &stop).await;
        if let Err(error) = &worked {
            tracing::warn!(%error, "bulk jobs could not be worked on");
        }
        if matches!(worked, Ok(true)) {
            continue;
        }
        tokio::select! {
            () = app.bulk_jobs_wake.notified() => {}
            () = tokio::time::sleep(PAUSE) => {}
            _ = stop.wait_for(|stop| *stop) => {}
        }
    }
}

/// Works on one job for a while; false where there is none.
async fn take_turn(
    app: &Arc<App>,
    calls: &Middleware,
    holder: &str,
    stop: &watch::Receiver<bool>,
) -> Result<bool, StoreError> {
    let Some(turn) = app.ledger.claim_bulk_chunk(holder, now_ms(), LEASE_MS).await? else {
        return Ok(false);
    };
    let end = turn.job.chunk_count.min(turn.job.chunks_done + CHUNKS_A_TURN);
    for number in turn.job.chunks_done..end {
        if *stop.borrow() {
            break;
        }
        let work = do_chunk(app, calls, &turn, number);
        let (chunk, outcome) = while_held(app, &turn, work).await?;
        match outcome {
            Outcome::Done { output, credits } => {
                let rows = chunk.rows.len() as i64;
                let finished = FinishedChunk { number, rows, credits, output: &output };
                if !app.ledger.finish_bulk_chunk(&turn, &finished, now_ms()).await? {
                    return Ok(true);
                }
            }
            Outcome::Put { state, note } => {
                tracing::info!(job = turn.job.id, note, "a bulk job does not go on");
                let free_at = now_ms() + RETRY_MS;
                app.ledger.release_bulk_lease(&turn, state, &note, free_at).await?;
                return Ok(true);
            }
        }
    }
    app.ledger.release_bulk_lease(&turn, None, "", 0).await?;
    Ok(true)
}

/// Does something while the job is held, and says again and again that it is. What somebody else has
/// taken meanwhile is refused when it is written; a job that was stopped keeps the chunk that is
/// being paid for.
async fn while_held<T>(app: &App, turn: &BulkLease, work: impl Future<Output = T>) -> T {
    let mut work = std::pin::pin!(work);
    loop {
        tokio::select! {
            done = &mut work => return done,
            () = tokio::time::sleep(RENEWAL) => {
                let renewed = app.ledger.renew_bulk_lease(turn, now_ms() + LEASE_MS).await;
                if let Err(error) = renewed {
                    tracing::warn!(%error, "a bulk job could not be held for longer");
                }
            }
        }
    }
}

async fn do_chunk(
    app: &Arc<App>,
    calls: &Middleware,
    turn: &BulkLease,
    number: i64,
) -> Result<(Chunk, Outcome), StoreError> {
    let job = &turn.job;
    let task: Task = from_json(&job.task)?;
    let place = (job.account_id.as_str(), job.id.as_str());
    let stored = app.ledger.list_bulk_chunks(place, number, 1).await?;
    let Some((input, _)) = stored.first() else {
        return Err(StoreError::Bug(format!("job {} has no chunk {number}", job.id)));
    };
    let chunk: Chunk = from_json(input)?;
    let Some(body) = task.body(&chunk) else {
        let rows = with_twins(app, job, &chunk, Vec::new()).await?;
        return Ok((chunk, done(&rows, 0)));
    };
    let suspended = app.ledger.find_account_by_id(&job.account_id).await?;
    let suspended = suspended.is_none_or(|account| account.suspended_at.is_some());
    let (status, answer) = call(calls, job, suspended, task.path(), number, body).await?;
    if status != 200 {
        return Ok((chunk, put_down(status, &answer)));
    }
    let results = answer["data"]["results"].as_array().map(Vec::as_slice).unwrap_or_default();
    let rows = with_twins(app, job, &chunk, task.cells(results)).await?;
    let credits = answer["credits_charged"].as_i64().unwrap_or(0);
    Ok((chunk, done(&rows, credits)))
}

fn done(rows: &[Vec<String>], credits: i64) -> Outcome {
    let output = serde_json::to_string(rows).expect("texts become JSON");
    Outcome::Done { output, credits }
}

/// Calls the API under the chunk's own idempotency key: done again, it gets the same answer and is
/// not charged again.
async fn call(
    calls: &Middleware,
    job: &BulkJob,
    suspended: bool,
    path: &str,
    number: i64,
    body: Value,
) -> Result<(u16, Value), StoreError> {
    let bug = |error: &dyn std::fmt::Display| StoreError::Bug(format!("job {}: {error}", job.id));
    let caller = Caller::internal(&job.account_id, job.mode, suspended, Via::Job);
    let request = Request::post(path)
        .header(header::CONTENT_TYPE, "application/json")
        .header("idempotency-key", Ledger::chunk_key(&job.id, number))
        .extension(InternalCall(caller))
        .body(Body::from(body.to_string()))
        .map_err(|error| bug(&error))?;
    let response = calls.answer(request).await;
    let status = response.status().as_u16();
    let bytes =
        to_bytes(response.into_body(), MAX_ANSWER_BYTES).await.map_err(|error| bug(&error))?;
    Ok((status, serde_json::from_slice(&bytes).map_err(|error| bug(&error))?))
}

/// What an error means for the job.
fn put_down(status: u16, answer: &Value) -> Outcome {
    let message = answer["error"]["message"].as_str().unwrap_or("no reason given").to_owned();
    let state = match (status, answer["error"]["code"].as_str()) {
        (402 | 403, _) => Some(JobState::Paused),
        (_, Some("idempotency_in_progress")) | (429 | 500.., _) => None,
        _ => Some(JobState::Failed),
    };
    Outcome::Put { state, note: message }
}

/// The results of all rows of a chunk: those asked for, and those that repeat a row further up.
async fn with_twins(
    app: &App,
    job: &BulkJob,
    chunk: &Chunk,
    asked: Vec<Vec<String>>,
) -> Result<Vec<Vec<String>>, StoreError> {
    let mut rows = Vec::with_capacity(chunk.rows.len());
    let mut asked = asked.into_iter();
    let mut known: Option<(i64, Vec<Vec<String>>)> = None;
    for row in 0..chunk.rows.len() {
        let Some((_, there, twin)) = chunk.twins.iter().find(|(here, _, _)| *here == row) else {
            rows.push(asked.next().unwrap_or_default());
            continue;
        };
        if known.as_ref().is_none_or(|(number, _)| number != there) {
            let place = (job.account_id.as_str(), job.id.as_str());
            let stored = app.ledger.list_bulk_chunks(place, *there, 1).await?;
            let output = stored.into_iter().next().and_then(|(_, output)| output);
            known = Some((*there, from_json(output.as_deref().unwrap_or("[]"))?));
        }
        let cells = known.as_ref().and_then(|(_, rows)| rows.get(*twin)).cloned();
        rows.push(cells.unwrap_or_default());
    }
    Ok(rows)
}

fn from_json<T: serde::de::DeserializeOwned>(text: &str) -> Result<T, StoreError> {
    serde_json::from_str(text).map_err(|error| StoreError::Bug(format!("a bulk job: {error}")))
}
