//! Writes the tables of the report.

use std::fmt::Write;

use panji_bench::golden::score::score;
use panji_bench::golden::{Golden, Slice};

use super::measure::Measured;
use super::search_system::Cost;

/// The results of one system.
pub struct Result {
    pub name: &'static str,
    pub cost: Cost,
    /// The indexes of the measured queries.
    pub selected: Vec<usize>,
    pub measured: Measured,
}

/// Success at 1, recall at 10 and MRR of each slice, then times and sizes.
pub fn markdown(queries: &[Golden], results: &[Result]) -> String {
    let mut text = String::from("| slice | target |");
    for result in results {
        let _ = write!(text, " {} |", result.name);
    }
    text.push_str("\n|---|---|");
    text.push_str(&"---|".repeat(results.len()));
    for (slice, name, wanted) in Slice::ALL {
        let _ = write!(text, "\n| {name} | {wanted:.2} |");
        for result in results {
            let searched =
                result.selected.iter().map(|at| &queries[*at]).zip(&result.measured.results);
            let score = score(slice, searched);
            let _ = write!(
                text,
                " {:.3} · {:.3} · {:.3} ({}) |",
                score.success_at_1, score.recall_at_10, score.mrr, score.queries
            );
        }
    }
    let mut row = |name: &str, wanted: &str, value: &dyn Fn(&Result) -> String| {
        let _ = write!(text, "\n| {name} | {wanted} |");
        for result in results {
            let _ = write!(text, " {} |", value(result));
        }
    };
    row("p50, ms", "2", &|result| format!("{:.2}", result.measured.percentile(0.5)));
    row("p99, ms", "15", &|result| format!("{:.2}", result.measured.percentile(0.99)));
    row("computing p50, ms", "", &|result| {
        format!("{:.2}", result.measured.computing_percentile(0.5))
    });
    row("computing p99, ms", "", &|result| {
        format!("{:.2}", result.measured.computing_percentile(0.99))
    });
    row("build, s", "90", &|result| format!("{:.1}", result.cost.seconds));
    row("size, MB", "800", &|result| format!("{:.0}", result.cost.megabytes));
    text.push('\n');
    text
}
