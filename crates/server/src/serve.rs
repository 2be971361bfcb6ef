//! Serving: what runs beside the connections, and stopping without losing a request.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use panji_store::calendar::{ist_day, now_ms};
use tokio::net::TcpListener;
use tokio::sync::watch;
use tokio::task::JoinHandle;

use crate::api::routes::{calls, router};
use crate::bulk_jobs::worker;
use crate::connections::Door;
use crate::metrics;
use crate::payments::low_balance;
use crate::state::App;

/// Connections that are open at a time; further ones wait to be accepted.
const MAX_CONNECTIONS: usize = 16_384;
/// The same on the address for metrics.
const MAX_METRICS_CONNECTIONS: usize = 16;
/// How long requests under way may take after the process was asked to stop.
const DRAIN_TIME: Duration = Duration::from_secs(65);
/// How often old usage is summed up, old answers and sessions dropped and idle rate limits forgotten.
const HOUSEKEEPING: Duration = Duration::from_secs(60);
const DAY_MS: i64 = 24 * 3600 * 1000;

/// Serves until `stop` is true, then finishes what is under way and flushes the ledger.
pub async fn serve(app: Arc<App>, listener: TcpListener, stop: watch::Receiver<bool>) {
    let follower = tokio::spawn(panji_search::follow(
        app.live.search.clone(),
        app.live.register.clone(),
        stop.clone(),
    ));
    let housekeeper = tokio::spawn(keep_house(app.clone(), stop.clone()));
    let workers = start_workers(&app, &stop);
    let door = Door::public(app.clone(), router(app.clone()), MAX_CONNECTIONS);
    door.let_in(&listener, stop).await;
    app.accepting.store(false, Ordering::Relaxed);
    drop(listener);
    if tokio::time::timeout(DRAIN_TIME, door.close()).await.is_err() {
        tracing::warn!("some requests did not finish in time");
    }
    let _ = follower.await;
    let _ = housekeeper.await;
    for worker in workers {
        let _ = worker.await;
    }
    app.desk.close();
}

/// Starts those who work off bulk jobs.
pub fn start_workers(app: &Arc<App>, stop: &watch::Receiver<bool>) -> Vec<JoinHandle<()>> {
    let calls = calls(app);
    let start = |_| tokio::spawn(worker::work(app.clone(), calls.clone(), stop.clone()));
    (0..worker::WORKERS).map(start).collect()
}

/// Serves the metrics for as long as the process runs, so that a stop can be watched too.
pub async fn serve_metrics(app: Arc<App>, listener: TcpListener) {
    let (_never, stop) = watch::channel(false);
    let door = Door::private(app.clone(), metrics::router(app), MAX_METRICS_CONNECTIONS);
    door.let_in(&listener, stop).await;
}

/// Sums up usage past its age, drops answers past their time, forgets idle rate limits.
async fn keep_house(app: Arc<App>, mut stop: watch::Receiver<bool>) {
    loop {
        tokio::select! {
            () = tokio::time::sleep(HOUSEKEEPING) => {}
            _ = stop.wait_for(|stop| *stop) => return,
        }
        app.limits.forget_idle();
        let now_ms = now_ms();
        let before = ist_day(now_ms - i64::from(app.config.usage.keep_days) * DAY_MS);
        if let Err(error) = app.ledger.roll_up_usage(&before).await {
            tracing::warn!(%error, "old usage could not be summed up");
        }
        let before = now_ms - i64::from(app.config.audit_log.keep_days) * DAY_MS;
        if let Err(error) = app.ledger.drop_old_deeds(before).await {
            tracing::warn!(%error, "old lines of the audit log could not be dropped");
        }
        if let Err(error) = app.ledger.drop_old_answers(now_ms).await {
            tracing::warn!(%error, "old answers could not be dropped");
        }
        if let Err(error) = app.ledger.drop_old_sessions(now_ms).await {
            tracing::warn!(%error, "old sessions could not be dropped");
        }
        let old_ms = now_ms - i64::from(app.config.bulk_jobs.keep_days) * DAY_MS;
        if let Err(error) = app.ledger.drop_old_bulk_jobs(old_ms, now_ms).await {
            tracing::warn!(%error, "old lists could not be dropped");
        }
        if let Err(error) = app.ledger.drop_old_payment_events(now_ms).await {
            tracing::warn!(%error, "old events of payments could not be dropped");
        }
        let before = now_ms - i64::from(app.config.unpaid_orders.keep_days) * DAY_MS;
        if let Err(error) = app.ledger.drop_unpaid_orders(before).await {
            tracing::warn!(%error, "orders that nobody paid could not be dropped");
        }
        let before = now_ms - i64::from(app.config.import_rejects.keep_days) * DAY_MS;
        if let Err(error) = app.live.register.drop_old_rejects(before).await {
            tracing::warn!(%error, "old rejected rows could not be dropped");
        }
        if let Err(error) = low_balance::warn(&app, now_ms).await {
            tracing::warn!(%error, "low balances could not be looked for");
        }
    }
}
