//! A test of a webhook: a message that is sent at once and costs nothing.

use panji_store::StoreError;
use panji_store::ledger::{Attempt, NewAttempt, Webhook};
use serde_json::json;

use super::message::{body, signed, valid_keys};
use crate::app::App;

/// The type of the messages of tests.
pub const TEST_TYPE: &str = "webhook.test";

/// Sends a test, also to a disabled webhook, and records the attempt. It has no other effect.
pub async fn send_test(app: &App, webhook: &Webhook, now_ms: i64) -> Result<Attempt, StoreError> {
    let id = format!("evt_test_{}", ulid::Ulid::generate());
    let data = json!({
        "id": id,
        "type": TEST_TYPE,
        "webhook": webhook.id,
        "message": "This is a test. Nothing has changed, and nothing was charged.",
    });
    let body = body(TEST_TYPE, now_ms, &data.to_string());
    let message = signed(&id, body, &valid_keys(&app.ledger, webhook, now_ms), now_ms);
    let sent = app.webhooks.send(&webhook.url, &message).await;
    let attempt = NewAttempt {
        seq: None,
        event_id: id,
        event_type: TEST_TYPE.to_owned(),
        subject: None,
        number: 1,
        at: now_ms,
        status: sent.status.map(i64::from),
        error: sent.error,
        duration_ms: sent.duration_ms,
    };
    app.ledger.record_webhook_test(webhook, &attempt).await
}
