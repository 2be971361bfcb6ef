//! Webhooks and attempts as the API shows them.

use panji_store::Ledger;
use panji_store::calendar::rfc3339;
use panji_store::ledger;

use crate::api::wire::{Webhook, WebhookAttempt};
use crate::deliveries::message::keys_of;

/// A webhook without its secret.
pub fn wire_webhook(ledger: &Ledger, webhook: &ledger::Webhook, now_ms: i64) -> Webhook {
    let previous = webhook.previous.as_ref().filter(|(_, until)| now_ms < *until);
    Webhook {
        id: webhook.id.clone(),
        url: webhook.url.clone(),
        description: Some(webhook.description.clone()).filter(|text| !text.is_empty()),
        watchlist: webhook.watchlist_id.clone(),
        types: webhook.types.clone(),
        status: if webhook.disabled.is_none() { "enabled" } else { "disabled" },
        disabled_reason: webhook.disabled.map(|(_, reason)| reason.as_str()),
        disabled_at: webhook.disabled.map(|(at, _)| rfc3339(at)),
        secret: None,
        public_key: keys_of(ledger, &webhook.id, &webhook.nonce).public_text(),
        previous_secret_expires_at: previous.map(|(_, until)| rfc3339(*until)),
        created_at: rfc3339(webhook.created_at),
    }
}

/// A webhook with its secret, for its creation and a rotation.
pub fn with_secret(ledger: &Ledger, webhook: &ledger::Webhook, now_ms: i64) -> Webhook {
    let secret = keys_of(ledger, &webhook.id, &webhook.nonce).secret_text();
    Webhook { secret: Some(secret), ..wire_webhook(ledger, webhook, now_ms) }
}

pub fn wire_attempt(stored: ledger::Attempt) -> WebhookAttempt {
    let ledger::Attempt { id, attempt } = stored;
    WebhookAttempt {
        id,
        event_id: attempt.event_id,
        event_type: attempt.event_type,
        seq: attempt.seq,
        subject: attempt.subject,
        number: attempt.number,
        at: rfc3339(attempt.at),
        duration_ms: attempt.duration_ms,
        delivered: attempt.error.is_none(),
        status: attempt.status,
        error: attempt.error,
    }
}
