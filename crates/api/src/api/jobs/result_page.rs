//! One page of a job's results as JSON.

use panji_store::ledger::BulkJob;
use panji_store::{Ledger, StoreError};
use serde_json::Value;

use super::reviewed::set_decisions;
use super::task::{Chunk, Task};
use crate::api::wire::JobResultRow;

/// The rows of a page. Rows that were not processed have no result.
pub async fn read_page(
    ledger: &Ledger,
    job: &BulkJob,
    first_row: i64,
    limit: i64,
) -> Result<Vec<JobResultRow>, StoreError> {
    let bug = |error: serde_json::Error| StoreError::Bug(format!("job {}: {error}", job.id));
    let task: Task = serde_json::from_str(&job.task).map_err(bug)?;
    let key = (job.account_id.as_str(), job.id.as_str());
    let size = match task.chunk_rows {
        0 => first_chunk_rows(ledger, job).await?,
        rows => rows as i64,
    };
    let last_row = (first_row + limit).min(job.row_count);
    if first_row >= last_row {
        return Ok(Vec::new());
    }
    let first_chunk = first_row / size;
    let chunks = (last_row - 1) / size - first_chunk + 1;
    let names = task.input_names();
    let mut rows = Vec::new();
    let mut number = first_chunk * size;
    for (input, output) in ledger.list_bulk_chunks(key, first_chunk, chunks).await? {
        let chunk: Chunk = serde_json::from_str(&input).map_err(bug)?;
        let mut results: Vec<Value> =
            serde_json::from_str(output.as_deref().unwrap_or("[]")).map_err(bug)?;
        set_decisions(ledger, (job, &task), number, &mut results).await?;
        let mut results = results.into_iter();
        for row in chunk.rows {
            let result = results.next().filter(Value::is_object);
            if (first_row..last_row).contains(&number) {
                let input = task.input(&names, &row);
                rows.push(JobResultRow { row: number + 1, input, result });
            }
            number += 1;
        }
    }
    Ok(rows)
}

async fn first_chunk_rows(ledger: &Ledger, job: &BulkJob) -> Result<i64, StoreError> {
    let key = (job.account_id.as_str(), job.id.as_str());
    let chunks = ledger.list_bulk_chunks(key, 0, 1).await?;
    let chunk: Option<Chunk> =
        chunks.first().and_then(|(input, _)| serde_json::from_str(input).ok());
    Ok(chunk.map_or(1, |chunk| chunk.rows.len().max(1) as i64))
}
