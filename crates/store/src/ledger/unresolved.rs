//! Unresolved charges: it is not known whether their commit took place, and their callers got an
//! error. They are checked and refunded; those that cannot be resolved leave a row and a log line.

use std::sync::Arc;
use std::time::{Duration, Instant};

use super::charge_writer::with_timeout;
use super::entries::EntryKind;
use super::{Debit, Ledger, UnresolvedChargeRow};
use crate::error::{Result, StoreError};

/// How long charges are checked. At the end of this time the writer makes sure that they can no
/// longer be committed.
pub const RESOLVE_TIME: Duration = Duration::from_secs(120);
/// How many unresolved charges are checked.
pub const MAX_UNRESOLVED: usize = 10_000;
/// Rows that wait in memory while the ledger is unavailable.
const MAX_UNWRITTEN: usize = 100_000;
/// Rows written in one transaction.
const WRITE_BATCH: usize = 500;
/// Time limit of one check.
const CHECK_TIMEOUT: Duration = Duration::from_secs(5);

struct UnresolvedCharge {
    debit: Debit,
    since: Instant,
}

/// The unresolved charges of one writer.
pub(super) struct UnresolvedCharges {
    ledger: Arc<Ledger>,
    resolve_time: Duration,
    max_unresolved: usize,
    pending: Vec<UnresolvedCharge>,
    unwritten: Vec<UnresolvedChargeRow>,
}

impl UnresolvedCharges {
    pub fn new(
        ledger: Arc<Ledger>,
        resolve_time: Duration,
        max_unresolved: usize,
    ) -> UnresolvedCharges {
        UnresolvedCharges {
            ledger,
            resolve_time,
            max_unresolved,
            pending: Vec::new(),
            unwritten: Vec::new(),
        }
    }

    pub fn is_empty(&self) -> bool {
        self.pending.is_empty() && self.unwritten.is_empty()
    }

    /// Adds a debit whose caller got an error.
    pub fn add(&mut self, debit: Debit) {
        let request_id = &*debit.request_id;
        tracing::warn!(request_id, credits = debit.price, "a charge is unresolved");
        if self.unwritten.len() < MAX_UNWRITTEN {
            self.unwritten.push(UnresolvedChargeRow::of(&debit));
        } else {
            tracing::error!(request_id, "the row of an unresolved charge cannot be written");
        }
        if self.pending.len() < self.max_unresolved {
            self.pending.push(UnresolvedCharge { debit, since: Instant::now() });
        } else {
            abandon(&debit, "too many charges are unresolved");
        }
    }

    /// Writes the missing rows and checks each debit once.
    pub async fn check(&mut self) {
        if !self.unwritten.is_empty() && !self.write_rows().await {
            return;
        }
        let mut waiting = std::mem::take(&mut self.pending).into_iter();
        for UnresolvedCharge { debit, since } in waiting.by_ref() {
            let is_last = since.elapsed() >= self.resolve_time;
            match with_timeout(CHECK_TIMEOUT, self.refund_if_debited(&debit, is_last)).await {
                Ok(true) => self.delete_row(&debit).await,
                // Its commit can no longer be under way.
                Ok(false) if is_last => self.delete_row(&debit).await,
                Ok(false) => self.pending.push(UnresolvedCharge { debit, since }),
                // The engine is unavailable: checking the other debits would fail too and only
                // delay callers.
                Err(StoreError::Unavailable(_) | StoreError::Undecided(_)) => {
                    self.pending.push(UnresolvedCharge { debit, since });
                    break;
                }
                Err(_) if !is_last => self.pending.push(UnresolvedCharge { debit, since }),
                Err(error) => abandon(&debit, &error.to_string()),
            }
        }
        self.pending.extend(waiting);
    }

    /// Abandons the remaining charges because the writer closes.
    pub fn close(self) {
        for UnresolvedCharge { debit, .. } in &self.pending {
            abandon(debit, "the process stops");
        }
        for debit in &self.unwritten {
            let request_id = &*debit.request_id;
            tracing::error!(request_id, "the row of an unresolved charge cannot be written");
        }
    }

    /// Writes the missing rows in batches; false if the ledger is unavailable.
    async fn write_rows(&mut self) -> bool {
        while !self.unwritten.is_empty() {
            let count = self.unwritten.len().min(WRITE_BATCH);
            let written = self.ledger.record_unresolved(&self.unwritten[..count]);
            match with_timeout(CHECK_TIMEOUT, written).await {
                Ok(()) => drop(self.unwritten.drain(..count)),
                Err(StoreError::Unavailable(_) | StoreError::Undecided(_)) => return false,
                Err(error) => {
                    for debit in self.unwritten.drain(..count) {
                        let request_id = &*debit.request_id;
                        tracing::error!(
                            request_id, %error, "the row of an unresolved charge cannot be written"
                        );
                    }
                }
            }
        }
        true
    }

    /// Deletes the row of a resolved charge. If that fails, the audit finds that nothing is owed.
    async fn delete_row(&self, debit: &Debit) {
        let deleted = self.ledger.delete_unresolved(&debit.account_id, &debit.request_id);
        let _ = with_timeout(CHECK_TIMEOUT, deleted).await;
    }

    /// Refunds a debit if it took place; true if the charge is resolved. The last check first waits
    /// until the commit is not under way any more: a commit that waits for a replica is not
    /// visible yet, but holds the lock on its balance.
    async fn refund_if_debited(&self, debit: &Debit, is_last: bool) -> Result<bool> {
        if is_last {
            self.ledger.wait_for_balance(&debit.account_id, debit.mode).await?;
        }
        let found = self.ledger.find_usage(&debit.account_id, &debit.request_id).await?;
        let Some(credits) = found else { return Ok(false) };
        if credits > 0 {
            let refund = self.ledger.add_entry(
                &debit.account_id,
                debit.mode,
                EntryKind::Refund,
                credits,
                Some(&debit.request_id),
                debit.at_ms,
            );
            refund.await?;
            tracing::warn!(request_id = &*debit.request_id, credits, "refunded");
        }
        Ok(true)
    }
}

fn abandon(debit: &Debit, reason: &str) {
    tracing::error!(
        request_id = &*debit.request_id,
        account = &*debit.account_id,
        credits = debit.price,
        reason,
        "an unresolved charge is abandoned: see panji ledger audit"
    );
}
