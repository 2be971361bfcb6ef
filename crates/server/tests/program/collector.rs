//! A fake trace collector: receives OTLP messages, stores them, and can be slow.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use opentelemetry_proto::tonic::collector::trace::v1::ExportTraceServiceRequest;
use opentelemetry_proto::tonic::common::v1::any_value::Value;
use opentelemetry_proto::tonic::common::v1::{AnyValue, KeyValue};
use prost::Message;

/// The largest accepted message.
const MAX_MESSAGE_BYTES: usize = 16 * 1024 * 1024;

/// A received span.
#[derive(Clone, Debug)]
pub struct Span {
    pub name: String,
    pub trace_id: String,
    pub id: String,
    pub parent_id: String,
    pub attributes: BTreeMap<String, String>,
}

/// A collector on a port of this machine.
pub struct Collector {
    address: SocketAddr,
    messages: Arc<Mutex<Vec<Vec<u8>>>>,
    silent: Arc<AtomicBool>,
}

impl Collector {
    pub fn start() -> Collector {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let (messages, silent) =
            (Arc::new(Mutex::new(Vec::new())), Arc::new(AtomicBool::new(false)));
        let (received, is_silent) = (messages.clone(), silent.clone());
        std::thread::spawn(move || {
            for connection in listener.incoming().map_while(Result::ok) {
                let (received, is_silent) = (received.clone(), is_silent.clone());
                std::thread::spawn(move || receive_all(connection, &received, &is_silent));
            }
        });
        Collector { address, messages, silent }
    }

    /// The endpoint for nodes.
    pub fn url(&self) -> String {
        format!("http://{}/v1/traces", self.address)
    }

    /// From now on it accepts everything and never responds.
    pub fn fall_silent(&self) {
        self.silent.store(true, Ordering::Relaxed);
    }

    /// All received bytes.
    pub fn bytes(&self) -> Vec<u8> {
        self.messages.lock().unwrap().concat()
    }

    /// The received spans, with the name of the service.
    pub fn spans(&self) -> Vec<Span> {
        let messages = self.messages.lock().unwrap();
        messages.iter().flat_map(|message| spans_of(message)).collect()
    }
}

/// Receives all messages of a connection.
fn receive_all(
    connection: TcpStream,
    received: &Mutex<Vec<Vec<u8>>>,
    silent: &AtomicBool,
) -> Option<()> {
    let mut connection = BufReader::new(connection);
    loop {
        let mut length = 0;
        let mut line = String::new();
        connection.read_line(&mut line).ok().filter(|read| *read > 0)?;
        assert_eq!(line.trim_end(), "POST /v1/traces HTTP/1.1");
        while !line.trim_end().is_empty() {
            line.clear();
            connection.read_line(&mut line).ok()?;
            let (name, value) = line.split_once(':').unwrap_or_default();
            if name.eq_ignore_ascii_case("content-length") {
                length = value.trim().parse().ok().filter(|length| *length < MAX_MESSAGE_BYTES)?;
            }
        }
        let mut message = vec![0; length];
        connection.read_exact(&mut message).ok()?;
        received.lock().unwrap().push(message);
        if !silent.load(Ordering::Relaxed) {
            let response = "HTTP/1.1 200 OK\r\nContent-Type: application/x-protobuf\r\nContent-Length: 0\r\n\r\n";
            connection.get_mut().write_all(response.as_bytes()).ok()?;
        }
    }
}

fn spans_of(message: &[u8]) -> Vec<Span> {
    let mut spans = Vec::new();
    for resource in ExportTraceServiceRequest::decode(message).unwrap().resource_spans {
        let service = texts(resource.resource.unwrap_or_default().attributes);
        for span in resource.scope_spans.into_iter().flat_map(|scope| scope.spans) {
            let mut attributes = texts(span.attributes);
            attributes.extend(service.clone());
            spans.push(Span {
                name: span.name,
                trace_id: hex(&span.trace_id),
                id: hex(&span.span_id),
                parent_id: hex(&span.parent_span_id),
                attributes,
            });
        }
    }
    spans
}

fn texts(attributes: Vec<KeyValue>) -> BTreeMap<String, String> {
    let text = |value: Option<AnyValue>| match value.and_then(|value| value.value) {
        Some(Value::StringValue(text)) => text,
        Some(Value::IntValue(number)) => number.to_string(),
        other => format!("{other:?}"),
    };
    attributes.into_iter().map(|attribute| (attribute.key, text(attribute.value))).collect()
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
