//! Tests of traces: what a collector receives, and that requests work without a collector.

use crate::accounts::{Account, CIN, DIN};
use crate::collector::{Collector, Span};
use crate::metrics::NodeWithMetrics;
use crate::node::free_address;
use crate::program::{Program, embedded, on_each_engine, wait_for};

const ENDPOINT: &str = "PANJI_TRACING__OTLP_ENDPOINT";
/// A caller's trace, with its span, and whether it is recorded.
const TRACE: &str = "4bf92f3577b34da6a3ce929d0e0e4736";
const SPAN: &str = "00f067aa0ba902b7";

/// A program that sends its traces to a collector.
fn traced(program: &Program, collector: &Collector) -> Program {
    program.with(ENDPOINT, &collector.url()).with("PANJI_TRACING__SERVICE_NAME", "panji-of-a-test")
}

/// The span of a request, after waiting for it.
fn span_of(collector: &Collector, request_id: &str) -> Span {
    let mut found = None;
    wait_for("the request's span arrives", || {
        let of_request = |span: &Span| {
            span.attributes.get("panji.request_id").is_some_and(|id| id == request_id)
        };
        found = collector.spans().into_iter().find(of_request);
        found.is_some()
    });
    found.unwrap()
}

/// The names of a span's children, sorted.
fn parts_of(collector: &Collector, span: &Span) -> Vec<String> {
    let of_span = |part: &Span| part.parent_id == span.id && part.trace_id == span.trace_id;
    let parts = collector.spans().into_iter().filter(of_span);
    let mut names: Vec<String> = parts.map(|part| part.name).collect();
    names.sort();
    names
}

#[test]
fn a_request_is_a_span_with_children() {
    on_each_engine(|program| {
        let collector = Collector::start();
        let program = traced(program, &collector);
        let key = Account::with_credits(&program, 100).key("live");
        let node = program.serve();
        let director = node.get(&key, &format!("/v1/directors/{DIN}"));
        assert_eq!(director.status, 200, "{}", director.text());
        let span = span_of(&collector, &director.request_id());
        assert_eq!(span.name, "getDirector");
        assert_eq!(span.parent_id, "");
        let attribute = |span: &Span, name: &str| span.attributes.get(name).cloned();
        for (name, value) in [
            ("service.name", "panji-of-a-test"),
            ("panji.operation", "getDirector"),
            ("panji.mode", "live"),
            ("panji.credits", "2"),
            ("http.request.method", "GET"),
            ("http.route", "/v1/directors/{din}"),
            ("http.response.status_code", "200"),
        ] {
            assert_eq!(attribute(&span, name).as_deref(), Some(value), "{name}");
        }
        let reads = ["register", "register"];
        assert_eq!(parts_of(&collector, &span), [&["authorize", "charge"], &reads[..]].concat());

        let search = node.get(&key, "/v1/companies/search?q=udaharan");
        let span = span_of(&collector, &search.request_id());
        assert_eq!(parts_of(&collector, &span), ["authorize", "charge", "register", "search"]);
        let items = vec![format!(r#"{{"value":"{CIN}"}}"#); 50].join(",");
        let bulk = node.post(&key, "/v1/bulk/verify", &[], &format!(r#"{{"items":[{items}]}}"#));
        assert_eq!(bulk.status, 200, "{}", bulk.text());
        let span = span_of(&collector, &bulk.request_id());
        assert_eq!(parts_of(&collector, &span), ["authorize", "charge", "register"]);

        let missing = node.get(&key, "/v1/directors/99999999");
        let span = span_of(&collector, &missing.request_id());
        assert_eq!(attribute(&span, "error.type").as_deref(), Some("director_not_found"));
        assert_eq!(attribute(&span, "http.response.status_code").as_deref(), Some("404"));
        let nowhere = node.get(&key, &format!("/v1/nowhere/{DIN}"));
        let span = span_of(&collector, &nowhere.request_id());
        assert_eq!((span.name.as_str(), attribute(&span, "http.route")), ("GET", None));
        node.stop();
    });
}

#[test]
fn a_callers_trace_is_continued_and_a_malformed_one_is_not() {
    embedded(|program| {
        let collector = Collector::start();
        // No request is sampled: only callers' traces are recorded.
        let program = traced(program, &collector).with("PANJI_TRACING__SAMPLE_PER_THOUSAND", "0");
        let key = Account::create(&program, "namuna@example.in").key("test");
        let node = program.serve();
        let ask = |header: &str| {
            let headers = [("traceparent", header), ("tracestate", "of=the-caller")];
            let path = "/v1/verify/din/99000501";
            let reply = node.client(&key).send("GET", path, &headers, b"").unwrap();
            assert_eq!(reply.status, 200);
            reply.request_id()
        };
        let mut unrecorded = vec![ask(""), ask(&format!("00-{TRACE}-{SPAN}-00"))];
        for wrong in [
            format!("00-{TRACE}-{SPAN}"),
            format!("00-{}-{SPAN}-01", "0".repeat(32)),
            format!("00-{TRACE}-{SPAN}-01-{}", "x".repeat(1000)),
            "of the caller's own making".to_owned(),
        ] {
            unrecorded.push(ask(&wrong));
        }
        let recorded = ask(&format!("00-{TRACE}-{SPAN}-01"));
        let span = span_of(&collector, &recorded);
        assert_eq!((span.trace_id.as_str(), span.parent_id.as_str()), (TRACE, SPAN));
        wait_for("the log names the trace", || node.logged().contains(TRACE));
        node.stop();
        let seen: Vec<Span> = collector.spans();
        let requests = seen.iter().filter_map(|span| span.attributes.get("panji.request_id"));
        assert_eq!(requests.collect::<Vec<_>>(), [&recorded], "beside {unrecorded:?}");
        let sent = String::from_utf8_lossy(&collector.bytes()).into_owned();
        assert!(!sent.contains("of=the-caller") && !sent.contains("xxxx"), "{sent}");
    });
}

#[test]
fn requests_work_without_a_collector() {
    embedded(|program| {
        let key = Account::create(program, "namuna@example.in").key("test");
        let silent = Collector::start();
        silent.fall_silent();
        let away = format!("http://{}/v1/traces", free_address());
        for endpoint in [away, silent.url()] {
            let watched = NodeWithMetrics::start(&program.with(ENDPOINT, &endpoint));
            let dropped = || watched.value("panji_spans_dropped_total");
            let mut client = watched.node.client(&key);
            wait_for("spans are dropped", || {
                let reply = client.get("/v1/verify/din/99000501").unwrap();
                assert_eq!(reply.status, 200, "{}", reply.text());
                dropped() > 0.0
            });
            assert_eq!(watched.value("panji_spans_sent_total"), 0.0);
            for _ in 0..50 {
                assert_eq!(client.get("/v1/verify/din/99000501").unwrap().status, 200);
            }
            let before = dropped();
            wait_for("the next batch is dropped", || dropped() > before);
            let log = watched.node.logged();
            assert_eq!(log.matches("traces cannot be sent").count(), 1, "{log}");
            watched.node.stop();
        }
    });
}
