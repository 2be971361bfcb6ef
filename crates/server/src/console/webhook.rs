//! Razorpay's webhook: events, signed over their raw body, in any order and more than once.

use std::sync::Arc;

use axum::body::Bytes;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use panji_store::ledger::Payment;
use serde::Deserialize;

use crate::deeds::Actor;
use crate::payments::razorpay::RazorpayPayment;
use crate::payments::{Provider, RAZORPAY, settle};
use crate::state::App;

/// The longest name of an event that is remembered.
const MAX_EVENT_ID: usize = 100;

#[derive(Deserialize)]
struct Event {
    #[serde(default)]
    payload: Payload,
}

#[derive(Default, Deserialize)]
struct Payload {
    payment: Option<PaymentPart>,
}

#[derive(Deserialize)]
struct PaymentPart {
    entity: RazorpayPayment,
}

/// Takes an event in. What is answered with 200 does not come again.
pub async fn receive(State(app): State<Arc<App>>, headers: HeaderMap, body: Bytes) -> StatusCode {
    let Provider::Razorpay(razorpay) = &app.payments else { return StatusCode::NOT_FOUND };
    let text = |name: &str| headers.get(name).and_then(|value| value.to_str().ok());
    let signature = text("x-razorpay-signature").unwrap_or_default();
    if !razorpay.vouches_for_event(&body, signature) {
        tracing::warn!("an event with a wrong signature");
        return StatusCode::BAD_REQUEST;
    }
    let event: Event = match serde_json::from_slice(&body) {
        Ok(event) => event,
        Err(error) => {
            tracing::warn!(%error, "an event that is not understood");
            return StatusCode::OK;
        }
    };
    // Whatever an event is called, what counts is whether the payment in it is paid: so the order
    // in which events come does not matter.
    let payment = event.payload.payment.map(|part| part.entity).filter(RazorpayPayment::is_paid);
    let Some((payment, order_id)) = payment.and_then(|p| p.order_id.clone().map(|id| (p, id)))
    else {
        return StatusCode::OK;
    };
    let event_id = text("x-razorpay-event-id").filter(|id| id.len() <= MAX_EVENT_ID);
    let payment =
        Payment { order_id: &order_id, payment_id: &payment.id, amount: payment.amount, event_id };
    match settle(&app, payment, &Actor::PaymentProvider(RAZORPAY)).await {
        Ok(_) => StatusCode::OK,
        Err(error) => {
            tracing::warn!(%error, "an event could not be written; it comes again");
            StatusCode::SERVICE_UNAVAILABLE
        }
    }
}
