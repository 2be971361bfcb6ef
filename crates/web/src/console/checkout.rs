//! The checkout page: the total of an order, and the payment.

use askama::Template;
use axum::extract::Path;
use axum::response::{IntoResponse, Redirect, Response};
use panji_api::accounts::roles::Permission;
use panji_api::payments::invoice::{self, Tax, seller_state};
use panji_api::payments::razorpay::{ProviderError, Razorpay, is_razorpay_id};
use panji_api::payments::{Provider, TEST_PROVIDER, settle, settle_from_razorpay};
use panji_store::ledger::{BillingDetails, Order, Payment, Settlement};
use serde::Deserialize;

use super::forms::{AuthenticatedForm, Empty};
use super::language::{amounts, filters, t};
use super::layout::{Layout, Tab, respond_with_checkout};
use super::page_error::PageError;
use super::session::SignedIn;

#[derive(Template)]
#[template(path = "checkout.html")]
struct CheckoutPage {
    layout: Layout,
    order_id: String,
    paid: bool,
    test: bool,
    razorpay: Option<RazorpayCheckout>,
    credits: String,
    taxable: String,
    taxes: Vec<Tax>,
    total: String,
    total_paise: i64,
    buyer: BillingDetails,
    place_of_supply: &'static str,
    email: String,
    notice: Option<&'static str>,
    /// The credits deducted from this purchase because of an earlier refund, and the credits left.
    owed: Option<(String, String)>,
}

struct RazorpayCheckout {
    key_id: String,
    checkout_url: String,
    seller: String,
}

/// The result that Razorpay's checkout posts.
#[derive(Deserialize)]
pub struct Confirmation {
    razorpay_payment_id: String,
    razorpay_signature: String,
}

pub async fn show(
    signed_in: SignedIn,
    Path(order_id): Path<String>,
) -> Result<Response, PageError> {
    let order = find(&signed_in, &order_id).await?;
    page(&signed_in, order, None).await
}

/// The order of a path, if it belongs to this account.
async fn find(signed_in: &SignedIn, order_id: &str) -> Result<Order, PageError> {
    signed_in.require(Permission::Buy)?;
    let order = signed_in.app.ledger.find_order(order_id).await?;
    order
        .filter(|order| order.account_id == signed_in.account_id())
        .ok_or_else(|| PageError::not_found(t("This order does not exist.")))
}

async fn page(
    signed_in: &SignedIn,
    order: Order,
    notice: Option<&'static str>,
) -> Result<Response, PageError> {
    let app = &signed_in.app;
    let no_buyer = || PageError::internal(format!("order {} has no buyer", order.id));
    let buyer = order.buyer.clone().ok_or_else(no_buyer)?;
    let owed = app.ledger.find_owed(&order.account_id).await?.min(order.credits);
    let is_owed = owed > 0 && order.paid_at.is_none();
    let razorpay = match &app.payments {
        Provider::Razorpay(razorpay) if order.provider != TEST_PROVIDER => Some(razorpay),
        _ => None,
    };
    let checkout_url = razorpay.map(|razorpay| razorpay.checkout_url.as_str()).unwrap_or_default();
    let page = CheckoutPage {
        layout: signed_in.layout(Tab::Credits, t("Pay")),
        paid: order.paid_at.is_some(),
        test: order.provider == TEST_PROVIDER && matches!(app.payments, Provider::Test),
        razorpay: razorpay.map(|razorpay| RazorpayCheckout {
            key_id: razorpay.key_id.clone(),
            checkout_url: razorpay.checkout_url.clone(),
            seller: app.config.seller.name.clone(),
        }),
        credits: amounts::grouped(order.credits),
        taxable: amounts::rupees_and_paise(order.credits * 100),
        taxes: invoice::taxes(order.credits, &seller_state(&app.config.seller), &buyer.state_code),
        total: amounts::rupees_and_paise(order.total),
        total_paise: order.total,
        place_of_supply: panji_ids::gst_state(&buyer.state_code).map_or(t("not specified"), t),
        buyer,
        email: signed_in.session.person.email.clone(),
        notice,
        owed: is_owed.then(|| {
            let left = amounts::counted(order.credits - owed, "credit", "credits");
            (amounts::counted(owed, "credit", "credits"), left)
        }),
        order_id: order.id,
    };
    Ok(respond_with_checkout(&page, checkout_url))
}

/// Pays an order with a test payment; no money is charged.
pub async fn make_test_payment(
    Path(order_id): Path<String>,
    AuthenticatedForm { signed_in, .. }: AuthenticatedForm<Empty>,
) -> Result<Response, PageError> {
    let order = find(&signed_in, &order_id).await?;
    if !matches!(signed_in.app.payments, Provider::Test) || order.provider != TEST_PROVIDER {
        return Err(PageError::switched_off(t("Test payments are turned off on this service.")));
    }
    let payment_id = format!("pay_{}", order.id);
    let payment = Payment {
        order_id: &order.id,
        payment_id: &payment_id,
        amount: order.total,
        event_id: None,
    };
    let app = &signed_in.app;
    settle(&app.ledger, &app.config.seller, payment, &signed_in.actor()).await?;
    Ok(bought())
}

/// Confirms a payment: the signature proves that the payment belongs to the order, and the amount
/// is requested from Razorpay.
pub async fn confirm(
    Path(order_id): Path<String>,
    AuthenticatedForm { signed_in, form }: AuthenticatedForm<Confirmation>,
) -> Result<Response, PageError> {
    let order = find(&signed_in, &order_id).await?;
    let razorpay = razorpay(&signed_in)?;
    let (payment_id, signature) = (&form.razorpay_payment_id, &form.razorpay_signature);
    if !is_razorpay_id(payment_id) || !razorpay.verify_signature(&order.id, payment_id, signature) {
        tracing::warn!(order = order.id, "the signature of a payment is wrong");
        return Err(PageError::unverified_payment());
    }
    finish(&signed_in, razorpay, order).await
}

/// Checks with Razorpay whether an order is paid, in case the browser was closed or the network
/// failed.
pub async fn check_again(
    Path(order_id): Path<String>,
    AuthenticatedForm { signed_in, .. }: AuthenticatedForm<Empty>,
) -> Result<Response, PageError> {
    let order = find(&signed_in, &order_id).await?;
    let razorpay = razorpay(&signed_in)?;
    finish(&signed_in, razorpay, order).await
}

fn razorpay(signed_in: &SignedIn) -> Result<&Razorpay, PageError> {
    match &signed_in.app.payments {
        Provider::Razorpay(razorpay) => Ok(razorpay),
        _ => Err(PageError::switched_off(t("Razorpay is not set up on this service."))),
    }
}

async fn finish(
    signed_in: &SignedIn,
    razorpay: &Razorpay,
    order: Order,
) -> Result<Response, PageError> {
    if order.paid_at.is_some() {
        return Ok(bought());
    }
    let notice = match settle_from_razorpay(
        &signed_in.app.ledger,
        &signed_in.app.config.seller,
        razorpay,
        &order,
        &signed_in.actor(),
    )
    .await
    {
        Ok(Some(Settlement::Settled(_) | Settlement::AlreadySettled(_))) => return Ok(bought()),
        Ok(Some(_)) => t(
            "The payment does not match the order, so no credits were added. The operator of this service has been notified.",
        ),
        Ok(None) => t("No payment has been received for this order yet."),
        Err(ProviderError::Store(error)) => return Err(error.into()),
        Err(error) => {
            tracing::warn!(%error, order = order.id, "the payment of an order could not be checked");
            t(
                "Razorpay is not responding. If you have paid, the credits are added automatically as \
             soon as the payment is confirmed.",
            )
        }
    };
    page(signed_in, order, Some(notice)).await
}

fn bought() -> Response {
    Redirect::to("/console/credits?done=bought").into_response()
}
