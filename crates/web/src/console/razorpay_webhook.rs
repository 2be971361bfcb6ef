//! Razorpay's webhook. Events are signed over their raw body and can arrive in any order and more
//! than once.

use std::sync::Arc;

use axum::body::Bytes;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use panji_api::accounts::audit_log::Actor;
use panji_api::app::App;
use panji_api::payments::razorpay::{RazorpayPayment, RazorpayRefund};
use panji_api::payments::{Provider, RAZORPAY, deduct_refunded_credits, settle};
use panji_store::StoreError;
use panji_store::ledger::{NewPaymentRefund, Payment};
use serde::Deserialize;

/// A longer id is ignored.
const MAX_EVENT_ID: usize = 100;

#[derive(Deserialize)]
struct Event {
    #[serde(default)]
    payload: Payload,
}

#[derive(Default, Deserialize)]
struct Payload {
    payment: Option<Part<RazorpayPayment>>,
    refund: Option<Part<RazorpayRefund>>,
}

#[derive(Deserialize)]
struct Part<T> {
    entity: T,
}

/// Razorpay does not send an event again after a response of 200.
pub async fn receive(State(app): State<Arc<App>>, headers: HeaderMap, body: Bytes) -> StatusCode {
    let Provider::Razorpay(razorpay) = &app.payments else { return StatusCode::NOT_FOUND };
    let text = |name: &str| headers.get(name).and_then(|value| value.to_str().ok());
    let signature = text("x-razorpay-signature").unwrap_or_default();
    if !razorpay.verify_webhook_signature(&body, signature) {
        tracing::warn!("an event has a wrong signature");
        return StatusCode::BAD_REQUEST;
    }
    let event: Event = match serde_json::from_slice(&body) {
        Ok(event) => event,
        Err(error) => {
            tracing::warn!(%error, "an event cannot be parsed");
            return StatusCode::OK;
        }
    };
    let event_id = text("x-razorpay-event-id").filter(|id| id.len() <= MAX_EVENT_ID);
    match process(&app, &event.payload, event_id).await {
        Ok(()) => StatusCode::OK,
        Err(error @ StoreError::Bug(_)) => {
            tracing::error!(%error, "an event could not be stored; Razorpay sends it again");
            StatusCode::SERVICE_UNAVAILABLE
        }
        Err(error) => {
            tracing::warn!(%error, "an event could not be stored; Razorpay sends it again");
            StatusCode::SERVICE_UNAVAILABLE
        }
    }
}

/// Processes an event of any type. Only the state of the payment and of the refund in it decides,
/// so the order of the events does not matter.
async fn process(app: &App, payload: &Payload, event_id: Option<&str>) -> Result<(), StoreError> {
    let Some(payment) = payload.payment.as_ref().map(|part| &part.entity) else { return Ok(()) };
    let Some(order_id) = payment.order_id.as_deref() else { return Ok(()) };
    let actor = Actor::PaymentProvider(RAZORPAY);
    if payment.is_paid() {
        let payment =
            Payment { order_id, payment_id: &payment.id, amount: payment.amount, event_id };
        settle(&app.ledger, &app.config.seller, payment, &actor).await?;
    }
    let refund = payload.refund.as_ref().map(|part| &part.entity);
    if let Some(refund) =
        refund.filter(|refund| refund.is_done() && refund.payment_id == payment.id)
    {
        let RazorpayRefund { id, payment_id, amount, .. } = refund;
        deduct_refunded_credits(
            &app.ledger,
            NewPaymentRefund { id, order_id, payment_id, amount: *amount },
            &actor,
        )
        .await?;
    }
    Ok(())
}
