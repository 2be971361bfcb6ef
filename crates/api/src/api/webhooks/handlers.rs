//! The endpoints of webhooks.

use axum::extract::Request;
use panji_store::StoreError;
use panji_store::ledger::{self, AttemptPage, NewWebhook, WebhookChange};

use super::response::{wire_attempt, wire_webhook, with_secret};
use crate::api::bulk::read_body;
use crate::api::call::Call;
use crate::api::wire::{
    CreateWebhookRequest, DeletedWebhook, Replay, ReplayRequest, UpdateWebhookRequest, Webhook,
    WebhookAttempt, WebhookAttempts, Webhooks,
};
use crate::deliveries::test_message::send_test;
use crate::http::error::{ApiError, ApiResult, ErrorCode};
use crate::webhooks::sender::ATTEMPT_TIMEOUT;

/// Webhooks of one response; more than an account can have by default.
const MAX_WEBHOOKS: i64 = 1_000;
/// Attempts of one page.
const MAX_ATTEMPTS: i64 = 100;
const DEFAULT_ATTEMPTS: i64 = 20;

/// Create a webhook
///
/// From now on the events of the account are sent to your URL, signed by the Standard Webhooks specification. The
/// response has the secret, which is not shown again. Each event costs what listEvents costs, once per account and
/// event however it is read; the webhook itself is free.
#[utoipa::path(
    post,
    path = "/v1/webhooks",
    operation_id = "createWebhook",
    tag = "Webhooks",
    request_body = CreateWebhookRequest,
    responses((status = 200, body = Webhook)),
)]
pub async fn create_webhook(call: Call, request: Request) -> ApiResult {
    let (body, new) = read_body::<CreateWebhookRequest>(&call, request).await?;
    check_url(&call, &new.url)?;
    check_watchlist(&call, new.watchlist.as_deref()).await?;
    if let Some(first) = call.claim(&body).await? {
        return Ok(first);
    }
    let (account_id, mode) = call.owner();
    let most = call.app.config.webhooks.per_account.get().into();
    let new = NewWebhook {
        account_id,
        mode,
        url: &new.url,
        description: new.description.as_deref().unwrap_or(""),
        watchlist_id: new.watchlist.as_deref(),
        types: new.types.as_deref().unwrap_or(&[]),
        nonce: &ulid::Ulid::generate().to_string(),
        most,
    };
    let created = call.app.ledger.create_webhook(&new, call.context.at_ms).await;
    let created = created.map_err(|error| match error {
        StoreError::Conflict(_) => {
            let message = format!("The account has {most} webhooks already: delete one.");
            ApiError::new(ErrorCode::WebhookLimit, message)
        }
        error => error.into(),
    })?;
    let response = with_secret(&call.app.ledger, &created, call.context.at_ms);
    call.check_funds().await?.respond(&response).await
}

/// List the webhooks
///
/// The webhooks of the account in the mode of the key, oldest first, without their secrets. Free.
#[utoipa::path(
    get,
    path = "/v1/webhooks",
    operation_id = "listWebhooks",
    tag = "Webhooks",
    responses((status = 200, body = Webhooks)),
)]
pub async fn list_webhooks(call: Call) -> ApiResult {
    let stored = call.app.ledger.list_webhooks(call.owner(), MAX_WEBHOOKS).await?;
    let ledger = &call.app.ledger;
    let webhooks: Vec<Webhook> =
        stored.iter().map(|webhook| wire_webhook(ledger, webhook, call.context.at_ms)).collect();
    let total = i64::try_from(webhooks.len()).unwrap_or(i64::MAX);
    call.check_funds().await?.respond(&Webhooks { total, webhooks }).await
}

/// Fetch a webhook
///
/// A webhook without its secret, and whether messages are sent to it. Free.
#[utoipa::path(
    get,
    path = "/v1/webhooks/{id}",
    operation_id = "getWebhook",
    tag = "Webhooks",
    params(("id" = String, Path, description = "The id of the webhook.")),
    responses((status = 200, body = Webhook)),
)]
pub async fn get_webhook(call: Call) -> ApiResult {
    let webhook = find(&call).await?;
    respond_with_webhook(call, &webhook).await
}

/// Change a webhook
///
/// Changes the URL, the description or the filters, or enables or disables the webhook. When it is enabled again, it
/// continues where it stopped. Free.
#[utoipa::path(
    patch,
    path = "/v1/webhooks/{id}",
    operation_id = "updateWebhook",
    tag = "Webhooks",
    params(("id" = String, Path, description = "The id of the webhook.")),
    request_body = UpdateWebhookRequest,
    responses((status = 200, body = Webhook)),
)]
pub async fn update_webhook(call: Call, request: Request) -> ApiResult {
    let (body, update) = read_body::<UpdateWebhookRequest>(&call, request).await?;
    let webhook = find(&call).await?;
    if let Some(url) = &update.url {
        check_url(&call, url)?;
    }
    check_watchlist(&call, update.watchlist.as_ref().and_then(Option::as_deref)).await?;
    if let Some(first) = call.claim_at_id(&body).await? {
        return Ok(first);
    }
    let change = WebhookChange {
        url: update.url.unwrap_or_else(|| webhook.url.clone()),
        description: match update.description {
            Some(description) => description.unwrap_or_default(),
            None => webhook.description.clone(),
        },
        watchlist_id: update.watchlist.unwrap_or_else(|| webhook.watchlist_id.clone()),
        types: update.types.unwrap_or_else(|| webhook.types.clone()),
        enabled: update.status.unwrap_or(webhook.disabled.is_none()),
    };
    call.app.ledger.update_webhook(&webhook, &change, call.context.at_ms).await?;
    call.app.webhooks_wake.notify_one();
    let webhook = find(&call).await?;
    respond_with_webhook(call, &webhook).await
}

/// Delete a webhook
///
/// Deletes a webhook with its attempts. Nothing more is sent to it, except messages that are being sent now. Free.
#[utoipa::path(
    delete,
    path = "/v1/webhooks/{id}",
    operation_id = "deleteWebhook",
    tag = "Webhooks",
    params(("id" = String, Path, description = "The id of the webhook.")),
    responses((status = 200, body = DeletedWebhook)),
)]
pub async fn delete_webhook(call: Call) -> ApiResult {
    if let Some(first) = call.claim_at_id(&[]).await? {
        return Ok(first);
    }
    let webhook = find(&call).await?;
    call.app.ledger.delete_webhook(&webhook).await?;
    call.check_funds().await?.respond(&DeletedWebhook { id: webhook.id, deleted: true }).await
}

/// Rotate the secret of a webhook
///
/// Makes a new secret and a new pair of keys, and returns the secret. For 24 hours messages are signed with the former
/// ones too, so that you can replace them without a gap. Free.
#[utoipa::path(
    post,
    path = "/v1/webhooks/{id}/rotate",
    operation_id = "rotateWebhookSecret",
    tag = "Webhooks",
    params(("id" = String, Path, description = "The id of the webhook.")),
    responses((status = 200, body = Webhook)),
)]
pub async fn rotate_webhook_secret(call: Call) -> ApiResult {
    let webhook = find(&call).await?;
    if let Some(first) = call.claim_at_id(&[]).await? {
        return Ok(first);
    }
    let nonce = ulid::Ulid::generate().to_string();
    call.app.ledger.rotate_webhook(&webhook, &nonce, call.context.at_ms).await?;
    let webhook = find(&call).await?;
    let response = with_secret(&call.app.ledger, &webhook, call.context.at_ms);
    call.check_funds().await?.respond(&response).await
}

/// Test a webhook
///
/// Sends a message of the type `webhook.test` at once, also to a disabled webhook, and returns the result. It is
/// signed like every message, is not sent again, and costs nothing.
#[utoipa::path(
    post,
    path = "/v1/webhooks/{id}/test",
    operation_id = "testWebhook",
    tag = "Webhooks",
    params(("id" = String, Path, description = "The id of the webhook.")),
    responses((status = 200, body = WebhookAttempt)),
)]
pub async fn test_webhook(call: Call) -> ApiResult {
    let webhook = find(&call).await?;
    if let Some(first) = call.claim_at_id(&[]).await? {
        return Ok(first);
    }
    call.context.extend_deadline_ms(u64::try_from(ATTEMPT_TIMEOUT.as_millis()).unwrap_or(u64::MAX));
    let call = call.check_funds().await?;
    let attempt =
        call.wait_without_permit(send_test(&call.app, &webhook, call.context.at_ms)).await?;
    call.respond(&wire_attempt(attempt)).await
}

/// List the attempts of a webhook
///
/// What was sent to a webhook and how your server responded, newest first, for as long as attempts are kept. Free.
#[utoipa::path(
    get,
    path = "/v1/webhooks/{id}/attempts",
    operation_id = "listWebhookAttempts",
    tag = "Webhooks",
    params(
        ("id" = String, Path, description = "The id of the webhook."),
        ("before" = Option<String>, Query, description = "Only attempts before the one with this id: `next_before` of the page before."),
        ("limit" = Option<i64>, Query, minimum = 1, maximum = 100, description = "Attempts per page; 20 if left out."),
    ),
    responses((status = 200, body = WebhookAttempts)),
)]
pub async fn list_webhook_attempts(call: Call) -> ApiResult {
    let limit = call.query.number("limit", 1..=MAX_ATTEMPTS)?.unwrap_or(DEFAULT_ATTEMPTS);
    let webhook = find(&call).await?;
    let page = AttemptPage { before: call.query.get("before"), limit: limit + 1 };
    let stored = call.app.ledger.list_webhook_attempts(&webhook, page).await?;
    let more = i64::try_from(stored.len()).is_ok_and(|found| found > limit);
    let shown = usize::try_from(limit).unwrap_or(usize::MAX);
    let attempts: Vec<WebhookAttempt> = stored.into_iter().take(shown).map(wire_attempt).collect();
    let next_before = attempts.last().filter(|_| more).map(|last| last.id.clone());
    call.check_funds().await?.respond(&WebhookAttempts { attempts, next_before }).await
}

/// Send events again
///
/// Sends one event again, or all events from a number on that the filters of the webhook select. Events that the
/// account has paid for are not charged again. Free.
#[utoipa::path(
    post,
    path = "/v1/webhooks/{id}/replay",
    operation_id = "replayWebhookEvents",
    tag = "Webhooks",
    params(("id" = String, Path, description = "The id of the webhook.")),
    request_body = ReplayRequest,
    responses((status = 200, body = Replay)),
)]
pub async fn replay_webhook_events(call: Call, request: Request) -> ApiResult {
    let (body, replay) = read_body::<ReplayRequest>(&call, request).await?;
    let webhook = find(&call).await?;
    if let Some(first) = call.claim_at_id(&body).await? {
        return Ok(first);
    }
    let ledger = &call.app.ledger;
    let (from_seq, exists) = match (&replay.event_id, replay.from_seq) {
        (Some(event_id), _) => {
            let event = ledger.find_watched_event_by_id(call.owner(), event_id).await?;
            let event = event.ok_or_else(|| {
                let message = format!("The account has no event {event_id:?}, or it was deleted.");
                ApiError::body("event_id", message)
            })?;
            (event.seq, ledger.replay_event(&webhook, &event).await?)
        }
        (None, from_seq) => {
            let from_seq = from_seq.unwrap_or(1);
            (from_seq, ledger.replay_from(&webhook, from_seq).await?)
        }
    };
    if !exists {
        return Err(not_found());
    }
    call.app.webhooks_wake.notify_one();
    let response = Replay { webhook: webhook.id, event_id: replay.event_id, from_seq };
    call.check_funds().await?.respond(&response).await
}

async fn respond_with_webhook(call: Call, webhook: &ledger::Webhook) -> ApiResult {
    let response = wire_webhook(&call.app.ledger, webhook, call.context.at_ms);
    call.check_funds().await?.respond(&response).await
}

/// The webhook in the path. A webhook of another account or mode does not exist for this caller.
async fn find(call: &Call) -> Result<ledger::Webhook, ApiError> {
    let found = call.app.ledger.find_webhook(call.owner(), call.path_value("id")).await?;
    found.ok_or_else(not_found)
}

fn not_found() -> ApiError {
    ApiError::from_code(ErrorCode::WebhookNotFound).param("id")
}

fn check_url(call: &Call, url: &str) -> Result<(), ApiError> {
    match call.app.webhooks.parse_url(url) {
        Ok(_) => Ok(()),
        Err(error) => Err(ApiError::body("url", format!("url {error}."))),
    }
}

async fn check_watchlist(call: &Call, id: Option<&str>) -> Result<(), ApiError> {
    let Some(id) = id else { return Ok(()) };
    match call.app.ledger.find_watchlist(call.owner(), id).await? {
        Some(_) => Ok(()),
        None => Err(ApiError::body("watchlist", format!("The account has no watch list {id:?}."))),
    }
}
