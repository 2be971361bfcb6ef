//! Runs queries with several concurrent callers. As in the server, whose worker threads run searches themselves, as many
//! are computed at once as there are cores; the time of a query includes its wait for one.

use std::io::Write;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use panji_bench::golden::Golden;
use panji_bench::golden::score::Results;
use tokio::sync::Semaphore;

use super::search_system::SearchSystem;

/// Concurrent callers.
pub const CALLERS: usize = 8;

/// Prints a line of progress.
pub fn print_progress(line: &str) {
    let _ = writeln!(std::io::stderr(), "{line}");
}

/// The results of a system, in the order of the queries, and their times.
pub struct Measured {
    pub results: Vec<Results>,
    /// From the query to the result.
    pub times: Vec<Duration>,
    /// CPU time of the caller's thread.
    pub computing: Vec<Duration>,
}

impl Measured {
    /// The time in milliseconds below which this share of the searches is.
    pub fn percentile(&self, share: f64) -> f64 {
        percentile(&self.times, share)
    }

    /// The same for CPU time.
    pub fn computing_percentile(&self, share: f64) -> f64 {
        percentile(&self.computing, share)
    }
}

fn percentile(times: &[Duration], share: f64) -> f64 {
    let mut times = times.to_vec();
    times.sort();
    let index = ((times.len() as f64 * share).ceil() as usize).clamp(1, times.len().max(1)) - 1;
    times.get(index).map_or(0.0, |time| time.as_secs_f64() * 1e3)
}

/// The CPU time of this thread so far.
fn computed() -> Duration {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    Duration::new(time.tv_sec.unsigned_abs(), time.tv_nsec as u32)
}

/// Runs all queries once to warm up if `warm`, and then measured, with eight concurrent callers.
pub fn measure(
    system: &dyn SearchSystem,
    queries: &[&Golden],
    warm: bool,
) -> anyhow::Result<Measured> {
    if warm {
        ask_all(system, queries)?;
    }
    ask_all(system, queries)
}

fn ask_all(system: &dyn SearchSystem, queries: &[&Golden]) -> anyhow::Result<Measured> {
    let next = AtomicUsize::new(0);
    let results = Mutex::new(vec![(Results::new(), Duration::ZERO, Duration::ZERO); queries.len()]);
    let failure = Mutex::new(None);
    let cores = Semaphore::new(std::thread::available_parallelism()?.get());
    std::thread::scope(|scope| {
        for _ in 0..CALLERS {
            scope.spawn(|| {
                let worked = call(system, queries, &next, &cores, &results);
                if let Err(error) = worked {
                    *failure.lock().unwrap_or_else(std::sync::PoisonError::into_inner) =
                        Some(error);
                }
            });
        }
    });
    let failure: Option<anyhow::Error> = failure.into_inner().unwrap_or(None);
    if let Some(error) = failure {
        return Err(error.context(system.name()));
    }
    let results = results.into_inner().unwrap_or_default();
    let mut measured = Measured { results: Vec::new(), times: Vec::new(), computing: Vec::new() };
    for (found, time, computing) in results {
        measured.results.push(found);
        measured.times.push(time);
        measured.computing.push(computing);
    }
    Ok(measured)
}

fn call(
    system: &dyn SearchSystem,
    queries: &[&Golden],
    next: &AtomicUsize,
    cores: &Semaphore,
    results: &Mutex<Vec<(Results, Duration, Duration)>>,
) -> anyhow::Result<()> {
    let mut caller = system.caller()?;
    let waiting = tokio::runtime::Builder::new_current_thread().build()?;
    loop {
        let index = next.fetch_add(1, Ordering::Relaxed);
        let Some(query) = queries.get(index) else { return Ok(()) };
        let started = Instant::now();
        let core = waiting.block_on(cores.acquire())?;
        let before = computed();
        let found = caller.ask(&query.text)?;
        let (took, computing) = (started.elapsed(), computed().saturating_sub(before));
        drop(core);
        let mut results = results.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        results[index] = (found, took, computing);
    }
}
