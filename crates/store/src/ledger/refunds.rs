//! Refunds of charges by request id.

use super::entries::EntryKind;
use super::key_text::Mode;
use super::people::stored_mode;
use super::{CreditOutcome, Entry, Ledger};
use crate::error::Result;

/// The outcome of a refund by request id.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RefundOutcome {
    Refunded(Entry),
    /// The charge was refunded before; nothing changed.
    AlreadyRefunded(Entry),
    NotCharged,
}

impl Ledger {
    /// The mode and the credits of a request that was charged: in its usage row, or among the
    /// entries once its day was rolled up.
    async fn find_debit(&self, account_id: &str, request_id: &str) -> Result<Option<(Mode, i64)>> {
        for sql in [
            "select mode, credits from usage \
             where account_id = $1 and request_id = $2 and credits > 0",
            "select mode, -amount from entries \
             where account_id = $1 and kind = 'charge' and reference = $2",
        ] {
            let found = self
                .engine
                .query_opt(sql, &[account_id.into(), request_id.into()], |row| {
                    Ok((stored_mode(&row.get::<String>(0)?)?, row.get::<i64>(1)?))
                })
                .await?;
            if found.is_some() {
                return Ok(found);
            }
        }
        Ok(None)
    }

    /// The account that a request was charged to. Scans the requests and entries of every account.
    pub async fn find_debited_account(&self, request_id: &str) -> Result<Option<String>> {
        for sql in [
            "select account_id from usage where request_id = $1 and credits > 0 limit 1",
            "select account_id from entries where kind = 'charge' and reference = $1 limit 1",
        ] {
            let found = self.engine.query_opt(sql, &[request_id.into()], |row| row.get(0)).await?;
            if found.is_some() {
                return Ok(found);
            }
        }
        Ok(None)
    }

    /// Refunds the charge of a request, once, by an entry with the request's id.
    pub async fn refund_debit(
        &self,
        account_id: &str,
        request_id: &str,
        now_ms: i64,
    ) -> Result<RefundOutcome> {
        let charged = self.find_debit(account_id, request_id).await?;
        let Some((mode, credits)) = charged else { return Ok(RefundOutcome::NotCharged) };
        let refund = EntryKind::Refund;
        let added =
            self.add_entry(account_id, mode, refund, credits, Some(request_id), now_ms).await?;
        self.delete_unresolved(account_id, request_id).await?;
        Ok(match added {
            CreditOutcome::Added(entry) => RefundOutcome::Refunded(entry),
            CreditOutcome::AlreadyAdded(entry) => RefundOutcome::AlreadyRefunded(entry),
        })
    }
}
