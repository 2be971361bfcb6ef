//! A job as the API shows it.

use panji_store::calendar::rfc3339;
use panji_store::ledger::{BulkJob, JobState};
use serde_json::{Map, Value};

use super::task::Task;
use crate::api::wire::Job;
use crate::http::error::ApiError;

pub fn task_of(job: &BulkJob) -> Result<Task, ApiError> {
    serde_json::from_str(&job.task)
        .map_err(|error| ApiError::internal(format!("job {}: {error}", job.id)))
}

/// The word of the API for a state: that of the ledger, except for `loading`, which is internal.
pub fn status_of(state: JobState) -> &'static str {
    match state {
        JobState::Loading => JobState::AwaitingApproval.as_str(),
        state => state.as_str(),
    }
}

pub fn wire_job(job: &BulkJob) -> Result<Job, ApiError> {
    let task = task_of(job)?;
    Ok(Job {
        id: job.id.clone(),
        operation: task.operation().operation().id(),
        name: job.name.clone(),
        status: status_of(job.state),
        reason: Some(job.note.clone()).filter(|note| !note.is_empty()),
        rows: job.row_count,
        rows_done: job.rows_done,
        highest_price: job.highest_price,
        credits_charged: job.credits,
        counts: counts_of(job, &task),
        created_at: rfc3339(job.created_at),
        ended_at: job.ended_at.map(rfc3339),
    })
}

/// The counts; empty where a part of the rows was processed by a version that did not count.
fn counts_of(job: &BulkJob, task: &Task) -> Map<String, Value> {
    let stored: Map<String, Value> = serde_json::from_str(&job.counts).unwrap_or_default();
    let count = |word: &str| stored.get(word).and_then(Value::as_i64).unwrap_or(0);
    let words = task.operation().count_words();
    if words.iter().map(|word| count(word)).sum::<i64>() != job.rows_done {
        return Map::new();
    }
    words.iter().map(|word| ((*word).to_owned(), count(word).into())).collect()
}
