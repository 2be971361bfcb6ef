//! Counts the responses of a load.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::time::{Duration, Instant};

use hdrhistogram::Histogram;
use rustix::time::{ClockId, clock_gettime};

/// Latencies are recorded with three digits, up to this many microseconds.
const MAX_LATENCY_US: u64 = 600_000_000;
const DIGITS: u8 = 3;
/// The shortest latency of a slow response.
const SLOW: Duration = Duration::from_millis(20);
/// The most slow responses in an outcome: the slowest.
const MAX_SLOW: usize = 10_000;

/// The results of a load.
pub struct Outcome {
    /// Responses within the counted time.
    pub responses: u64,
    /// All responses, including warm-up and end.
    pub all_responses: u64,
    /// The counted time.
    pub seconds: f64,
    /// Responses after the warm-up, including the end.
    pub counted: u64,
    /// Bytes of these.
    pub bytes: u64,
    /// From sending to the complete response, in microseconds, of requests sent after the warm-up.
    pub latencies: Histogram<u64>,
    /// The longest time without a response on any connection.
    pub longest_gap: Duration,
    /// The slowest of the slow responses, from sending to the complete response.
    pub slow: Vec<Span>,
    /// CPU time of this process, in seconds.
    pub own_cpu: f64,
}

/// A time between two moments.
#[derive(Clone, Copy, Debug)]
pub struct Span {
    pub from: Instant,
    pub to: Instant,
}

impl Span {
    pub fn length(&self) -> Duration {
        self.to - self.from
    }

    pub fn overlaps(&self, other: &Span) -> bool {
        self.from < other.to && other.from < self.to
    }
}

/// The running totals.
pub(super) struct Tally {
    from: Instant,
    pub until: Instant,
    responses: u64,
    all_responses: u64,
    counted: u64,
    bytes: u64,
    latencies: Histogram<u64>,
    last: Option<Instant>,
    longest_gap: Duration,
    /// The latency and the start of each; the least slow one is the first to be replaced.
    slow: BinaryHeap<Reverse<(Duration, Instant)>>,
    cpu_at_start: f64,
}

impl Tally {
    pub fn new(from: Instant, until: Instant) -> anyhow::Result<Tally> {
        let latencies = Histogram::new_with_bounds(1, MAX_LATENCY_US, DIGITS);
        Ok(Tally {
            from,
            until,
            responses: 0,
            all_responses: 0,
            counted: 0,
            bytes: 0,
            latencies: latencies?,
            last: None,
            longest_gap: Duration::ZERO,
            slow: BinaryHeap::new(),
            cpu_at_start: own_cpu_seconds(),
        })
    }

    /// Counts a response of this many bytes.
    pub fn count(&mut self, now: Instant, sent: Instant, bytes: usize) {
        self.all_responses += 1;
        if now < self.from {
            return;
        }
        if self.last.is_none() {
            self.cpu_at_start = own_cpu_seconds();
        }
        self.responses += u64::from(now < self.until);
        self.counted += 1;
        self.bytes += bytes as u64;
        if sent >= self.from {
            self.record(sent, now);
        }
        let last = self.last.replace(now).unwrap_or(self.from);
        if now < self.until {
            self.longest_gap = self.longest_gap.max(now - last);
        }
    }

    fn record(&mut self, sent: Instant, now: Instant) {
        let latency = now - sent;
        self.latencies.saturating_record(latency.as_micros() as u64);
        if latency >= SLOW {
            self.slow.push(Reverse((latency, sent)));
            if self.slow.len() > MAX_SLOW {
                self.slow.pop();
            }
        }
    }

    pub fn outcome(self, time: Duration) -> Outcome {
        let slow = self.slow.into_iter();
        Outcome {
            responses: self.responses,
            all_responses: self.all_responses,
            seconds: time.as_secs_f64(),
            counted: self.counted,
            bytes: self.bytes,
            latencies: self.latencies,
            longest_gap: self.longest_gap,
            slow: slow.map(|Reverse((latency, from))| Span { from, to: from + latency }).collect(),
            own_cpu: own_cpu_seconds() - self.cpu_at_start,
        }
    }
}

fn own_cpu_seconds() -> f64 {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    time.tv_sec as f64 + time.tv_nsec as f64 / 1e9
}
