//! Orders: purchases of credits, which are added exactly once when paid.

use super::balance::LockedBalance;
use super::billing::{BillingDetails, rearm_warning};
use super::entries::EntryKind;
use super::invoices::{NewInvoice, issue};
use super::payment_refunds::deduct_owed;
use super::{Ledger, Mode};
use crate::engine::{Row, Transaction};
use crate::error::{Result, StoreError};

/// Unpaid orders per account and day.
const MAX_UNPAID: i64 = 200;
const DAY_MS: i64 = 24 * 3600 * 1000;
/// Rows deleted in one statement, so that charges do not wait.
const DELETE_BATCH: i64 = 10_000;
/// How long payment events are stored; providers repeat them for a day or two.
const EVENT_RETENTION_MS: i64 = 90 * DAY_MS;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Order {
    /// The payment provider's id; also the reference of the ledger entry.
    pub id: String,
    pub account_id: String,
    /// The payment provider.
    pub provider: String,
    /// Credits to add.
    pub credits: i64,
    /// Price in paise, including tax.
    pub total: i64,
    /// The buyer at the time of the order, for the invoice; `None` after the account is erased.
    pub buyer: Option<BillingDetails>,
    pub created_at: i64,
    pub paid_at: Option<i64>,
    /// The provider's id of the payment.
    pub payment_id: Option<String>,
}

/// A payment confirmed by the provider.
#[derive(Clone, Copy, Debug)]
pub struct Payment<'a> {
    pub order_id: &'a str,
    /// The provider's id of the payment.
    pub payment_id: &'a str,
    /// In paise.
    pub amount: i64,
    /// The webhook event that reported it, if any.
    pub event_id: Option<&'a str>,
}

/// The outcome of a payment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Settlement {
    /// The credits were added now.
    Settled(Order),
    /// The credits were added before; nothing changed.
    AlreadySettled(Order),
    /// The event was processed before; nothing changed.
    Repeated,
    Unknown,
    /// The amount differs from the order; nothing was added.
    WrongAmount(Order),
}

impl Ledger {
    pub async fn create_order(&self, order: &Order) -> Result<()> {
        let buyer = buyer_json(order.buyer.as_ref())?;
        let mut transaction = self.engine.transaction().await?;
        let unpaid = transaction
            .query_opt(
                "select count(*) from orders \
                 where account_id = $1 and created_at > $2 and paid_at is null",
                &[(&order.account_id).into(), (order.created_at - DAY_MS).into()],
                |row| row.get::<i64>(0),
            )
            .await?;
        if unpaid.unwrap_or(0) >= MAX_UNPAID {
            return Err(StoreError::Conflict(format!(
                "an account can have {MAX_UNPAID} unpaid orders a day"
            )));
        }
        transaction
            .execute(
                "insert into orders (id, account_id, provider, credits, total, buyer, created_at) \
                 values ($1, $2, $3, $4, $5, $6, $7)",
                &[
                    (&order.id).into(),
                    (&order.account_id).into(),
                    (&order.provider).into(),
                    order.credits.into(),
                    order.total.into(),
                    (&buyer).into(),
                    order.created_at.into(),
                ],
            )
            .await?;
        transaction.commit().await
    }

    pub async fn find_order(&self, order_id: &str) -> Result<Option<Order>> {
        self.engine
            .query_opt(
                "select id, account_id, provider, credits, total, buyer, created_at, paid_at, \
                 payment_id from orders where id = $1",
                &[order_id.into()],
                order,
            )
            .await
    }

    /// Adds the credits of a payment and issues its invoice, in one transaction and only once,
    /// even if the payment is reported several times. `invoice` returns the content. An order
    /// without a buyer is an error: no invoice could be issued, so nothing is added.
    pub async fn settle_payment(
        &self,
        payment: Payment<'_>,
        invoice: impl Fn(&Order, &BillingDetails) -> NewInvoice,
        now_ms: i64,
    ) -> Result<Settlement> {
        let mut transaction = self.engine.transaction().await?;
        if let Some(event_id) = payment.event_id
            && !record_event(&mut transaction, event_id, payment.order_id, now_ms).await?
        {
            return Ok(Settlement::Repeated);
        }
        let Some(order) = lock_order(&mut transaction, payment.order_id).await? else {
            transaction.commit().await?;
            return Ok(Settlement::Unknown);
        };
        if order.paid_at.is_some() {
            transaction.commit().await?;
            return Ok(Settlement::AlreadySettled(order));
        }
        if payment.amount != order.total {
            transaction.commit().await?;
            return Ok(Settlement::WrongAmount(order));
        }
        let no_buyer = || StoreError::Bug(format!("order {} has no buyer", order.id));
        let buyer = order.buyer.clone().ok_or_else(no_buyer)?;
        let paid = self.add_purchase(&mut transaction, order, payment.payment_id, now_ms).await?;
        issue(&mut transaction, &paid, &invoice(&paid, &buyer), now_ms).await?;
        transaction.commit().await?;
        Ok(Settlement::Settled(paid))
    }

    /// Adds the credits of an order to the balance and marks the order as paid.
    async fn add_purchase(
        &self,
        transaction: &mut Transaction,
        order: Order,
        payment_id: &str,
        now_ms: i64,
    ) -> Result<Order> {
        let mut locked =
            LockedBalance::open(transaction, &order.account_id, Mode::Live, now_ms).await?;
        locked.add_entry(EntryKind::Purchase, order.credits, &order.id, now_ms);
        deduct_owed(transaction, &mut locked, &order, payment_id, now_ms).await?;
        locked.write(transaction, &self.secret).await?;
        rearm_warning(transaction, &order.account_id).await?;
        transaction
            .execute(
                "update orders set paid_at = $1, payment_id = $2 where id = $3",
                &[now_ms.into(), payment_id.into(), (&order.id).into()],
            )
            .await?;
        Ok(Order { paid_at: Some(now_ms), payment_id: Some(payment_id.to_owned()), ..order })
    }

    /// Deletes old payment events, a limited number at a time.
    pub async fn delete_expired_payment_events(&self, now_ms: i64) -> Result<u64> {
        self.engine
            .execute(
                "delete from payment_events where id in (select id from payment_events \
                 where received_at < $1 order by received_at limit $2)",
                &[(now_ms - EVENT_RETENTION_MS).into(), DELETE_BATCH.into()],
            )
            .await
    }

    /// Deletes unpaid orders created before `before_ms`, a limited number at a time. A later
    /// payment is for an unknown order.
    pub async fn delete_unpaid_orders(&self, before_ms: i64) -> Result<u64> {
        self.engine
            .execute(
                "delete from orders where id in (select id from orders \
                 where paid_at is null and created_at < $1 limit $2) and paid_at is null",
                &[before_ms.into(), DELETE_BATCH.into()],
            )
            .await
    }
}

/// Records an event; false if it was recorded before.
async fn record_event(
    transaction: &mut Transaction,
    event_id: &str,
    order_id: &str,
    now_ms: i64,
) -> Result<bool> {
    let recorded = transaction
        .execute(
            "insert into payment_events (id, order_id, received_at) values ($1, $2, $3) \
             on conflict (id) do nothing",
            &[event_id.into(), order_id.into(), now_ms.into()],
        )
        .await?;
    Ok(recorded > 0)
}

/// Locks the order until the transaction ends: of two reports of one payment, the second sees the
/// result of the first.
pub(super) async fn lock_order(
    transaction: &mut Transaction,
    order_id: &str,
) -> Result<Option<Order>> {
    transaction
        .query_opt(
            "update orders set id = id where id = $1 returning id, account_id, provider, credits, \
             total, buyer, created_at, paid_at, payment_id",
            &[order_id.into()],
            order,
        )
        .await
}

/// Replaces the buyer when an account is erased.
pub(super) const ERASED_BUYER: &str = "{}";

fn buyer_json(buyer: Option<&BillingDetails>) -> Result<String> {
    match buyer {
        None => Ok(ERASED_BUYER.to_owned()),
        Some(buyer) => serde_json::to_string(buyer)
            .map_err(|error| StoreError::Bug(format!("a buyer cannot be serialized: {error}"))),
    }
}

/// Parses the buyer of an order. A buyer that cannot be parsed or has no name is an error, because
/// the invoice would have no recipient.
fn parse_buyer(order_id: &str, text: &str) -> Result<Option<BillingDetails>> {
    if text == ERASED_BUYER {
        return Ok(None);
    }
    let unreadable = |reason: String| {
        StoreError::Bug(format!("the buyer of order {order_id} cannot be parsed: {reason}"))
    };
    // The position of the error only, not the content: errors are logged.
    let buyer: BillingDetails = serde_json::from_str(text)
        .map_err(|error| unreadable(format!("invalid JSON at column {}", error.column())))?;
    match buyer.name.trim() {
        "" => Err(unreadable("it has no name".to_owned())),
        _ => Ok(Some(buyer)),
    }
}

fn order(row: &Row<'_>) -> Result<Order> {
    let id: String = row.get(0)?;
    let buyer = parse_buyer(&id, &row.get::<String>(5)?)?;
    Ok(Order {
        id,
        account_id: row.get(1)?,
        provider: row.get(2)?,
        credits: row.get(3)?,
        total: row.get(4)?,
        buyer,
        created_at: row.get(6)?,
        paid_at: row.get(7)?,
        payment_id: row.get(8)?,
    })
}
