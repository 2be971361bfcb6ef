//! Sends spans to the collector in the background, through a bounded queue, in bounded batches. If
//! the collector is slow or unreachable, spans are dropped and counted; nothing else is affected.

use std::sync::Mutex;
use std::time::Duration;

use hyper_rustls::HttpsConnectorBuilder;
use opentelemetry::Context;
use opentelemetry_http::hyper::HyperClient;
use opentelemetry_otlp::{
    ExporterBuildError, Protocol, RetryPolicy, SpanExporter, WithExportConfig, WithHttpConfig,
};
use opentelemetry_sdk::Resource;
use opentelemetry_sdk::error::OTelSdkResult;
use opentelemetry_sdk::trace::{Span, SpanData, SpanExporter as _, SpanProcessor};
use prometheus::IntCounter;
use tokio::sync::mpsc;
use tokio::task::JoinHandle;
use tokio::time::{Instant, timeout, timeout_at};

/// Spans waiting to be sent; further ones are dropped.
const QUEUE: usize = 8_192;
/// Spans in one message.
const MAX_BATCH: usize = 512;
/// How long spans are collected before they are sent.
const BATCH_TIME: Duration = Duration::from_secs(1);
/// The timeout of one message.
const SEND_TIME: Duration = Duration::from_secs(5);
/// The largest message to the collector.
const MAX_MESSAGE_BYTES: usize = 4 * 1024 * 1024;

#[derive(Clone, Debug)]
pub struct SpanCounters {
    /// Accepted by the collector.
    pub sent: IntCounter,
    pub dropped: IntCounter,
}

/// The span processor that puts spans into the queue.
#[derive(Debug)]
pub struct Queue {
    spans: mpsc::WeakSender<SpanData>,
    counters: SpanCounters,
}

/// Why spans cannot be sent.
#[derive(Debug, thiserror::Error)]
pub enum SenderError {
    #[error("traces: the system's certificates: {0}")]
    Certificates(#[source] std::io::Error),
    #[error("the setting tracing.otlp_endpoint: {0}")]
    Endpoint(#[source] ExporterBuildError),
}

/// The background task that sends spans.
pub struct Sender {
    open: Mutex<Option<(mpsc::Sender<SpanData>, JoinHandle<()>)>>,
}

impl Sender {
    /// Starts the task and returns its queue.
    pub fn start(
        endpoint: &str,
        resource: &Resource,
        counters: SpanCounters,
    ) -> Result<(Sender, Queue), SenderError> {
        let mut exporter = exporter(endpoint)?;
        exporter.set_resource(resource);
        let (spans, waiting) = mpsc::channel(QUEUE);
        let queue = Queue { spans: spans.downgrade(), counters: counters.clone() };
        let task = tokio::spawn(send_all(waiting, exporter, counters));
        Ok((Sender { open: Mutex::new(Some((spans, task))) }, queue))
    }

    /// Accepts no more spans, and waits until the queued ones are sent or the time is over.
    pub async fn close(&self, time: Duration) {
        let open = self.open.lock().expect("not poisoned").take();
        let Some((spans, task)) = open else { return };
        drop(spans);
        let _ = timeout(time, task).await;
    }
}

fn exporter(endpoint: &str) -> Result<SpanExporter, SenderError> {
    let connector = HttpsConnectorBuilder::new()
        .with_native_roots()
        .map_err(SenderError::Certificates)?
        .https_or_http()
        .enable_http1()
        .build();
    SpanExporter::builder()
        .with_http()
        .with_endpoint(endpoint)
        .with_protocol(Protocol::HttpBinary)
        .with_timeout(SEND_TIME)
        .with_http_client(HyperClient::new(connector, SEND_TIME, None))
        .with_retry_policy(RetryPolicy::disabled())
        .with_max_request_body_size(MAX_MESSAGE_BYTES)
        .build()
        .map_err(SenderError::Endpoint)
}

/// Sends batches until the queue is closed. Logs one line when sending starts to fail and one when
/// it works again, not one per batch.
async fn send_all(
    mut spans: mpsc::Receiver<SpanData>,
    exporter: SpanExporter,
    counters: SpanCounters,
) {
    let mut failing = false;
    loop {
        let batch = collect_batch(&mut spans).await;
        if batch.is_empty() {
            return;
        }
        let size = batch.len() as u64;
        let failure = match timeout(SEND_TIME, exporter.export(batch)).await {
            Ok(Ok(())) => None,
            Ok(Err(error)) => Some(error.to_string()),
            Err(_) => Some(format!("no response within {} seconds", SEND_TIME.as_secs())),
        };
        match &failure {
            None => counters.sent.inc_by(size),
            Some(_) => counters.dropped.inc_by(size),
        }
        match failure {
            Some(error) if !failing => {
                tracing::warn!(error, "traces cannot be sent and are dropped");
                failing = true;
            }
            None if failing => {
                tracing::info!("sending of traces has resumed");
                failing = false;
            }
            _ => {}
        }
    }
}

/// The next batch: the spans of `BATCH_TIME`, at most `MAX_BATCH`. Empty once the queue is closed.
async fn collect_batch(spans: &mut mpsc::Receiver<SpanData>) -> Vec<SpanData> {
    let mut batch = Vec::new();
    spans.recv_many(&mut batch, MAX_BATCH).await;
    let deadline = Instant::now() + BATCH_TIME;
    while !batch.is_empty() && batch.len() < MAX_BATCH {
        let room = MAX_BATCH - batch.len();
        match timeout_at(deadline, spans.recv_many(&mut batch, room)).await {
            Ok(more) if more > 0 => {}
            _ => break,
        }
    }
    batch
}

impl SpanProcessor for Queue {
    fn on_start(&self, _span: &mut Span, _context: &Context) {}

    fn on_end(&self, span: SpanData) {
        let queued = self.spans.upgrade().is_some_and(|spans| spans.try_send(span).is_ok());
        if !queued {
            self.counters.dropped.inc();
        }
    }

    fn force_flush(&self) -> OTelSdkResult {
        Ok(())
    }

    fn shutdown_with_timeout(&self, _timeout: Duration) -> OTelSdkResult {
        Ok(())
    }
}
