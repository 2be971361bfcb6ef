//! Formats log lines as JSON: time, level, fields, target. A line is written straight into the buffer
//! that its thread keeps for lines, because every request writes one.

use std::fmt::{Debug, Display, Result, Write};

use tracing::field::{Field, Visit};
use tracing::{Event, Subscriber};
use tracing_log::NormalizeEvent;
use tracing_subscriber::fmt::format::Writer;
use tracing_subscriber::fmt::time::{FormatTime, SystemTime};
use tracing_subscriber::fmt::{FmtContext, FormatEvent, FormatFields};
use tracing_subscriber::registry::LookupSpan;

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
        writer.write_str("{\"timestamp\":\"")?;
        SystemTime.format_time(&mut writer)?;
        writer.write_char('"')?;
        let mut line = Line { writer, written: Ok(()) };
        line.add_text("level", metadata.level().as_str());
        event.record(&mut line);
        line.add_text("target", metadata.target());
        line.written?;
        line.writer.write_str("}\n")
    }
}

/// A line behind its first field.
struct Line<'a> {
    writer: Writer<'a>,
    written: Result,
}

impl Line<'_> {
    fn add_text(&mut self, name: &str, text: &str) {
        if needs_escape(text) {
            self.add_display(name, serde_json::Value::from(text));
        } else {
            self.add(name, &["\"", text, "\""]);
        }
    }

    /// Adds a value whose display form is JSON.
    fn add_display(&mut self, name: &str, value: impl Display) {
        if self.add(name, &[]) {
            self.written = write!(self.writer, "{value}");
        }
    }

    /// Adds a field with a value of these parts, which are JSON together or its beginning. They are not formatted, which
    /// would take several times as long. The names of fields need no escapes. Returns whether the
    /// field was written.
    fn add(&mut self, name: &str, value: &[&str]) -> bool {
        if self.written.is_err() || name.starts_with("log.") {
            return false;
        }
        let name = [",\"", name, "\":"];
        let mut parts = name.iter().chain(value);
        self.written = parts.try_for_each(|part| self.writer.write_str(part));
        self.written.is_ok()
    }
}

impl Visit for Line<'_> {
    fn record_str(&mut self, field: &Field, value: &str) {
        self.add_text(field.name(), value);
    }

    fn record_bool(&mut self, field: &Field, value: bool) {
        self.add_display(field.name(), value);
    }

    fn record_i64(&mut self, field: &Field, value: i64) {
        self.add_display(field.name(), value);
    }

    fn record_u64(&mut self, field: &Field, value: u64) {
        self.add_display(field.name(), value);
    }

    fn record_f64(&mut self, field: &Field, value: f64) {
        // JSON has no word for a number that is not finite.
        match value.is_finite() {
            true => self.add_display(field.name(), format_args!("{value:?}")),
            false => self.add_display(field.name(), "null"),
        }
    }

    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        if self.add(field.name(), &["\""]) {
            self.written = write!(Escaped(&mut self.writer), "{value:?}")
                .and_then(|()| self.writer.write_char('"'));
        }
    }
}

/// Writes the inside of a JSON string.
struct Escaped<'w, 'a>(&'w mut Writer<'a>);

impl Write for Escaped<'_, '_> {
    fn write_str(&mut self, text: &str) -> Result {
        if !needs_escape(text) {
            return self.0.write_str(text);
        }
        let quoted = serde_json::Value::from(text).to_string();
        self.0.write_str(&quoted[1..quoted.len() - 1])
    }
}

fn needs_escape(text: &str) -> bool {
    text.bytes().any(|byte| byte < b' ' || byte == b'"' || byte == b'\\')
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
            // Fields of the `log` crate are left out.
            tracing::warn!(
                %cause, nothing, "log.line" = 7, path = "/v1/पंजी", status = 503, share = 0.5, ok = false, "request"
            );
        });
        let bytes = buffer.0.lock().expect("not poisoned").clone();
        let text = String::from_utf8(bytes).expect("UTF-8");
        assert_eq!(text.matches('\n').count(), 1, "{text}");
        let line: Value = serde_json::from_str(&text).expect("JSON");
        let time = line["timestamp"].as_str().expect("a timestamp");
        let rest = json!({
            "timestamp": time, "level": "WARN", "message": "request", "cause": "no \"room\"\n",
            "path": "/v1/पंजी", "status": 503, "share": 0.5, "ok": false, "target": module_path!(),
        });
        assert_eq!(line, rest);
        let position = |name: &str| text.find(&format!("\"{name}\":")).expect("the field");
        assert!(
            position("timestamp") < position("level") && position("level") < position("message")
        );
        assert!(position("cause") < position("path") && position("share") < position("target"));
    }
}
