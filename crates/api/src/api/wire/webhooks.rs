//! Webhooks and what was sent to them.

use serde::Serialize;
use utoipa::ToSchema;

use super::enums;
use super::event_fields::TYPES;
use crate::deliveries::test_message::TEST_TYPE;

/// Where the events of the account are sent to.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct Webhook {
    /// The id of the webhook.
    #[schema(example = "we_01ARZ3NDEKTSV4RRFFQ69G5FAV")]
    pub id: String,
    /// The URL that messages are sent to.
    #[schema(example = "https://example.com/panji")]
    pub url: String,
    /// Your description; null if there is none.
    pub description: Option<String>,
    /// The watch list whose events are sent; null for those of all lists.
    pub watchlist: Option<String>,
    /// The types of events that are sent; empty for all.
    pub types: Vec<String>,
    /// Whether messages are sent.
    #[schema(value_type = enums::WebhookStatus)]
    pub status: &'static str,
    /// Why nothing is sent; null if the webhook is enabled.
    #[schema(value_type = Option<enums::WebhookDisabledReason>)]
    pub disabled_reason: Option<&'static str>,
    /// When the webhook was disabled; null if it is enabled.
    pub disabled_at: Option<String>,
    /// The secret of the signatures `v1`. Only createWebhook and rotateWebhookSecret return it; null otherwise.
    #[schema(example = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw")]
    pub secret: Option<String>,
    /// The public key of the signatures `v1a`.
    #[schema(example = "whpk_6kpsY+KcUgq+9VB7Ey7F+ZVHdq7+vnuSQh7qaRRG0iw=")]
    pub public_key: String,
    /// Until when messages are also signed with the secret and the key from before the last rotation; null if
    /// they are not.
    pub previous_secret_expires_at: Option<String>,
    /// When the webhook was created.
    pub created_at: String,
}

/// The webhooks of an account.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct Webhooks {
    /// The number of webhooks.
    pub total: i64,
    /// The webhooks, oldest first.
    pub webhooks: Vec<Webhook>,
}

/// A webhook that was deleted.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct DeletedWebhook {
    /// The id of the webhook.
    pub id: String,
    /// Always true.
    pub deleted: bool,
}

/// A new webhook.
#[derive(Clone, Debug, ToSchema)]
pub struct CreateWebhookRequest {
    /// The URL that messages are sent to, with https.
    #[schema(min_length = 1, max_length = 2000)]
    pub url: String,
    /// Your description.
    #[schema(max_length = 200)]
    pub description: Option<String>,
    /// Send only the events of the members of this watch list.
    pub watchlist: Option<String>,
    /// Send only events of these types.
    #[schema(max_items = 50)]
    pub types: Option<Vec<String>>,
}

/// What to change of a webhook. A field that is left out is unchanged. null removes a description, a watch
/// list or the types; a URL or a status that is null is unchanged.
#[derive(Clone, Debug, ToSchema)]
pub struct UpdateWebhookRequest {
    /// The URL that messages are sent to, with https.
    #[schema(min_length = 1, max_length = 2000)]
    pub url: Option<String>,
    /// Your description.
    #[schema(max_length = 200, value_type = Option<String>)]
    pub description: Option<Option<String>>,
    /// Send only the events of the members of this watch list.
    #[schema(value_type = Option<String>)]
    pub watchlist: Option<Option<String>>,
    /// Send only events of these types.
    #[schema(max_items = 50)]
    pub types: Option<Vec<String>>,
    /// Whether messages are sent: `enabled` or `disabled`.
    #[schema(value_type = Option<enums::WebhookStatus>)]
    pub status: Option<bool>,
}

/// An attempt to deliver a message.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct WebhookAttempt {
    /// The id of the attempt.
    #[schema(example = "wa_01ARZ3NDEKTSV4RRFFQ69G5FAV")]
    pub id: String,
    /// The id of the event, which is also the id of the message.
    pub event_id: String,
    /// The type of the event; `webhook.test` for a test.
    pub event_type: String,
    /// The number of the event; null for a test.
    pub seq: Option<i64>,
    /// The CIN, DIN or GSTIN of the event; null for a test.
    pub subject: Option<String>,
    /// Which attempt it was, from 1.
    pub number: i64,
    /// When it began.
    pub at: String,
    /// How long it took, in milliseconds.
    pub duration_ms: i64,
    /// Whether your server accepted the message.
    pub delivered: bool,
    /// The HTTP status that your server returned; null without a response.
    pub status: Option<i64>,
    /// Why it failed; null if it was delivered.
    pub error: Option<String>,
}

/// Attempts to deliver messages, newest first.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct WebhookAttempts {
    /// The attempts, newest first.
    pub attempts: Vec<WebhookAttempt>,
    /// The value of `before` for the next page; null if there is none.
    pub next_before: Option<String>,
}

/// Which events to send again: one, or all from a number on.
#[derive(Clone, Debug, ToSchema)]
pub struct ReplayRequest {
    /// The id of one event.
    pub event_id: Option<String>,
    /// The number of the first event; all after it are sent again too.
    #[schema(minimum = 1)]
    pub from_seq: Option<i64>,
}

/// What is sent again.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct Replay {
    /// The webhook.
    pub webhook: String,
    /// The id of the event, if one was named; null otherwise.
    pub event_id: Option<String>,
    /// The number of the first event that is sent again.
    pub from_seq: i64,
}

/// The types of events that can be selected: all but that of tests.
pub fn event_types() -> Vec<&'static str> {
    TYPES.into_iter().filter(|word| *word != TEST_TYPE).collect()
}
