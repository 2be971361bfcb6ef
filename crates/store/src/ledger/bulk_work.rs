//! Working off bulk jobs: one node at a time holds a job by a lease, and writes each chunk once.

use super::bulk_jobs::bulk_job;
use super::{BulkJob, JobState, Ledger};
use crate::error::Result;

/// A job that this node may work on while its lease lasts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BulkLease {
    /// The job as it was when it was taken.
    pub job: BulkJob,
    /// Who holds it.
    pub holder: String,
}

/// What came of a chunk.
#[derive(Clone, Debug)]
pub struct FinishedChunk<'a> {
    /// Its number.
    pub number: i64,
    /// Its rows.
    pub rows: i64,
    /// What it cost.
    pub credits: i64,
    /// The results.
    pub output: &'a str,
}

impl Ledger {
    /// The idempotency key under which a chunk is charged. It is the same whoever works on the
    /// chunk, so that a chunk done again after a crash is not charged again.
    pub fn chunk_key(job_id: &str, number: i64) -> String {
        format!("{job_id}/{number}")
    }

    /// Takes the running job that has waited longest and that nobody holds. What a node that was
    /// killed left half claimed is given free: who holds the lease is the only one at work.
    pub async fn claim_bulk_chunk(
        &self,
        holder: &str,
        now_ms: i64,
        lease_ms: i64,
    ) -> Result<Option<BulkLease>> {
        // Where nothing waits, which is nearly always, nothing is written or locked.
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
                 row_count, rows_done, chunk_count, chunks_done, created_at, ended_at",
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

    /// Holds a job for longer. False once somebody else holds it, or it was stopped.
    pub async fn renew_bulk_lease(&self, turn: &BulkLease, until_ms: i64) -> Result<bool> {
        let renewed = self
            .engine
            .execute(
                "update bulk_jobs set lease_until = $1 where account_id = $2 and id = $3 \
                 and lease_holder = $4 and state = 'running'",
                &[
                    until_ms.into(),
                    (&turn.job.account_id).into(),
                    (&turn.job.id).into(),
                    (&turn.holder).into(),
                ],
            )
            .await?;
        Ok(renewed > 0)
    }

    /// Writes the results of the next chunk and drops the answer that was held for it. False, and
    /// nothing is written, if somebody else has taken the job or done the chunk. A job that was
    /// stopped meanwhile keeps what it has paid for.
    pub async fn finish_bulk_chunk(
        &self,
        turn: &BulkLease,
        chunk: &FinishedChunk<'_>,
        now_ms: i64,
    ) -> Result<bool> {
        let job = &turn.job;
        let mut transaction = self.engine.transaction().await?;
        let advanced = transaction
            .execute(
                "update bulk_jobs set chunks_done = chunks_done + 1, rows_done = rows_done + $1, \
                 credits = credits + $2, note = '', \
                 ended_at = case when state = 'running' and chunks_done + 1 = chunk_count \
                 then $3 else ended_at end, \
                 state = case when state = 'running' and chunks_done + 1 = chunk_count \
                 then 'done' else state end \
                 where account_id = $4 and id = $5 and lease_holder = $6 and chunks_done = $7",
                &[
                    chunk.rows.into(),
                    chunk.credits.into(),
                    now_ms.into(),
                    (&job.account_id).into(),
                    (&job.id).into(),
                    (&turn.holder).into(),
                    chunk.number.into(),
                ],
            )
            .await?;
        if advanced == 0 {
            return Ok(false);
        }
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

    /// Puts a job down: others may take it from `free_at` on. With a state it stops there, for the
    /// reason in the note.
    pub async fn release_bulk_lease(
        &self,
        turn: &BulkLease,
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
                    (&turn.job.account_id).into(),
                    (&turn.job.id).into(),
                    (&turn.holder).into(),
                ],
            )
            .await?;
        Ok(())
    }
}
