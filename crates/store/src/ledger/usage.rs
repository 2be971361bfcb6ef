//! Usage: one row per completed request, which is also its charge; rolled up by day when it is old.

use std::sync::{Arc, LazyLock};

use super::entries::{Entry, seal};
use super::{Debit, Ledger, Mode, Secret};
use crate::calendar::ist_day;
use crate::engine::{BulkStatements, Transaction, Value};
use crate::error::Result;

/// What is stored about a single request besides its charge, for as long as its row.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RequestDetails {
    /// What was asked for, redacted as in the log; none if the request names nothing.
    pub subject: Option<Arc<str>>,
    /// Microseconds from the arrival of the request until its response was ready; the wait for the
    /// commit is not included.
    pub duration_us: Option<i64>,
    /// The method and the address that was called, redacted as in the log.
    pub target: Option<Arc<str>>,
    /// Why it failed, redacted; none for a success.
    pub error_message: Option<Arc<str>>,
    /// Who made the call in the console.
    pub person_id: Option<Arc<str>>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UsageRow {
    pub account_id: Arc<str>,
    pub request_id: Arc<str>,
    pub mode: Mode,
    pub key_id: Arc<str>,
    pub operation: &'static str,
    pub status: i64,
    pub credits: i64,
    /// Whether the free quota was used.
    pub free: bool,
    pub at_ms: i64,
    /// None for a success.
    pub error_code: Option<&'static str>,
    pub details: RequestDetails,
}

impl UsageRow {
    pub(super) fn of_charge(debit: &Debit, credits: i64) -> UsageRow {
        UsageRow {
            account_id: debit.account_id.clone(),
            request_id: debit.request_id.clone(),
            mode: debit.mode,
            key_id: debit.key_id.clone(),
            operation: debit.operation,
            status: 200,
            credits,
            free: debit.quota_eligible && debit.price > 0 && credits == 0,
            at_ms: debit.at_ms,
            error_code: None,
            details: debit.details.clone(),
        }
    }
}

/// A usage row as it is stored.
pub(super) struct StoredUsage {
    pub row: UsageRow,
    /// The day the request counts for. For a debit this is the day of the charged balance, so that
    /// the free calls of a day match its quota.
    pub day: Arc<str>,
    /// Its charge, stored nowhere else.
    pub entry: Option<Entry>,
}

impl StoredUsage {
    /// A request without a charge counts for the day it arrived.
    pub fn uncharged(row: UsageRow) -> StoredUsage {
        let day = ist_day(row.at_ms).into();
        StoredUsage { row, day, entry: None }
    }
}

/// Rows that one transaction rolls up at most: debits of the account wait for it.
const MAX_ROLLED_UP: i64 = 5_000;

const USAGE_COLUMNS: [&str; 19] = [
    "account_id",
    "request_id",
    "mode",
    "key_id",
    "operation",
    "status",
    "credits",
    "free",
    "at",
    "day",
    "entry_seq",
    "balance_after",
    "seal",
    "subject",
    "error_code",
    "duration_us",
    "target",
    "error_message",
    "person_id",
];

static INSERT_USAGE: LazyLock<BulkStatements> =
    LazyLock::new(|| BulkStatements::new("usage", &USAGE_COLUMNS, 2));

pub(super) async fn insert_usage(
    transaction: &mut Transaction,
    secret: &Secret,
    rows: &[StoredUsage],
) -> Result<()> {
    let seals: Vec<Option<String>> = rows
        .iter()
        .map(|StoredUsage { row, entry, .. }| {
            entry.as_ref().map(|entry| seal(secret, &row.account_id, row.mode, entry))
        })
        .collect();
    let rows: Vec<[Value<'_>; USAGE_COLUMNS.len()]> = rows
        .iter()
        .zip(&seals)
        .map(|(StoredUsage { row, day, entry }, seal)| {
            [
                (&row.account_id).into(),
                (&row.request_id).into(),
                row.mode.as_str().into(),
                (&row.key_id).into(),
                row.operation.into(),
                row.status.into(),
                row.credits.into(),
                row.free.into(),
                row.at_ms.into(),
                day.into(),
                entry.as_ref().map(|entry| entry.seq).into(),
                entry.as_ref().map(|entry| entry.balance_after).into(),
                seal.as_deref().into(),
                row.details.subject.as_deref().into(),
                row.error_code.into(),
                row.details.duration_us.into(),
                row.details.target.as_deref().into(),
                row.details.error_message.as_deref().into(),
                row.details.person_id.as_deref().into(),
            ]
        })
        .collect();
    let rows: Vec<&[Value<'_>]> = rows.iter().map(<[Value<'_>; _]>::as_slice).collect();
    transaction.insert_many(&INSERT_USAGE, &rows).await
}

impl Ledger {
    /// The credits that a request cost; `None` if it is not in the ledger.
    pub async fn find_usage(&self, account_id: &str, request_id: &str) -> Result<Option<i64>> {
        self.engine
            .query_opt(
                "select credits from usage where account_id = $1 and request_id = $2",
                &[account_id.into(), request_id.into()],
                |row| row.get(0),
            )
            .await
    }

    /// Rolls up and deletes the usage rows of days before `before_day`. Their charges move to the
    /// entries. Returns the number of rows. An account that fails does not stop the others; the
    /// first error is returned at the end.
    pub async fn roll_up_usage(&self, before_day: &str) -> Result<u64> {
        let (mut rolled, mut failed) = (0, Ok(()));
        let mut accounts = self.list_accounts("").await?;
        while let Some(last) = accounts.last().map(|account| account.id.clone()) {
            for account in &accounts {
                match self.roll_up_account(&account.id, before_day).await {
                    Ok(rows) => rolled += rows,
                    Err(error) => failed = failed.and(Err(error)),
                }
            }
            accounts = self.list_accounts(&last).await?;
        }
        failed.map(|()| rolled)
    }

    /// Request ids sort by time, so an account's oldest rows come first in the index.
    async fn roll_up_account(&self, account_id: &str, before_day: &str) -> Result<u64> {
        let mut rolled = 0;
        loop {
            let oldest: Option<String> = self
                .engine
                .query_opt(
                    "select day from usage where account_id = $1 order by request_id limit 1",
                    &[account_id.into()],
                    |row| row.get(0),
                )
                .await?;
            match oldest.filter(|day| day.as_str() < before_day) {
                Some(day) => rolled += self.roll_up_rows(account_id, &day).await?,
                None => return Ok(rolled),
            }
        }
    }

    /// Rolls up the oldest rows of an account and day, in one transaction.
    async fn roll_up_rows(&self, account_id: &str, day: &str) -> Result<u64> {
        let mut transaction = self.engine.transaction().await?;
        // With the balances locked, no other node rolls up the same rows and no debit adds one.
        for mode in Mode::ALL {
            transaction
                .execute(
                    "update balances set seq = seq where account_id = $1 and mode = $2",
                    &[account_id.into(), mode.as_str().into()],
                )
                .await?;
        }
        let newest: Option<Option<String>> = transaction
            .query_opt(
                "select max(request_id) from (select request_id from usage \
                 where account_id = $1 and day = $2 order by request_id limit $3) as oldest",
                &[account_id.into(), day.into(), MAX_ROLLED_UP.into()],
                |row| row.get(0),
            )
            .await?;
        let Some(newest) = newest.flatten() else { return Ok(0) };
        let rows: [Value<'_>; 3] = [account_id.into(), day.into(), (&newest).into()];
        transaction
            .execute(
                "insert into usage_by_day (account_id, mode, day, operation, key_id, status, \
                 calls, free_calls, credits) \
                 select account_id, mode, day, operation, key_id, status, count(*), \
                 cast(sum(case when free then 1 else 0 end) as bigint), \
                 cast(sum(credits) as bigint) \
                 from usage where account_id = $1 and day = $2 and request_id <= $3 \
                 group by account_id, mode, day, operation, key_id, status \
                 on conflict (account_id, mode, day, operation, key_id, status) do update set \
                 calls = usage_by_day.calls + excluded.calls, \
                 free_calls = usage_by_day.free_calls + excluded.free_calls, \
                 credits = usage_by_day.credits + excluded.credits",
                &rows,
            )
            .await?;
        transaction
            .execute(
                "insert into entries (account_id, mode, seq, kind, amount, balance_after, at, \
                 reference, seal) select account_id, mode, entry_seq, 'charge', -credits, \
                 balance_after, at, request_id, seal from usage \
                 where account_id = $1 and day = $2 and request_id <= $3 and seal is not null",
                &rows,
            )
            .await?;
        let rolled = transaction
            .execute(
                "delete from usage where account_id = $1 and day = $2 and request_id <= $3",
                &rows,
            )
            .await?;
        transaction.commit().await?;
        Ok(rolled)
    }
}
