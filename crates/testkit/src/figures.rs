//! What a test saw, in a few words, for the tables of promises in docs/operate.md.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

/// The longest figure: it stands in a table's cell.
const MAX_LENGTH: usize = 160;

/// Where figures lie until they are put into the tables.
pub fn figures_directory() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/figures")
}

/// Notes what a test saw under a name of its own, `file.what`. Names are in the tables, behind the figures;
/// `UPDATE_FIGURES=1 cargo test --test api promises` puts the newest ones in.
///
/// # Panics
///
/// Where it does not fit a cell, or cannot be written.
pub fn record_figure(name: &str, figure: &str) {
    assert!(figure.len() <= MAX_LENGTH && !figure.contains(['|', '\n', '<']), "{figure}");
    let directory = figures_directory();
    let written = std::fs::create_dir_all(&directory)
        .and_then(|()| std::fs::write(directory.join(name), figure));
    written.expect("a figure can be written beside what cargo builds");
}

/// A number as people read it: 1,234,567.
pub fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut grouped = String::new();
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    grouped
}

/// What several tests of one process see together, counted.
pub struct Tally {
    name: &'static str,
    count: Mutex<u64>,
}

impl Tally {
    /// Nothing seen yet.
    pub const fn new(name: &'static str) -> Tally {
        Tally { name, count: Mutex::new(0) }
    }

    /// One more; the figure is what the count means.
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
    fn digits_stand_in_threes() {
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
