//! Runs the listener and the background tasks, and stops without losing a request.

mod health;
mod housekeeping;
mod metrics;
mod replica;
pub mod site;

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use housekeeping::housekeeping;
use panji_api::api::routes::calls;
use panji_api::app::App;
use panji_api::deliveries;
use panji_api::events::fan_out;
use panji_api::http::listener::{LAST_REQUEST_TIME, Listener, PublicListenerOptions};
use panji_api::workers::jobs;
use site::site;
use tokio::net::TcpListener;
use tokio::sync::watch;
use tokio::task::JoinHandle;

/// Open connections; further ones wait to be accepted.
const MAX_CONNECTIONS: usize = 16_384;
/// Open connections on the metrics address.
const MAX_METRICS_CONNECTIONS: usize = 16;
/// How long requests in progress may take after the process was asked to stop.
const DRAIN_TIME: Duration = Duration::from_secs(65);

/// Serves until `stop` is true, then finishes the requests in progress and flushes the ledger.
pub async fn serve(app: Arc<App>, listener: TcpListener, stop: watch::Receiver<bool>) {
    let follower = tokio::spawn(panji_search::follow(
        app.live.search.clone(),
        app.live.register.clone(),
        stop.clone(),
    ));
    let director_follower = tokio::spawn(panji_search::follow(
        app.live.directors.clone(),
        app.live.register.clone(),
        stop.clone(),
    ));
    let graph_follower = tokio::spawn(panji_graph::follow(
        app.live.graph.clone(),
        app.live.register.clone(),
        stop.clone(),
    ));
    let housekeeper = tokio::spawn(housekeeping(app.clone(), stop.clone()));
    let watcher = tokio::spawn(replica::watch(app.clone(), stop.clone()));
    let mut workers = start_workers(&app, &stop);
    workers.push(tokio::spawn(fan_out::run(app.clone(), stop.clone())));
    workers.push(tokio::spawn(health::watch(app.clone(), stop.clone())));
    workers.push(tokio::spawn(deliveries::worker::run(app.clone(), stop.clone())));
    let public = PublicListenerOptions { metrics: app.metrics.clone(), tls: app.tls.clone() };
    let service = site(app.clone());
    let connections = Listener::new(service, &app.config.limits, MAX_CONNECTIONS, Some(public));
    connections.accept(listener, stop).await;
    app.accepting.store(false, Ordering::Relaxed);
    // Open streams end.
    app.new_events.send_modify(|count| *count += 1);
    // Requests that were already sent get a response, with a header that closes the connection.
    tokio::time::sleep(LAST_REQUEST_TIME).await;
    if tokio::time::timeout(DRAIN_TIME, connections.close()).await.is_err() {
        tracing::warn!("some requests did not finish in time");
    }
    let _ = follower.await;
    let _ = graph_follower.await;
    let _ = director_follower.await;
    let _ = housekeeper.await;
    let _ = watcher.await;
    for worker in workers {
        let _ = worker.await;
    }
    app.charge_writer.close();
    if let Some(traces) = &app.traces {
        traces.close().await;
    }
}

/// Starts the workers that process bulk jobs.
pub fn start_workers(app: &Arc<App>, stop: &watch::Receiver<bool>) -> Vec<JoinHandle<()>> {
    let calls = calls(app);
    let start = |_| tokio::spawn(jobs::run(app.clone(), calls.clone(), stop.clone()));
    (0..jobs::WORKERS).map(start).collect()
}

/// Serves the metrics until the process ends, so that a shutdown can be observed too.
pub async fn serve_metrics(app: Arc<App>, listener: TcpListener) {
    let (_never, stop) = watch::channel(false);
    let connections = Listener::new(
        metrics::router(app.clone()),
        &app.config.limits,
        MAX_METRICS_CONNECTIONS,
        None,
    );
    connections.accept(listener, stop).await;
}
