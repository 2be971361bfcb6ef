//! The rows of unresolved charges, and the refunds that are missing for them.

use super::key_text::Mode;
use super::people::stored_mode;
use super::{Debit, Ledger};
use crate::calendar::now_ms;
use crate::engine::{Row, Value};
use crate::error::Result;

/// The most charges in one audit report.
const MAX_REPORTED: i64 = 10_000;
/// A younger charge is still being checked by the node that made it.
const RESOLVING_MS: i64 = 10 * 60 * 1000;

/// A charge whose commit was not confirmed and whose caller got an error.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnresolvedChargeRow {
    pub account_id: String,
    pub request_id: String,
    pub mode: Mode,
    pub price: i64,
    pub at: i64,
}

impl UnresolvedChargeRow {
    pub(super) fn of(charge: &Debit) -> UnresolvedChargeRow {
        UnresolvedChargeRow {
            account_id: charge.account_id.to_string(),
            request_id: charge.request_id.to_string(),
            mode: charge.mode,
            price: charge.price,
            at: charge.at_ms,
        }
    }
}

/// An unresolved charge that did take place and was not refunded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MissingRefund {
    pub account_id: String,
    pub request_id: String,
    pub mode: Mode,
    pub credits: i64,
    pub at: i64,
}

impl Ledger {
    /// Stores a row for each charge. An existing row is unchanged.
    pub async fn record_unresolved(&self, charges: &[UnresolvedChargeRow]) -> Result<()> {
        let rows: Vec<Vec<Value<'_>>> = charges
            .iter()
            .map(|charge| {
                vec![
                    (&charge.account_id).into(),
                    (&charge.request_id).into(),
                    charge.mode.as_str().into(),
                    charge.price.into(),
                    charge.at.into(),
                ]
            })
            .collect();
        let mut transaction = self.engine.transaction().await?;
        transaction
            .execute_each(
                "insert into unresolved_charges (account_id, request_id, mode, price, at) \
                 values ($1, $2, $3, $4, $5) on conflict (account_id, request_id) do nothing",
                &rows,
            )
            .await?;
        transaction.commit().await
    }

    /// Deletes the row of a resolved charge.
    pub async fn delete_unresolved(&self, account_id: &str, request_id: &str) -> Result<()> {
        self.engine
            .execute(
                "delete from unresolved_charges where account_id = $1 and request_id = $2",
                &[account_id.into(), request_id.into()],
            )
            .await
            .map(drop)
    }

    /// The unresolved charges that did take place and were not refunded.
    pub async fn list_missing_refunds(&self) -> Result<Vec<MissingRefund>> {
        let mut missing = Vec::new();
        for sql in [
            "select unresolved_charges.account_id, unresolved_charges.request_id, \
             unresolved_charges.mode, usage.credits, unresolved_charges.at \
             from unresolved_charges join usage \
             on usage.account_id = unresolved_charges.account_id \
             and usage.request_id = unresolved_charges.request_id and usage.credits > 0 \
             left join entries as refunded \
             on refunded.account_id = unresolved_charges.account_id \
             and refunded.mode = unresolved_charges.mode and refunded.kind = 'refund' \
             and refunded.reference = unresolved_charges.request_id \
             where refunded.seq is null and unresolved_charges.at < $1 \
             order by unresolved_charges.account_id, unresolved_charges.request_id limit $2",
            // A charge of a day that was rolled up.
            "select unresolved_charges.account_id, unresolved_charges.request_id, \
             unresolved_charges.mode, -charged.amount, unresolved_charges.at \
             from unresolved_charges join entries as charged \
             on charged.account_id = unresolved_charges.account_id \
             and charged.mode = unresolved_charges.mode and charged.kind = 'charge' \
             and charged.reference = unresolved_charges.request_id \
             left join usage on usage.account_id = unresolved_charges.account_id \
             and usage.request_id = unresolved_charges.request_id \
             left join entries as refunded \
             on refunded.account_id = unresolved_charges.account_id \
             and refunded.mode = unresolved_charges.mode and refunded.kind = 'refund' \
             and refunded.reference = unresolved_charges.request_id \
             where usage.request_id is null and refunded.seq is null \
             and unresolved_charges.at < $1 \
             order by unresolved_charges.account_id, unresolved_charges.request_id limit $2",
        ] {
            let parameters: [Value<'_>; 2] =
                [(now_ms() - RESOLVING_MS).into(), MAX_REPORTED.into()];
            missing.extend(self.engine.query(sql, &parameters, missing_refund).await?);
        }
        Ok(missing)
    }
}

fn missing_refund(row: &Row<'_>) -> Result<MissingRefund> {
    Ok(MissingRefund {
        account_id: row.get(0)?,
        request_id: row.get(1)?,
        mode: stored_mode(&row.get::<String>(2)?)?,
        credits: row.get(3)?,
        at: row.get(4)?,
    })
}
