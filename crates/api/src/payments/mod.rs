//! Buying credits: payment providers, orders, and what happens when a payment or a refund arrives.

pub mod amount_in_words;
pub mod invoice;
pub mod invoice_pdf;
pub mod low_balance;
pub mod razorpay;

use panji_store::calendar::now_ms;
use panji_store::ledger::{
    BillingDetails, NewPaymentRefund, Order, Payment, PaymentRefundOutcome, Settlement,
};
use panji_store::{Ledger, StoreError};

use serde_json::json;

use crate::accounts::audit_log::{self, Actor};
use crate::config::{Config, SellerSettings};
use razorpay::{NoCertificates, ProviderError, Razorpay};

/// The credit packs, in rupees; one credit costs one rupee.
pub const PACKS: [i64; 3] = [500, 2_000, 10_000];
/// The provider of test payments, which move no money.
pub const TEST_PROVIDER: &str = "test";
pub const RAZORPAY: &str = "razorpay";

pub enum Provider {
    Razorpay(Box<Razorpay>),
    /// Test payments: no money is moved.
    Test,
    /// Credits cannot be bought; the operator grants them.
    None,
}

impl Provider {
    pub fn open(config: &Config) -> Result<Provider, NoCertificates> {
        if config.payments.has_razorpay() {
            return Ok(Provider::Razorpay(Box::new(Razorpay::open(&config.payments)?)));
        }
        Ok(if config.allows_test_payments() { Provider::Test } else { Provider::None })
    }
}

/// Creates an order with the provider and stores it.
pub async fn create_order(
    ledger: &Ledger,
    provider: &Provider,
    account_id: &str,
    credits: i64,
    buyer: BillingDetails,
) -> Result<Order, ProviderError> {
    let total = invoice::total_paise(credits);
    let (provider, id) = match provider {
        Provider::Razorpay(razorpay) => (RAZORPAY, razorpay.create_order(total, account_id).await?),
        Provider::Test => (TEST_PROVIDER, format!("test_{}", ulid::Ulid::generate())),
        Provider::None => return Err(ProviderError::Refused("credits are not sold here".into())),
    };
    let order = Order {
        id,
        account_id: account_id.to_owned(),
        provider: provider.to_owned(),
        credits,
        total,
        buyer: Some(buyer),
        created_at: now_ms(),
        paid_at: None,
        payment_id: None,
    };
    ledger.create_order(&order).await?;
    Ok(order)
}

/// Adds the credits of a payment, once, and logs problems. `actor` reported the payment.
pub async fn settle(
    ledger: &Ledger,
    seller: &SellerSettings,
    payment: Payment<'_>,
    actor: &Actor<'_>,
) -> Result<Settlement, StoreError> {
    let content = |order: &Order, buyer: &BillingDetails| invoice::content(order, buyer, seller);
    let settlement = ledger.settle_payment(payment, content, now_ms()).await?;
    let (order, payment_id) = (payment.order_id, payment.payment_id);
    match &settlement {
        Settlement::Settled(paid) => {
            tracing::info!(
                order,
                payment_id,
                account = paid.account_id,
                credits = paid.credits,
                "credits bought"
            );
            let details = json!({"credits": paid.credits, "order": order, "payment": payment_id});
            let account = paid.account_id.as_str();
            audit_log::log_served(ledger, actor, "credits.buy", Some(account), account, &details)
                .await;
        }
        Settlement::WrongAmount(expected) => {
            tracing::error!(
                order,
                payment_id,
                paid = payment.amount,
                expected = expected.total,
                "a payment has the wrong amount: nothing was added"
            );
        }
        Settlement::Unknown => tracing::warn!(order, payment_id, "a payment for an unknown order"),
        Settlement::AlreadySettled(paid) if paid.payment_id.as_deref() != Some(payment_id) => {
            tracing::error!(order, payment_id, "an order was paid twice: refund one payment");
        }
        Settlement::AlreadySettled(_) | Settlement::Repeated => {}
    }
    Ok(settlement)
}

/// Deducts the credits of a refunded payment, once, and logs it. `actor` reported the refund.
pub async fn deduct_refunded_credits(
    ledger: &Ledger,
    refund: NewPaymentRefund<'_>,
    actor: &Actor<'_>,
) -> Result<PaymentRefundOutcome, StoreError> {
    let outcome = ledger.deduct_refunded_credits(refund, now_ms()).await?;
    let (order, payment_id, refund_id) = (refund.order_id, refund.payment_id, refund.id);
    match &outcome {
        PaymentRefundOutcome::Deducted(done) => {
            let (account, owed) = (done.account_id.as_str(), done.credits - done.deducted);
            tracing::info!(
                order,
                payment_id,
                refund_id,
                account,
                taken = done.deducted,
                owed,
                "credits of a refunded payment deducted"
            );
            let details = json!({
                "refund": refund_id,
                "order": order,
                "payment": payment_id,
                "credits": done.credits,
                "taken": done.deducted,
                "owed": owed,
            });
            let action = "credits.reverse";
            audit_log::log_served(ledger, actor, action, Some(account), account, &details).await;
        }
        PaymentRefundOutcome::BoughtNothing => {
            tracing::info!(
                order,
                payment_id,
                refund_id,
                "a refund of a payment that bought no credits"
            );
        }
        PaymentRefundOutcome::Unknown => {
            tracing::warn!(order, payment_id, refund_id, "a refund for an unknown order");
        }
        PaymentRefundOutcome::Repeated => {}
    }
    Ok(outcome)
}

/// Requests the payments of an order from Razorpay and adds its credits; none if the order is not
/// paid.
pub async fn settle_from_razorpay(
    ledger: &Ledger,
    seller: &SellerSettings,
    razorpay: &Razorpay,
    order: &Order,
    actor: &Actor<'_>,
) -> Result<Option<Settlement>, ProviderError> {
    let Some(paid) = razorpay.find_payment(&order.id, order.total).await? else { return Ok(None) };
    let payment =
        Payment { order_id: &order.id, payment_id: &paid.id, amount: paid.amount, event_id: None };
    Ok(Some(settle(ledger, seller, payment, actor).await?))
}
