//! A fake Razorpay HTTP API on loopback: orders, payments and signatures.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use axum::extract::{Path, State};
use axum::http::{HeaderMap, StatusCode};
use axum::routing::{get, post};
use axum::{Json, Router};
use hmac::{Hmac, KeyInit, Mac};
use serde_json::{Value, json};
use sha2::Sha256;

use super::fake_server::FakeServer;

pub const KEY_ID: &str = "rzp_test_namuna";
pub const KEY_SECRET: &str = "a secret of the stand-in";
pub const WEBHOOK_SECRET: &str = "another secret of the stand-in";
/// The Authorization header of the key and its secret.
const BASIC: &str = "Basic cnpwX3Rlc3RfbmFtdW5hOmEgc2VjcmV0IG9mIHRoZSBzdGFuZC1pbg==";

#[derive(Default)]
struct FakeState {
    orders: HashMap<String, i64>,
    payments: Vec<Value>,
    away: bool,
}

pub struct Razorpay {
    url: String,
    state: Arc<Mutex<FakeState>>,
}

impl Razorpay {
    /// Starts it on its own thread; it ends with the test's process.
    pub fn start() -> Razorpay {
        let server = FakeServer::bind();
        let state = Arc::new(Mutex::new(FakeState::default()));
        let routes = Router::new()
            .route("/v1/orders", post(make_order))
            .route("/v1/orders/{id}/payments", get(list_payments))
            .route("/v1/payments/{id}/capture", post(capture))
            .with_state(state.clone());
        Razorpay { url: server.serve(routes), state }
    }

    /// The settings of a service that uses it.
    pub fn settings(&self) -> [(&'static str, &str); 8] {
        [
            ("payments.razorpay_key_id", KEY_ID),
            ("payments.razorpay_key_secret", KEY_SECRET),
            ("payments.razorpay_webhook_secret", WEBHOOK_SECRET),
            ("payments.razorpay_url", &self.url),
            ("seller.name", "Panji Namuna Private Limited"),
            ("seller.address", "4 Udaharan Road\nBengaluru 560001"),
            ("seller.gstin", "29ZZACK4368A1ZL"),
            ("seller.invoice_series", "NMN"),
        ]
    }

    /// Adds a payment of an order.
    pub fn pay(&self, order_id: &str, amount: i64, status: &str) -> String {
        let mut state = self.state.lock().unwrap();
        let id = format!("pay_{}", state.payments.len() + 1);
        state.payments.push(json!({
            "id": id, "entity": "payment", "amount": amount, "currency": "INR",
            "status": status, "order_id": order_id, "notes": [],
        }));
        id
    }

    /// The status of a payment.
    pub fn status_of(&self, payment_id: &str) -> String {
        let state = self.state.lock().unwrap();
        let payment = state.payments.iter().find(|payment| payment["id"] == payment_id);
        payment.unwrap()["status"].as_str().unwrap().to_owned()
    }

    pub fn set_away(&self, away: bool) {
        self.state.lock().unwrap().away = away;
    }

    /// The body of an event about a payment.
    pub fn event(&self, kind: &str, payment_id: &str) -> String {
        let state = self.state.lock().unwrap();
        let payment = state.payments.iter().find(|payment| payment["id"] == payment_id).unwrap();
        json!({
            "entity": "event", "account_id": "acc_1", "event": kind, "contains": ["payment"],
            "payload": { "payment": { "entity": payment } }, "created_at": 1_768_458_600,
        })
        .to_string()
    }
}

impl Razorpay {
    /// The body of an event about a refund, which also contains the payment.
    pub fn refund_event(&self, payment_id: &str, id: &str, amount: i64, status: &str) -> String {
        let mut event: Value = serde_json::from_str(&self.event("refund", payment_id)).unwrap();
        event["event"] = format!("refund.{status}").into();
        event["contains"] = json!(["refund", "payment"]);
        event["payload"]["refund"] = json!({ "entity": {
            "id": id, "entity": "refund", "amount": amount, "currency": "INR",
            "payment_id": payment_id, "status": status, "notes": [],
        }});
        event.to_string()
    }
}

/// The signature that the checkout returns for a paid order.
pub fn signature(order_id: &str, payment_id: &str) -> String {
    sign(KEY_SECRET, format!("{order_id}|{payment_id}").as_bytes())
}

pub fn sign(secret: &str, text: &[u8]) -> String {
    let mut mac = Hmac::<Sha256>::new_from_slice(secret.as_bytes()).unwrap();
    mac.update(text);
    mac.finalize().into_bytes().iter().map(|byte| format!("{byte:02x}")).collect()
}

type SharedState = State<Arc<Mutex<FakeState>>>;

/// Checks the key, and whether the service is reachable.
fn admit(state: &FakeState, headers: &HeaderMap) -> Result<(), (StatusCode, Json<Value>)> {
    let error = |status: StatusCode, text: &str| {
        Err((status, Json(json!({ "error": { "description": text } }))))
    };
    if state.away {
        return error(StatusCode::BAD_GATEWAY, "away");
    }
    match headers.get("authorization").map(|value| value == BASIC) {
        Some(true) => Ok(()),
        _ => error(StatusCode::UNAUTHORIZED, "Authentication failed"),
    }
}

async fn make_order(
    State(state): SharedState,
    headers: HeaderMap,
    Json(body): Json<Value>,
) -> Result<Json<Value>, (StatusCode, Json<Value>)> {
    let mut state = state.lock().unwrap();
    admit(&state, &headers)?;
    assert_eq!(body["currency"], "INR");
    let id = format!("order_{}", ulid::Ulid::generate());
    let amount = body["amount"].as_i64().unwrap();
    state.orders.insert(id.clone(), amount);
    let order = json!({
        "id": id, "entity": "order", "amount": amount, "amount_paid": 0, "currency": "INR",
        "status": "created", "notes": body["notes"],
    });
    Ok(Json(order))
}

async fn list_payments(
    State(state): SharedState,
    headers: HeaderMap,
    Path(id): Path<String>,
) -> Result<Json<Value>, (StatusCode, Json<Value>)> {
    let state = state.lock().unwrap();
    admit(&state, &headers)?;
    assert!(state.orders.contains_key(&id));
    let of_order = |payment: &&Value| payment["order_id"] == id.as_str();
    let items: Vec<&Value> = state.payments.iter().filter(of_order).collect();
    Ok(Json(json!({ "entity": "collection", "count": items.len(), "items": items })))
}

async fn capture(
    State(state): SharedState,
    headers: HeaderMap,
    Path(id): Path<String>,
    Json(body): Json<Value>,
) -> Result<Json<Value>, (StatusCode, Json<Value>)> {
    let mut state = state.lock().unwrap();
    admit(&state, &headers)?;
    let payment = state.payments.iter_mut().find(|payment| payment["id"] == id.as_str()).unwrap();
    assert_eq!(payment["amount"], body["amount"]);
    payment["status"] = "captured".into();
    Ok(Json(payment.clone()))
}
