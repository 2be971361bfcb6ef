//! The metrics of a serving process. Counters are looked up by index and incremented without a
//! lock.

mod gauges;
mod watch;

use std::time::Duration;

use panji_store::ledger::{Mode, WriteAttempt};
use prometheus::core::Collector;
use prometheus::{
    Histogram, HistogramOpts, HistogramVec, IntCounter, IntCounterVec, IntGauge, IntGaugeVec, Opts,
    Registry,
};

pub use gauges::ProcessGauges;
pub use watch::{DeliveryResult, WatchMetrics};

use crate::config::operation::Operation;
use crate::telemetry::traces::SpanCounters;

/// Histogram buckets of the durations of requests, in seconds: from a read from memory to the longest bulk call.
const DURATION_BUCKETS: &[f64] = &[
    0.000_25, 0.000_5, 0.001, 0.002_5, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 10.0,
    60.0,
];
/// Histogram buckets of commits, in seconds.
const COMMIT_SECONDS: &[f64] =
    &[0.000_25, 0.000_5, 0.001, 0.002_5, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1.0, 10.0];
/// Histogram buckets of commits, in rows.
const COMMIT_ROWS: &[f64] = &[1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0, 128.0, 256.0, 512.0];
/// The statuses of responses that are not errors.
const SUCCESS_STATUSES: [u16; 5] = [200, 204, 303, 304, 307];
/// The label of requests that are not API operations: pages, health checks, unknown paths.
const NO_OPERATION: &str = "none";

pub struct Metrics {
    pub registry: Registry,
    operations: Vec<OperationMetrics>,
    pub connections: IntGauge,
    pub failed_handshakes: IntCounter,
    /// Keys found in the cache, without a lookup in the ledger.
    pub known_keys: IntCounter,
    pub looked_up_keys: IntCounter,
    commits: CommitMetrics,
    spans: SpanCounters,
    pub watch: WatchMetrics,
    /// Set at each scrape.
    pub gauges: ProcessGauges,
}

struct OperationMetrics {
    by_status: Vec<(u16, IntCounter)>,
    other_status: IntCounter,
    seconds: Histogram,
    live_credits: IntCounter,
    test_credits: IntCounter,
}

/// The metrics of the charge writer.
#[derive(Clone)]
pub struct CommitMetrics {
    rows: Histogram,
    seconds: Histogram,
    failed: IntCounter,
}

impl Metrics {
    /// `error_statuses` are the HTTP statuses of errors; each gets its own counter.
    pub fn new(error_statuses: &[u16]) -> Result<Metrics, prometheus::Error> {
        let registry = Registry::new();
        let process = prometheus::process_collector::ProcessCollector::for_self();
        registry.register(Box::new(process))?;
        let requests = counters(
            &registry,
            "panji_requests_total",
            "Requests with a response, by operation and HTTP status.",
            &["operation", "status"],
        )?;
        let credits = counters(
            &registry,
            "panji_credits_charged_total",
            "Credits charged by operation and mode.",
            &["operation", "mode"],
        )?;
        let seconds = HistogramOpts::new(
            "panji_request_duration_seconds",
            "Time from a request's headers to its response, by operation.",
        );
        let seconds =
            HistogramVec::new(seconds.buckets(DURATION_BUCKETS.to_vec()), &["operation"])?;
        let seconds = registered(&registry, seconds)?;
        let names = Operation::ALL.iter().map(|operation| operation.id()).chain([NO_OPERATION]);
        let mut statuses = [error_statuses, &SUCCESS_STATUSES].concat();
        statuses.sort_unstable();
        statuses.dedup();
        let operation =
            |name| OperationMetrics::new(name, &statuses, &requests, &credits, &seconds);
        let operations = names.map(operation).collect();
        let keys = counters(
            &registry,
            "panji_key_lookups_total",
            "Keys of requests, by where they were found.",
            &["source"],
        )?;
        Ok(Metrics {
            operations,
            connections: gauge(&registry, "panji_connections", "Open connections.")?,
            failed_handshakes: counter(
                &registry,
                "panji_tls_handshakes_failed_total",
                "Failed TLS handshakes.",
            )?,
            known_keys: keys.with_label_values(&["cache"]),
            looked_up_keys: keys.with_label_values(&["ledger"]),
            commits: CommitMetrics::new(&registry)?,
            spans: SpanCounters {
                sent: counter(
                    &registry,
                    "panji_spans_sent_total",
                    "Spans of traces that the collector accepted.",
                )?,
                dropped: counter(
                    &registry,
                    "panji_spans_dropped_total",
                    "Spans dropped because the collector was slow or unreachable.",
                )?,
            },
            watch: WatchMetrics::new(&registry)?,
            gauges: ProcessGauges::new(&registry)?,
            registry,
        })
    }

    pub fn count_response(&self, operation: Option<Operation>, status: u16, took: Duration) {
        let metrics = self.of(operation);
        let listed = metrics.by_status.iter().find(|(listed, _)| *listed == status);
        listed.map_or(&metrics.other_status, |(_, counter)| counter).inc();
        metrics.seconds.observe(took.as_secs_f64());
    }

    /// The requests with a response since the start, and how many of them failed on the server's side.
    pub fn count_requests(&self) -> (u64, u64) {
        let counters = self.operations.iter().flat_map(|operation| &operation.by_status);
        counters.fold((0, 0), |(all, failed), (status, counter)| {
            let count = counter.get();
            (all + count, failed + if *status >= 500 { count } else { 0 })
        })
    }

    /// Counts the credits charged for a response.
    pub fn count_credits(&self, operation: Option<Operation>, mode: Mode, credits: i64) {
        let metrics = self.of(operation);
        let counter = match mode {
            Mode::Live => &metrics.live_credits,
            Mode::Test => &metrics.test_credits,
        };
        counter.inc_by(credits.unsigned_abs());
    }

    pub fn commits(&self) -> CommitMetrics {
        self.commits.clone()
    }

    pub fn spans(&self) -> SpanCounters {
        self.spans.clone()
    }

    fn of(&self, operation: Option<Operation>) -> &OperationMetrics {
        let last = self.operations.len() - 1;
        &self.operations[operation.map_or(last, |operation| operation as usize)]
    }
}

impl OperationMetrics {
    fn new(
        operation: &str,
        statuses: &[u16],
        requests: &IntCounterVec,
        credits: &IntCounterVec,
        seconds: &HistogramVec,
    ) -> OperationMetrics {
        let counter = |status: &str| requests.with_label_values(&[operation, status]);
        OperationMetrics {
            by_status: statuses.iter().map(|code| (*code, counter(&code.to_string()))).collect(),
            other_status: counter("other"),
            seconds: seconds.with_label_values(&[operation]),
            live_credits: credits.with_label_values(&[operation, Mode::Live.as_str()]),
            test_credits: credits.with_label_values(&[operation, Mode::Test.as_str()]),
        }
    }
}

impl CommitMetrics {
    fn new(registry: &Registry) -> Result<CommitMetrics, prometheus::Error> {
        let rows = HistogramOpts::new(
            "panji_commit_rows",
            "Charges and failed calls written in one commit of the ledger.",
        );
        let seconds = HistogramOpts::new(
            "panji_commit_duration_seconds",
            "Time of one commit of the ledger, the wait for the disk included.",
        );
        Ok(CommitMetrics {
            rows: registered(registry, Histogram::with_opts(rows.buckets(COMMIT_ROWS.to_vec()))?)?,
            seconds: registered(
                registry,
                Histogram::with_opts(seconds.buckets(COMMIT_SECONDS.to_vec()))?,
            )?,
            failed: counter(
                registry,
                "panji_commits_failed_total",
                "Commits that could not be written.",
            )?,
        })
    }

    pub fn count(&self, attempt: WriteAttempt) {
        if !attempt.written {
            self.failed.inc();
            return;
        }
        self.rows.observe(attempt.rows as f64);
        self.seconds.observe(attempt.took.as_secs_f64());
    }
}

fn counter(registry: &Registry, name: &str, help: &str) -> Result<IntCounter, prometheus::Error> {
    registered(registry, IntCounter::new(name, help)?)
}

fn counters(
    registry: &Registry,
    name: &str,
    help: &str,
    labels: &[&str],
) -> Result<IntCounterVec, prometheus::Error> {
    registered(registry, IntCounterVec::new(Opts::new(name, help), labels)?)
}

fn gauge(registry: &Registry, name: &str, help: &str) -> Result<IntGauge, prometheus::Error> {
    registered(registry, IntGauge::new(name, help)?)
}

fn gauges(
    registry: &Registry,
    name: &str,
    help: &str,
    labels: &[&str],
) -> Result<IntGaugeVec, prometheus::Error> {
    registered(registry, IntGaugeVec::new(Opts::new(name, help), labels)?)
}

fn registered<C: Collector + Clone + 'static>(
    registry: &Registry,
    collector: C,
) -> Result<C, prometheus::Error> {
    registry.register(Box::new(collector.clone()))?;
    Ok(collector)
}
