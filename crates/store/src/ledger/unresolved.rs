//! Charges in doubt: their commit may or may not have taken place, and their callers were told that the
//! call failed. They are looked for and refunded; what cannot be decided leaves a row and a line of the log.

use std::sync::Arc;
use std::time::{Duration, Instant};

use super::charge_writer::within;
use super::credits::EntryKind;
use super::{Debit, Ledger, UnresolvedChargeRow};
use crate::error::{Result, StoreError};

/// How long they are looked for before it is made sure that they cannot turn up any more.
pub const RESOLVE_TIME: Duration = Duration::from_secs(120);
/// Charges in doubt that are looked for at a time.
pub const MAX_UNRESOLVED: usize = 10_000;
/// Rows that wait in memory for a ledger that is away.
const MAX_UNNOTED: usize = 100_000;
/// Rows that are written at a time.
const NOTED_AT_A_TIME: usize = 500;
/// How long one look may take.
const LOOK_TIME: Duration = Duration::from_secs(5);

struct UnresolvedCharge {
    debit: Debit,
    since: Instant,
}

/// The debits of one writer that are in doubt.
pub(super) struct UnresolvedCharges {
    ledger: Arc<Ledger>,
    resolve_time: Duration,
    max_unresolved: usize,
    looked_for: Vec<UnresolvedCharge>,
    /// Charges whose row is not written yet.
    unnoted: Vec<UnresolvedChargeRow>,
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
            looked_for: Vec::new(),
            unnoted: Vec::new(),
        }
    }

    /// Whether there is nothing to look for and nothing to write.
    pub fn is_empty(&self) -> bool {
        self.looked_for.is_empty() && self.unnoted.is_empty()
    }

    /// Takes in a debit whose caller was told that the call failed.
    pub fn add(&mut self, debit: Debit) {
        let request_id = &debit.request_id;
        tracing::warn!(request_id, credits = debit.price, "a debit is in doubt");
        if self.unnoted.len() < MAX_UNNOTED {
            self.unnoted.push(UnresolvedChargeRow::of(&debit));
        } else {
            tracing::error!(request_id, "no row can be kept of a debit in doubt");
        }
        if self.looked_for.len() < self.max_unresolved {
            self.looked_for.push(UnresolvedCharge { debit, since: Instant::now() });
        } else {
            give_up(&debit, "too many debits are in doubt");
        }
    }

    /// Writes the rows that are missing and looks for each debit once.
    pub async fn look(&mut self) {
        if !self.unnoted.is_empty() && !self.note().await {
            return;
        }
        let mut waiting = std::mem::take(&mut self.looked_for).into_iter();
        for UnresolvedCharge { debit, since } in waiting.by_ref() {
            let is_last = since.elapsed() >= self.resolve_time;
            match within(LOOK_TIME, self.refund_if_charged(&debit, is_last)).await {
                Ok(true) => self.forget(&debit).await,
                // It was made sure that its commit is not under way any more.
                Ok(false) if is_last => self.forget(&debit).await,
                Ok(false) => self.looked_for.push(UnresolvedCharge { debit, since }),
                // The engine is away: nothing can be found out, however long it takes, and asking
                // for the others would only keep callers waiting.
                Err(StoreError::Unavailable(_) | StoreError::Undecided(_)) => {
                    self.looked_for.push(UnresolvedCharge { debit, since });
                    break;
                }
                Err(_) if !is_last => self.looked_for.push(UnresolvedCharge { debit, since }),
                Err(error) => give_up(&debit, &error.to_string()),
            }
        }
        self.looked_for.extend(waiting);
    }

    /// Gives up what is left because the writer closes.
    pub fn close(self) {
        for UnresolvedCharge { debit, .. } in &self.looked_for {
            give_up(debit, "the process stops");
        }
        for debit in &self.unnoted {
            let request_id = &debit.request_id;
            tracing::error!(request_id, "no row can be kept of a debit in doubt");
        }
    }

    /// Writes the rows that are missing, some at a time; tells whether the ledger answered.
    async fn note(&mut self) -> bool {
        while !self.unnoted.is_empty() {
            let count = self.unnoted.len().min(NOTED_AT_A_TIME);
            let noted = self.ledger.note_unresolved(&self.unnoted[..count]);
            match within(LOOK_TIME, noted).await {
                Ok(()) => drop(self.unnoted.drain(..count)),
                Err(StoreError::Unavailable(_) | StoreError::Undecided(_)) => return false,
                Err(error) => {
                    for debit in self.unnoted.drain(..count) {
                        let request_id = &debit.request_id;
                        tracing::error!(
                            request_id, %error, "no row can be kept of a debit in doubt"
                        );
                    }
                }
            }
        }
        true
    }

    /// Removes the row of a debit whose fate is known. Where that fails, the audit finds that
    /// nothing is owed.
    async fn forget(&self, debit: &Debit) {
        let dropped = self.ledger.drop_unresolved(&debit.account_id, &debit.request_id);
        let _ = within(LOOK_TIME, dropped).await;
    }

    /// Refunds a debit if it took place after all; tells whether its fate is known. Before the last
    /// look it is made sure that the commit is not still under way: one that waits for a standby shows
    /// to nobody for as long as there is none, but holds the lock of its balance.
    async fn refund_if_charged(&self, debit: &Debit, is_last: bool) -> Result<bool> {
        if is_last {
            self.ledger.wait_for_balance(&debit.account_id, debit.mode).await?;
        }
        let found = self.ledger.find_usage(&debit.account_id, &debit.request_id).await?;
        let Some(credits) = found else { return Ok(false) };
        if credits > 0 {
            let refund = self.ledger.enter_credits(
                &debit.account_id,
                debit.mode,
                EntryKind::Refund,
                credits,
                Some(&debit.request_id),
                debit.at_ms,
            );
            refund.await?;
            tracing::warn!(request_id = debit.request_id, credits, "given back");
        }
        Ok(true)
    }
}

fn give_up(debit: &Debit, reason: &str) {
    tracing::error!(
        request_id = debit.request_id,
        account = debit.account_id,
        credits = debit.price,
        reason,
        "a debit in doubt is given up: see panji ledger audit"
    );
}
