//! Adds and takes credits outside a call.

use super::balance::LockedBalance;
use super::entries::{Entry, EntryKind, entry};
use super::{Ledger, Mode, new_id};
use crate::error::{Result, StoreError};

/// The outcome of adding an entry, which is unique by its kind and reference.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CreditOutcome {
    /// The entry was added now.
    Added(Entry),
    /// The reference was used before: nothing changed, and this is the earlier entry.
    AlreadyAdded(Entry),
}

impl CreditOutcome {
    pub fn into_entry(self) -> Entry {
        match self {
            CreditOutcome::Added(entry) | CreditOutcome::AlreadyAdded(entry) => entry,
        }
    }
}

/// The most credits in one entry, far below the overflow limit of sums.
pub const MAX_ENTRY: i64 = 1_000_000_000_000;

impl Ledger {
    /// Adds or takes credits outside a call. A repeat with the same kind and reference changes
    /// nothing, and the outcome says so.
    pub async fn add_entry(
        &self,
        account_id: &str,
        mode: Mode,
        kind: EntryKind,
        amount: i64,
        reference: Option<&str>,
        now_ms: i64,
    ) -> Result<CreditOutcome> {
        if amount == 0 || amount.abs() > MAX_ENTRY {
            return Err(StoreError::Conflict(format!(
                "an amount is between 1 and {MAX_ENTRY} credits"
            )));
        }
        let generated;
        let reference = match reference {
            Some(given) => given,
            None => {
                generated = new_id("ref");
                &generated
            }
        };
        let mut transaction = self.engine.transaction().await?;
        let mut locked = LockedBalance::open(&mut transaction, account_id, mode, now_ms).await?;
        let earlier = transaction
            .query_opt(
                "select seq, kind, amount, balance_after, at, reference from entries \
                 where account_id = $1 and mode = $2 and kind = $3 and reference = $4 \
                 and kind <> 'charge'",
                &[account_id.into(), mode.as_str().into(), kind.as_str().into(), reference.into()],
                entry,
            )
            .await?;
        if let Some(earlier) = earlier {
            return Ok(CreditOutcome::AlreadyAdded(earlier));
        }
        if locked.balance + amount < 0 {
            return Err(StoreError::Conflict(format!(
                "the balance is {}, which does not cover {}",
                locked.balance, -amount
            )));
        }
        locked.add_entry(kind, amount, reference, now_ms);
        let added = locked.last_entry().cloned().expect("an entry was just added");
        locked.write(&mut transaction, &self.secret).await?;
        transaction.commit().await?;
        Ok(CreditOutcome::Added(added))
    }
}
