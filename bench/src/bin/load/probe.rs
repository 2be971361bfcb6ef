//! A probe beside a load. It sleeps and syncs a write in turn, so that a slow response shows whether the
//! machine was slow at that time: its processors, its disk, or only the measured system.

use std::fs::File;
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use anyhow::Context;
use panji_bench::load::tally::Span;

use super::host::MachineTime;

/// How long the probe sleeps between two writes.
const SLEEP: Duration = Duration::from_millis(5);
/// Bytes of a write: a page of SQLite.
const BYTES: usize = 4_096;
/// The interval between two readings of the machine's steal time.
const STEAL_INTERVAL: Duration = Duration::from_millis(100);

/// All that the probe has measured.
pub struct Probe {
    sleeps: Vec<Span>,
    syncs: Vec<Span>,
    steal: Vec<(Instant, MachineTime)>,
}

/// A slow response, and the worst that the probe measured at the same time.
pub struct SlowResponse {
    pub ms: f64,
    /// How much too long a sleep was.
    pub sleep_delay_ms: f64,
    pub sync_ms: f64,
    /// The share of steal time, if it was read before and after.
    pub steal: Option<f64>,
}

/// Runs until it is told to end.
pub fn probe(directory: &Path, running: &AtomicBool) -> anyhow::Result<Probe> {
    let path = directory.join("probe");
    let measured = measure(&path, running).with_context(|| path.display().to_string());
    let _ = std::fs::remove_file(&path);
    measured
}

fn measure(path: &Path, running: &AtomicBool) -> std::io::Result<Probe> {
    let file = File::create(path)?;
    let page = [7; BYTES];
    let mut probe = Probe {
        sleeps: Vec::new(),
        syncs: Vec::new(),
        steal: vec![(Instant::now(), MachineTime::now())],
    };
    while running.load(Ordering::Relaxed) {
        probe.sleeps.push(span(|| {
            std::thread::sleep(SLEEP);
            Ok(())
        })?);
        probe.syncs.push(span(|| {
            file.write_all_at(&page, 0)?;
            file.sync_data()
        })?);
        if probe.steal.last().is_some_and(|(at, _)| at.elapsed() >= STEAL_INTERVAL) {
            probe.steal.push((Instant::now(), MachineTime::now()));
        }
    }
    probe.steal.push((Instant::now(), MachineTime::now()));
    Ok(probe)
}

fn span(work: impl FnOnce() -> std::io::Result<()>) -> std::io::Result<Span> {
    let from = Instant::now();
    work()?;
    Ok(Span { from, to: Instant::now() })
}

impl Probe {
    /// The slowest of these responses, at most one of those that waited at the same time.
    pub fn slowest(&self, responses: &[Span], limit: usize) -> Vec<SlowResponse> {
        let mut ordered = responses.to_vec();
        ordered.sort_by_key(|span| std::cmp::Reverse(span.length()));
        let mut kept: Vec<Span> = Vec::new();
        for span in ordered {
            if kept.len() < limit && !kept.iter().any(|other| other.overlaps(&span)) {
                kept.push(span);
            }
        }
        kept.iter().map(|span| self.beside(span)).collect()
    }

    /// The slowest response during which no CPU time was stolen.
    pub fn slowest_without_steal(&self, responses: &[Span]) -> Option<SlowResponse> {
        let quiet = responses.iter().filter(|span| self.steal_during(span) == Some(0.0));
        quiet.max_by_key(|span| span.length()).map(|span| self.beside(span))
    }

    fn beside(&self, response: &Span) -> SlowResponse {
        let longest = |spans: &[Span]| {
            let meanwhile = spans.iter().filter(|span| span.overlaps(response));
            meanwhile.map(Span::length).max().unwrap_or_default()
        };
        let ms = |time: Duration| time.as_secs_f64() * 1e3;
        SlowResponse {
            ms: ms(response.length()),
            sleep_delay_ms: ms(longest(&self.sleeps).saturating_sub(SLEEP)),
            sync_ms: ms(longest(&self.syncs)),
            steal: self.steal_during(response),
        }
    }

    /// The share of steal time, from the last reading before to the first one after.
    fn steal_during(&self, span: &Span) -> Option<f64> {
        let before = self.steal.partition_point(|(at, _)| *at <= span.from).checked_sub(1)?;
        let after = self.steal.partition_point(|(at, _)| *at < span.to);
        let ((_, before), (_, after)) = (self.steal.get(before)?, self.steal.get(after)?);
        Some(before.steal_until(*after))
    }
}
