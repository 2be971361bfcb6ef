//! The page that Prometheus reads: the counters, and what is scraped for only when it comes by.

use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::extract::State;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use panji_store::register::Replica;
use panji_store::{PoolUse, StoreError};
use prometheus::{IntCounterVec, IntGauge, IntGaugeVec, Registry, TextEncoder};

use super::{counters, gauge, gauges};
use crate::state::App;

/// How long the databases may take to answer a scrape; without them the page comes all the same.
const ASKING_TIME: Duration = Duration::from_secs(2);

/// What is scraped for at each scrape.
pub struct ScrapedMetrics {
    build: IntGaugeVec,
    ready: IntGauge,
    waiting: IntGauge,
    waiting_bound: IntGauge,
    in_flight: IntGauge,
    in_flight_bound: IntGauge,
    newest_change: IntGauge,
    indexed_change: IntGauge,
    index_lag: IntGauge,
    import_running: IntGauge,
    import_noted: IntGauge,
    import_rows: IntGaugeVec,
    pool: IntGaugeVec,
    replica_used: IntGauge,
    replica_lag: IntGauge,
    replica_lag_changes: IntGauge,
    replica_reads: IntCounterVec,
    certificate_until: IntGauge,
}

impl ScrapedMetrics {
    pub fn new(registry: &Registry) -> Result<ScrapedMetrics, prometheus::Error> {
        let one = |name: &str, help: &str| gauge(registry, name, help);
        Ok(ScrapedMetrics {
            build: gauges(
                registry,
                "panji_build_info",
                "Always 1; the labels tell the version and the engine.",
                &["version", "engine"],
            )?,
            ready: one("panji_ready", "1 if this node can serve, as /readyz says.")?,
            waiting: one("panji_charge_queue_length", "Charges that wait to be written.")?,
            waiting_bound: one(
                "panji_charge_queue_capacity",
                "Charges that may wait before calls are refused.",
            )?,
            in_flight: one("panji_requests_in_flight", "Requests under way.")?,
            in_flight_bound: one(
                "panji_requests_in_flight_capacity",
                "Requests that may be under way before calls are refused.",
            )?,
            newest_change: one("panji_register_newest_change", "The register's newest change.")?,
            indexed_change: one(
                "panji_index_newest_change",
                "The newest change that the search index holds.",
            )?,
            index_lag: one(
                "panji_index_lag_changes",
                "Changes of the register that the search index does not hold yet; -1 while it is \
                 filled anew.",
            )?,
            import_running: one(
                "panji_import_running",
                "1 if the newest import has not come to its end.",
            )?,
            import_noted: one(
                "panji_import_noted_timestamp_seconds",
                "When the newest import noted its sums last.",
            )?,
            import_rows: gauges(
                registry,
                "panji_import_rows",
                "Rows of the newest import, by what became of them.",
                &["outcome"],
            )?,
            pool: gauges(
                registry,
                "panji_database_connections",
                "Connections to the databases.",
                &["database", "state"],
            )?,
            replica_used: one(
                "panji_replica_in_use",
                "1 if look-ups in the register go to the replica.",
            )?,
            replica_lag: one(
                "panji_replica_lag_seconds",
                "For how long at most the replica has lacked a change; -1 while that is not known.",
            )?,
            replica_lag_changes: one(
                "panji_replica_lag_changes",
                "Changes of the register that the replica lacks; -1 while that is not known.",
            )?,
            replica_reads: counters(
                registry,
                "panji_replica_reads_total",
                "Look-ups in the register by who answered them, where there is a replica.",
                &["answered_by"],
            )?,
            certificate_until: one(
                "panji_tls_certificate_expiry_timestamp_seconds",
                "When the certificate's time is over; 0 without one.",
            )?,
        })
    }

    async fn ask(&self, app: &App) {
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
        let ready = tokio::time::timeout(ASKING_TIME, app.ready()).await.unwrap_or(false);
        self.ready.set(ready.into());
        // What could not be scraped stays as it was; that the node is not ready tells the rest.
        let _ = tokio::time::timeout(ASKING_TIME, self.ask_register(app)).await;
    }

    async fn ask_register(&self, app: &App) -> Result<(), StoreError> {
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
    metrics.scraped.ask(&app).await;
    match TextEncoder::new().encode_to_string(&metrics.registry.gather()) {
        Ok(page) => ([(header::CONTENT_TYPE, prometheus::TEXT_FORMAT)], page).into_response(),
        Err(error) => {
            tracing::error!(%error, "the metrics could not be written");
            StatusCode::INTERNAL_SERVER_ERROR.into_response()
        }
    }
}
