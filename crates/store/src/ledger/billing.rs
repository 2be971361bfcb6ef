//! Billing: what an account wants on its invoices, and the balance below which it is warned.

use serde::{Deserialize, Serialize};

use super::{Ledger, Mode};
use crate::engine::Transaction;
use crate::error::Result;

/// Accounts that are warned at a time.
const WARNED_AT_A_TIME: i64 = 100;
/// The highest balance below which an account can be warned.
pub const MAX_WARN_BELOW: i64 = 100_000_000;

/// What an account wants on its invoices: the buyer.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Eq, Serialize)]
pub struct BillingDetails {
    /// The buyer's name.
    pub name: String,
    /// The buyer's address, one line per line.
    pub address: String,
    /// The buyer's state, as the two digits that a GSTIN begins with.
    pub state_code: String,
    /// The buyer's GSTIN; empty without one.
    pub gstin: String,
}

/// An account whose balance has fallen below its mark.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LowBalance {
    /// The account.
    pub account_id: String,
    /// What is left.
    pub balance: i64,
    /// The mark.
    pub warn_below: i64,
}

impl Ledger {
    /// What an account wants on its invoices, once it has said so.
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

    /// Notes what an account wants on its invoices.
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
        let mark = self
            .engine
            .query_opt(
                "select warn_below from balances where account_id = $1 and mode = $2",
                &[account_id.into(), Mode::Live.as_str().into()],
                |row| row.get(0),
            )
            .await?;
        Ok(mark.unwrap_or(0))
    }

    /// Sets that balance, and begins anew.
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

    /// Accounts whose balance has fallen below their mark since they were last above it. Each is
    /// given once, to one node; an account that never had credits is not given.
    pub async fn take_low_balances(&self, now_ms: i64) -> Result<Vec<LowBalance>> {
        self.rearm_warnings().await?;
        let low = self
            .engine
            .query(
                "select account_id, balance, warn_below from balances where mode = $1 \
                 and warned_at is null and seq > 0 and balance < warn_below limit $2",
                &[Mode::Live.as_str().into(), WARNED_AT_A_TIME.into()],
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
        let risen = self
            .engine
            .query(
                "select account_id from balances where mode = $1 and warned_at is not null \
                 and balance >= warn_below limit $2",
                &[Mode::Live.as_str().into(), WARNED_AT_A_TIME.into()],
                |row| row.get::<String>(0),
            )
            .await?;
        for account_id in risen {
            let mut transaction = self.engine.transaction().await?;
            rearm_warning(&mut transaction, &account_id).await?;
            transaction.commit().await?;
        }
        Ok(())
    }
}

/// Lets an account that is above its mark be warned again when it falls.
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
