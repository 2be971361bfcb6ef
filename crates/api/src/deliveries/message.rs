//! The messages that are sent to webhooks, with the signatures of all valid secrets.

use bytes::Bytes;
use panji_store::Ledger;
use panji_store::calendar::rfc3339;
use panji_store::ledger::{WatchedEvent, Webhook};

use crate::webhooks::sender::Message;
use crate::webhooks::signature::{SigningKeys, sign};

/// The keys that are derived from a nonce of a webhook.
pub fn keys_of(ledger: &Ledger, webhook_id: &str, nonce: &str) -> SigningKeys {
    let keys = ledger.webhook_keys(webhook_id, nonce);
    SigningKeys::new(&keys.secret, &keys.seed)
}

/// The keys that are valid at a time: those of now, and during a rotation those from before.
pub fn valid_keys(ledger: &Ledger, webhook: &Webhook, now_ms: i64) -> Vec<SigningKeys> {
    let previous = webhook.previous.as_ref().filter(|(_, until)| now_ms < *until);
    let nonces = std::iter::once(&webhook.nonce).chain(previous.map(|(nonce, _)| nonce));
    nonces.map(|nonce| keys_of(ledger, &webhook.id, nonce)).collect()
}

/// The message for an event. Its body and id are the same at each attempt.
pub fn message_of(event: &WatchedEvent, keys: &[SigningKeys], now_ms: i64) -> Message {
    let body = body(&event.event_type, event.recorded_at, &event.payload);
    signed(&event.event_id, body, keys, now_ms)
}

pub fn signed(id: &str, body: String, keys: &[SigningKeys], now_ms: i64) -> Message {
    let timestamp = now_ms / 1_000;
    Message {
        id: id.to_owned(),
        timestamp,
        signature: sign(keys, id, timestamp, body.as_bytes()),
        body: Bytes::from(body),
    }
}

/// The body of a message. `data` is JSON.
pub fn body(event_type: &str, at_ms: i64, data: &str) -> String {
    let event_type = serde_json::Value::from(event_type);
    format!("{{\"type\":{event_type},\"timestamp\":\"{}\",\"data\":{data}}}", rfc3339(at_ms))
}
