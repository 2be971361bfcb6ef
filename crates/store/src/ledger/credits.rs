//! Credits: the balance of an account in one mode, and its entries.

use super::{DAILY_TEST_CREDITS, Ledger, Mode, Secret, new_id, request_ids_from};
use crate::calendar::{ist_day, ist_midnight_ms};
use crate::engine::{Row, Transaction, Value};
use crate::error::{Result, StoreError};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EntryKind {
    Purchase,
    /// Credits given without payment.
    Grant,
    Charge,
    /// A refunded charge. Negative: credits taken back because a payment was refunded.
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
    /// The request, payment or grant of the entry; unique per kind. For a charge the usage row
    /// written with it keeps this unique.
    pub reference: String,
}

/// The outcome of adding an entry, which is unique by its kind and reference.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CreditOutcome {
    /// The entry was added now.
    Entered(Entry),
    /// The reference was used before: nothing changed, and this is the earlier entry.
    AlreadyEntered(Entry),
}

impl CreditOutcome {
    pub fn into_entry(self) -> Entry {
        match self {
            CreditOutcome::Entered(entry) | CreditOutcome::AlreadyEntered(entry) => entry,
        }
    }
}

/// The balance and free quota of an account at one moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BalanceSnapshot {
    pub balance: i64,
    /// Free calls used today; [`NO_FREE_QUOTA`] if the account has no free quota.
    pub quota_used: i64,
}

impl BalanceSnapshot {
    pub fn has_free_quota(&self) -> bool {
        self.quota_used != NO_FREE_QUOTA
    }

    pub fn free_calls_used(&self) -> i64 {
        if self.has_free_quota() { self.quota_used } else { 0 }
    }
}

/// Value of `quota_used` for an account without a free quota: above any quota limit.
pub const NO_FREE_QUOTA: i64 = i64::MAX;

/// How far the day of a balance may be ahead of the clock. A day further ahead was set by a wrong
/// clock; it is reset, because otherwise there would be no new quota and no test credits until that
/// day.
const MAX_AHEAD_MS: i64 = 36 * 3600 * 1000;

/// The balance of one account and mode. Its row is locked until the transaction ends, so a decision
/// is valid across all nodes.
pub(super) struct LockedBalance<'a> {
    account_id: &'a str,
    mode: Mode,
    pub balance: i64,
    /// Free calls used today; [`NO_FREE_QUOTA`] if the account has no free quota.
    pub quota_used: i64,
    /// The day that the quota and the test credits belong to.
    pub today: String,
    /// The number of the last entry.
    pub seq: i64,
    new_entries: Vec<Entry>,
}

impl<'a> LockedBalance<'a> {
    /// Locks the balance and starts a new day if the date has changed.
    pub async fn open(
        transaction: &mut Transaction,
        account_id: &'a str,
        mode: Mode,
        now_ms: i64,
    ) -> Result<LockedBalance<'a>> {
        // An update that changes nothing locks and reads the row on both engines.
        let row = transaction
            .query_opt(
                "update balances set seq = seq where account_id = $1 and mode = $2 \
                 returning balance, seq, test_credits_day, quota_day, quota_used, has_free_quota",
                &[account_id.into(), mode.as_str().into()],
                |row| {
                    Ok((
                        row.get::<i64>(0)?,
                        row.get::<i64>(1)?,
                        row.get::<String>(2)?,
                        row.get::<String>(3)?,
                        row.get::<i64>(4)?,
                        row.get::<bool>(5)?,
                    ))
                },
            )
            .await?;
        let (balance, seq, test_credits_day, quota_day, quota_used, has_free_quota) =
            row.ok_or_else(|| StoreError::Bug(format!("account {account_id} has no balance")))?;
        let mut today = ist_day(now_ms);
        if quota_day <= ist_day(now_ms + MAX_AHEAD_MS) {
            // The day never goes back by one: a call from before midnight that is charged after it,
            // or by a node with a slow clock, counts for the current day.
            today = today.max(quota_day.clone());
        }
        let quota_used = match quota_day == today {
            _ if !has_free_quota => NO_FREE_QUOTA,
            true => quota_used,
            false => count_free_calls(transaction, account_id, mode, &today).await?,
        };
        let mut locked = LockedBalance {
            account_id,
            mode,
            balance,
            quota_used,
            today,
            seq,
            new_entries: Vec::new(),
        };
        if mode == Mode::Test && test_credits_day < locked.today {
            locked.renew_test_credits(now_ms);
        }
        Ok(locked)
    }

    fn renew_test_credits(&mut self, now_ms: i64) {
        // The sequence number makes the reference unique: a day can occur twice after a clock is
        // set back.
        let reference = format!("test:{}:{}", self.today, self.seq);
        if self.balance > 0 {
            self.enter(EntryKind::Expiry, -self.balance, &reference, now_ms);
        }
        self.enter(EntryKind::Grant, DAILY_TEST_CREDITS, &reference, now_ms);
    }

    /// Adds an entry. The caller has checked that the balance covers it; otherwise a database
    /// constraint rejects the whole transaction.
    pub fn enter(&mut self, kind: EntryKind, amount: i64, reference: &str, at: i64) {
        let gives = match kind {
            EntryKind::Purchase | EntryKind::Grant => true,
            EntryKind::Adjustment => amount > 0,
            EntryKind::Charge | EntryKind::Refund | EntryKind::Expiry => false,
        };
        // An account that was given credits is not a throwaway account, so it gets the free quota.
        if gives && self.quota_used == NO_FREE_QUOTA {
            self.quota_used = 0;
        }
        self.balance += amount;
        self.seq += 1;
        self.new_entries.push(Entry {
            seq: self.seq,
            kind,
            amount,
            balance_after: self.balance,
            at,
            reference: reference.to_owned(),
        });
    }

    /// Writes the new entries and the new balance.
    pub async fn close(self, transaction: &mut Transaction, secret: &Secret) -> Result<()> {
        let has_free_quota = self.quota_used != NO_FREE_QUOTA;
        let seals: Vec<String> = self
            .new_entries
            .iter()
            .map(|entry| seal(secret, self.account_id, self.mode, entry))
            .collect();
        let rows: Vec<Vec<Value<'_>>> = self
            .new_entries
            .iter()
            .zip(&seals)
            .map(|(entry, seal)| {
                vec![
                    self.account_id.into(),
                    self.mode.as_str().into(),
                    entry.seq.into(),
                    entry.kind.as_str().into(),
                    entry.amount.into(),
                    entry.balance_after.into(),
                    entry.at.into(),
                    (&entry.reference).into(),
                    seal.into(),
                ]
            })
            .collect();
        transaction
            .execute_each(
                "insert into entries (account_id, mode, seq, kind, amount, balance_after, at, \
                 reference, seal) values ($1, $2, $3, $4, $5, $6, $7, $8, $9)",
                &rows,
            )
            .await?;
        transaction
            .execute(
                "update balances set balance = $1, seq = $2, test_credits_day = $3, \
                 quota_day = $3, quota_used = $4, has_free_quota = $5 where account_id = $6 and mode = $7",
                &[
                    self.balance.into(),
                    self.seq.into(),
                    (&self.today).into(),
                    if has_free_quota { self.quota_used } else { 0 }.into(),
                    has_free_quota.into(),
                    self.account_id.into(),
                    self.mode.as_str().into(),
                ],
            )
            .await?;
        Ok(())
    }
}

/// Free calls made on a day: normally 0 on a new day, but a wrong clock may have used that day
/// before. Request ids sort by time, so few rows are read; the hour on both sides allows for clock
/// differences.
async fn count_free_calls(
    transaction: &mut Transaction,
    account_id: &str,
    mode: Mode,
    day: &str,
) -> Result<i64> {
    const HOUR_MS: i64 = 3_600_000;
    let midnight_ms = ist_midnight_ms(day);
    let counted = transaction
        .query_opt(
            "select count(*) from usage where account_id = $1 and request_id >= $2 \
             and request_id < $3 and mode = $4 and day = $5 and free",
            &[
                account_id.into(),
                (&request_ids_from(midnight_ms - HOUR_MS)).into(),
                (&request_ids_from(midnight_ms + 25 * HOUR_MS)).into(),
                mode.as_str().into(),
                day.into(),
            ],
            |row| row.get(0),
        )
        .await?;
    Ok(counted.unwrap_or(0))
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
            return Ok(CreditOutcome::AlreadyEntered(earlier));
        }
        if locked.balance + amount < 0 {
            return Err(StoreError::Conflict(format!(
                "the balance is {}, which does not cover {}",
                locked.balance, -amount
            )));
        }
        locked.enter(kind, amount, reference, now_ms);
        let entered = locked.new_entries.last().cloned().expect("an entry was just added");
        locked.close(&mut transaction, &self.secret).await?;
        transaction.commit().await?;
        Ok(CreditOutcome::Entered(entered))
    }

    /// Waits until the lock on the balance row is released. Changes nothing.
    pub(super) async fn wait_for_balance(&self, account_id: &str, mode: Mode) -> Result<()> {
        let lock = "update balances set seq = seq where account_id = $1 and mode = $2";
        self.engine.execute(lock, &[account_id.into(), mode.as_str().into()]).await.map(drop)
    }

    pub async fn find_balance(
        &self,
        account_id: &str,
        mode: Mode,
        now_ms: i64,
    ) -> Result<Option<BalanceSnapshot>> {
        let today = ist_day(now_ms);
        self.engine
            .query_opt(
                "select balance, test_credits_day, quota_day, quota_used, has_free_quota \
                 from balances where account_id = $1 and mode = $2",
                &[account_id.into(), mode.as_str().into()],
                |row| {
                    let test_credits_day = row.get::<String>(1)?;
                    let quota_day = row.get::<String>(2)?;
                    // The first call of a new day writes its test credits and quota.
                    let renewed = mode == Mode::Test && test_credits_day < today;
                    Ok(BalanceSnapshot {
                        balance: if renewed { DAILY_TEST_CREDITS } else { row.get(0)? },
                        quota_used: match row.get::<bool>(4)? {
                            false => NO_FREE_QUOTA,
                            true if quota_day >= today => row.get(3)?,
                            true => 0,
                        },
                    })
                },
            )
            .await
    }

    /// Entries below a sequence number, newest first.
    pub async fn list_entries(
        &self,
        account_id: &str,
        mode: Mode,
        before: i64,
        limit: i64,
    ) -> Result<Vec<Entry>> {
        self.engine
            .query(
                "select seq, kind, amount, balance_after, at, reference from entries \
                 where account_id = $1 and mode = $2 and seq < $3 order by seq desc limit $4",
                &[account_id.into(), mode.as_str().into(), before.into(), limit.into()],
                entry,
            )
            .await
    }

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

pub(super) fn entry(row: &Row<'_>) -> Result<Entry> {
    Ok(Entry {
        seq: row.get(0)?,
        kind: EntryKind::from_name(&row.get::<String>(1)?)?,
        amount: row.get(2)?,
        balance_after: row.get(3)?,
        at: row.get(4)?,
        reference: row.get(5)?,
    })
}
