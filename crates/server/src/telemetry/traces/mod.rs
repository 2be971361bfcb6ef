//! Traces for OpenTelemetry: one span for a request and one for each part of its work. Only what is made
//! here is ever sent, so that nothing a library notes can leave the process; and where traces are off,
//! there is nothing to ask but an empty `Option`.

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

pub use sender::SpanCounters;

use crate::config::TraceSettings;
use sender::Sender;

/// The header in which a caller names the trace that its request belongs to.
const TRACE_PARENT: &str = "traceparent";
/// Longer ones than those of today's version are not read.
const MAX_TRACE_PARENT: usize = 55;
/// Attributes of one span.
const MAX_ATTRIBUTES: u32 = 16;
/// How long a stop waits for the last spans.
const LAST_SPANS_TIME: Duration = Duration::from_secs(3);

/// Makes traces and sends them.
pub struct Traces {
    tracer: SdkTracer,
    propagator: TraceContextPropagator,
    /// Without it the tracer makes nothing.
    _provider: SdkTracerProvider,
    sender: Sender,
}

/// The trace of one request.
pub struct RequestTrace {
    tracer: SdkTracer,
    context: Context,
    method: &'static str,
}

/// What came of a request.
pub struct Outcome<'a> {
    /// Our id of the request.
    pub request_id: &'a str,
    /// The operation's id, where the route is one of the API's.
    pub operation: Option<&'static str>,
    /// Test or live, where the caller is known.
    pub mode: Option<&'static str>,
    /// Credits charged.
    pub credits: i64,
    /// The error's code.
    pub error_code: Option<&'static str>,
}

/// A part of a request's work; it ends when this is let go.
#[must_use = "a part ends when it is let go"]
pub struct SpanGuard {
    _span: Option<Box<Span>>,
}

impl Traces {
    /// Opens the way to the collector; none where no collector is set.
    pub fn open(
        settings: &TraceSettings,
        counters: SpanCounters,
    ) -> Result<Option<Traces>, String> {
        if !settings.is_on() {
            return Ok(None);
        }
        let resource = Resource::builder_empty()
            .with_service_name(settings.service_name.clone())
            .with_attribute(KeyValue::new("service.version", env!("CARGO_PKG_VERSION")))
            .build();
        let (sender, queue) = Sender::start(&settings.otlp_endpoint, &resource, counters)?;
        // Whoever calls as a part of a trace says whether it is recorded; the others are drawn.
        let drawn = Sampler::TraceIdRatioBased(settings.sample_ratio());
        let provider = SdkTracerProvider::builder()
            .with_sampler(Sampler::ParentBased(Box::new(drawn)))
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

    /// Begins the trace of a request; none where it is not to be recorded.
    pub fn begin(&self, request: &Request) -> Option<Box<RequestTrace>> {
        let caller = self
            .propagator
            .extract_with_context(&Context::new(), &TraceParent::of(request.headers()));
        let method = method_name(request.method());
        let attributes = [KeyValue::new("http.request.method", method)];
        let span =
            SpanBuilder::from_name(method).with_kind(SpanKind::Server).with_attributes(attributes);
        let span = self.tracer.build_with_context(span, &caller);
        let context = Context::new().with_span(span);
        let recorded = context.span().is_recording();
        recorded.then(|| Box::new(RequestTrace { tracer: self.tracer.clone(), context, method }))
    }

    /// Sends what is left, for a while.
    pub async fn close(&self) {
        self.sender.close(LAST_SPANS_TIME).await;
    }
}

impl RequestTrace {
    /// Begins a part of the request's work.
    pub fn span(&self, name: &'static str) -> SpanGuard {
        let span = SpanBuilder::from_name(name).with_kind(SpanKind::Internal);
        let span = self.tracer.build_with_context(span, &self.context);
        SpanGuard { _span: Some(Box::new(span)) }
    }

    /// Notes which route was taken, by its template: a path itself may hold anything.
    pub fn set_route(&self, template: &str) {
        let span = self.context.span();
        span.update_name(format!("{} {template}", self.method));
        span.set_attribute(KeyValue::new("http.route", template.to_owned()));
    }

    /// Notes what came of the request, and ends its span.
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

    /// The trace's name, for the log.
    pub fn id(&self) -> String {
        self.context.span().span_context().trace_id().to_string()
    }
}

impl SpanGuard {
    /// No trace, no part.
    pub const NONE: SpanGuard = SpanGuard { _span: None };
}

/// The caller's trace, where its header is one and short. Of what else callers may send along nothing is
/// taken: it would be their text in our spans.
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

/// A method's name as OpenTelemetry has it: those that a caller made up share one.
fn method_name(method: &Method) -> &'static str {
    const KNOWN: [&str; 9] =
        ["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS", "TRACE", "CONNECT"];
    KNOWN.into_iter().find(|known| *known == method.as_str()).unwrap_or("_OTHER")
}
