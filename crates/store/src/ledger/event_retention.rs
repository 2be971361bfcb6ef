//! Deleting the events of accounts when they are old.

use super::watchlists::{Owner, lock_state};
use super::{Ledger, Mode};
use crate::error::Result;

/// Rows deleted in one statement, so that charges do not wait.
const DELETE_BATCH: i64 = 1_000;

impl Ledger {
    /// Deletes the events that were recorded before a time, paid for or not.
    pub async fn delete_expired_watched_events(&self, before_ms: i64) -> Result<u64> {
        let mut deleted = 0;
        let mut accounts = self.list_accounts("").await?;
        while let Some(last) = accounts.last().map(|account| account.id.clone()) {
            for account in &accounts {
                for mode in Mode::ALL {
                    deleted += self.delete_events_of((&account.id, mode), before_ms).await?;
                }
            }
            accounts = self.list_accounts(&last).await?;
        }
        Ok(deleted)
    }

    async fn delete_events_of(&self, owner: Owner<'_>, before_ms: i64) -> Result<u64> {
        let (account_id, mode) = owner;
        let mut deleted = 0;
        loop {
            // The oldest events have the lowest numbers.
            let last = self
                .engine
                .query_opt(
                    "select max(seq) from (select seq, recorded_at from watched_events \
                     where account_id = $1 and mode = $2 order by seq limit $3) as oldest \
                     where recorded_at < $4",
                    &[
                        account_id.into(),
                        mode.as_str().into(),
                        DELETE_BATCH.into(),
                        before_ms.into(),
                    ],
                    |row| row.get::<Option<i64>>(0),
                )
                .await?;
            let Some(last) = last.flatten() else { return Ok(deleted) };
            let mut transaction = self.engine.transaction().await?;
            lock_state(&mut transaction, owner).await?;
            transaction
                .execute(
                    "update watch_states set trimmed_seq = $1 \
                     where account_id = $2 and mode = $3 and trimmed_seq < $1",
                    &[last.into(), account_id.into(), mode.as_str().into()],
                )
                .await?;
            deleted += transaction
                .execute(
                    "delete from watched_events where account_id = $1 and mode = $2 and seq <= $3",
                    &[account_id.into(), mode.as_str().into(), last.into()],
                )
                .await?;
            transaction.commit().await?;
        }
    }
}
