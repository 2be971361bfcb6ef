//! Writes the table of the measurements.

use panji_bench::program::ResourceUsage;
use panji_bench::report::machine;

use crate::Measured;
use crate::loaders::Engine;
use crate::probe::{Latencies, ProbeLatencies};

/// The section of the page.
pub fn text(
    companies: u64,
    engines: &[Engine],
    results: &[Measured],
    noticed: &ProbeLatencies,
) -> String {
    let rounds = match results.first().map_or(0, |measured| measured.bare.len()) {
        1 => "One round".to_owned(),
        rounds => format!("Medians of {rounds} interleaved rounds"),
    };
    let mut text = format!(
        "{companies} companies as the ministry's master writes them, generated, in one file a state; \
         {}. {rounds}; every import begins with an empty database.\n\n\
         | engine | what | seconds | rows a second | against the loader | peak memory |\n\
         |---|---|---|---|---|---|\n",
        machine(),
    );
    for (engine, measured) in engines.iter().zip(results) {
        let bare = Measured::seconds(&measured.bare);
        let rows: [(&str, &[ResourceUsage]); 4] = [
            (engine.loader(), &measured.bare),
            ("`panji import`, first time", &measured.first),
            ("`panji import` again, known files", &measured.known),
            ("`panji import --recheck`, every row compared", &measured.recheck),
        ];
        for (what, taken) in rows {
            let seconds = Measured::seconds(taken);
            let peak = taken.iter().map(|taken| taken.peak_mb).max().unwrap_or(0);
            text.push_str(&format!(
                "| {} | {what} | {seconds:.1} | {:.0} | {:.2} | {peak} MB |\n",
                engine.name(),
                companies as f64 / seconds,
                bare / seconds,
            ));
        }
    }
    text.push_str(&format!(
        "\nTwo callers of a serving node (SQLite), one call each and a pause of 2 ms, while the same \
         files are imported ({:.0} seconds, at most {} MB for the importing program):\n\n\
         | call | calls | p50 | p99 | p99.9 | slowest |\n|---|---|---|---|---|---|\n",
        noticed.import_seconds, noticed.import_peak_mb,
    ));
    for (what, latencies) in [
        ("read, before the import", &noticed.read_before),
        ("read, during it", &noticed.read_during),
        ("read and charge, before the import", &noticed.charge_before),
        ("read and charge, during it", &noticed.charge_during),
    ] {
        text.push_str(&latency_row(what, latencies));
    }
    text
}

fn latency_row(what: &str, latencies: &Latencies) -> String {
    format!(
        "| {what} | {} | {:.2} ms | {:.2} ms | {:.2} ms | {:.2} ms |\n",
        latencies.count(),
        latencies.percentile(0.5),
        latencies.percentile(0.99),
        latencies.percentile(0.999),
        latencies.percentile(1.0),
    )
}
