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
    pub import_running: IntGauge,
    pub import_noted: IntGauge,
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
}
