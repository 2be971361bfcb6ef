//! Billing: the buyer's details for invoices, and the low-balance warning.

use serde::{Deserialize, Serialize};

use super::{Ledger, Mode};
use crate::engine::Transaction;
use crate::error::Result;

/// Warnings sent at a time.
const MAX_WARNINGS: i64 = 100;
/// The highest balance at which a warning can be set.
pub const MAX_WARN_BELOW: i64 = 100_000_000;

/// The buyer's details for invoices.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Eq, Serialize)]
pub struct BillingDetails {
    pub name: String,
    /// Postal address, one line per line of text.
    pub address: String,
    /// The two digits that a GSTIN of the state starts with.
    pub state_code: String,
    /// Empty if the buyer has none.
    pub gstin: String,
}

/// An account whose balance has fallen below its warning threshold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LowBalance {
    pub account_id: String,
    pub balance: i64,
    pub warn_below: i64,
}

impl Ledger {
    /// `None` until the account has set them.
    pub async fn find_billing_details(&self, account_id: &str) -> Result<Option<BillingDetails>> {
        self.engine
            .query_opt(
                "select name, address, state_code, gstin from billing_details \
                 where account_id = $1",
                &[account_id.into()],
                |row| {
                    Ok(BillingDetails {
                        name: row.get(0)?,
                        address: row.get(1)?,
                        state_code: row.get(2)?,
                        gstin: row.get(3)?,
                    })
                },
            )
            .await
    }

    pub async fn set_billing_details(
        &self,
        account_id: &str,
        details: &BillingDetails,
    ) -> Result<()> {
        self.engine
            .execute(
                "insert into billing_details (account_id, name, address, state_code, gstin) \
                 values ($1, $2, $3, $4, $5) on conflict (account_id) do update set \
                 name = excluded.name, address = excluded.address, \
                 state_code = excluded.state_code, gstin = excluded.gstin",
                &[
                    account_id.into(),
                    (&details.name).into(),
                    (&details.address).into(),
                    (&details.state_code).into(),
                    (&details.gstin).into(),
                ],
            )
            .await?;
        Ok(())
    }

    /// The balance below which an account is warned; 0 for never.
    pub async fn find_warn_below(&self, account_id: &str) -> Result<i64> {
        let threshold = self
            .engine
            .query_opt(
                "select warn_below from balances where account_id = $1 and mode = $2",
                &[account_id.into(), Mode::Live.as_str().into()],
                |row| row.get(0),
            )
            .await?;
        Ok(threshold.unwrap_or(0))
    }

    /// Sets the threshold and allows a new warning.
    pub async fn set_warn_below(&self, account_id: &str, warn_below: i64) -> Result<()> {
        self.engine
            .execute(
                "update balances set warn_below = $1, warned_at = null \
                 where account_id = $2 and mode = $3",
                &[
                    warn_below.clamp(0, MAX_WARN_BELOW).into(),
                    account_id.into(),
                    Mode::Live.as_str().into(),
                ],
            )
            .await?;
        Ok(())
    }

    /// Accounts whose balance has fallen below the threshold since the last warning was re-armed.
    /// Each is returned once, to one node; an account that never had credits is not returned.
    pub async fn take_low_balances(&self, now_ms: i64) -> Result<Vec<LowBalance>> {
        self.rearm_warnings().await?;
        let low = self
            .engine
            .query(
                "select account_id, balance, warn_below from balances where mode = $1 \
                 and warned_at is null and seq > 0 and balance < warn_below limit $2",
                &[Mode::Live.as_str().into(), MAX_WARNINGS.into()],
                |row| {
                    Ok(LowBalance {
                        account_id: row.get(0)?,
                        balance: row.get(1)?,
                        warn_below: row.get(2)?,
                    })
                },
            )
            .await?;
        let mut taken = Vec::new();
        for account in low {
            let marked = self
                .engine
                .execute(
                    "update balances set warned_at = $1 where account_id = $2 and mode = $3 \
                     and warned_at is null and balance < warn_below",
                    &[now_ms.into(), (&account.account_id).into(), Mode::Live.as_str().into()],
                )
                .await?;
            if marked > 0 {
                taken.push(account);
            }
        }
        Ok(taken)
    }

    async fn rearm_warnings(&self) -> Result<()> {
        let above_threshold = self
            .engine
            .query(
                "select account_id from balances where mode = $1 and warned_at is not null \
                 and balance >= warn_below limit $2",
                &[Mode::Live.as_str().into(), MAX_WARNINGS.into()],
                |row| row.get::<String>(0),
            )
            .await?;
        for account_id in above_threshold {
            let mut transaction = self.engine.transaction().await?;
            rearm_warning(&mut transaction, &account_id).await?;
            transaction.commit().await?;
        }
        Ok(())
    }
}

/// Re-arms the warning of an account whose balance is at or above the threshold.
pub(super) async fn rearm_warning(transaction: &mut Transaction, account_id: &str) -> Result<()> {
    transaction
        .execute(
            "update balances set warned_at = null where account_id = $1 and mode = $2 \
             and warned_at is not null and balance >= warn_below",
            &[account_id.into(), Mode::Live.as_str().into()],
        )
        .await?;
    Ok(())
}
