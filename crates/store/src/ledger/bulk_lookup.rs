//! Finding bulk jobs.

use super::bulk_jobs::{DAY_MS, MAX_JOBS_PER_PAGE, bulk_job};
use super::{BulkJob, JobState, Ledger, Mode};
use crate::error::Result;

impl Ledger {
    pub async fn find_bulk_job(&self, account_id: &str, id: &str) -> Result<Option<BulkJob>> {
        self.engine
            .query_opt(
                "select account_id, id, mode, task, name, state, note, highest_price, credits, \
                 row_count, rows_done, chunk_count, chunks_done, created_at, ended_at, key_id, counts \
                 from bulk_jobs where account_id = $1 and id = $2",
                &[account_id.into(), id.into()],
                bulk_job,
            )
            .await
    }

    /// Newest first.
    pub async fn list_bulk_jobs(&self, account_id: &str, mode: Mode) -> Result<Vec<BulkJob>> {
        self.engine
            .query(
                "select account_id, id, mode, task, name, state, note, highest_price, credits, \
                 row_count, rows_done, chunk_count, chunks_done, created_at, ended_at, key_id, counts \
                 from bulk_jobs where account_id = $1 and mode = $2 \
                 order by id desc limit $3",
                &[account_id.into(), mode.as_str().into(), MAX_JOBS_PER_PAGE.into()],
                bulk_job,
            )
            .await
    }

    /// One page of the jobs whose rows are all stored, newest first.
    pub async fn list_bulk_jobs_page(
        &self,
        (account_id, mode): (&str, Mode),
        offset: i64,
        limit: i64,
    ) -> Result<Vec<BulkJob>> {
        self.engine
            .query(
                "select account_id, id, mode, task, name, state, note, highest_price, credits, \
                 row_count, rows_done, chunk_count, chunks_done, created_at, ended_at, key_id, counts \
                 from bulk_jobs where account_id = $1 and mode = $2 and state <> 'loading' \
                 order by id desc limit $3 offset $4",
                &[account_id.into(), mode.as_str().into(), limit.into(), offset.into()],
                bulk_job,
            )
            .await
    }

    /// The number of jobs on all pages.
    pub async fn count_bulk_jobs(&self, account_id: &str, mode: Mode) -> Result<i64> {
        let count = self
            .engine
            .query_opt(
                "select count(*) from bulk_jobs where account_id = $1 and mode = $2 \
                 and state <> 'loading'",
                &[account_id.into(), mode.as_str().into()],
                |row| row.get::<i64>(0),
            )
            .await?;
        Ok(count.unwrap_or(0))
    }

    /// The job that an earlier call with this idempotency key created: its node was killed before it
    /// responded. A job whose rows were not all stored is deleted.
    pub async fn find_requested_bulk_job(
        &self,
        (account_id, mode): (&str, Mode),
        request_key: &str,
        now_ms: i64,
    ) -> Result<Option<BulkJob>> {
        let found = self
            .engine
            .query_opt(
                "select account_id, id, mode, task, name, state, note, highest_price, credits, \
                 row_count, rows_done, chunk_count, chunks_done, created_at, ended_at, key_id, counts \
                 from bulk_jobs where account_id = $1 and mode = $2 and request_key = $3 \
                 and created_at > $4 order by id desc limit 1",
                &[
                    account_id.into(),
                    mode.as_str().into(),
                    request_key.into(),
                    (now_ms - DAY_MS).into(),
                ],
                bulk_job,
            )
            .await?;
        match found {
            Some(job) if job.state == JobState::Loading => {
                self.delete_bulk_job(account_id, &job.id).await?;
                Ok(None)
            }
            found => Ok(found),
        }
    }
}
