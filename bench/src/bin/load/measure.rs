//! One measurement: a load on a running system, with the CPU time and memory of its processes.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use anyhow::Context;
use panji_bench::load::generator::{Load, check_responses};
use panji_bench::load::requests::Requests;
use panji_bench::load::tally::Outcome;
use panji_bench::report::print_progress;

use super::host::MachineTime;
use super::process::{Memory, cpu_seconds, memory};
use super::system::Started;

/// The default number of connections.
pub const CONNECTIONS: usize = 64;
/// Before counting starts.
const WARM_UP: Duration = Duration::from_secs(1);
/// The responses that are checked before each measurement.
const CHECKED_RESPONSES: usize = 20;
/// The interval between two memory samples.
const SAMPLE_INTERVAL: Duration = Duration::from_millis(250);
/// The offset of the next round in the order of requests.
const ROUND_STEP: usize = 300_007;
/// A measurement with a larger share of steal time is repeated.
const MAX_STEAL: f64 = 0.03;
/// The most attempts of one measurement. The one with the least steal time counts.
const TRIES: usize = 3;
/// The total time for repeated measurements in a run.
const REPEATS: Duration = Duration::from_secs(900);

/// The time spent on repeated measurements so far.
static REPEATED_MS: AtomicU64 = AtomicU64::new(0);

/// The results of one measurement.
#[derive(Clone, Debug, Default)]
pub struct Sample {
    pub per_second: f64,
    pub p50_ms: f64,
    pub p99_ms: f64,
    pub p999_ms: f64,
    pub longest_ms: f64,
    /// CPU time of the system per request, in microseconds.
    pub cpu_us: f64,
    /// CPU time of the load generator.
    pub generator_us: f64,
    pub bytes: f64,
    pub resident_mb: f64,
    pub own_mb: f64,
    /// The share of steal time.
    pub steal: f64,
}

impl Sample {
    /// The median of each value.
    pub fn median(samples: &[Sample]) -> Sample {
        let of = |figure: fn(&Sample) -> f64| middle(samples.iter().map(figure));
        Sample {
            per_second: of(|sample| sample.per_second),
            p50_ms: of(|sample| sample.p50_ms),
            p99_ms: of(|sample| sample.p99_ms),
            p999_ms: of(|sample| sample.p999_ms),
            longest_ms: of(|sample| sample.longest_ms),
            cpu_us: of(|sample| sample.cpu_us),
            generator_us: of(|sample| sample.generator_us),
            bytes: of(|sample| sample.bytes),
            resident_mb: of(|sample| sample.resident_mb),
            own_mb: of(|sample| sample.own_mb),
            steal: of(|sample| sample.steal),
        }
    }

    fn new(outcome: &Outcome, cpu_seconds: f64, most: Memory, steal: f64) -> Sample {
        // Bytes and CPU time include all responses after the warm-up.
        let counted = outcome.counted.max(1) as f64;
        let ms = |share: f64| outcome.latencies.value_at_quantile(share) as f64 / 1e3;
        Sample {
            per_second: outcome.responses as f64 / outcome.seconds,
            p50_ms: ms(0.5),
            p99_ms: ms(0.99),
            p999_ms: ms(0.999),
            longest_ms: outcome.latencies.max() as f64 / 1e3,
            cpu_us: cpu_seconds * 1e6 / outcome.all_responses.max(1) as f64,
            generator_us: outcome.own_cpu * 1e6 / counted,
            bytes: outcome.bytes as f64 / counted,
            resident_mb: most.resident as f64,
            own_mb: most.own as f64,
            steal,
        }
    }
}

/// The median of several values.
pub fn middle(figures: impl Iterator<Item = f64>) -> f64 {
    let mut figures: Vec<f64> = figures.collect();
    figures.sort_by(f64::total_cmp);
    figures.get(figures.len() / 2).copied().unwrap_or_default()
}

/// Checks the first responses of a system, then measures it under load; repeats the measurement if
/// the host was busy.
pub fn measure(
    what: &str,
    started: &Started,
    requests: &Requests,
    connections: usize,
    time: Duration,
    round: u64,
) -> anyhow::Result<Sample> {
    let named = || what.to_owned();
    for address in &started.addresses {
        check_responses(*address, requests, CHECKED_RESPONSES).with_context(named)?;
    }
    let mut quietest: Option<Sample> = None;
    for attempt in 0..TRIES {
        let load = Load {
            addresses: &started.addresses,
            connections,
            requests,
            first: (round as usize * TRIES + attempt) * ROUND_STEP,
            warm_up: WARM_UP,
            time,
        };
        let (started_at, before) = (Instant::now(), MachineTime::now());
        let (outcome, cpu, most) = watched(started, &load).with_context(named)?;
        let sample = Sample::new(&outcome, cpu, most, before.steal_since());
        report(what, connections, &sample);
        if attempt > 0 {
            REPEATED_MS.fetch_add(started_at.elapsed().as_millis() as u64, Ordering::Relaxed);
        }
        let quiet = sample.steal <= MAX_STEAL;
        if quietest.as_ref().is_none_or(|quietest| sample.steal < quietest.steal) {
            quietest = Some(sample);
        }
        if quiet || Duration::from_millis(REPEATED_MS.load(Ordering::Relaxed)) > REPEATS {
            break;
        }
    }
    quietest.with_context(|| format!("{what}: was never measured"))
}

fn report(what: &str, connections: usize, sample: &Sample) {
    print_progress(&format!(
        "  {what}, {connections} connections: {:.0} a second, p50 {:.2} ms, p99 {:.2} ms, CPU {:.1} µs, \
         generator {:.1} µs, {:.0} bytes, {:.1}% CPU steal",
        sample.per_second,
        sample.p50_ms,
        sample.p99_ms,
        sample.cpu_us,
        sample.generator_us,
        sample.bytes,
        sample.steal * 100.0,
    ));
}

/// Runs a load; returns the outcome, the CPU seconds and the peak memory of the system's processes.
pub fn watched(started: &Started, load: &Load) -> anyhow::Result<(Outcome, f64, Memory)> {
    let (own, all) = (started.own_processes(), started.all_processes());
    let before = cpu_seconds(&all);
    let running = AtomicBool::new(true);
    let (outcome, most) = std::thread::scope(|scope| {
        let watcher = scope.spawn(|| {
            let mut most = Memory::default();
            while running.load(Ordering::Relaxed) {
                most = most.max(memory(&own));
                std::thread::sleep(SAMPLE_INTERVAL);
            }
            most
        });
        let outcome = load.run();
        running.store(false, Ordering::Relaxed);
        (outcome, watcher.join().unwrap_or_default())
    });
    Ok((outcome?, cpu_seconds(&all) - before, most))
}
