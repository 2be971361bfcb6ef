//! The page that Prometheus reads: the counters, and the gauges as they are when it comes by.

use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::extract::State;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use panji_store::register::Replica;
use panji_store::{PoolUse, StoreError};
use prometheus::TextEncoder;

use crate::app::App;
use crate::telemetry::metrics::ProcessGauges;

/// How long the databases may take to answer a scrape; without them the page comes all the same.
const READ_TIMEOUT: Duration = Duration::from_secs(2);

impl ProcessGauges {
    async fn read(&self, app: &App) {
        let engine = if app.config.database_url.is_empty() { "sqlite" } else { "postgres" };
        self.build.with_label_values(&[env!("CARGO_PKG_VERSION"), engine]).set(1);
        self.waiting.set(app.charge_writer.waiting() as i64);
        self.waiting_bound.set(app.config.limits.charge_queue as i64);
        self.in_flight.set(app.in_flight.count() as i64);
        self.in_flight_bound.set(app.config.limits.in_flight as i64);
        self.show_pool("register", app.live.register.pool_use());
        self.show_pool("ledger", app.ledger.pool_use());
        self.show_replica(app.live.register.replica());
        self.certificate_until.set(app.tls.as_ref().map_or(0, |tls| tls.validity().until));
        let ready = tokio::time::timeout(READ_TIMEOUT, app.ready()).await.unwrap_or(false);
        self.ready.set(ready.into());
        // What could not be read stays unchanged; that the node is not ready tells the rest.
        let _ = tokio::time::timeout(READ_TIMEOUT, self.read_register(app)).await;
    }

    async fn read_register(&self, app: &App) -> Result<(), StoreError> {
        let newest = app.live.register.newest_change().await?;
        let indexed = app.live.search.reaches_up_to();
        self.newest_change.set(newest);
        self.indexed_change.set(indexed.unwrap_or(0));
        self.index_lag.set(indexed.map_or(-1, |indexed| newest - indexed));
        let imports = app.live.register.list_imports(1).await?;
        self.import_running.set(imports.first().is_some_and(|run| !run.finished).into());
        let Some(run) = imports.first() else { return Ok(()) };
        self.import_noted.set(run.noted_at / 1000);
        for (outcome, rows) in [
            ("read", run.read),
            ("new", run.new),
            ("changed", run.changed),
            ("unchanged", run.unchanged),
            ("older", run.older),
            ("rejected", run.rejected),
        ] {
            self.import_rows.with_label_values(&[outcome]).set(rows);
        }
        Ok(())
    }

    /// As the last look found it; without a replica nothing is known of one.
    fn show_replica(&self, replica: Option<&Replica>) {
        self.replica_used.set(replica.is_some_and(Replica::is_used).into());
        let look = replica.and_then(Replica::last_look);
        let lag = look.as_ref().and_then(|look| look.lag);
        self.replica_lag.set(lag.map_or(-1, |lag| lag.as_secs() as i64));
        let missing = look.and_then(|look| Some((look.newest - look.reached?).max(0)));
        self.replica_lag_changes.set(missing.unwrap_or(-1));
        let Some(reads) = replica.map(Replica::reads) else { return };
        for (who, count) in [("replica", reads.served), ("primary", reads.passed_over)] {
            let counter = self.replica_reads.with_label_values(&[who]);
            counter.inc_by(count.saturating_sub(counter.get()));
        }
    }

    fn show_pool(&self, database: &str, pool: PoolUse) {
        let busy = pool.open.saturating_sub(pool.idle);
        self.pool.with_label_values(&[database, "busy"]).set(busy as i64);
        self.pool.with_label_values(&[database, "idle"]).set(pool.idle as i64);
    }
}

/// What is served on the address for metrics, and only there.
pub fn router(app: Arc<App>) -> Router {
    Router::new().route("/metrics", get(metrics)).with_state(app)
}

async fn metrics(State(app): State<Arc<App>>) -> Response {
    let metrics = &app.metrics;
    metrics.gauges.read(&app).await;
    match TextEncoder::new().encode_to_string(&metrics.registry.gather()) {
        Ok(page) => ([(header::CONTENT_TYPE, prometheus::TEXT_FORMAT)], page).into_response(),
        Err(error) => {
            tracing::error!(%error, "the metrics could not be written");
            StatusCode::INTERNAL_SERVER_ERROR.into_response()
        }
    }
}
