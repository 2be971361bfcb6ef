//! The panic hook: one redacted line per panic, without keys and without whole PANs or GSTINs.

use std::any::Any;
use std::panic::PanicHookInfo;

use crate::telemetry::redaction::redact;

/// Replaces the panic hook: each panic is written as one line.
pub fn report_panics(write: fn(&str)) {
    std::panic::set_hook(Box::new(move |panic| write(&line(panic))));
}

fn line(panic: &PanicHookInfo<'_>) -> String {
    let location = panic.location().map(ToString::to_string).unwrap_or_default();
    let thread = std::thread::current().name().unwrap_or("unnamed").to_owned();
    let text = text_of(panic.payload());
    redact(&format!("panic at {location} in the thread {thread}: {text}"))
}

/// The message of a panic; empty if the payload is not a string.
pub fn text_of(payload: &(dyn Any + Send)) -> &str {
    let text = payload.downcast_ref::<&str>().copied();
    text.or_else(|| payload.downcast_ref::<String>().map(String::as_str)).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use super::*;

    static LINES: Mutex<Vec<String>> = Mutex::new(Vec::new());

    #[test]
    fn the_line_of_a_panic_has_its_location_and_is_redacted() {
        let before = std::panic::take_hook();
        report_panics(|line| {
            LINES.lock().expect("no thread panicked with the lock").push(line.to_owned())
        });
        let key = format!("pk_live_{}", "a".repeat(32));
        let panicked =
            std::thread::spawn(move || panic!("no room for ZZDCK9534Q and {key}")).join();
        std::panic::set_hook(before);
        assert!(panicked.is_err());
        let lines = LINES.lock().expect("no thread panicked with the lock");
        let line = lines.iter().find(|line| line.contains("no room for")).expect("a line");
        assert!(line.contains("no room for ZZDCKXXXXQ and pk_live_…"), "{line}");
        assert!(line.contains("crash.rs:") && !line.contains("aaaa"), "{line}");
    }
}
