//! Processing bulk jobs: one node at a time holds the lease of a job and writes each chunk once.

use super::bulk_jobs::bulk_job;
use super::match_rows::{add_count, read_counts, store_counts};
use super::{BulkJob, JobState, Ledger, NewMatchRow};
use crate::error::Result;

/// A job that this node may process while its lease is valid.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BulkLease {
    /// The job when it was leased.
    pub job: BulkJob,
    pub holder: String,
}

/// The result of a chunk.
#[derive(Clone, Debug)]
pub struct FinishedChunk<'a> {
    pub number: i64,
    pub rows: i64,
    pub credits: i64,
    pub output: &'a str,
    /// The word under which each row is counted.
    pub counts: &'a [&'a str],
    /// The decisions of a matching job.
    pub match_rows: &'a [NewMatchRow],
}

impl Ledger {
    /// The idempotency key under which a chunk is charged. It does not depend on the node, so that
    /// a chunk that is repeated after a crash is not charged again.
    pub fn chunk_key(job_id: &str, number: i64) -> String {
        format!("{job_id}/{number}")
    }

    /// Leases the running job that has waited longest and has no valid lease. Deletes the unfinished
    /// idempotency key of a killed node: only the lease holder processes the job.
    pub async fn lease_bulk_job(
        &self,
        holder: &str,
        now_ms: i64,
        lease_ms: i64,
    ) -> Result<Option<BulkLease>> {
        // Usually nothing waits; then nothing is written or locked.
        let waiting = self
            .engine
            .query_opt(
                "select account_id, id from bulk_jobs where state = 'running' \
                 and lease_until < $1 order by worked_at, id limit 1",
                &[now_ms.into()],
                |row| Ok((row.get::<String>(0)?, row.get::<String>(1)?)),
            )
            .await?;
        let Some((account_id, id)) = waiting else { return Ok(None) };
        let mut transaction = self.engine.transaction().await?;
        let job = transaction
            .query_opt(
                "update bulk_jobs set lease_holder = $1, lease_until = $2, worked_at = $3 \
                 where account_id = $4 and id = $5 and state = 'running' and lease_until < $3 \
                 returning account_id, id, mode, task, name, state, note, highest_price, credits, \
                 row_count, rows_done, chunk_count, chunks_done, created_at, ended_at, key_id, \
                 counts",
                &[
                    holder.into(),
                    (now_ms + lease_ms).into(),
                    now_ms.into(),
                    (&account_id).into(),
                    (&id).into(),
                ],
                bulk_job,
            )
            .await?;
        let Some(job) = job else { return Ok(None) };
        transaction
            .execute(
                "delete from idempotency where account_id = $1 and mode = $2 \
                 and idempotency_key = $3 and data is null and held = true",
                &[
                    (&job.account_id).into(),
                    job.mode.as_str().into(),
                    (&Ledger::chunk_key(&job.id, job.chunks_done)).into(),
                ],
            )
            .await?;
        transaction.commit().await?;
        Ok(Some(BulkLease { job, holder: holder.to_owned() }))
    }

    /// Renews a lease. False if another node holds it or the job was cancelled.
    pub async fn renew_bulk_lease(&self, lease: &BulkLease, until_ms: i64) -> Result<bool> {
        let renewed = self
            .engine
            .execute(
                "update bulk_jobs set lease_until = $1 where account_id = $2 and id = $3 \
                 and lease_holder = $4 and state = 'running'",
                &[
                    until_ms.into(),
                    (&lease.job.account_id).into(),
                    (&lease.job.id).into(),
                    (&lease.holder).into(),
                ],
            )
            .await?;
        Ok(renewed > 0)
    }

    /// Writes the results of the next chunk and deletes the response stored for it. Returns false and
    /// writes nothing if another node holds the lease or has done the chunk. A job that was cancelled
    /// meanwhile keeps the results it has paid for.
    pub async fn finish_bulk_chunk(
        &self,
        lease: &BulkLease,
        chunk: &FinishedChunk<'_>,
        now_ms: i64,
    ) -> Result<bool> {
        let job = &lease.job;
        let mut transaction = self.engine.transaction().await?;
        let counts = transaction
            .query_opt(
                "update bulk_jobs set chunks_done = chunks_done + 1, rows_done = rows_done + $1, \
                 credits = credits + $2, note = '', \
                 ended_at = case when state = 'running' and chunks_done + 1 = chunk_count \
                 then $3 else ended_at end, \
                 state = case when state = 'running' and chunks_done + 1 = chunk_count \
                 then 'done' else state end \
                 where account_id = $4 and id = $5 and lease_holder = $6 and chunks_done = $7 \
                 returning counts",
                &[
                    chunk.rows.into(),
                    chunk.credits.into(),
                    now_ms.into(),
                    (&job.account_id).into(),
                    (&job.id).into(),
                    (&lease.holder).into(),
                    chunk.number.into(),
                ],
                |row| row.get::<String>(0),
            )
            .await?;
        let Some(counts) = counts else { return Ok(false) };
        // A person may have decided about rows of the job since it was leased.
        let mut counts = read_counts(&counts)?;
        for word in chunk.counts {
            add_count(&mut counts, word, 1);
        }
        store_counts(&mut transaction, job, counts).await?;
        self.insert_match_rows(&mut transaction, job, chunk.match_rows).await?;
        transaction
            .execute(
                "update bulk_chunks set output = $1 \
                 where account_id = $2 and job_id = $3 and number = $4",
                &[
                    chunk.output.into(),
                    (&job.account_id).into(),
                    (&job.id).into(),
                    chunk.number.into(),
                ],
            )
            .await?;
        transaction
            .execute(
                "delete from idempotency where account_id = $1 and mode = $2 \
                 and idempotency_key = $3 and held = true",
                &[
                    (&job.account_id).into(),
                    job.mode.as_str().into(),
                    (&Ledger::chunk_key(&job.id, chunk.number)).into(),
                ],
            )
            .await?;
        transaction.commit().await?;
        Ok(true)
    }

    /// Releases a lease: other nodes may lease the job from `free_at` on. With a state the job
    /// changes to it, for the reason in `note`.
    pub async fn release_bulk_lease(
        &self,
        lease: &BulkLease,
        state: Option<JobState>,
        note: &str,
        free_at: i64,
    ) -> Result<()> {
        let state = state.unwrap_or(JobState::Running);
        self.engine
            .execute(
                "update bulk_jobs set state = $1, note = $2, lease_until = $3, lease_holder = '' \
                 where account_id = $4 and id = $5 and lease_holder = $6 and state = 'running'",
                &[
                    state.as_str().into(),
                    note.into(),
                    free_at.into(),
                    (&lease.job.account_id).into(),
                    (&lease.job.id).into(),
                    (&lease.holder).into(),
                ],
            )
            .await?;
        Ok(())
    }
}
