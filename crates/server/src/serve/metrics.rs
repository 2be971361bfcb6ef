//! The metrics page for Prometheus: the counters, and gauges read at scrape time.

use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::extract::State;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use panji_api::app::{App, DerivedState};
use panji_api::telemetry::metrics::ProcessGauges;
use panji_store::register::Replica;
use panji_store::{PoolStats, StoreError};
use prometheus::TextEncoder;

/// How long a scrape waits for the databases; after that the page is sent without them.
const READ_TIMEOUT: Duration = Duration::from_secs(2);

/// Sets the gauges to the current values.
async fn read(gauges: &ProcessGauges, app: &App) {
    let engine = if app.config.database_url.is_empty() { "sqlite" } else { "postgres" };
    gauges.build.with_label_values(&[env!("CARGO_PKG_VERSION"), engine]).set(1);
    gauges.waiting.set(app.charge_writer.waiting() as i64);
    gauges.waiting_bound.set(app.config.limits.charge_queue.get() as i64);
    gauges.in_flight.set(app.in_flight.count() as i64);
    gauges.in_flight_bound.set(app.config.limits.in_flight.get() as i64);
    gauges.streams.set(app.streams.count().into());
    set_pool(gauges, "register", app.live.register.pool_use());
    set_pool(gauges, "ledger", app.ledger.pool_use());
    set_replica(gauges, app.live.register.replica());
    gauges.certificate_until.set(app.tls.as_ref().map_or(0, |tls| tls.validity().until));
    let ready = tokio::time::timeout(READ_TIMEOUT, app.ready()).await.unwrap_or(false);
    gauges.ready.set(ready.into());
    // On a timeout the gauges keep their values; `ready` already reports the problem.
    let _ = tokio::time::timeout(READ_TIMEOUT, read_register(gauges, app)).await;
    let waiting = app.ledger.count_waiting_deliveries();
    if let Ok(Ok(waiting)) = tokio::time::timeout(READ_TIMEOUT, waiting).await {
        gauges.deliveries_waiting.set(waiting);
    }
}

async fn read_register(gauges: &ProcessGauges, app: &App) -> Result<(), StoreError> {
    let newest = app.live.register.newest_change().await?;
    let indexed = app.live.search.indexed_change();
    gauges.newest_change.set(newest);
    gauges.indexed_change.set(indexed.unwrap_or(0));
    gauges.index_lag.set(indexed.map_or(-1, |indexed| newest - indexed));
    for state in app.live.derived() {
        set_derived(gauges, &state, newest);
    }
    let imports = app.live.register.list_imports(1).await?;
    gauges.import_running.set(imports.first().is_some_and(|run| !run.finished).into());
    let Some(run) = imports.first() else { return Ok(()) };
    gauges.import_updated.set(run.updated_at / 1000);
    for (outcome, rows) in [
        ("read", run.read),
        ("new", run.new),
        ("changed", run.changed),
        ("unchanged", run.unchanged),
        ("older", run.older),
        ("rejected", run.rejected),
    ] {
        gauges.import_rows.with_label_values(&[outcome]).set(rows);
    }
    Ok(())
}

fn set_derived(gauges: &ProcessGauges, state: &DerivedState, newest: i64) {
    let name = state.name.replace(' ', "_");
    let lag = state.indexed_change.map_or(-1, |indexed| newest - indexed);
    gauges.derived_lag.with_label_values(&[&name]).set(lag);
    let generation = state.generation.as_ref();
    let bytes = generation.map_or(0, |generation| generation.bytes);
    gauges.derived_bytes.with_label_values(&[&name]).set(bytes.cast_signed());
    let built = generation.map_or(0, |generation| generation.built_at_ms / 1_000);
    gauges.derived_built.with_label_values(&[&name]).set(built);
}

/// Reports the result of the last check of the replica; -1 where nothing is known.
fn set_replica(gauges: &ProcessGauges, replica: Option<&Replica>) {
    gauges.replica_used.set(replica.is_some_and(Replica::is_used).into());
    let check = replica.and_then(Replica::last_check);
    let lag = check.as_ref().and_then(|check| check.lag);
    gauges.replica_lag.set(lag.map_or(-1, |lag| lag.as_secs() as i64));
    let missing = check.and_then(|check| Some((check.newest - check.reached?).max(0)));
    gauges.replica_lag_changes.set(missing.unwrap_or(-1));
    let Some(reads) = replica.map(Replica::reads) else { return };
    for (server, count) in [("replica", reads.served), ("primary", reads.fallbacks)] {
        let counter = gauges.replica_reads.with_label_values(&[server]);
        counter.inc_by(count.saturating_sub(counter.get()));
    }
}

fn set_pool(gauges: &ProcessGauges, database: &str, pool: PoolStats) {
    let busy = pool.open.saturating_sub(pool.idle);
    gauges.pool.with_label_values(&[database, "busy"]).set(busy as i64);
    gauges.pool.with_label_values(&[database, "idle"]).set(pool.idle as i64);
}

/// The routes of the metrics address.
pub fn router(app: Arc<App>) -> Router {
    Router::new().route("/metrics", get(metrics)).with_state(app)
}

async fn metrics(State(app): State<Arc<App>>) -> Response {
    let metrics = &app.metrics;
    read(&metrics.gauges, &app).await;
    match TextEncoder::new().encode_to_string(&metrics.registry.gather()) {
        Ok(page) => ([(header::CONTENT_TYPE, prometheus::TEXT_FORMAT)], page).into_response(),
        Err(error) => {
            tracing::error!(%error, "the metrics could not be written");
            StatusCode::INTERNAL_SERVER_ERROR.into_response()
        }
    }
}
