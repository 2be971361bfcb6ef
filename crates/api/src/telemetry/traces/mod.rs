//! OpenTelemetry traces: one span per request and one per step of its work. Only spans created here
//! are exported, so that nothing a library records can leave the process. If tracing is off, the
//! only cost is an empty `Option`.

mod sender;

use std::time::Duration;

use axum::extract::Request;
use axum::http::{HeaderMap, Method, StatusCode};
use opentelemetry::propagation::{Extractor, TextMapPropagator};
use opentelemetry::trace::{
    SpanBuilder, SpanKind, Status, TraceContextExt, Tracer, TracerProvider,
};
use opentelemetry::{Context, KeyValue};
use opentelemetry_sdk::Resource;
use opentelemetry_sdk::propagation::TraceContextPropagator;
use opentelemetry_sdk::trace::{Sampler, SdkTracer, SdkTracerProvider, Span};

pub use sender::{SenderError, SpanCounters};

use crate::config::TraceSettings;
use sender::Sender;

/// The header with the caller's trace.
const TRACE_PARENT: &str = "traceparent";
/// The length of the header in the current version; longer values are ignored.
const MAX_TRACE_PARENT: usize = 55;
const MAX_ATTRIBUTES: u32 = 16;
/// How long a shutdown waits for the last spans to be sent.
const LAST_SPANS_TIME: Duration = Duration::from_secs(3);

/// Creates traces and sends them.
pub struct Traces {
    tracer: SdkTracer,
    propagator: TraceContextPropagator,
    /// Keeps the tracer working.
    _provider: SdkTracerProvider,
    sender: Sender,
}

pub struct RequestTrace {
    tracer: SdkTracer,
    context: Context,
    method: &'static str,
}

/// The outcome of a request, recorded in its span.
pub struct Outcome<'a> {
    pub request_id: &'a str,
    /// None if the route is not an API operation.
    pub operation: Option<&'static str>,
    /// None if the caller is unknown.
    pub mode: Option<&'static str>,
    pub credits: i64,
    pub error_code: Option<&'static str>,
}

/// A step of a request's work; its span ends on drop.
#[must_use = "the span ends when it is dropped"]
pub struct SpanGuard {
    _span: Option<Box<Span>>,
}

impl Traces {
    /// Connects to the collector; none if no collector is set.
    pub fn open(
        settings: &TraceSettings,
        counters: SpanCounters,
    ) -> Result<Option<Traces>, SenderError> {
        if !settings.is_on() {
            return Ok(None);
        }
        let resource = Resource::builder_empty()
            .with_service_name(settings.service_name.clone())
            .with_attribute(KeyValue::new("service.version", env!("CARGO_PKG_VERSION")))
            .build();
        let (sender, queue) = Sender::start(&settings.otlp_endpoint, &resource, counters)?;
        // A caller's trace decides whether it is recorded; requests without one are sampled.
        let sampled = Sampler::TraceIdRatioBased(settings.sample_ratio());
        let provider = SdkTracerProvider::builder()
            .with_sampler(Sampler::ParentBased(Box::new(sampled)))
            .with_max_attributes_per_span(MAX_ATTRIBUTES)
            .with_resource(resource)
            .with_span_processor(queue)
            .build();
        Ok(Some(Traces {
            tracer: provider.tracer("panji"),
            propagator: TraceContextPropagator::new(),
            _provider: provider,
            sender,
        }))
    }

    /// Starts the trace of a request; none if it is not sampled.
    pub fn begin(&self, request: &Request) -> Option<Box<RequestTrace>> {
        let parent = self
            .propagator
            .extract_with_context(&Context::new(), &TraceParent::of(request.headers()));
        let method = method_name(request.method());
        let attributes = [KeyValue::new("http.request.method", method)];
        let span =
            SpanBuilder::from_name(method).with_kind(SpanKind::Server).with_attributes(attributes);
        let span = self.tracer.build_with_context(span, &parent);
        let context = Context::new().with_span(span);
        let recorded = context.span().is_recording();
        recorded.then(|| Box::new(RequestTrace { tracer: self.tracer.clone(), context, method }))
    }

    /// Sends the remaining spans, with a timeout.
    pub async fn close(&self) {
        self.sender.close(LAST_SPANS_TIME).await;
    }
}

impl RequestTrace {
    /// Starts a span for a step of the request.
    pub fn span(&self, name: &'static str) -> SpanGuard {
        let span = SpanBuilder::from_name(name).with_kind(SpanKind::Internal);
        let span = self.tracer.build_with_context(span, &self.context);
        SpanGuard { _span: Some(Box::new(span)) }
    }

    /// Records the route by its template: the path itself may contain personal data.
    pub fn set_route(&self, template: &str) {
        let span = self.context.span();
        span.update_name(format!("{} {template}", self.method));
        span.set_attribute(KeyValue::new("http.route", template.to_owned()));
    }

    /// Records the outcome and ends the span.
    pub fn end(&self, outcome: &Outcome<'_>, status: StatusCode) {
        let span = self.context.span();
        if let Some(operation) = outcome.operation {
            span.update_name(operation);
            span.set_attribute(KeyValue::new("panji.operation", operation));
        }
        if let Some(mode) = outcome.mode {
            span.set_attribute(KeyValue::new("panji.mode", mode));
            span.set_attribute(KeyValue::new("panji.credits", outcome.credits));
        }
        span.set_attribute(KeyValue::new("panji.request_id", outcome.request_id.to_owned()));
        span.set_attribute(KeyValue::new("http.response.status_code", i64::from(status.as_u16())));
        if let Some(code) = outcome.error_code {
            span.set_attribute(KeyValue::new("error.type", code));
        }
        if status.is_server_error() {
            span.set_status(Status::error(""));
        }
        span.end();
    }

    /// The trace id, for the log.
    pub fn id(&self) -> String {
        self.context.span().span_context().trace_id().to_string()
    }
}

impl SpanGuard {
    /// For requests that are not traced.
    pub const NONE: SpanGuard = SpanGuard { _span: None };
}

/// The caller's `traceparent` header, if there is one and it is short. `tracestate` and baggage are
/// ignored: they would put the caller's text into our spans.
struct TraceParent<'a>(Option<&'a str>);

impl TraceParent<'_> {
    fn of(headers: &HeaderMap) -> TraceParent<'_> {
        let mut values = headers.get_all(TRACE_PARENT).iter();
        let value = values.next().and_then(|value| value.to_str().ok());
        let value = value.filter(|value| value.len() <= MAX_TRACE_PARENT);
        TraceParent(value.filter(|_| values.next().is_none()))
    }
}

impl Extractor for TraceParent<'_> {
    fn get(&self, key: &str) -> Option<&str> {
        self.0.filter(|_| key == TRACE_PARENT)
    }

    fn keys(&self) -> Vec<&str> {
        vec![TRACE_PARENT]
    }
}

/// The method's name; unknown methods share one, as OpenTelemetry specifies.
fn method_name(method: &Method) -> &'static str {
    const KNOWN: [&str; 9] =
        ["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS", "TRACE", "CONNECT"];
    KNOWN.into_iter().find(|known| *known == method.as_str()).unwrap_or("_OTHER")
}
