//! Figures measured by tests, for the tables of guarantees in docs/operate.md.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

/// The longest figure, which must fit into a table cell.
const MAX_LENGTH: usize = 160;

/// Where figures are stored until they are copied into the tables.
pub fn figures_directory() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/figures")
}

/// Records a figure under a unique name, `file.what`. The tables contain the names after the
/// figures; `UPDATE_FIGURES=1 cargo test --test api promises` copies the newest ones.
///
/// # Panics
///
/// If it is too long for a cell, or cannot be written.
pub fn record_figure(name: &str, figure: &str) {
    assert!(figure.len() <= MAX_LENGTH && !figure.contains(['|', '\n', '<']), "{figure}");
    let directory = figures_directory();
    let written = std::fs::create_dir_all(&directory)
        .and_then(|()| std::fs::write(directory.join(name), figure));
    written.expect("a figure can be written beside what cargo builds");
}

/// A number with separators: 1,234,567.
pub fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut grouped = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    grouped
}

/// A count shared by several tests of one process.
pub struct Tally {
    name: &'static str,
    count: Mutex<u64>,
}

impl Tally {
    pub const fn new(name: &'static str) -> Tally {
        Tally { name, count: Mutex::new(0) }
    }

    /// Adds one. `figure` formats the count.
    pub fn count(&self, figure: impl FnOnce(&str) -> String) {
        let mut count = self.count.lock().unwrap_or_else(PoisonError::into_inner);
        *count += 1;
        record_figure(self.name, &figure(&grouped(*count)));
    }
}

#[cfg(test)]
mod tests {
    use super::grouped;

    #[test]
    fn digits_are_grouped_in_threes() {
        let cases = [
            (0, "0"),
            (999, "999"),
            (1_000, "1,000"),
            (12_345, "12,345"),
            (1_234_567, "1,234,567"),
        ];
        for (number, text) in cases {
            assert_eq!(grouped(number), text);
        }
    }
}
