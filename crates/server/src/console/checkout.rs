//! Checkout: the sum of an order before a person agrees to it, and the payment.

use askama::Template;
use axum::extract::Path;
use axum::response::{IntoResponse, Redirect, Response};
use panji_store::ledger::{BillingDetails, Order, Payment, Settlement};
use serde::Deserialize;

use super::amounts;
use super::forms::Posted;
use super::frame::{Frame, Tab, respond_with_checkout};
use super::problem::Problem;
use super::roles::Permission;
use super::session::Visitor;
use crate::payments::invoice::{self, Tax, seller_state};
use crate::payments::razorpay::{ProviderError, Razorpay, is_name};
use crate::payments::{Provider, TEST_PROVIDER, look_up, settle};

#[derive(Template)]
#[template(path = "checkout.html")]
struct CheckoutPage {
    frame: Frame,
    order_id: String,
    paid: bool,
    test: bool,
    razorpay: Option<ShownRazorpay>,
    credits: String,
    taxable: String,
    taxes: Vec<Tax>,
    total: String,
    total_paise: i64,
    buyer: BillingDetails,
    place: &'static str,
    email: String,
    notice: Option<&'static str>,
    /// What is taken from this purchase because an earlier payment was refunded, and what is left of it.
    owed: Option<(String, String)>,
}

struct ShownRazorpay {
    key_id: String,
    checkout_url: String,
    seller: String,
}

/// What the checkout hands back.
#[derive(Deserialize)]
pub struct Confirmation {
    razorpay_payment_id: String,
    razorpay_signature: String,
}

/// A form that says nothing but "do it".
#[derive(Deserialize)]
pub struct Agreed {}

/// Shows an order.
pub async fn show(visitor: Visitor, Path(order_id): Path<String>) -> Result<Response, Problem> {
    let order = find(&visitor, &order_id).await?;
    page(&visitor, order, None).await
}

/// The order that a path names, if it belongs to this account.
async fn find(visitor: &Visitor, order_id: &str) -> Result<Order, Problem> {
    visitor.require(Permission::Buy)?;
    let order = visitor.app.ledger.find_order(order_id).await?;
    order
        .filter(|order| order.account_id == visitor.account_id())
        .ok_or_else(|| Problem::not_found("There is no such order."))
}

async fn page(
    visitor: &Visitor,
    order: Order,
    notice: Option<&'static str>,
) -> Result<Response, Problem> {
    let app = &visitor.app;
    let no_buyer = || Problem::internal(format!("order {} has no buyer", order.id));
    let buyer = order.buyer.clone().ok_or_else(no_buyer)?;
    let owed = app.ledger.find_owed(&order.account_id).await?.min(order.credits);
    let is_owed = owed > 0 && order.paid_at.is_none();
    let razorpay = match &app.payments {
        Provider::Razorpay(razorpay) if order.provider != TEST_PROVIDER => Some(razorpay),
        _ => None,
    };
    let checkout_url = razorpay.map(|razorpay| razorpay.checkout_url.as_str()).unwrap_or_default();
    let page = CheckoutPage {
        frame: visitor.frame(Tab::Credits, "Pay"),
        paid: order.paid_at.is_some(),
        test: order.provider == TEST_PROVIDER && matches!(app.payments, Provider::Test),
        razorpay: razorpay.map(|razorpay| ShownRazorpay {
            key_id: razorpay.key_id.clone(),
            checkout_url: razorpay.checkout_url.clone(),
            seller: app.config.seller.name.clone(),
        }),
        credits: amounts::grouped(order.credits),
        taxable: amounts::rupees_and_paise(order.credits * 100),
        taxes: invoice::taxes(order.credits, &seller_state(&app.config.seller), &buyer.state_code),
        total: amounts::rupees_and_paise(order.total),
        total_paise: order.total,
        place: panji_ids::gst_state(&buyer.state_code).unwrap_or("not given"),
        buyer,
        email: visitor.session.person.email.clone(),
        notice,
        owed: is_owed.then(|| {
            let left = amounts::counted(order.credits - owed, "credit", "credits");
            (amounts::counted(owed, "credit", "credits"), left)
        }),
        order_id: order.id,
    };
    Ok(respond_with_checkout(&page, checkout_url))
}

/// Pays an order in play.
pub async fn pay_in_play(
    Path(order_id): Path<String>,
    Posted { visitor, .. }: Posted<Agreed>,
) -> Result<Response, Problem> {
    let order = find(&visitor, &order_id).await?;
    if !matches!(visitor.app.payments, Provider::Test) || order.provider != TEST_PROVIDER {
        return Err(Problem::switched_off("Test payments are switched off here."));
    }
    let payment_id = format!("pay_{}", order.id);
    let payment = Payment {
        order_id: &order.id,
        payment_id: &payment_id,
        amount: order.total,
        event_id: None,
    };
    settle(&visitor.app, payment, &visitor.actor()).await?;
    Ok(bought())
}

/// Takes what the checkout hands back: the signature vouches that the payment is for the order, and
/// Razorpay is asked for its amount.
pub async fn confirm(
    Path(order_id): Path<String>,
    Posted { visitor, form }: Posted<Confirmation>,
) -> Result<Response, Problem> {
    let order = find(&visitor, &order_id).await?;
    let razorpay = razorpay(&visitor)?;
    let (payment_id, signature) = (&form.razorpay_payment_id, &form.razorpay_signature);
    if !is_name(payment_id) || !razorpay.vouches_for(&order.id, payment_id, signature) {
        tracing::warn!(order = order.id, "a payment's signature is wrong");
        return Err(Problem::unverified_payment());
    }
    finish(&visitor, razorpay, order).await
}

/// Asks Razorpay whether an order is paid, where the browser was closed or the network failed.
pub async fn check_again(
    Path(order_id): Path<String>,
    Posted { visitor, .. }: Posted<Agreed>,
) -> Result<Response, Problem> {
    let order = find(&visitor, &order_id).await?;
    let razorpay = razorpay(&visitor)?;
    finish(&visitor, razorpay, order).await
}

fn razorpay(visitor: &Visitor) -> Result<&Razorpay, Problem> {
    match &visitor.app.payments {
        Provider::Razorpay(razorpay) => Ok(razorpay),
        _ => Err(Problem::switched_off("Razorpay is not set up here.")),
    }
}

async fn finish(visitor: &Visitor, razorpay: &Razorpay, order: Order) -> Result<Response, Problem> {
    if order.paid_at.is_some() {
        return Ok(bought());
    }
    let notice = match look_up(&visitor.app, razorpay, &order, &visitor.actor()).await {
        Ok(Some(Settlement::Granted(_) | Settlement::Already(_))) => return Ok(bought()),
        Ok(Some(_)) => {
            "The payment does not fit the order, so nothing was granted. We have been told."
        }
        Ok(None) => "Nothing has been paid for this order so far.",
        Err(ProviderError::Store(error)) => return Err(error.into()),
        Err(error) => {
            tracing::warn!(%error, order = order.id, "a payment could not be looked up");
            "Razorpay does not answer at this moment. If you have paid, the credits come by \
             themselves as soon as it does."
        }
    };
    page(visitor, order, Some(notice)).await
}

fn bought() -> Response {
    Redirect::to("/console/credits?done=bought").into_response()
}
