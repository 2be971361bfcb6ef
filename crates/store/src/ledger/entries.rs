//! Entries: the changes of a balance, each sealed.

use std::sync::Arc;

use super::{Ledger, Mode, Secret};
use crate::engine::Row;
use crate::error::{Result, StoreError};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EntryKind {
    Purchase,
    /// Credits granted without payment.
    Grant,
    Charge,
    /// A refunded charge. Negative: credits deducted because a payment was refunded.
    Refund,
    Adjustment,
    /// Test credits of a past day, removed.
    Expiry,
}

impl EntryKind {
    const ALL: [EntryKind; 6] = [
        EntryKind::Purchase,
        EntryKind::Grant,
        EntryKind::Charge,
        EntryKind::Refund,
        EntryKind::Adjustment,
        EntryKind::Expiry,
    ];

    pub fn as_str(self) -> &'static str {
        match self {
            EntryKind::Purchase => "purchase",
            EntryKind::Grant => "grant",
            EntryKind::Charge => "charge",
            EntryKind::Refund => "refund",
            EntryKind::Adjustment => "adjustment",
            EntryKind::Expiry => "expiry",
        }
    }

    pub(super) fn from_name(word: &str) -> Result<EntryKind> {
        EntryKind::ALL
            .into_iter()
            .find(|kind| kind.as_str() == word)
            .ok_or_else(|| StoreError::Bug(format!("an entry has the kind {word}")))
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Number within the account and mode, from 1 without gaps.
    pub seq: i64,
    pub kind: EntryKind,
    /// Credits added; negative if credits were taken.
    pub amount: i64,
    pub balance_after: i64,
    pub at: i64,
    /// The request, payment or grant of the entry; unique per kind. For a charge the key of
    /// its usage row keeps this unique.
    pub reference: Arc<str>,
}

pub(super) fn seal(secret: &Secret, account_id: &str, mode: Mode, entry: &Entry) -> String {
    secret.seal(&[
        account_id.as_bytes(),
        mode.as_str().as_bytes(),
        &entry.seq.to_le_bytes(),
        entry.kind.as_str().as_bytes(),
        &entry.amount.to_le_bytes(),
        &entry.balance_after.to_le_bytes(),
        &entry.at.to_le_bytes(),
        entry.reference.as_bytes(),
    ])
}

pub(super) fn entry(row: &Row<'_>) -> Result<Entry> {
    Ok(Entry {
        seq: row.get(0)?,
        kind: EntryKind::from_name(&row.get::<String>(1)?)?,
        amount: row.get(2)?,
        balance_after: row.get(3)?,
        at: row.get(4)?,
        reference: row.get::<String>(5)?.into(),
    })
}

impl Ledger {
    /// Entries other than charges, newest first.
    pub async fn list_credit_entries(
        &self,
        account_id: &str,
        mode: Mode,
        limit: i64,
    ) -> Result<Vec<Entry>> {
        self.engine
            .query(
                "select seq, kind, amount, balance_after, at, reference from entries \
                 where account_id = $1 and mode = $2 \
                 and kind in ('purchase', 'grant', 'refund', 'adjustment', 'expiry') \
                 order by seq desc limit $3",
                &[account_id.into(), mode.as_str().into(), limit.into()],
                entry,
            )
            .await
    }
}
