//! Writes log lines to standard error in batches. Writing each line by itself would cost every
//! request a system call and a wait for other writers. Warnings and errors are written at once,
//! after all earlier lines.

use std::io::{self, Write};
use std::mem;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use tracing::{Level, Metadata};
use tracing_subscriber::fmt::MakeWriter;

/// How long lines are collected before they are written.
const BATCH_WINDOW: Duration = Duration::from_millis(5);
/// The bytes that are buffered. The thread that exceeds this writes them out itself, as fast as the
/// reader accepts them.
const MAX_BUFFERED: usize = 1 << 20;

/// A handle to the log, shared by all threads.
#[derive(Clone)]
pub struct LogStream {
    lines: Arc<Lines>,
}

struct Lines {
    state: Mutex<State>,
    /// Notified of the first buffered line, and of the end.
    changed: Condvar,
    out: Mutex<Box<dyn Write + Send>>,
}

#[derive(Default)]
struct State {
    buffered: Vec<u8>,
    ended: bool,
}

/// Writes out the buffered lines when dropped.
pub struct LogEnd {
    lines: Arc<Lines>,
    writer: Option<JoinHandle<()>>,
}

impl LogStream {
    /// Starts the thread that writes to `out`.
    pub fn to(out: Box<dyn Write + Send>) -> io::Result<(LogStream, LogEnd)> {
        let lines = Arc::new(Lines {
            state: Mutex::default(),
            changed: Condvar::new(),
            out: Mutex::new(out),
        });
        let writing = lines.clone();
        let writer = std::thread::Builder::new().name("log".into()).spawn(move || {
            while writing.wait_for_lines() {
                writing.write_out()
            }
        })?;
        Ok((LogStream { lines: lines.clone() }, LogEnd { lines, writer: Some(writer) }))
    }
}

impl Drop for LogEnd {
    fn drop(&mut self) {
        self.lines.state().ended = true;
        self.lines.changed.notify_one();
        if let Some(writer) = self.writer.take() {
            let _ = writer.join();
        }
        self.lines.write_out();
    }
}

impl Lines {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits for a line, and then for the batch window; false at the end.
    fn wait_for_lines(&self) -> bool {
        let is_idle = |state: &mut State| state.buffered.is_empty() && !state.ended;
        let state = self.changed.wait_while(self.state(), is_idle);
        let ended = state.unwrap_or_else(PoisonError::into_inner).ended;
        if !ended {
            std::thread::sleep(BATCH_WINDOW);
        }
        !ended
    }

    /// Writes the buffered lines. If standard error is closed, the service continues without a log.
    fn write_out(&self) {
        // Locked before the lines are taken, so that they keep their order.
        let mut out = self.out.lock().unwrap_or_else(PoisonError::into_inner);
        let lines = mem::take(&mut self.state().buffered);
        let _ = out.write_all(&lines);
        let _ = out.flush();
    }

    fn add(&self, line: &[u8], at_once: bool) {
        let mut state = self.state();
        let is_first = state.buffered.is_empty();
        state.buffered.extend_from_slice(line);
        let full = state.buffered.len() >= MAX_BUFFERED;
        // After the end there is no writer thread.
        let ended = state.ended;
        drop(state);
        if at_once || full || ended {
            self.write_out();
        } else if is_first {
            self.changed.notify_one();
        }
    }
}

/// Writes one line to the log.
pub struct LineWriter<'a> {
    lines: &'a Lines,
    at_once: bool,
}

impl Write for LineWriter<'_> {
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        self.lines.add(line, self.at_once);
        Ok(line.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl<'a> MakeWriter<'a> for LogStream {
    type Writer = LineWriter<'a>;

    fn make_writer(&'a self) -> LineWriter<'a> {
        LineWriter { lines: &self.lines, at_once: true }
    }

    fn make_writer_for(&'a self, metadata: &Metadata<'_>) -> LineWriter<'a> {
        LineWriter { lines: &self.lines, at_once: *metadata.level() <= Level::WARN }
    }
}

#[cfg(test)]
mod tests {
    use tracing_subscriber::Layer;
    use tracing_subscriber::layer::SubscriberExt;

    use super::*;

    #[derive(Clone, Default)]
    struct Recorder(Arc<Mutex<Vec<Vec<u8>>>>);

    impl Write for Recorder {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.written().push(bytes.to_vec());
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    impl Recorder {
        fn stream(&self) -> (LogStream, LogEnd) {
            LogStream::to(Box::new(self.clone())).expect("a thread can be started")
        }

        fn written(&self) -> MutexGuard<'_, Vec<Vec<u8>>> {
            self.0.lock().expect("not poisoned")
        }

        fn text(&self) -> String {
            String::from_utf8(self.written().concat()).expect("UTF-8")
        }
    }

    fn logging_to(stream: LogStream, work: impl FnOnce()) {
        let lines = tracing_subscriber::fmt::layer().with_ansi(false).with_writer(stream).boxed();
        tracing::subscriber::with_default(tracing_subscriber::registry().with(lines), work);
    }

    #[test]
    fn lines_are_written_in_batches_in_order_and_none_is_lost_at_the_end() {
        let recorder = Recorder::default();
        let (stream, end) = recorder.stream();
        logging_to(stream, || (0..1_000).for_each(|number| tracing::info!(number)));
        drop(end);
        let text = recorder.text();
        assert_eq!(text.lines().count(), 1_000);
        for (index, line) in text.lines().enumerate() {
            assert!(line.ends_with(&format!("number={index}")), "{line}");
        }
        assert!(recorder.written().len() < 1_000, "every line was written by itself");
    }

    #[test]
    fn a_warning_is_written_at_once_after_earlier_lines() {
        let recorder = Recorder::default();
        let (stream, _end) = recorder.stream();
        logging_to(stream, || {
            tracing::info!("before");
            tracing::warn!("the warning");
            let text = recorder.text();
            assert!(text.contains("before") && text.ends_with("the warning\n"), "{text}");
        });
    }

    #[test]
    fn a_single_line_is_written_soon() {
        let recorder = Recorder::default();
        let (stream, _end) = recorder.stream();
        logging_to(stream, || tracing::info!("alone"));
        for _ in 0..1_000 {
            if recorder.text().contains("alone") {
                return;
            }
            std::thread::sleep(BATCH_WINDOW);
        }
        panic!("the line was not written");
    }

    #[test]
    fn a_full_buffer_is_written_by_the_thread_that_filled_it() {
        let recorder = Recorder::default();
        let (stream, _end) = recorder.stream();
        let long = "x".repeat(MAX_BUFFERED);
        logging_to(stream, || tracing::info!(long));
        assert!(recorder.text().len() > MAX_BUFFERED);
    }
}
