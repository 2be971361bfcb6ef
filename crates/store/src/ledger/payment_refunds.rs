//! Refunds of payments: the credits that a payment bought are deducted as far as the balance
//! allows. The rest is owed, and deducted from the next purchase.

use super::balance::LockedBalance;
use super::entries::EntryKind;
use super::orders::{Order, lock_order};
use super::{Ledger, Mode};
use crate::engine::{Row, Transaction};
use crate::error::Result;

const MAX_REFUNDS: i64 = 200;

/// A refund confirmed by the payment provider.
#[derive(Clone, Copy, Debug)]
pub struct NewPaymentRefund<'a> {
    /// The provider's id of the refund.
    pub id: &'a str,
    pub order_id: &'a str,
    pub payment_id: &'a str,
    /// In paise.
    pub amount: i64,
}

/// A refund of a payment that bought credits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PaymentRefund {
    /// The provider's id of the refund.
    pub id: String,
    pub account_id: String,
    pub order_id: String,
    /// In paise.
    pub amount: i64,
    /// Credits to deduct for it.
    pub credits: i64,
    /// Credits that the balance covered at once. The others are owed until a purchase covers them.
    pub deducted: i64,
    /// When the refund was reported.
    pub at: i64,
}

/// What recording a refund of the payment provider did to the balance.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PaymentRefundOutcome {
    /// The credits were deducted now, or are owed.
    Deducted(PaymentRefund),
    /// The payment has bought no credits yet, so nothing is deducted; if it does later, the
    /// refund is applied then.
    BoughtNothing,
    /// The refund was processed before; nothing changed.
    Repeated,
    Unknown,
}

impl Ledger {
    /// Deducts the credits of a refund, once, in one transaction. A partial refund deducts the same
    /// fraction of the credits, rounded down over all refunds of the payment.
    pub async fn deduct_refunded_credits(
        &self,
        refund: NewPaymentRefund<'_>,
        now_ms: i64,
    ) -> Result<PaymentRefundOutcome> {
        let mut transaction = self.engine.transaction().await?;
        let Some(order) = lock_order(&mut transaction, refund.order_id).await? else {
            return Ok(PaymentRefundOutcome::Unknown);
        };
        let Some(credits) = record_refund(&mut transaction, refund, &order, now_ms).await? else {
            return Ok(PaymentRefundOutcome::Repeated);
        };
        if order.payment_id.as_deref() != Some(refund.payment_id) {
            transaction.commit().await?;
            return Ok(PaymentRefundOutcome::BoughtNothing);
        }
        let account_id = order.account_id.as_str();
        let mut locked =
            LockedBalance::open(&mut transaction, account_id, Mode::Live, now_ms).await?;
        let deducted = deduct(&mut transaction, &mut locked, (refund.id, credits), now_ms).await?;
        locked.write(&mut transaction, &self.secret).await?;
        add_owed(&mut transaction, account_id, credits - deducted).await?;
        transaction.commit().await?;
        Ok(PaymentRefundOutcome::Deducted(PaymentRefund {
            id: refund.id.to_owned(),
            amount: refund.amount,
            credits,
            deducted,
            at: now_ms,
            account_id: order.account_id,
            order_id: order.id,
        }))
    }

    /// The refunds of an account that reverse credits, newest first.
    pub async fn list_payment_refunds(&self, account_id: &str) -> Result<Vec<PaymentRefund>> {
        self.engine
            .query(
                "select id, account_id, order_id, amount, credits, taken, at from payment_refunds \
                 where account_id = $1 and taken is not null order by at desc, id desc limit $2",
                &[account_id.into(), MAX_REFUNDS.into()],
                refund,
            )
            .await
    }

    /// Credits of refunded payments that the balance did not cover; the next purchase pays them.
    pub async fn find_owed(&self, account_id: &str) -> Result<i64> {
        let owed = self
            .engine
            .query_opt(
                "select owed from balances where account_id = $1 and mode = $2",
                &[account_id.into(), Mode::Live.as_str().into()],
                |row| row.get(0),
            )
            .await?;
        Ok(owed.unwrap_or(0))
    }

    /// All credits that refunds of an account reverse, deducted or owed.
    pub(super) async fn sum_payment_refunds(&self, account_id: &str) -> Result<i64> {
        let sum = self
            .engine
            .query_opt(
                "select coalesce(cast(sum(credits) as bigint), 0) from payment_refunds \
                 where account_id = $1 and taken is not null",
                &[account_id.into()],
                |row| row.get(0),
            )
            .await?;
        Ok(sum.unwrap_or(0))
    }
}

/// Records a refund of a locked order. Returns the credits to deduct, or `None` if it was
/// recorded before.
async fn record_refund(
    transaction: &mut Transaction,
    refund: NewPaymentRefund<'_>,
    order: &Order,
    now_ms: i64,
) -> Result<Option<i64>> {
    let earlier = transaction
        .query_opt(
            "select coalesce(cast(sum(amount) as bigint), 0), \
             coalesce(cast(sum(credits) as bigint), 0) from payment_refunds \
             where order_id = $1 and payment_id = $2",
            &[refund.order_id.into(), refund.payment_id.into()],
            |row| Ok((row.get::<i64>(0)?, row.get::<i64>(1)?)),
        )
        .await?;
    let (earlier_amount, earlier_credits) = earlier.unwrap_or_default();
    let refunded = earlier_amount.saturating_add(refund.amount);
    let credits = credits_for(order, refunded).saturating_sub(earlier_credits).max(0);
    let recorded = transaction
        .execute(
            "insert into payment_refunds (id, account_id, order_id, payment_id, amount, credits, at) \
             values ($1, $2, $3, $4, $5, $6, $7) on conflict (id) do nothing",
            &[
                refund.id.into(),
                (&order.account_id).into(),
                (&order.id).into(),
                refund.payment_id.into(),
                refund.amount.into(),
                credits.into(),
                now_ms.into(),
            ],
        )
        .await?;
    Ok((recorded > 0).then_some(credits))
}

/// The credits of an order that an amount of paise bought.
fn credits_for(order: &Order, paise: i64) -> i64 {
    let paise = paise.clamp(0, order.total.max(0));
    if paise == order.total {
        return order.credits;
    }
    let part = i128::from(order.credits) * i128::from(paise) / i128::from(order.total);
    i64::try_from(part).unwrap_or(order.credits)
}

/// Deducts the credits of a refund as far as the balance allows. Returns how many.
async fn deduct(
    transaction: &mut Transaction,
    locked: &mut LockedBalance<'_>,
    (refund_id, credits): (&str, i64),
    now_ms: i64,
) -> Result<i64> {
    let deducted = credits.min(locked.balance);
    if deducted > 0 {
        locked.add_entry(EntryKind::Refund, -deducted, refund_id, now_ms);
    }
    transaction
        .execute(
            "update payment_refunds set taken = $1 where id = $2",
            &[deducted.into(), refund_id.into()],
        )
        .await?;
    Ok(deducted)
}

/// Deducts owed credits from a purchase that was just added, and credits of refunds that were
/// reported before the payment itself.
pub(super) async fn deduct_owed(
    transaction: &mut Transaction,
    locked: &mut LockedBalance<'_>,
    order: &Order,
    payment_id: &str,
    now_ms: i64,
) -> Result<()> {
    let owed = transaction
        .query_opt(
            "select owed from balances where account_id = $1 and mode = $2",
            &[(&order.account_id).into(), Mode::Live.as_str().into()],
            |row| row.get::<i64>(0),
        )
        .await?
        .unwrap_or(0);
    let deducted = owed.min(order.credits);
    if deducted > 0 {
        locked.add_entry(EntryKind::Refund, -deducted, &format!("owed:{}", order.id), now_ms);
    }
    let waiting = transaction
        .query(
            "select id, credits from payment_refunds \
             where order_id = $1 and payment_id = $2 and taken is null order by at, id",
            &[(&order.id).into(), payment_id.into()],
            |row| Ok((row.get::<String>(0)?, row.get::<i64>(1)?)),
        )
        .await?;
    let mut more_owed = -deducted;
    for (refund_id, credits) in waiting {
        more_owed += credits - deduct(transaction, locked, (&refund_id, credits), now_ms).await?;
    }
    add_owed(transaction, &order.account_id, more_owed).await
}

async fn add_owed(transaction: &mut Transaction, account_id: &str, credits: i64) -> Result<()> {
    if credits != 0 {
        transaction
            .execute(
                "update balances set owed = owed + $1 where account_id = $2 and mode = $3",
                &[credits.into(), account_id.into(), Mode::Live.as_str().into()],
            )
            .await?;
    }
    Ok(())
}

fn refund(row: &Row<'_>) -> Result<PaymentRefund> {
    Ok(PaymentRefund {
        id: row.get(0)?,
        account_id: row.get(1)?,
        order_id: row.get(2)?,
        amount: row.get(3)?,
        credits: row.get(4)?,
        deducted: row.get(5)?,
        at: row.get(6)?,
    })
}
