//! Gauges that are read from the running process when Prometheus scrapes it.

use prometheus::{IntCounterVec, IntGauge, IntGaugeVec, Registry};

use super::{counters, gauge, gauges};

/// The gauges; `serve::metrics` sets them at each scrape.
pub struct ProcessGauges {
    pub build: IntGaugeVec,
    pub ready: IntGauge,
    pub waiting: IntGauge,
    pub waiting_bound: IntGauge,
    pub in_flight: IntGauge,
    pub in_flight_bound: IntGauge,
    pub newest_change: IntGauge,
    pub indexed_change: IntGauge,
    pub index_lag: IntGauge,
    pub streams: IntGauge,
    pub deliveries_waiting: IntGauge,
    pub derived_lag: IntGaugeVec,
    pub derived_bytes: IntGaugeVec,
    pub derived_built: IntGaugeVec,
    pub import_running: IntGauge,
    pub import_updated: IntGauge,
    pub import_rows: IntGaugeVec,
    pub pool: IntGaugeVec,
    pub replica_used: IntGauge,
    pub replica_lag: IntGauge,
    pub replica_lag_changes: IntGauge,
    pub replica_reads: IntCounterVec,
    pub certificate_until: IntGauge,
}

impl ProcessGauges {
    /// All of them, at 0.
    #[allow(clippy::too_many_lines, reason = "a table of the metrics and their help")]
    pub fn new(registry: &Registry) -> Result<ProcessGauges, prometheus::Error> {
        let one = |name: &str, help: &str| gauge(registry, name, help);
        Ok(ProcessGauges {
            build: gauges(
                registry,
                "panji_build_info",
                "Always 1; the labels are the version and the database engine.",
                &["version", "engine"],
            )?,
            ready: one("panji_ready", "1 if this node can serve, like /readyz.")?,
            waiting: one("panji_charge_queue_length", "Charges waiting to be written.")?,
            waiting_bound: one(
                "panji_charge_queue_capacity",
                "Charges that may wait before calls are refused.",
            )?,
            in_flight: one("panji_requests_in_flight", "Requests in progress.")?,
            in_flight_bound: one(
                "panji_requests_in_flight_capacity",
                "Requests that may be in progress before calls are refused.",
            )?,
            newest_change: one("panji_register_newest_change", "The register's newest change.")?,
            indexed_change: one(
                "panji_index_newest_change",
                "The newest change in the search index.",
            )?,
            index_lag: one(
                "panji_index_lag_changes",
                "Changes of the register that are not in the search index yet; -1 while it is \
                 rebuilt.",
            )?,
            streams: one("panji_event_streams", "Open streams of events.")?,
            deliveries_waiting: one(
                "panji_webhook_deliveries_waiting",
                "Deliveries to webhooks that wait for their first or next attempt, of all nodes.",
            )?,
            derived_lag: gauges(
                registry,
                "panji_derived_lag_changes",
                "Changes of the register that are not in the derived data yet; -1 while it is \
                 rebuilt.",
                &["kind"],
            )?,
            derived_bytes: gauges(
                registry,
                "panji_derived_size_bytes",
                "The size of the current generation on disk; 0 without one.",
                &["kind"],
            )?,
            derived_built: gauges(
                registry,
                "panji_derived_built_timestamp_seconds",
                "When the current generation was built; 0 without one.",
                &["kind"],
            )?,
            import_running: one(
                "panji_import_running",
                "1 if the newest import has not finished.",
            )?,
            import_updated: one(
                "panji_import_updated_timestamp_seconds",
                "When the newest import last saved its progress.",
            )?,
            import_rows: gauges(
                registry,
                "panji_import_rows",
                "Rows of the newest import, by outcome.",
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
                "1 if the register is read from the replica.",
            )?,
            replica_lag: one(
                "panji_replica_lag_seconds",
                "The longest time a change may have been missing on the replica; -1 if unknown.",
            )?,
            replica_lag_changes: one(
                "panji_replica_lag_changes",
                "Changes of the register that are missing on the replica; -1 if unknown.",
            )?,
            replica_reads: counters(
                registry,
                "panji_replica_reads_total",
                "Reads of the register by the server that served them, if there is a replica.",
                &["server"],
            )?,
            certificate_until: one(
                "panji_tls_certificate_expiry_timestamp_seconds",
                "When the certificate expires; 0 without one.",
            )?,
        })
    }
}
