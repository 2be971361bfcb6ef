//! Imports of a changed company master, with events and without.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::ensure;
use panji_bench::program::median;
use panji_bench::report::print_progress;
use panji_import::{Importer, Observer, Options, Reject, Report};
use panji_store::Register;
use panji_store::calendar::now_ms;

use super::database::Database;

pub const HEAD: &str = "| engine | changed master, without events | with events | with ÷ without | processor time, with ÷ without |\n\
                        |---|---|---|---|---|\n";

/// The time of an import by the clock, and of the processor.
#[derive(Clone, Copy)]
struct ImportTimes {
    clock: Duration,
    processor: Duration,
}

struct Quiet;

impl Observer for Quiet {
    fn reject(&mut self, _: Reject) {}
    fn progress(&mut self, _: &str, _: &Report) {}
}

/// Imports the two files in turn, each with events and without equally often.
pub async fn measure(
    database: &Database,
    files: &[PathBuf; 2],
    rounds: usize,
) -> anyhow::Result<String> {
    let first = import(database, database.register().await?, (&files[0], 0)).await?;
    print_progress(&format!("  first import {:.1} s", first.clock.as_secs_f64()));
    let (mut with, mut without) = (Vec::new(), Vec::new());
    for turn in 0..rounds * 2 {
        // With, without, without, with: what changes over time affects both alike.
        let has_events = turn % 4 == 0 || turn % 4 == 3;
        let register = database.register().await?;
        let register = if has_events { register } else { register.without_events() };
        let taken = import(database, register, (&files[(turn + 1) % 2], turn + 1)).await?;
        let word = if has_events { "with" } else { "without" };
        let (clock, processor) = (taken.clock.as_secs_f64(), taken.processor.as_secs_f64());
        print_progress(&format!("  {word} events {clock:.1} s, processor {processor:.1} s"));
        if has_events { with.push(taken) } else { without.push(taken) }
    }
    let seconds = |taken: &[ImportTimes], of: fn(&ImportTimes) -> Duration| {
        median(taken.iter().map(of).collect()).as_secs_f64()
    };
    let clocks = [&without, &with].map(|taken| seconds(taken, |taken| taken.clock));
    let processor = [&without, &with].map(|taken| seconds(taken, |taken| taken.processor));
    Ok(format!(
        "| {} | {:.1} s | {:.1} s | {:.2} | {:.2} |\n",
        database.name(),
        clocks[0],
        clocks[1],
        clocks[1] / clocks[0],
        processor[1] / processor[0]
    ))
}

async fn import(
    database: &Database,
    register: Register,
    (files, number): (&Path, usize),
) -> anyhow::Result<ImportTimes> {
    let options = Options { recheck: true, ..Options::default() };
    let (began, processor) = (Instant::now(), database.processor_time()?);
    let mut observer = Quiet;
    let id = format!("import-{number}");
    let mut importer =
        Importer::begin(Arc::new(register), &options, &mut observer, id, now_ms()).await?;
    importer.import_path(files).await?;
    let report = importer.finish().await?;
    let clock = began.elapsed();
    let taken =
        ImportTimes { clock, processor: database.processor_time()?.saturating_sub(processor) };
    ensure!(report.rejected == 0 && report.read > 0, "the import was not as planned: {report:?}");
    let changed = report.changed * 4 > report.read;
    ensure!(number == 0 || changed, "a third of the rows should change: {report:?}");
    Ok(taken)
}
