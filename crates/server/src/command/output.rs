//! Printing: results to standard output, complaints to standard error.

use std::io::{IsTerminal, Write};

/// Prints a line. A reader that went away (`| head`) ends the program quietly.
pub fn print(line: &str) {
    let mut out = std::io::stdout().lock();
    if writeln!(out, "{line}").is_err() {
        std::process::exit(0);
    }
}

/// Prints a part of a document, as it is.
pub fn print_part(part: &str) {
    if std::io::stdout().lock().write_all(part.as_bytes()).is_err() {
        std::process::exit(0);
    }
}

/// Asks on standard error, so that standard output stays with the results.
pub fn prompt(question: &str) {
    let mut out = std::io::stderr().lock();
    let _ = write!(out, "{question}").and_then(|()| out.flush());
}

/// Prints a line where nobody reading it is no reason to stop.
pub fn announce(line: &str) {
    let _ = writeln!(std::io::stdout().lock(), "{line}");
}

/// Prints one line on standard error.
pub fn complain(line: &str) {
    let _ = writeln!(std::io::stderr().lock(), "panji: {}", line.replace('\n', " "));
}

/// Shows how far long work is: in place on a terminal, else as a line a few seconds apart.
pub struct Progress {
    on_terminal: bool,
    shown: bool,
    // The beginning counts, so that short work shows nothing.
    last_shown: std::time::Instant,
}

impl Progress {
    /// Progress on standard error.
    pub fn new() -> Progress {
        let on_terminal = std::io::stderr().is_terminal();
        Progress { on_terminal, shown: false, last_shown: std::time::Instant::now() }
    }

    /// Shows a line if the last one is old enough.
    pub fn show(&mut self, line: &str) {
        let pause = if self.on_terminal { 100 } else { 3_000 };
        if self.last_shown.elapsed().as_millis() < pause {
            return;
        }
        self.shown = true;
        self.last_shown = std::time::Instant::now();
        let mut out = std::io::stderr().lock();
        let _ = if self.on_terminal {
            write!(out, "\r\x1b[K{line}").and_then(|()| out.flush())
        } else {
            writeln!(out, "{line}")
        };
    }

    /// Clears the line on a terminal.
    pub fn finish(&mut self) {
        if self.on_terminal && self.shown {
            let _ = write!(std::io::stderr().lock(), "\r\x1b[K");
        }
    }
}

/// Prints rows under their headings, columns aligned.
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
