//! Decisions of people about items of matching jobs, kept for the account and used in its later jobs.

use super::match_rows::{add_count, lock_counts, store_counts};
use super::{BulkJob, Ledger, Mode};
use crate::engine::{Row, Transaction};
use crate::error::{Result, StoreError};

/// Characters of an item that are stored to display it.
const MAX_ITEM: usize = 500;
/// Rows deleted in one statement, so that charges do not wait.
const DELETE_BATCH: i64 = 1_000;

/// A decision to keep.
#[derive(Clone, Debug)]
pub struct NewSavedDecision<'a> {
    /// The item as it was given, to display it.
    pub item: &'a str,
    /// The company meant; none if no candidate is.
    pub cin: Option<&'a str>,
    /// The candidates that were displayed and not chosen.
    pub rejected: &'a [&'a str],
    pub person_id: &'a str,
    /// The account's limit of saved decisions, in each mode.
    pub max_saved: i64,
}

/// A saved decision.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SavedDecision {
    /// Identifies it within the account and mode.
    pub item_hash: String,
    /// The item as it was given.
    pub item: String,
    /// The company meant; none if no candidate was.
    pub cin: Option<String>,
    /// The candidates that were displayed and not chosen.
    pub rejected: Vec<String>,
    pub person_id: String,
    pub decided_at: i64,
}

impl Ledger {
    /// Applies a decision to all rows of the job with the item of this row, and keeps it for the
    /// account. Returns the number of these rows; 0 if the row is not processed. A conflict if the
    /// account keeps too many decisions.
    pub async fn decide_match(
        &self,
        job: &BulkJob,
        number: i64,
        new: &NewSavedDecision<'_>,
        now_ms: i64,
    ) -> Result<u64> {
        let mut transaction = self.engine.transaction().await?;
        let Some(mut counts) = lock_counts(&mut transaction, job).await? else { return Ok(0) };
        let Some(hash) = find_item(&mut transaction, job, number).await? else { return Ok(0) };
        keep(&mut transaction, job, &hash, new, now_ms).await?;
        let decision = if new.cin.is_some() { "match" } else { "none" };
        for (was, _) in list_decisions(&mut transaction, job, &hash).await? {
            add_count(&mut counts, &was, -1);
            add_count(&mut counts, decision, 1);
        }
        let changed = transaction
            .execute(
                "update match_rows set decision = $1, cin = $2, decided_at = $3 \
                 where account_id = $4 and job_id = $5 and item_hash = $6",
                &[
                    decision.into(),
                    new.cin.into(),
                    now_ms.into(),
                    (&job.account_id).into(),
                    (&job.id).into(),
                    (&hash).into(),
                ],
            )
            .await?;
        store_counts(&mut transaction, job, counts).await?;
        transaction.commit().await?;
        Ok(changed)
    }

    /// Removes the decision of a person about the item of this row, in the job and for the account:
    /// the machine's decision is valid again. Returns the number of rows that have changed.
    pub async fn undo_match(&self, job: &BulkJob, number: i64) -> Result<u64> {
        let mut transaction = self.engine.transaction().await?;
        let Some(mut counts) = lock_counts(&mut transaction, job).await? else { return Ok(0) };
        let Some(hash) = find_item(&mut transaction, job, number).await? else { return Ok(0) };
        for (was, machine) in list_decisions(&mut transaction, job, &hash).await? {
            add_count(&mut counts, &was, -1);
            add_count(&mut counts, &machine, 1);
        }
        let changed = transaction
            .execute(
                "update match_rows set decision = machine_decision, cin = machine_cin, \
                 decided_at = null \
                 where account_id = $1 and job_id = $2 and item_hash = $3 \
                 and decided_at is not null",
                &[(&job.account_id).into(), (&job.id).into(), (&hash).into()],
            )
            .await?;
        transaction
            .execute(
                "delete from match_decisions \
                 where account_id = $1 and mode = $2 and item_hash = $3",
                &[(&job.account_id).into(), job.mode.as_str().into(), (&hash).into()],
            )
            .await?;
        store_counts(&mut transaction, job, counts).await?;
        transaction.commit().await?;
        Ok(changed)
    }

    /// The saved decisions about items, given by their normalized texts.
    pub async fn find_match_decisions(
        &self,
        (account_id, mode): (&str, Mode),
        items: &[String],
    ) -> Result<Vec<Option<SavedDecision>>> {
        // Most accounts keep none.
        let any = self
            .engine
            .query_opt(
                "select item_hash from match_decisions where account_id = $1 and mode = $2 limit 1",
                &[account_id.into(), mode.as_str().into()],
                |row| row.get::<String>(0),
            )
            .await?;
        if any.is_none() {
            return Ok(vec![None; items.len()]);
        }
        let mut found = Vec::with_capacity(items.len());
        for item in items {
            let hash = self.hash_item(item);
            let kept = self
                .engine
                .query_opt(
                    "select item_hash, item, cin, rejected, person_id, decided_at \
                     from match_decisions \
                     where account_id = $1 and mode = $2 and item_hash = $3",
                    &[account_id.into(), mode.as_str().into(), (&hash).into()],
                    match_decision,
                )
                .await?;
            found.push(kept);
        }
        Ok(found)
    }

    /// One page of the saved decisions, newest first.
    pub async fn list_match_decisions(
        &self,
        (account_id, mode): (&str, Mode),
        offset: i64,
        limit: i64,
    ) -> Result<Vec<SavedDecision>> {
        self.engine
            .query(
                "select item_hash, item, cin, rejected, person_id, decided_at \
                 from match_decisions where account_id = $1 and mode = $2 \
                 order by decided_at desc, item_hash limit $3 offset $4",
                &[account_id.into(), mode.as_str().into(), limit.into(), offset.into()],
                match_decision,
            )
            .await
    }

    pub async fn count_match_decisions(&self, (account_id, mode): (&str, Mode)) -> Result<i64> {
        let count = self
            .engine
            .query_opt(
                "select count(*) from match_decisions where account_id = $1 and mode = $2",
                &[account_id.into(), mode.as_str().into()],
                |row| row.get::<i64>(0),
            )
            .await?;
        Ok(count.unwrap_or(0))
    }

    /// Deletes a saved decision; the results of jobs stay. False if there is none.
    pub async fn delete_match_decision(
        &self,
        (account_id, mode): (&str, Mode),
        item_hash: &str,
    ) -> Result<bool> {
        let deleted = self
            .engine
            .execute(
                "delete from match_decisions \
                 where account_id = $1 and mode = $2 and item_hash = $3",
                &[account_id.into(), mode.as_str().into(), item_hash.into()],
            )
            .await?;
        Ok(deleted > 0)
    }

    /// Deletes all saved decisions of an account and mode.
    pub async fn delete_match_decisions(&self, (account_id, mode): (&str, Mode)) -> Result<u64> {
        let mut deleted = 0;
        loop {
            let part = self
                .engine
                .execute(
                    "delete from match_decisions where account_id = $1 and mode = $2 \
                     and item_hash in (select item_hash from match_decisions \
                     where account_id = $1 and mode = $2 order by item_hash limit $3)",
                    &[account_id.into(), mode.as_str().into(), DELETE_BATCH.into()],
                )
                .await?;
            deleted += part;
            if part == 0 {
                return Ok(deleted);
            }
        }
    }
}

/// The item of a row that is processed.
async fn find_item(
    transaction: &mut Transaction,
    job: &BulkJob,
    number: i64,
) -> Result<Option<String>> {
    transaction
        .query_opt(
            "select item_hash from match_rows \
             where account_id = $1 and job_id = $2 and row_number = $3",
            &[(&job.account_id).into(), (&job.id).into(), number.into()],
            |row| row.get(0),
        )
        .await
}

/// The decision and the machine's decision of each row with an item.
async fn list_decisions(
    transaction: &mut Transaction,
    job: &BulkJob,
    hash: &str,
) -> Result<Vec<(String, String)>> {
    transaction
        .query(
            "select decision, machine_decision from match_rows \
             where account_id = $1 and job_id = $2 and item_hash = $3",
            &[(&job.account_id).into(), (&job.id).into(), hash.into()],
            |row| Ok((row.get(0)?, row.get(1)?)),
        )
        .await
}

/// Keeps a decision for the account, in place of an earlier one.
async fn keep(
    transaction: &mut Transaction,
    job: &BulkJob,
    hash: &str,
    new: &NewSavedDecision<'_>,
    now_ms: i64,
) -> Result<()> {
    let others = transaction
        .query_opt(
            "select count(*) from match_decisions \
             where account_id = $1 and mode = $2 and item_hash <> $3",
            &[(&job.account_id).into(), job.mode.as_str().into(), hash.into()],
            |row| row.get::<i64>(0),
        )
        .await?;
    if others.unwrap_or(0) >= new.max_saved {
        return Err(StoreError::Conflict(format!(
            "an account saves at most {} decisions: delete those that you no longer need",
            new.max_saved
        )));
    }
    let item: String = new.item.chars().take(MAX_ITEM).collect();
    let rejected = new.rejected.join(" ");
    transaction
        .execute(
            "insert into match_decisions (account_id, mode, item_hash, item, cin, rejected, \
             person_id, decided_at) values ($1, $2, $3, $4, $5, $6, $7, $8) \
             on conflict (account_id, mode, item_hash) do update set item = excluded.item, \
             cin = excluded.cin, rejected = excluded.rejected, \
             person_id = excluded.person_id, decided_at = excluded.decided_at",
            &[
                (&job.account_id).into(),
                job.mode.as_str().into(),
                hash.into(),
                (&item).into(),
                new.cin.into(),
                (&rejected).into(),
                new.person_id.into(),
                now_ms.into(),
            ],
        )
        .await?;
    Ok(())
}

fn match_decision(row: &Row<'_>) -> Result<SavedDecision> {
    let rejected: String = row.get(3)?;
    Ok(SavedDecision {
        item_hash: row.get(0)?,
        item: row.get(1)?,
        cin: row.get(2)?,
        rejected: rejected.split_whitespace().map(str::to_owned).collect(),
        person_id: row.get(4)?,
        decided_at: row.get(5)?,
    })
}
