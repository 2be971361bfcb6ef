//! Checks every minute how the service is, and stores it for the status page.

use std::sync::Arc;
use std::time::Duration;

use panji_api::app::App;
use panji_api::telemetry::health::State;
use panji_store::calendar::now_ms;
use tokio::sync::watch;

const INTERVAL: Duration = Duration::from_secs(60);
/// The first check: the index of a small register is built by then.
const FIRST: Duration = Duration::from_secs(3);
/// How long a check waits for the databases.
const CHECK_TIME: Duration = Duration::from_secs(5);
/// The share of failed requests in a minute from which the service counts as degraded: one in 20.
const FAILED_SHARE: u64 = 20;
/// With fewer requests in a minute, their failures say nothing.
const MIN_REQUESTS: u64 = 20;

pub async fn watch(app: Arc<App>, mut stop: watch::Receiver<bool>) {
    let mut before = app.metrics.count_requests();
    let mut pause = FIRST;
    loop {
        tokio::select! {
            () = tokio::time::sleep(pause) => {}
            _ = stop.wait_for(|stop| *stop) => return,
        }
        pause = INTERVAL;
        let now = app.metrics.count_requests();
        let state = check(&app, (now.0 - before.0, now.1 - before.1)).await;
        before = now;
        app.health.note(state, now_ms());
        store(&app).await;
    }
}

async fn check(app: &App, (requests, failed): (u64, u64)) -> State {
    let ready = tokio::time::timeout(CHECK_TIME, app.ready()).await.unwrap_or(false);
    if !ready {
        return State::Down;
    }
    let fails_often = requests >= MIN_REQUESTS && failed * FAILED_SHARE >= requests;
    let searches = app.live.search.indexed_change().is_some();
    if fails_often || !searches { State::Degraded } else { State::Operational }
}

/// Stores what waits. What cannot be stored now waits for the next minute.
async fn store(app: &App) {
    while let Some(hour) = app.health.take_waiting() {
        if let Err(error) = app.ledger.add_health(hour).await {
            tracing::warn!(%error, "the health of the last minutes could not be stored");
            app.health.put_back(hour);
            return;
        }
    }
}
