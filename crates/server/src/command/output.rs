//! Prints results to standard output, and errors and progress to standard error.

use std::io::{IsTerminal, Write};
use std::time::{Duration, Instant};

/// The columns of a narrow terminal, minus one.
const TERMINAL_COLUMNS: usize = 79;
const BAR_WIDTH: usize = 20;
/// The time before the remaining time is estimated.
const ESTIMATE_AFTER: Duration = Duration::from_secs(1);

/// Prints a line. If the reader closed the pipe (`| head`), the program ends quietly.
#[allow(clippy::disallowed_methods, reason = "the reader has closed the output")]
pub fn print(line: &str) {
    let mut out = std::io::stdout().lock();
    if writeln!(out, "{line}").is_err() {
        std::process::exit(0);
    }
}

/// Prints a part of a document, without a line break.
#[allow(clippy::disallowed_methods, reason = "the reader has closed the output")]
pub fn print_part(part: &str) {
    if std::io::stdout().lock().write_all(part.as_bytes()).is_err() {
        std::process::exit(0);
    }
}

/// A count with its noun: 1 account, 12345 accounts. Without separators, because scripts read it too.
pub fn counted(number: i64, one: &str, many: &str) -> String {
    format!("{number} {}", if number == 1 { one } else { many })
}

/// Prompts on standard error, so that standard output contains only results.
pub fn prompt(question: &str) {
    let mut out = std::io::stderr().lock();
    let _ = write!(out, "{question}").and_then(|()| out.flush());
}

/// Prints a line and ignores a closed pipe.
pub fn announce(line: &str) {
    let _ = writeln!(std::io::stdout().lock(), "{line}");
}

/// Prints one line on standard error.
pub fn print_error(line: &str) {
    let _ = writeln!(std::io::stderr().lock(), "panji: {}", line.replace('\n', " "));
}

/// Prints a note on standard error; it is not an error.
pub fn note(line: &str) {
    let _ = writeln!(std::io::stderr().lock(), "Note: {line}.");
}

/// Displays progress: in place on a terminal, else as a line every few seconds.
pub struct Progress {
    on_terminal: bool,
    displayed: bool,
    started: Instant,
    // Starts at the beginning, so that short work displays nothing.
    last_update: Instant,
}

impl Progress {
    pub fn new() -> Progress {
        let (on_terminal, now) = (std::io::stderr().is_terminal(), Instant::now());
        Progress { on_terminal, displayed: false, started: now, last_update: now }
    }

    /// Displays the progress if the last update is old enough.
    pub fn show(&mut self, done: u64, all: Option<u64>, what: &str) {
        let pause = if self.on_terminal { 100 } else { 3_000 };
        if self.last_update.elapsed().as_millis() < pause {
            return;
        }
        self.displayed = true;
        self.last_update = Instant::now();
        let share = Share { done, all, elapsed: self.started.elapsed() };
        let mut out = std::io::stderr().lock();
        let _ = if self.on_terminal {
            // A line that wraps cannot be cleared.
            let line: String = share.bar(what).chars().take(TERMINAL_COLUMNS).collect();
            write!(out, "\r\x1b[K{line}").and_then(|()| out.flush())
        } else {
            writeln!(out, "{}", share.line(what))
        };
    }

    /// Clears the line on a terminal.
    pub fn finish(&mut self) {
        if self.on_terminal && self.displayed {
            let _ = write!(std::io::stderr().lock(), "\r\x1b[K");
        }
    }
}

/// The share of work that is done after a time.
struct Share {
    done: u64,
    /// The total; none if it is unknown.
    all: Option<u64>,
    elapsed: Duration,
}

impl Share {
    fn percent(&self) -> Option<u64> {
        let all = self.all.filter(|all| *all > 0)?;
        Some((u128::from(self.done) * 100 / u128::from(all)).min(100) as u64)
    }

    /// The estimated time left; none before an estimate is possible.
    fn time_left(&self) -> Option<String> {
        let rest = self.all?.checked_sub(self.done)?;
        if self.done == 0 || self.elapsed < ESTIMATE_AFTER {
            return None;
        }
        let seconds = (self.elapsed.as_secs_f64() * rest as f64 / self.done as f64).ceil() as u64;
        Some(match seconds {
            0..60 => format!("about {seconds} s left"),
            60..3_600 => format!("about {} min left", seconds.div_ceil(60)),
            _ => format!("about {} h {} min left", seconds / 3_600, seconds % 3_600 / 60),
        })
    }

    /// For a terminal: `[####----------------]  23%  about 2 min left  what`.
    fn bar(&self, what: &str) -> String {
        let Some(percent) = self.percent() else { return what.to_owned() };
        let full = percent as usize * BAR_WIDTH / 100;
        let (full, empty) = ("#".repeat(full), "-".repeat(BAR_WIDTH - full));
        let left = self.time_left().map(|left| format!("  {left}")).unwrap_or_default();
        format!("[{full}{empty}] {percent:>3}%{left}  {what}")
    }

    /// For a log: `23%, about 2 min left: what`.
    fn line(&self, what: &str) -> String {
        let Some(percent) = self.percent() else { return what.to_owned() };
        let left = self.time_left().map(|left| format!(", {left}")).unwrap_or_default();
        format!("{percent}%{left}: {what}")
    }
}

/// Prints a table with aligned columns.
pub fn print_table(headings: &[&str], rows: &[Vec<String>]) {
    let width = |column: usize| {
        let cells = rows.iter().map(|row| row[column].chars().count());
        cells.chain([headings[column].chars().count()]).max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..headings.len()).map(width).collect();
    let line = |cells: Vec<&str>| {
        let padded = cells.iter().zip(&widths).map(|(cell, width)| format!("{cell:<width$}"));
        padded.collect::<Vec<_>>().join("  ").trim_end().to_owned()
    };
    print(&line(headings.to_vec()));
    for row in rows {
        print(&line(row.iter().map(String::as_str).collect()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn progress_is_a_percentage_with_an_estimate_of_the_time_left() {
        let check = |done, all, seconds, bar: &str, line: &str| {
            let share = Share { done, all, elapsed: Duration::from_secs(seconds) };
            assert_eq!((share.bar("x.csv").as_str(), share.line("x.csv").as_str()), (bar, line));
        };
        let quarter = "[#####---------------]  25%  about 30 s left  x.csv";
        check(250, Some(1_000), 10, quarter, "25%, about 30 s left: x.csv");
        let slow = "[--------------------]   1%  about 2 h 45 min left  x.csv";
        check(10, Some(1_000), 100, slow, "1%, about 2 h 45 min left: x.csv");
        let half = "[##########----------]  50%  about 2 min left  x.csv";
        check(500, Some(1_000), 100, half, "50%, about 2 min left: x.csv");
        let started = "[--------------------]   0%  x.csv";
        check(0, Some(1_000), 100, started, "0%: x.csv");
        check(5, None, 100, "x.csv", "x.csv");
        check(0, Some(0), 100, "x.csv", "x.csv");
        // A file that grows during the import.
        let over = "[####################] 100%  x.csv";
        check(1_100, Some(1_000), 100, over, "100%: x.csv");
    }
}
