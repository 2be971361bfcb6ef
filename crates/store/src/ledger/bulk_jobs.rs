//! Bulk jobs: lists of identifiers from the console or the API, and their results.

use super::people::stored_mode;
use super::{Ledger, Mode, new_id};
use crate::engine::{Row, Value};
use crate::error::{Result, StoreError};

pub(super) const MAX_JOBS_PER_PAGE: i64 = 100;
/// Chunks written in one transaction, so that a long list does not delay charges.
const CHUNKS_PER_TRANSACTION: usize = 50;
pub(super) const DAY_MS: i64 = 24 * 3600 * 1000;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JobState {
    /// Its rows are being written.
    Loading,
    /// Its price is known, and the user has not accepted it yet.
    AwaitingApproval,
    /// It is being processed, or waits for a node.
    Running,
    /// It waits for an action of the user, usually a purchase of credits.
    Paused,
    Done,
    /// A user cancelled it.
    Cancelled,
    /// It failed and cannot continue.
    Failed,
}

impl JobState {
    const ALL: [JobState; 7] = [
        JobState::Loading,
        JobState::AwaitingApproval,
        JobState::Running,
        JobState::Paused,
        JobState::Done,
        JobState::Cancelled,
        JobState::Failed,
    ];

    pub fn as_str(self) -> &'static str {
        match self {
            JobState::Loading => "loading",
            JobState::AwaitingApproval => "awaiting_approval",
            JobState::Running => "running",
            JobState::Paused => "paused",
            JobState::Done => "done",
            JobState::Cancelled => "cancelled",
            JobState::Failed => "failed",
        }
    }

    fn from_name(word: &str) -> Result<JobState> {
        JobState::ALL
            .into_iter()
            .find(|state| state.as_str() == word)
            .ok_or_else(|| StoreError::Bug(format!("a job has the state {word}")))
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BulkJob {
    pub account_id: String,
    pub id: String,
    /// Selects the credits and the register.
    pub mode: Mode,
    /// What to do, as JSON.
    pub task: String,
    /// The name of the uploaded file.
    pub name: String,
    pub state: JobState,
    /// Why it does not continue; empty while it runs.
    pub note: String,
    /// The highest price of the whole job, in credits.
    pub highest_price: i64,
    /// Credits charged so far.
    pub credits: i64,
    pub row_count: i64,
    pub rows_done: i64,
    pub chunk_count: i64,
    /// Chunks are processed in order.
    pub chunks_done: i64,
    pub created_at: i64,
    /// When it was done or cancelled.
    pub ended_at: Option<i64>,
    /// The key that pays; empty if it was started in the console.
    pub key_id: String,
    /// How many rows had which result, as JSON.
    pub counts: String,
}

#[derive(Clone, Debug)]
pub struct NewBulkJob<'a> {
    pub account_id: &'a str,
    /// Selects the credits and the register.
    pub mode: Mode,
    /// What to do, as JSON.
    pub task: &'a str,
    /// The name of the uploaded file.
    pub name: &'a str,
    /// The highest price of the whole job, in credits.
    pub highest_price: i64,
    pub row_count: i64,
    /// The account's limit of jobs that have not ended.
    pub most_open: i64,
    /// The key that creates it; empty in the console.
    pub key_id: &'a str,
    /// The idempotency key of the call that creates it; empty without one.
    pub request_key: &'a str,
    /// With a time, the job is approved: it runs from then on. Otherwise it awaits approval.
    pub runs_from_ms: Option<i64>,
}

impl Ledger {
    /// Stores a job with its rows, approved or awaiting approval.
    pub async fn create_bulk_job(
        &self,
        new: &NewBulkJob<'_>,
        chunks: &[String],
        now_ms: i64,
    ) -> Result<String> {
        let id = new_id("job");
        self.insert_bulk_job(&id, new, chunks.len() as i64, now_ms).await?;
        let numbered: Vec<(i64, &String)> = (0..).zip(chunks).collect();
        for part in numbered.chunks(CHUNKS_PER_TRANSACTION) {
            let mut transaction = self.engine.transaction().await?;
            let rows: Vec<Vec<Value<'_>>> = part
                .iter()
                .map(|(number, input)| {
                    vec![new.account_id.into(), (&id).into(), (*number).into(), (*input).into()]
                })
                .collect();
            transaction
                .execute_each(
                    "insert into bulk_chunks (account_id, job_id, number, input) \
                     values ($1, $2, $3, $4)",
                    &rows,
                )
                .await?;
            transaction.commit().await?;
        }
        self.finish_loading(new, &id).await?;
        Ok(id)
    }

    async fn finish_loading(&self, new: &NewBulkJob<'_>, id: &str) -> Result<()> {
        let state = new.runs_from_ms.map_or(JobState::AwaitingApproval, |_| JobState::Running);
        self.engine
            .execute(
                "update bulk_jobs set state = $1, lease_until = $2 \
                 where account_id = $3 and id = $4 and state = 'loading'",
                &[
                    state.as_str().into(),
                    new.runs_from_ms.unwrap_or(0).into(),
                    new.account_id.into(),
                    id.into(),
                ],
            )
            .await?;
        Ok(())
    }

    async fn insert_bulk_job(
        &self,
        id: &str,
        new: &NewBulkJob<'_>,
        chunk_count: i64,
        now_ms: i64,
    ) -> Result<()> {
        let mut transaction = self.engine.transaction().await?;
        // With the account locked, two concurrent uploads cannot both pass the limit.
        transaction
            .execute("update accounts set name = name where id = $1", &[new.account_id.into()])
            .await?;
        let open = transaction
            .query_opt(
                "select count(*) from bulk_jobs where account_id = $1 \
                 and state in ('loading', 'awaiting_approval', 'running', 'paused')",
                &[new.account_id.into()],
                |row| row.get::<i64>(0),
            )
            .await?;
        if open.unwrap_or(0) >= new.most_open {
            return Err(StoreError::Conflict(format!(
                "the limit of unfinished jobs of an account is {}: wait for one to end, or cancel \
                 one",
                new.most_open
            )));
        }
        transaction
            .execute(
                "insert into bulk_jobs (account_id, id, mode, task, name, state, note, \
                 highest_price, credits, row_count, rows_done, chunk_count, chunks_done, \
                 created_at, lease_holder, lease_until, worked_at, key_id, request_key) \
                 values ($1, $2, $3, $4, $5, $6, '', $7, 0, $8, 0, $9, 0, $10, '', 0, 0, $11, $12)",
                &[
                    new.account_id.into(),
                    id.into(),
                    new.mode.as_str().into(),
                    new.task.into(),
                    new.name.into(),
                    JobState::Loading.as_str().into(),
                    new.highest_price.into(),
                    new.row_count.into(),
                    chunk_count.into(),
                    now_ms.into(),
                    new.key_id.into(),
                    new.request_key.into(),
                ],
            )
            .await?;
        transaction.commit().await
    }

    /// Lets an approved job run at once.
    pub async fn release_new_bulk_job(&self, account_id: &str, id: &str) -> Result<()> {
        self.engine
            .execute(
                "update bulk_jobs set lease_until = 0 \
                 where account_id = $1 and id = $2 and state = 'running' and lease_holder = ''",
                &[account_id.into(), id.into()],
            )
            .await?;
        Ok(())
    }

    /// Changes what a job does that awaits approval. False if it is in another state.
    pub async fn change_bulk_task(&self, account_id: &str, id: &str, task: &str) -> Result<bool> {
        let changed = self
            .engine
            .execute(
                "update bulk_jobs set task = $1 \
                 where account_id = $2 and id = $3 and state = 'awaiting_approval'",
                &[task.into(), account_id.into(), id.into()],
            )
            .await?;
        Ok(changed > 0)
    }

    /// Starts a job that awaits approval, or resumes a paused one. From now on this key pays, or the
    /// console if it is empty. False if the job is in another state.
    pub async fn start_bulk_job(&self, account_id: &str, id: &str, key_id: &str) -> Result<bool> {
        let changed = self
            .engine
            .execute(
                "update bulk_jobs set state = 'running', note = '', lease_until = 0, key_id = $1 \
                 where account_id = $2 and id = $3 and state in ('awaiting_approval', 'paused')",
                &[key_id.into(), account_id.into(), id.into()],
            )
            .await?;
        Ok(changed > 0)
    }

    /// Cancels a job that has not ended; its results stay. False if it has ended.
    pub async fn cancel_bulk_job(&self, account_id: &str, id: &str, now_ms: i64) -> Result<bool> {
        let changed = self
            .engine
            .execute(
                "update bulk_jobs set state = 'cancelled', note = '', ended_at = $1 \
                 where account_id = $2 and id = $3 \
                 and state in ('awaiting_approval', 'running', 'paused')",
                &[now_ms.into(), account_id.into(), id.into()],
            )
            .await?;
        Ok(changed > 0)
    }

    /// Chunks of a job in order, starting at a number: input and output of each.
    pub async fn list_bulk_chunks(
        &self,
        (account_id, id): (&str, &str),
        from_number: i64,
        limit: i64,
    ) -> Result<Vec<(String, Option<String>)>> {
        self.engine
            .query(
                "select input, output from bulk_chunks where account_id = $1 and job_id = $2 \
                 and number >= $3 order by number limit $4",
                &[account_id.into(), id.into(), from_number.into(), limit.into()],
                |row| Ok((row.get(0)?, row.get(1)?)),
            )
            .await
    }

    /// Deletes jobs that were created before `before_ms` and are not running, and unapproved ones
    /// older than a day.
    pub async fn delete_expired_bulk_jobs(&self, before_ms: i64, now_ms: i64) -> Result<u64> {
        let old = self
            .engine
            .query(
                "select account_id, id from bulk_jobs where (created_at < $1 and state <> 'running') \
                 or (created_at < $2 and state in ('loading', 'awaiting_approval')) \
                 limit $3",
                &[before_ms.into(), (now_ms - DAY_MS).into(), MAX_JOBS_PER_PAGE.into()],
                |row| Ok((row.get::<String>(0)?, row.get::<String>(1)?)),
            )
            .await?;
        for (account_id, id) in &old {
            self.delete_bulk_job(account_id, id).await?;
        }
        Ok(old.len() as u64)
    }

    /// Deletes all jobs of an account in any state. A node that processes one writes nothing more.
    pub(super) async fn delete_bulk_jobs_of(&self, account_id: &str) -> Result<u64> {
        let mut deleted = 0;
        loop {
            let ids = self
                .engine
                .query(
                    "select id from bulk_jobs where account_id = $1 order by id limit $2",
                    &[account_id.into(), MAX_JOBS_PER_PAGE.into()],
                    |row| row.get::<String>(0),
                )
                .await?;
            if ids.is_empty() {
                return Ok(deleted);
            }
            for id in &ids {
                self.delete_bulk_job(account_id, id).await?;
            }
            deleted += ids.len() as u64;
        }
    }

    pub(super) async fn delete_bulk_job(&self, account_id: &str, id: &str) -> Result<()> {
        for statement in [
            "delete from bulk_chunks where account_id = $1 and job_id = $2",
            "delete from match_rows where account_id = $1 and job_id = $2",
            "delete from bulk_jobs where account_id = $1 and id = $2",
        ] {
            self.engine.execute(statement, &[account_id.into(), id.into()]).await?;
        }
        Ok(())
    }
}

pub(super) fn bulk_job(row: &Row<'_>) -> Result<BulkJob> {
    Ok(BulkJob {
        account_id: row.get(0)?,
        id: row.get(1)?,
        mode: stored_mode(&row.get::<String>(2)?)?,
        task: row.get(3)?,
        name: row.get(4)?,
        state: JobState::from_name(&row.get::<String>(5)?)?,
        note: row.get(6)?,
        highest_price: row.get(7)?,
        credits: row.get(8)?,
        row_count: row.get(9)?,
        rows_done: row.get(10)?,
        chunk_count: row.get(11)?,
        chunks_done: row.get(12)?,
        created_at: row.get(13)?,
        ended_at: row.get(14)?,
        key_id: row.get(15)?,
        counts: row.get(16)?,
    })
}
