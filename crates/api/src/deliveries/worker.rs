//! Delivers events to webhooks in the background: leases the webhooks for which something must be sent, and sends to
//! each as long as something is due.

use std::sync::Arc;
use std::time::{Duration, Instant};

use panji_store::StoreError;
use panji_store::calendar::now_ms;
use panji_store::ledger::WebhookLease;
use tokio::sync::watch;
use tokio::task::JoinSet;

use super::round::{self, Clock, random_jitter};
use crate::app::App;

/// Webhooks that one node sends to at the same time. One that does not respond occupies one of these places for
/// the time of an attempt.
const MAX_CONCURRENT_WEBHOOKS: usize = 128;
/// Webhooks that a node leases each time it looks for work.
const MAX_WEBHOOKS_PER_POLL: usize = 16;
/// How long a lease lasts without renewal. The webhooks of a node that was killed wait this long.
const LEASE_MS: i64 = 12_000;
/// How often a lease is renewed while a round lasts; several times before it ends.
const RENEW_INTERVAL: Duration = Duration::from_secs(3);
/// After this time a webhook with more to send waits for its next turn.
const TURN: Duration = Duration::from_secs(20);
/// How often a node looks for new events and for leases that have expired.
const POLL_INTERVAL: Duration = Duration::from_secs(1);
/// How long the webhooks of a suspended account wait.
const SUSPENDED_PAUSE_MS: i64 = 10 * 60_000;

/// Delivers until `stop` is true, and then ends the rounds in progress.
pub async fn run(app: Arc<App>, mut stop: watch::Receiver<bool>) {
    let clock = Clock { now_ms, jitter: random_jitter };
    let mut new_events = app.new_events.subscribe();
    let mut turns = JoinSet::new();
    while !*stop.borrow() {
        while turns.try_join_next().is_some() {}
        let free = MAX_CONCURRENT_WEBHOOKS - turns.len();
        let leased = lease_webhooks(&app, clock, free.min(MAX_WEBHOOKS_PER_POLL)).await;
        if let Err(error) = &leased {
            tracing::warn!(%error, "webhooks could not be leased");
        }
        let leased = leased.unwrap_or_default();
        let any = !leased.is_empty();
        for lease in leased {
            turns.spawn(turn(app.clone(), lease, clock, stop.clone()));
        }
        if any {
            continue;
        }
        tokio::select! {
            () = app.webhooks_wake.notified() => {}
            _ = new_events.changed() => {}
            () = tokio::time::sleep(POLL_INTERVAL) => {}
            _ = stop.wait_for(|stop| *stop) => {}
        }
    }
    while turns.join_next().await.is_some() {}
}

/// Sends everything that is due now, in one turn for each webhook. For tests, which choose the time.
pub async fn deliver_due(app: &Arc<App>, clock: Clock) -> Result<usize, StoreError> {
    let (_never, stop) = watch::channel(false);
    let leased = lease_webhooks(app, clock, MAX_CONCURRENT_WEBHOOKS).await?;
    let count = leased.len();
    let mut turns = JoinSet::new();
    for lease in leased {
        turns.spawn(turn(app.clone(), lease, clock, stop.clone()));
    }
    turns.join_all().await;
    Ok(count)
}

async fn lease_webhooks(
    app: &App,
    clock: Clock,
    limit: usize,
) -> Result<Vec<WebhookLease>, StoreError> {
    if limit == 0 {
        return Ok(Vec::new());
    }
    // A new name each time: so a lease that this node has lost differs from the one it holds.
    let holder = format!("worker_{}", ulid::Ulid::generate());
    let now_ms = (clock.now_ms)();
    app.ledger.lease_webhooks(&holder, (now_ms, LEASE_MS), limit as i64).await
}

async fn turn(app: Arc<App>, mut lease: WebhookLease, clock: Clock, stop: watch::Receiver<bool>) {
    if let Err(error) = deliver_and_release(&app, &mut lease, clock, &stop).await {
        // The lease expires; another turn continues.
        tracing::warn!(%error, webhook = lease.webhook.id, "events could not be delivered");
    }
}

async fn deliver_and_release(
    app: &App,
    lease: &mut WebhookLease,
    clock: Clock,
    stop: &watch::Receiver<bool>,
) -> Result<(), StoreError> {
    let started = Instant::now();
    let account = app.ledger.find_account_by_id(&lease.webhook.account_id).await?;
    if account.is_none_or(|account| account.suspended_at.is_some()) {
        // These events are known, so that they do not make the webhook due before its time.
        let owner = (lease.webhook.account_id.as_str(), lease.webhook.mode);
        lease.seen_seq = app.ledger.newest_watched_event(owner).await?;
        return app.ledger.release_webhook(lease, (clock.now_ms)() + SUSPENDED_PAUSE_MS).await;
    }
    loop {
        app.ledger.fill_webhook_queue(lease).await?;
        let more = run_and_renew(app, lease, clock).await?;
        if !more || started.elapsed() > TURN || *stop.borrow() {
            break;
        }
        let until_ms = (clock.now_ms)() + LEASE_MS;
        if !app.ledger.renew_webhook_lease_and_reload(lease, until_ms).await? {
            break;
        }
    }
    app.ledger.release_webhook(lease, 0).await
}

/// Runs a round, and keeps the lease meanwhile: a receiver may take longer than a lease lasts.
async fn run_and_renew(app: &App, lease: &WebhookLease, clock: Clock) -> Result<bool, StoreError> {
    let mut round = std::pin::pin!(round::run(app, lease, clock));
    loop {
        tokio::select! {
            more = &mut round => return more,
            () = tokio::time::sleep(RENEW_INTERVAL) => {
                let until_ms = (clock.now_ms)() + LEASE_MS;
                // If it is lost, another node sends the same messages, and this round changes nothing more.
                if let Err(error) = app.ledger.renew_webhook_lease(lease, until_ms).await {
                    tracing::warn!(%error, webhook = lease.webhook.id, "a lease could not be renewed");
                }
            }
        }
    }
}
