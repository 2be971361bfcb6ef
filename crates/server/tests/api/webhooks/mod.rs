//! Webhooks: the operations, deliveries with their signatures, and receivers that misbehave.

mod deliveries;
mod hostile;
mod operations;
pub mod receiver;

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use panji_api::deliveries::round::Clock;
use panji_api::deliveries::worker::deliver_due;
use panji_store::calendar::now_ms;
use panji_store::ledger::NewWatchedEvent;
use serde_json::{Value, json};

use crate::ask::{Response, ask, get, post};
use crate::server::{Key, Server};

pub const FIRST: &str = "L17111MH1994PLC990011";
pub const SECOND: &str = "U72900KA2017PTC990462";

/// Receivers are on this machine.
pub const LOCAL: [(&str, &str); 2] =
    [("webhooks.allow_http", "true"), ("webhooks.allowed_networks", "127.0.0.0/8")];

/// The time of a test, ahead of the clock by the milliseconds in `$ahead`.
#[macro_export]
macro_rules! clock {
    ($ahead:ident) => {
        panji_api::deliveries::round::Clock {
            now_ms: || {
                panji_store::calendar::now_ms() + $ahead.load(std::sync::atomic::Ordering::Relaxed)
            },
            jitter: || 0,
        }
    };
}

pub const NOW: Clock = Clock { now_ms, jitter: || 0 };

pub fn advance(ahead: &AtomicI64, ms: i64) {
    ahead.fetch_add(ms, Ordering::Relaxed);
}

/// Sends what is due until nothing is.
pub async fn deliver(server: &Server, clock: Clock) {
    let app: &Arc<_> = &server.app;
    while deliver_due(app, clock).await.unwrap() > 0 {}
}

pub async fn create(server: &Server, key: &Key, body: &Value) -> Response {
    server.send(post("/v1/webhooks", body).key(key)).await
}

/// A webhook at this URL.
pub async fn new_webhook(server: &Server, key: &Key, url: &str) -> Value {
    create(server, key, &json!({ "url": url })).await.expect_data().clone()
}

pub fn id_of(webhook: &Value) -> &str {
    webhook["id"].as_str().unwrap()
}

/// Calls an operation of a webhook without a body.
pub async fn act(server: &Server, key: &Key, webhook: &Value, action: &str) -> Response {
    let path = format!("/v1/webhooks/{}/{action}", id_of(webhook));
    server.send(ask(axum::http::Method::POST, path).key(key)).await
}

pub async fn fetch(server: &Server, key: &Key, webhook: &Value) -> Value {
    let path = format!("/v1/webhooks/{}", id_of(webhook));
    server.send(get(path).key(key)).await.expect_data().clone()
}

/// The attempts of a webhook, oldest first.
pub async fn attempts(server: &Server, key: &Key, webhook: &Value) -> Vec<Value> {
    let path = format!("/v1/webhooks/{}/attempts?limit=100", id_of(webhook));
    let response = server.send(get(path).key(key)).await;
    let mut attempts = response.expect_data()["attempts"].as_array().unwrap().clone();
    attempts.reverse();
    attempts
}

/// Adds events about these companies to the account of a test key; returns their numbers.
pub async fn add_events(server: &Server, key: &Key, subjects: &[&str]) -> Vec<i64> {
    let event = |index: usize, seq: i64| NewWatchedEvent {
        seq,
        event_id: format!("evt_{seq:026}"),
        event_type: "company.status_changed".into(),
        subject: subjects[index].into(),
        related: None,
        payload: json!({ "seq": seq, "subject": { "id": subjects[index] } }).to_string(),
        recorded_at: now_ms(),
    };
    let ledger = &server.app.ledger;
    ledger.add_simulated_events(&key.account_id, subjects.len(), event).await.unwrap()
}
