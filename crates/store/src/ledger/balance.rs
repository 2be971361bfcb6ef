//! The balance of an account in one mode, its free quota and its daily test credits.

use std::sync::{Arc, LazyLock};

use super::entries::{Entry, EntryKind, seal};
use super::{DAILY_TEST_CREDITS, Debit, Ledger, Mode, Secret, request_ids_from};
use crate::calendar::{ist_day, ist_midnight_ms};
use crate::engine::{BulkStatements, Transaction, Value};
use crate::error::{Result, StoreError};

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

const ENTRY_COLUMNS: [&str; 9] =
    ["account_id", "mode", "seq", "kind", "amount", "balance_after", "at", "reference", "seal"];

static INSERT_ENTRIES: LazyLock<BulkStatements> =
    LazyLock::new(|| BulkStatements::new("entries", &ENTRY_COLUMNS, 2));

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
    /// Entries other than charges.
    new_entries: Vec<Entry>,
}

/// A balance as it is stored.
struct StoredBalance {
    balance: i64,
    seq: i64,
    test_credits_day: String,
    quota_day: String,
    quota_used: i64,
    has_free_quota: bool,
}

impl<'a> LockedBalance<'a> {
    /// Locks the balance and starts a new day if the date has changed.
    pub async fn open(
        transaction: &mut Transaction,
        account_id: &'a str,
        mode: Mode,
        now_ms: i64,
    ) -> Result<LockedBalance<'a>> {
        let locked = LockedBalance::open_all(transaction, &[(account_id, mode, now_ms)]).await?;
        Ok(locked.into_iter().next().expect("one balance was locked"))
    }

    /// Locks several balances, in the given order.
    pub async fn open_all(
        transaction: &mut Transaction,
        wanted: &[(&'a str, Mode, i64)],
    ) -> Result<Vec<LockedBalance<'a>>> {
        let keys: Vec<Vec<Value<'_>>> = wanted
            .iter()
            .map(|(account_id, mode, _)| vec![(*account_id).into(), mode.as_str().into()])
            .collect();
        // An update that changes nothing locks and reads the row on both engines.
        let rows = transaction
            .query_each(
                "update balances set seq = seq where account_id = $1 and mode = $2 \
                 returning balance, seq, test_credits_day, quota_day, quota_used, has_free_quota",
                &keys,
                |row| {
                    Ok(StoredBalance {
                        balance: row.get(0)?,
                        seq: row.get(1)?,
                        test_credits_day: row.get(2)?,
                        quota_day: row.get(3)?,
                        quota_used: row.get(4)?,
                        has_free_quota: row.get(5)?,
                    })
                },
            )
            .await?;
        let mut locked = Vec::with_capacity(wanted.len());
        for ((account_id, mode, now_ms), mut row) in wanted.iter().zip(rows) {
            let stored = row
                .pop()
                .ok_or_else(|| StoreError::Bug(format!("account {account_id} has no balance")))?;
            locked.push(stored.on_day_of(transaction, account_id, *mode, *now_ms).await?);
        }
        Ok(locked)
    }

    fn renew_test_credits(&mut self, now_ms: i64) {
        // The sequence number makes the reference unique: a day can occur twice after a clock is
        // set back.
        let reference = format!("test:{}:{}", self.today, self.seq);
        if self.balance > 0 {
            self.add_entry(EntryKind::Expiry, -self.balance, &reference, now_ms);
        }
        self.add_entry(EntryKind::Grant, DAILY_TEST_CREDITS, &reference, now_ms);
    }

    /// Adds an entry. The caller has checked that the balance covers it; otherwise a database
    /// constraint rejects the whole transaction.
    pub fn add_entry(&mut self, kind: EntryKind, amount: i64, reference: &str, at: i64) {
        let adds_credits = match kind {
            EntryKind::Purchase | EntryKind::Grant => true,
            EntryKind::Adjustment => amount > 0,
            EntryKind::Charge | EntryKind::Refund | EntryKind::Expiry => false,
        };
        // An account that received credits was not created only for the free quota, so it gets the
        // quota.
        if adds_credits && self.quota_used == NO_FREE_QUOTA {
            self.quota_used = 0;
        }
        let entry = self.next_entry(kind, amount, reference.into(), at);
        self.new_entries.push(entry);
    }

    /// Takes the price of a call. The entry is stored by the caller, in the usage row of the call.
    pub fn charge(&mut self, debit: &Debit, price: i64) -> Entry {
        self.next_entry(EntryKind::Charge, -price, debit.request_id.clone(), debit.at_ms)
    }

    fn next_entry(&mut self, kind: EntryKind, amount: i64, reference: Arc<str>, at: i64) -> Entry {
        self.balance += amount;
        self.seq += 1;
        Entry { seq: self.seq, kind, amount, balance_after: self.balance, at, reference }
    }

    /// The last entry added since the balance was locked.
    pub fn last_entry(&self) -> Option<&Entry> {
        self.new_entries.last()
    }

    /// Writes the new entries and the new balance.
    pub async fn write(self, transaction: &mut Transaction, secret: &Secret) -> Result<()> {
        LockedBalance::write_all(&[self], transaction, secret).await
    }

    /// Writes the new entries and the new balances of all accounts together.
    pub async fn write_all(
        all: &[LockedBalance<'_>],
        transaction: &mut Transaction,
        secret: &Secret,
    ) -> Result<()> {
        let entries: Vec<(&LockedBalance<'_>, &Entry, String)> = all
            .iter()
            .flat_map(|locked| locked.new_entries.iter().map(move |entry| (locked, entry)))
            .map(|(locked, entry)| {
                (locked, entry, seal(secret, locked.account_id, locked.mode, entry))
            })
            .collect();
        let rows: Vec<[Value<'_>; ENTRY_COLUMNS.len()]> = entries
            .iter()
            .map(|(locked, entry, seal)| {
                [
                    locked.account_id.into(),
                    locked.mode.as_str().into(),
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
        let rows: Vec<&[Value<'_>]> = rows.iter().map(<[Value<'_>; _]>::as_slice).collect();
        transaction.insert_many(&INSERT_ENTRIES, &rows).await?;
        let balances: Vec<Vec<Value<'_>>> = all.iter().map(LockedBalance::as_parameters).collect();
        transaction
            .execute_each(
                "update balances set balance = $1, seq = $2, test_credits_day = $3, \
                 quota_day = $3, quota_used = $4, has_free_quota = $5 where account_id = $6 and mode = $7",
                &balances,
            )
            .await
    }

    fn as_parameters(&self) -> Vec<Value<'_>> {
        let has_free_quota = self.quota_used != NO_FREE_QUOTA;
        vec![
            self.balance.into(),
            self.seq.into(),
            (&self.today).into(),
            if has_free_quota { self.quota_used } else { 0 }.into(),
            has_free_quota.into(),
            self.account_id.into(),
            self.mode.as_str().into(),
        ]
    }
}

impl StoredBalance {
    /// The balance on the day of a call: a new one starts if the date has changed.
    async fn on_day_of<'a>(
        self,
        transaction: &mut Transaction,
        account_id: &'a str,
        mode: Mode,
        now_ms: i64,
    ) -> Result<LockedBalance<'a>> {
        let mut today = ist_day(now_ms);
        if self.quota_day <= ist_day(now_ms + MAX_AHEAD_MS) {
            // The day does not change back: a call from before midnight that is charged after it,
            // or by a node with a slow clock, counts for the stored day.
            today = today.max(self.quota_day.clone());
        }
        let quota_used = match self.quota_day == today {
            _ if !self.has_free_quota => NO_FREE_QUOTA,
            true => self.quota_used,
            false => count_free_calls(transaction, account_id, mode, &today).await?,
        };
        let mut locked = LockedBalance {
            account_id,
            mode,
            balance: self.balance,
            quota_used,
            today,
            seq: self.seq,
            new_entries: Vec::new(),
        };
        if mode == Mode::Test && self.test_credits_day < locked.today {
            locked.renew_test_credits(now_ms);
        }
        Ok(locked)
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

impl Ledger {
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
}
