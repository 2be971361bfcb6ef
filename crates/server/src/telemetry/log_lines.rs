//! How a line of the log is written as JSON: its time, its level, its fields, where it comes from.
//! Every request writes one, so a line is put together in one piece and handed over once.

use std::fmt::{Debug, Error, Result};

use serde::Serialize;
use tracing::field::{Field, Visit};
use tracing::{Event, Subscriber};
use tracing_log::NormalizeEvent;
use tracing_subscriber::fmt::format::Writer;
use tracing_subscriber::fmt::time::{FormatTime, SystemTime};
use tracing_subscriber::fmt::{FmtContext, FormatEvent, FormatFields};
use tracing_subscriber::registry::LookupSpan;

/// Room for the line of a request, about.
const LINE_BYTES: usize = 512;

/// Lines of JSON.
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
        // What libraries log another way comes with where it is from among its fields.
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
            .expect("texts and numbers are written as JSON");
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
    struct Kept(Arc<Mutex<Vec<u8>>>);

    impl Write for Kept {
        fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
            self.0.lock().expect("nobody fell over").write(bytes)
        }

        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn a_line_is_one_object_with_its_fields_in_their_order() {
        let kept = Kept::default();
        let writer = kept.clone();
        let logging = tracing_subscriber::fmt()
            .event_format(JsonLines)
            .with_writer(move || writer.clone())
            .finish();
        tracing::subscriber::with_default(logging, || {
            let (cause, nothing) = (std::io::Error::other("no \"room\"\n"), None::<&str>);
            tracing::warn!(%cause, nothing, path = "/v1/पंजी", status = 503, share = 0.5, "request");
        });
        let bytes = kept.0.lock().expect("nobody fell over").clone();
        let text = String::from_utf8(bytes).expect("a line is text");
        assert_eq!(text.matches('\n').count(), 1, "{text}");
        let line: Value = serde_json::from_str(&text).expect("a line is JSON");
        let time = line["timestamp"].as_str().expect("a line has its time");
        let rest = json!({
            "timestamp": time, "level": "WARN", "message": "request", "cause": "no \"room\"\n",
            "path": "/v1/पंजी", "status": 503, "share": 0.5, "target": module_path!(),
        });
        assert_eq!(line, rest);
        let place = |name: &str| text.find(&format!("\"{name}\":")).expect("the field is there");
        assert!(place("timestamp") < place("level") && place("level") < place("message"));
        assert!(place("cause") < place("path") && place("share") < place("target"));
    }
}
