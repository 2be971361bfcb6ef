//! One round of deliveries of a webhook: those that are due are paid for, sent at the same time, and recorded
//! together.

use futures_util::future::join_all;
use panji_store::StoreError;
use panji_store::ledger::{Delivery, DeliveryOutcome, DisabledReason, NewAttempt, WebhookLease};

use super::message::{message_of, valid_keys};
use super::{charge, disabled};
use crate::app::App;
use crate::telemetry::metrics::DeliveryResult;
use crate::webhooks::schedule::{MAX_JITTER, pause_ms};
use crate::webhooks::sender::AttemptResult;

/// Messages that are sent to a webhook at the same time.
const MAX_CONCURRENT_DELIVERIES: i64 = 8;
/// How long deliveries wait that the balance does not cover.
const UNPAID_PAUSE_MS: i64 = 30_000;

/// The time of day, and the random part of pauses. Tests choose both.
#[derive(Clone, Copy)]
pub struct Clock {
    pub now_ms: fn() -> i64,
    /// A random number from 0 to `MAX_JITTER`.
    pub jitter: fn() -> i64,
}

pub fn random_jitter() -> i64 {
    // Without randomness the pause is only not lengthened.
    getrandom::u32().map_or(0, |number| i64::from(number) % (MAX_JITTER + 1))
}

/// Sends what is due. False if nothing more can be sent now.
pub async fn run(app: &App, lease: &WebhookLease, clock: Clock) -> Result<bool, StoreError> {
    let webhook = &lease.webhook;
    let due = app
        .ledger
        .list_due_deliveries(webhook, (clock.now_ms)(), MAX_CONCURRENT_DELIVERIES)
        .await?;
    let (due, expired): (Vec<Delivery>, Vec<Delivery>) =
        due.into_iter().partition(|delivery| delivery.event.is_some());
    let any = !due.is_empty() || !expired.is_empty();
    if !expired.is_empty() {
        let expired: Vec<i64> = expired.iter().map(|delivery| delivery.seq).collect();
        app.ledger.delete_deliveries(webhook, &expired).await?;
        app.metrics.watch.count_deliveries(DeliveryResult::Expired, expired.len());
    }
    let (paid, refused) = charge::pay(app, webhook, due, (clock.now_ms)()).await?;
    if !refused.is_empty() {
        let until_ms = (clock.now_ms)() + UNPAID_PAUSE_MS;
        app.ledger.postpone_deliveries(webhook, &refused, until_ms).await?;
        app.metrics.watch.count_deliveries(DeliveryResult::Unpaid, refused.len());
    }
    let keys = valid_keys(&app.ledger, webhook, (clock.now_ms)());
    let attempts = join_all(paid.iter().map(async |delivery| {
        let event = delivery.event.as_ref()?;
        let at = (clock.now_ms)();
        let message = message_of(event, &keys, at);
        let sent = app.webhooks.send(&webhook.url, &message).await;
        let outcome = outcome_of(&sent, delivery.attempts + 1, clock);
        Some((attempt_of(delivery, &sent, at), outcome))
    }));
    let attempts: Vec<_> = attempts.await.into_iter().flatten().collect();
    let now_ms = (clock.now_ms)();
    let reason = app.ledger.record_webhook_attempts(lease, &attempts, now_ms).await?;
    for (_, outcome) in &attempts {
        app.metrics.watch.count_deliveries(result_of(outcome), 1);
    }
    if let Some(reason) = reason {
        disabled::notify_members(app, webhook, reason).await?;
    }
    Ok(any && reason.is_none())
}

fn outcome_of(sent: &AttemptResult, number: i64, clock: Clock) -> DeliveryOutcome {
    if sent.error.is_none() {
        return DeliveryOutcome::Delivered;
    }
    if sent.is_gone() {
        return DeliveryOutcome::Disable(DisabledReason::Gone);
    }
    match pause_ms(number, (clock.jitter)()) {
        Some(pause) => DeliveryOutcome::Retry((clock.now_ms)() + pause),
        None => DeliveryOutcome::Disable(DisabledReason::Failing),
    }
}

fn result_of(outcome: &DeliveryOutcome) -> DeliveryResult {
    match outcome {
        DeliveryOutcome::Delivered => DeliveryResult::Delivered,
        DeliveryOutcome::Retry(_) => DeliveryResult::Failed,
        DeliveryOutcome::Disable(_) => DeliveryResult::Disabled,
    }
}

fn attempt_of(delivery: &Delivery, sent: &AttemptResult, at: i64) -> NewAttempt {
    let event = delivery.event.as_ref();
    NewAttempt {
        seq: Some(delivery.seq),
        event_id: event.map(|event| event.event_id.clone()).unwrap_or_default(),
        event_type: event.map(|event| event.event_type.clone()).unwrap_or_default(),
        subject: Some(delivery.subject.clone()),
        number: delivery.attempts + 1,
        at,
        status: sent.status.map(i64::from),
        error: sent.error.clone(),
        duration_ms: sent.duration_ms,
    }
}
