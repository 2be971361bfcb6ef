//! Formats log lines as JSON: time, level, fields, target. Each line is built in one buffer and
//! written once, because every request writes one.

use std::fmt::{Debug, Error, Result};

use serde::Serialize;
use tracing::field::{Field, Visit};
use tracing::{Event, Subscriber};
use tracing_log::NormalizeEvent;
use tracing_subscriber::fmt::format::Writer;
use tracing_subscriber::fmt::time::{FormatTime, SystemTime};
use tracing_subscriber::fmt::{FmtContext, FormatEvent, FormatFields};
use tracing_subscriber::registry::LookupSpan;

/// About the size of a request's line.
const LINE_BYTES: usize = 512;

pub struct JsonLines;

impl<S, N> FormatEvent<S, N> for JsonLines
where
    S: Subscriber + for<'a> LookupSpan<'a>,
    N: for<'a> FormatFields<'a> + 'static,
{
    fn format_event(
        &self,
        _: &FmtContext<'_, S, N>,
        mut writer: Writer<'_>,
        event: &Event<'_>,
    ) -> Result {
        // Events of the `log` crate carry their target in fields; this restores the metadata.
        let normalized = event.normalized_metadata();
        let metadata = normalized.as_ref().unwrap_or_else(|| event.metadata());
        let mut time = String::new();
        SystemTime.format_time(&mut Writer::new(&mut time))?;
        let mut line = Line { bytes: Vec::with_capacity(LINE_BYTES) };
        line.bytes.push(b'{');
        line.add("timestamp", &time);
        line.add("level", metadata.level().as_str());
        event.record(&mut line);
        line.add("target", metadata.target());
        line.bytes.extend_from_slice(b"}\n");
        writer.write_str(std::str::from_utf8(&line.bytes).map_err(|_| Error)?)
    }
}

struct Line {
    bytes: Vec<u8>,
}

impl Line {
    fn add(&mut self, name: &str, value: &(impl Serialize + ?Sized)) {
        if name.starts_with("log.") {
            return;
        }
        if self.bytes.len() > 1 {
            self.bytes.push(b',');
        }
        self.write(name);
        self.bytes.push(b':');
        self.write(value);
    }

    fn write(&mut self, value: &(impl Serialize + ?Sized)) {
        serde_json::to_writer(&mut self.bytes, value)
            .expect("strings and numbers can always be serialized");
    }
}

impl Visit for Line {
    fn record_str(&mut self, field: &Field, value: &str) {
        self.add(field.name(), value);
    }

    fn record_bool(&mut self, field: &Field, value: bool) {
        self.add(field.name(), &value);
    }

    fn record_i64(&mut self, field: &Field, value: i64) {
        self.add(field.name(), &value);
    }

    fn record_u64(&mut self, field: &Field, value: u64) {
        self.add(field.name(), &value);
    }

    fn record_f64(&mut self, field: &Field, value: f64) {
        self.add(field.name(), &value);
    }

    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        self.add(field.name(), &format!("{value:?}"));
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;
    use std::sync::{Arc, Mutex};

    use serde_json::{Value, json};

    use super::*;

    #[derive(Clone, Default)]
    struct Buffer(Arc<Mutex<Vec<u8>>>);

    impl Write for Buffer {
        fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
            self.0.lock().expect("not poisoned").write(bytes)
        }

        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn a_line_is_one_json_object_with_ordered_fields() {
        let buffer = Buffer::default();
        let writer = buffer.clone();
        let logging = tracing_subscriber::fmt()
            .event_format(JsonLines)
            .with_writer(move || writer.clone())
            .finish();
        tracing::subscriber::with_default(logging, || {
            let (cause, nothing) = (std::io::Error::other("no \"room\"\n"), None::<&str>);
            tracing::warn!(%cause, nothing, path = "/v1/पंजी", status = 503, share = 0.5, "request");
        });
        let bytes = buffer.0.lock().expect("not poisoned").clone();
        let text = String::from_utf8(bytes).expect("UTF-8");
        assert_eq!(text.matches('\n').count(), 1, "{text}");
        let line: Value = serde_json::from_str(&text).expect("JSON");
        let time = line["timestamp"].as_str().expect("a timestamp");
        let rest = json!({
            "timestamp": time, "level": "WARN", "message": "request", "cause": "no \"room\"\n",
            "path": "/v1/पंजी", "status": 503, "share": 0.5, "target": module_path!(),
        });
        assert_eq!(line, rest);
        let position = |name: &str| text.find(&format!("\"{name}\":")).expect("the field");
        assert!(
            position("timestamp") < position("level") && position("level") < position("message")
        );
        assert!(position("cause") < position("path") && position("share") < position("target"));
    }
}
