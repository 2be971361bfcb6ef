//! Where the lines of the log go: to standard error, many at a time. A line alone costs a call of the
//! system and the wait for whoever writes at the same moment, on every request. Warnings and errors are
//! written at once, with all that came before them.

use std::io::{self, Write};
use std::mem;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use tracing::{Level, Metadata};
use tracing_subscriber::fmt::MakeWriter;

/// How long lines wait for others.
const BATCH_WINDOW: Duration = Duration::from_millis(5);
/// Bytes that may wait. Whoever comes then writes them out first, at the reader's pace.
const MOST_WAITING: usize = 1 << 20;

/// The log's way out, shared by all who write to it.
#[derive(Clone)]
pub struct LogStream {
    lines: Arc<Lines>,
}

struct Lines {
    state: Mutex<State>,
    /// Told when the first line waits, and at the end.
    stirred: Condvar,
    out: Mutex<Box<dyn Write + Send>>,
}

#[derive(Default)]
struct State {
    waiting: Vec<u8>,
    ended: bool,
}

/// Writes out what waits when it goes.
pub struct LogEnd {
    lines: Arc<Lines>,
    writer: Option<JoinHandle<()>>,
}

impl LogStream {
    /// Starts the thread that writes to `out`.
    pub fn to(out: Box<dyn Write + Send>) -> io::Result<(LogStream, LogEnd)> {
        let lines = Arc::new(Lines {
            state: Mutex::default(),
            stirred: Condvar::new(),
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
        self.lines.stirred.notify_one();
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

    /// Waits until there is a line and a moment has passed; false at the end.
    fn wait_for_lines(&self) -> bool {
        let nothing_yet = |state: &mut State| state.waiting.is_empty() && !state.ended;
        let state = self.stirred.wait_while(self.state(), nothing_yet);
        let ended = state.unwrap_or_else(PoisonError::into_inner).ended;
        if !ended {
            std::thread::sleep(BATCH_WINDOW);
        }
        !ended
    }

    /// Writes what waits. Where nobody reads it any more, the service goes on without it.
    fn write_out(&self) {
        // Held while the lines are taken, so that they stay in their order.
        let mut out = self.out.lock().unwrap_or_else(PoisonError::into_inner);
        let lines = mem::take(&mut self.state().waiting);
        let _ = out.write_all(&lines);
        let _ = out.flush();
    }

    fn add(&self, line: &[u8], at_once: bool) {
        let mut state = self.state();
        let is_first = state.waiting.is_empty();
        state.waiting.extend_from_slice(line);
        let full = state.waiting.len() >= MOST_WAITING;
        // Nobody writes out any more once the end has come.
        let ended = state.ended;
        drop(state);
        if at_once || full || ended {
            self.write_out();
        } else if is_first {
            self.stirred.notify_one();
        }
    }
}

/// Takes the parts of one line.
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
    struct Kept(Arc<Mutex<Vec<Vec<u8>>>>);

    impl Write for Kept {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.written().push(bytes.to_vec());
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    impl Kept {
        fn stream(&self) -> (LogStream, LogEnd) {
            LogStream::to(Box::new(self.clone())).expect("a thread can be started")
        }

        fn written(&self) -> MutexGuard<'_, Vec<Vec<u8>>> {
            self.0.lock().expect("nobody fell over")
        }

        fn text(&self) -> String {
            String::from_utf8(self.written().concat()).expect("a log is text")
        }
    }

    fn logging_to(stream: LogStream, work: impl FnOnce()) {
        let lines = tracing_subscriber::fmt::layer().with_ansi(false).with_writer(stream).boxed();
        tracing::subscriber::with_default(tracing_subscriber::registry().with(lines), work);
    }

    #[test]
    fn lines_are_written_together_in_their_order_and_none_is_lost_at_the_end() {
        let kept = Kept::default();
        let (stream, end) = kept.stream();
        logging_to(stream, || (0..1_000).for_each(|number| tracing::info!(number)));
        drop(end);
        let text = kept.text();
        assert_eq!(text.lines().count(), 1_000);
        for (place, line) in text.lines().enumerate() {
            assert!(line.ends_with(&format!("number={place}")), "{line}");
        }
        assert!(kept.written().len() < 1_000, "every line was written alone");
    }

    #[test]
    fn a_warning_is_written_at_once_with_what_came_before_it() {
        let kept = Kept::default();
        let (stream, _end) = kept.stream();
        logging_to(stream, || {
            tracing::info!("before");
            tracing::warn!("the warning");
            let text = kept.text();
            assert!(text.contains("before") && text.ends_with("the warning\n"), "{text}");
        });
    }

    #[test]
    fn a_line_is_written_soon_though_nothing_follows_it() {
        let kept = Kept::default();
        let (stream, _end) = kept.stream();
        logging_to(stream, || tracing::info!("alone"));
        for _ in 0..1_000 {
            if kept.text().contains("alone") {
                return;
            }
            std::thread::sleep(BATCH_WINDOW);
        }
        panic!("the line was not written");
    }

    #[test]
    fn more_than_may_wait_is_written_by_who_brings_it() {
        let kept = Kept::default();
        let (stream, _end) = kept.stream();
        let long = "x".repeat(MOST_WAITING);
        logging_to(stream, || tracing::info!(long));
        assert!(kept.text().len() > MOST_WAITING);
    }
}
