//! Usage: one row per answered request, summed up by day when it is old.

use super::{Debit, Ledger, Mode};
use crate::calendar::ist_day;
use crate::engine::{Transaction, Value};
use crate::error::Result;

/// One answered request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UsageRow {
    /// Whose request.
    pub account_id: String,
    /// Which request.
    pub request_id: String,
    /// In which mode.
    pub mode: Mode,
    /// With which key.
    pub key_id: String,
    /// What was asked.
    pub operation: &'static str,
    /// The HTTP status of the answer.
    pub status: i64,
    /// What it cost.
    pub credits: i64,
    /// Whether the free quota paid.
    pub free: bool,
    /// When.
    pub at_ms: i64,
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
        }
    }
}

/// A request as it is noted.
pub(super) struct NotedUsage {
    pub row: UsageRow,
    /// The day it counts for. That of a debit is the day of the balance it was charged to, so that the
    /// free calls of a day are those that its quota counted.
    pub day: String,
    /// The entry that charged it.
    pub entry_seq: Option<i64>,
}

impl NotedUsage {
    /// A request that no balance was charged for counts for the day it came.
    pub fn uncharged(row: UsageRow) -> NotedUsage {
        let day = ist_day(row.at_ms);
        NotedUsage { row, day, entry_seq: None }
    }
}

pub(super) async fn insert_usage(transaction: &mut Transaction, rows: &[NotedUsage]) -> Result<()> {
    let rows: Vec<Vec<Value<'_>>> = rows
        .iter()
        .map(|NotedUsage { row, day, entry_seq }| {
            vec![
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
                (*entry_seq).into(),
            ]
        })
        .collect();
    transaction
        .execute_each(
            "insert into usage (account_id, request_id, mode, key_id, operation, status, credits, \
             free, at, day, entry_seq) values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)",
            &rows,
        )
        .await
}

impl Ledger {
    /// Whether a request is in the ledger, and what it cost.
    pub async fn find_usage(&self, account_id: &str, request_id: &str) -> Result<Option<i64>> {
        self.engine
            .query_opt(
                "select credits from usage where account_id = $1 and request_id = $2",
                &[account_id.into(), request_id.into()],
                |row| row.get(0),
            )
            .await
    }

    /// Sums up the usage rows of days before this one, one account and day after the other, and
    /// drops them. No balance and no entry is touched. Gives the number of rows summed up.
    pub async fn roll_up_usage(&self, before_day: &str) -> Result<u64> {
        let mut rolled = 0;
        let mut accounts = self.list_accounts("").await?;
        while let Some(last) = accounts.last().map(|account| account.id.clone()) {
            for account in &accounts {
                rolled += self.roll_up_account(&account.id, before_day).await?;
            }
            accounts = self.list_accounts(&last).await?;
        }
        Ok(rolled)
    }

    /// Request ids sort by time, so an account's oldest rows are the first of its key.
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
            let Some(day) = oldest.filter(|day| day.as_str() < before_day) else {
                return Ok(rolled);
            };
            let mut transaction = self.engine.transaction().await?;
            // With the balances locked, no other node sums up the same rows and no debit adds one.
            for mode in Mode::ALL {
                transaction
                    .execute(
                        "update balances set seq = seq where account_id = $1 and mode = $2",
                        &[account_id.into(), mode.as_str().into()],
                    )
                    .await?;
            }
            let place: [Value<'_>; 2] = [account_id.into(), (&day).into()];
            transaction
                .execute(
                    "insert into usage_by_day (account_id, mode, day, operation, key_id, status, \
                     calls, free_calls, credits) \
                     select account_id, mode, day, operation, key_id, status, count(*), \
                     cast(sum(case when free then 1 else 0 end) as bigint), \
                     cast(sum(credits) as bigint) \
                     from usage where account_id = $1 and day = $2 \
                     group by account_id, mode, day, operation, key_id, status \
                     on conflict (account_id, mode, day, operation, key_id, status) do update set \
                     calls = usage_by_day.calls + excluded.calls, \
                     free_calls = usage_by_day.free_calls + excluded.free_calls, \
                     credits = usage_by_day.credits + excluded.credits",
                    &place,
                )
                .await?;
            rolled += transaction
                .execute("delete from usage where account_id = $1 and day = $2", &place)
                .await?;
            transaction.commit().await?;
        }
    }
}
