//! Charges in doubt: their commit may or may not have taken place, and their callers were told that the
//! call failed. They are looked for and refunded; what cannot be decided leaves a row and a line of the log.

use std::sync::Arc;
use std::time::{Duration, Instant};

use super::credits::EntryKind;
use super::desk::within;
use super::{Charge, Ledger, UnresolvedCharge};
use crate::error::{Result, StoreError};

/// How long they are looked for before it is made sure that they cannot turn up any more.
pub const DOUBT_TIME: Duration = Duration::from_secs(120);
/// Charges in doubt that are looked for at a time.
pub const MAX_DOUBTFUL: usize = 10_000;
/// Rows that wait in memory for a ledger that is away.
const MAX_UNNOTED: usize = 100_000;
/// Rows that are written at a time.
const NOTED_AT_A_TIME: usize = 500;
/// How long one look may take.
const LOOK_TIME: Duration = Duration::from_secs(5);

struct Doubtful {
    charge: Charge,
    since: Instant,
}

/// The charges of one desk that are in doubt.
pub(super) struct Doubts {
    ledger: Arc<Ledger>,
    doubt_time: Duration,
    max_doubtful: usize,
    looked_for: Vec<Doubtful>,
    /// Charges whose row is not written yet.
    unnoted: Vec<UnresolvedCharge>,
}

impl Doubts {
    pub fn new(ledger: Arc<Ledger>, doubt_time: Duration, max_doubtful: usize) -> Doubts {
        Doubts { ledger, doubt_time, max_doubtful, looked_for: Vec::new(), unnoted: Vec::new() }
    }

    /// Whether there is nothing to look for and nothing to write.
    pub fn is_empty(&self) -> bool {
        self.looked_for.is_empty() && self.unnoted.is_empty()
    }

    /// Takes in a charge whose caller was told that the call failed.
    pub fn add(&mut self, charge: Charge) {
        let request_id = &charge.request_id;
        tracing::warn!(request_id, credits = charge.price, "a charge is in doubt");
        if self.unnoted.len() < MAX_UNNOTED {
            self.unnoted.push(UnresolvedCharge::of(&charge));
        } else {
            tracing::error!(request_id, "no row can be kept of a charge in doubt");
        }
        if self.looked_for.len() < self.max_doubtful {
            self.looked_for.push(Doubtful { charge, since: Instant::now() });
        } else {
            give_up(&charge, "too many charges are in doubt");
        }
    }

    /// Writes the rows that are missing and looks for each charge once.
    pub async fn look(&mut self) {
        if !self.unnoted.is_empty() && !self.note().await {
            return;
        }
        let mut waiting = std::mem::take(&mut self.looked_for).into_iter();
        for Doubtful { charge, since } in waiting.by_ref() {
            let is_last = since.elapsed() >= self.doubt_time;
            match within(LOOK_TIME, self.refund_if_charged(&charge, is_last)).await {
                Ok(true) => self.forget(&charge).await,
                // It was made sure that its commit is not under way any more.
                Ok(false) if is_last => self.forget(&charge).await,
                Ok(false) => self.looked_for.push(Doubtful { charge, since }),
                // The engine is away: nothing can be found out, however long it takes, and asking
                // for the others would only keep callers waiting.
                Err(StoreError::Unavailable(_) | StoreError::Undecided(_)) => {
                    self.looked_for.push(Doubtful { charge, since });
                    break;
                }
                Err(_) if !is_last => self.looked_for.push(Doubtful { charge, since }),
                Err(error) => give_up(&charge, &error.to_string()),
            }
        }
        self.looked_for.extend(waiting);
    }

    /// Gives up what is left because the desk closes.
    pub fn close(self) {
        for Doubtful { charge, .. } in &self.looked_for {
            give_up(charge, "the process stops");
        }
        for charge in &self.unnoted {
            let request_id = &charge.request_id;
            tracing::error!(request_id, "no row can be kept of a charge in doubt");
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
                    for charge in self.unnoted.drain(..count) {
                        let request_id = &charge.request_id;
                        tracing::error!(
                            request_id, %error, "no row can be kept of a charge in doubt"
                        );
                    }
                }
            }
        }
        true
    }

    /// Removes the row of a charge whose fate is known. Where that fails, the audit finds that
    /// nothing is owed.
    async fn forget(&self, charge: &Charge) {
        let dropped = self.ledger.drop_unresolved(&charge.account_id, &charge.request_id);
        let _ = within(LOOK_TIME, dropped).await;
    }

    /// Refunds a charge if it took place after all; tells whether its fate is known. Before the last
    /// look it is made sure that the commit is not still under way: one that waits for a standby shows
    /// to nobody for as long as there is none, but holds the lock of its balance.
    async fn refund_if_charged(&self, charge: &Charge, is_last: bool) -> Result<bool> {
        if is_last {
            self.ledger.wait_for_balance(&charge.account_id, charge.mode).await?;
        }
        let found = self.ledger.find_usage(&charge.account_id, &charge.request_id).await?;
        let Some(credits) = found else { return Ok(false) };
        if credits > 0 {
            let refund = self.ledger.enter_credits(
                &charge.account_id,
                charge.mode,
                EntryKind::Refund,
                credits,
                Some(&charge.request_id),
                charge.at_ms,
            );
            refund.await?;
            tracing::warn!(request_id = charge.request_id, credits, "given back");
        }
        Ok(true)
    }
}

fn give_up(charge: &Charge, reason: &str) {
    tracing::error!(
        request_id = charge.request_id,
        account = charge.account_id,
        credits = charge.price,
        reason,
        "a charge in doubt is given up: see panji ledger audit"
    );
}
