//! Measures the graph on a synthetic register of national size, hubs included: the time to build and to
//! read it, its memory, and networks and paths with several callers at once. Each step is a process of its
//! own, so that the memory of one is not that of another.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use anyhow::Context;
use clap::{Parser, ValueEnum};
use hdrhistogram::Histogram;
use panji_bench::linked_register::{HUBS, Sequence, cin, din, fill};
use panji_bench::report::{self, machine, peak_mb, print_progress, resident_mb};
use panji_graph::{BuildObserver, BuildOutcome, Generations, Graph, GraphSnapshot, NodeId, build};
use panji_store::engine::Workload;
use panji_store::{Engine, Register};
use rustix::time::{ClockId, clock_gettime};

/// Measures the graph
#[derive(Parser)]
struct Arguments {
    /// Companies of the synthetic register
    #[arg(long, env = "COMPANIES", default_value_t = 3_000_000)]
    companies: u64,
    /// Callers at the same time
    #[arg(long, default_value_t = 8)]
    callers: u64,
    /// Seconds of each measurement
    #[arg(long, default_value_t = 5)]
    seconds: u64,
    /// The page that the figures are written into
    #[arg(long)]
    report: Option<PathBuf>,
    /// Only this step, whose lines of the report are printed
    #[arg(long, requires = "work")]
    step: Option<Step>,
    /// The directory of the register and the graph of one step
    #[arg(long)]
    work: Option<PathBuf>,
}

/// The longest time that is measured: a minute.
const MAX_MICROSECONDS: u64 = 60_000_000;

#[derive(Clone, Copy, ValueEnum)]
enum Step {
    Fill,
    Build,
    Ask,
}

fn main() -> anyhow::Result<()> {
    let arguments = Arguments::parse();
    let (Some(step), Some(work)) = (arguments.step, &arguments.work) else {
        return all(&arguments);
    };
    let lines = match step {
        Step::Fill => fill_register(&arguments, work)?,
        Step::Build => build_graph(work)?,
        Step::Ask => ask(&arguments, work)?,
    };
    #[expect(clippy::print_stdout, reason = "the result of the step")]
    {
        print!("{lines}");
    }
    Ok(())
}

/// Runs every step, and writes the report.
fn all(arguments: &Arguments) -> anyhow::Result<()> {
    let work = tempfile::tempdir()?;
    let mut text = format!("{}.\n\n| | |\n|---|---|\n", machine());
    for step in Step::value_variants() {
        let name = step.to_possible_value().context("every step has a name")?;
        print_progress(&format!("== {}", name.get_name()));
        let ran = Command::new(std::env::current_exe()?)
            .args(["--step", name.get_name(), "--work"])
            .arg(work.path())
            .args(["--companies", &arguments.companies.to_string()])
            .args(["--callers", &arguments.callers.to_string()])
            .args(["--seconds", &arguments.seconds.to_string()])
            .stderr(std::process::Stdio::inherit())
            .output()?;
        anyhow::ensure!(ran.status.success(), "{} failed", name.get_name());
        let lines = String::from_utf8(ran.stdout)?;
        print_progress(&lines);
        text.push_str(&lines);
    }
    match &arguments.report {
        Some(page) => report::replace_section(page, "graph", &text),
        None => Ok(()),
    }
}

fn fill_register(arguments: &Arguments, work: &Path) -> anyhow::Result<String> {
    let runtime = tokio::runtime::Runtime::new()?;
    let appointments = runtime.block_on(fill(&register_path(work), arguments.companies))?;
    Ok(format!("| register | {} companies, {appointments} appointments |\n", arguments.companies))
}

fn register_path(work: &Path) -> PathBuf {
    work.join("register.db")
}

struct NoObserver;

impl BuildObserver for NoObserver {
    fn should_continue(&self, _companies: u64) -> bool {
        true
    }
}

fn build_graph(work: &Path) -> anyhow::Result<String> {
    let runtime = tokio::runtime::Runtime::new()?;
    let generations = Generations::open(&work.join("graph"))?;
    let started = Instant::now();
    let outcome = runtime.block_on(async {
        let engine = Engine::open_sqlite(&register_path(work), Workload::Register)?;
        let register = Register::open(engine, 0).await?;
        anyhow::Ok(build(&generations, &register, &NoObserver).await?)
    })?;
    anyhow::ensure!(matches!(outcome, BuildOutcome::Built(_)), "the graph is in use");
    Ok(format!(
        "| build from the register | {:.1} s, {:.1} s of processor time, at most {} MB of memory |\n",
        started.elapsed().as_secs_f64(),
        processor(ClockId::ProcessCPUTime).as_secs_f64(),
        peak_mb(),
    ))
}

fn ask(arguments: &Arguments, work: &Path) -> anyhow::Result<String> {
    let started = Instant::now();
    let graph = Graph::open(&work.join("graph"))?;
    let snapshot = graph.snapshot().context("there is no graph")?;
    let (_, anonymous) = resident_mb();
    let mut text = format!(
        "| open | {:.1} s, {:.1} s of processor time |\n| memory | {} MB of arrays, {anonymous} MB of the \
         process |\n\n| {} callers | p50 | p99 | longest | p99, processor | longest, processor | results/s | nodes or paths |\n\
         |---|--:|--:|--:|--:|--:|--:|--:|\n",
        started.elapsed().as_secs_f64(),
        processor(ClockId::ProcessCPUTime).as_secs_f64(),
        snapshot.bytes() / 1_000_000,
        arguments.callers,
    );
    for depth in 1..=3 {
        let title = match depth {
            1 => "neighbors".to_owned(),
            _ => format!("network, {depth} steps"),
        };
        text += &measure(arguments, &snapshot, &title, |snapshot, sequence, n| {
            let found = snapshot.network(&cin(sequence.below(n)), depth);
            found.map_or(0, |network| network.nodes.len() - 1)
        });
    }
    text += &measure(arguments, &snapshot, "paths of two companies", |snapshot, sequence, n| {
        let (from, to) = (cin(sequence.below(n)), cin(sequence.below(n)));
        snapshot.paths(&NodeId::Company(from), &NodeId::Company(to)).paths.len()
    });
    text +=
        &measure(arguments, &snapshot, "paths from a hub to a company", |snapshot, sequence, n| {
            let (from, to) = (din(sequence.below(HUBS)), cin(sequence.below(n)));
            snapshot.paths(&NodeId::Director(from), &NodeId::Company(to)).paths.len()
        });
    text += &measure(arguments, &snapshot, "paths of two hubs", |snapshot, sequence, _| {
        let from = sequence.below(HUBS);
        let to = (from + 1 + sequence.below(HUBS - 1)) % HUBS;
        snapshot.paths(&NodeId::Director(din(from)), &NodeId::Director(din(to))).paths.len()
    });
    Ok(text)
}

fn processor(clock: ClockId) -> Duration {
    clock_gettime(clock).try_into().unwrap_or_default()
}

fn microseconds(time: Duration) -> u64 {
    u64::try_from(time.as_micros()).unwrap_or(u64::MAX).max(1)
}

/// The times of results, elapsed and of the processor, and what was found.
struct Times {
    elapsed: Histogram<u64>,
    processor: Histogram<u64>,
    found: usize,
}

impl Times {
    fn new() -> Times {
        // With bounds: without, a value above the first range would be recorded as the lowest.
        let empty = || Histogram::new_with_bounds(1, MAX_MICROSECONDS, 3).expect("valid bounds");
        Times { elapsed: empty(), processor: empty(), found: 0 }
    }
}

/// Asks from all callers at once; a line of the table.
fn measure(
    arguments: &Arguments,
    snapshot: &GraphSnapshot,
    title: &str,
    ask: impl Fn(&GraphSnapshot, &mut Sequence, u64) -> usize + Sync,
) -> String {
    let time = Duration::from_secs(arguments.seconds);
    let run = |caller: u64| {
        let (mut sequence, started) = (Sequence(caller + 100), Instant::now());
        let mut own = Times::new();
        while started.elapsed() < time {
            let (asked, used) = (Instant::now(), processor(ClockId::ThreadCPUTime));
            own.found += ask(snapshot, &mut sequence, arguments.companies);
            let used = processor(ClockId::ThreadCPUTime) - used;
            own.elapsed.saturating_record(microseconds(asked.elapsed()));
            own.processor.saturating_record(microseconds(used));
        }
        own
    };
    let (run, mut all) = (&run, Times::new());
    std::thread::scope(|scope| {
        let callers: Vec<_> =
            (0..arguments.callers).map(|caller| scope.spawn(move || run(caller))).collect();
        for caller in callers {
            let own = caller.join().expect("a caller does not panic");
            all.elapsed.add(&own.elapsed).expect("both have the same bounds");
            all.processor.add(&own.processor).expect("both have the same bounds");
            all.found += own.found;
        }
    });
    let at = |times: &Histogram<u64>, quantile: f64| times.value_at_quantile(quantile) as f64 / 1e3;
    format!(
        "| {title} | {:.2} ms | {:.2} ms | {:.1} ms | {:.2} ms | {:.1} ms | {:.0} | {:.1} |\n",
        at(&all.elapsed, 0.5),
        at(&all.elapsed, 0.99),
        at(&all.elapsed, 1.0),
        at(&all.processor, 0.99),
        at(&all.processor, 1.0),
        all.elapsed.len() as f64 / time.as_secs_f64(),
        all.found as f64 / all.elapsed.len().max(1) as f64,
    )
}
