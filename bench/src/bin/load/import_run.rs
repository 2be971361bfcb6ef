//! Measures latency in a long run during imports.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use anyhow::{anyhow, bail};
use panji_bench::load::generator::Load;
use panji_bench::load::tally::Outcome;
use panji_bench::program::{remove, run_with_output};
use panji_bench::register::{MASTER, write_changed_master};
use panji_bench::report::print_progress;

use super::measure::{CONNECTIONS, watched};
use super::probe::{Probe, SlowResponse, probe};
use super::process::{Memory, Process};
use super::system::{Started, System, free_address, panji_command};
use super::workspace::{Workspace, panji_in, reset_ledger};

/// The interval between two checks of the importing program.
const CHECK_INTERVAL: Duration = Duration::from_millis(200);
/// The slow responses in the results.
const SLOWEST: usize = 8;

/// The results.
#[derive(Default)]
pub struct ImportRun {
    pub minutes: f64,
    pub responses: u64,
    pub p50_ms: f64,
    pub p99_ms: f64,
    pub p999_ms: f64,
    pub longest_ms: f64,
    /// The longest time without any response.
    pub longest_gap_ms: f64,
    /// The slowest responses, one of those that overlap in time.
    pub slowest: Vec<SlowResponse>,
    /// The slowest one during which no CPU time was stolen.
    pub slowest_without_steal: Option<SlowResponse>,
    /// The imports that finished in the time.
    pub imports: usize,
    /// The rows of each import, and how many of them differ from the register.
    pub rows: u64,
    pub changed_rows: u64,
    pub memory: Memory,
}

/// Continuous lookups on a copy of the largest register, while the master and a changed copy are
/// imported alternately.
pub fn measure(workspace: &Workspace) -> anyhow::Result<ImportRun> {
    let site = workspace.largest();
    let changed = workspace.arguments.work.join(format!("changed-{}", site.companies));
    let (rows, changed_rows) = write_changed_master(&site.register, &changed)?;
    let data = workspace.arguments.work.join("data-while-importing");
    print_progress("copying the register");
    remove(&data);
    run_with_output(
        Command::new("cp").args(["--recursive", "--reflink=auto"]).arg(&site.data).arg(&data),
    )?;
    // Flush the copy to disk first, so that it does not slow down the measurement.
    run_with_output(&mut Command::new("sync"))?;
    reset_ledger(&data)?;
    let address = free_address()?;
    let mut started = Started::new(&[address]);
    let requests = System::Panji.lookups(site);
    started.launch(&mut panji_command(workspace, &data, address)?, &requests)?;
    let time = Duration::from_secs_f64(workspace.arguments.minutes * 60.0);
    print_progress(&format!(
        "{:.1} minutes of lookups with an import going on",
        workspace.arguments.minutes
    ));
    let load = Load {
        addresses: &started.addresses,
        connections: CONNECTIONS,
        requests: &requests,
        first: 0,
        warm_up: Duration::from_secs(1),
        time,
    };
    let running = AtomicBool::new(true);
    let files = [changed, site.register.join(MASTER)];
    let (load, imports, probe) = std::thread::scope(|scope| {
        let importing = scope.spawn(|| import_alternately(&data, &files, &running));
        let probing = scope.spawn(|| probe(&data, &running));
        let load = watched(&started, &load);
        running.store(false, Ordering::Relaxed);
        (load, importing.join(), probing.join())
    });
    drop(started);
    let imports = imports.map_err(|_| anyhow!("the importing thread panicked"))??;
    let probe = probe.map_err(|_| anyhow!("the probe panicked"))??;
    let (outcome, _, memory) = load?;
    remove(&data);
    let mut run = ImportRun::new(workspace.arguments.minutes, &outcome, &probe, memory);
    (run.imports, run.rows, run.changed_rows) = (imports, rows, changed_rows);
    print_progress(&format!(
        "  {} responses, the slowest {:.1} ms, the longest gap {:.1} ms, {imports} imports",
        run.responses, run.longest_ms, run.longest_gap_ms
    ));
    Ok(run)
}

impl ImportRun {
    fn new(minutes: f64, outcome: &Outcome, probe: &Probe, memory: Memory) -> ImportRun {
        let ms = |share: f64| outcome.latencies.value_at_quantile(share) as f64 / 1e3;
        ImportRun {
            minutes,
            responses: outcome.responses,
            p50_ms: ms(0.5),
            p99_ms: ms(0.99),
            p999_ms: ms(0.999),
            longest_ms: outcome.latencies.max() as f64 / 1e3,
            longest_gap_ms: outcome.longest_gap.as_secs_f64() * 1e3,
            slowest: probe.slowest(&outcome.slow, SLOWEST),
            slowest_without_steal: probe.slowest_without_steal(&outcome.slow),
            memory,
            ..ImportRun::default()
        }
    }
}

/// Imports the files alternately, each as of a later month, until stopped. Returns the number of
/// finished imports.
fn import_alternately(
    data: &Path,
    files: &[PathBuf],
    running: &AtomicBool,
) -> anyhow::Result<usize> {
    let mut finished = 0;
    loop {
        let (year, month) = (2026 + (finished + 6) / 12, (finished + 6) % 12 + 1);
        let mut command = panji_in(data)?;
        command.args(["import", "--as-of", &format!("{year}-{month:02}-28")]);
        command.arg(&files[finished % files.len()]).stdout(Stdio::null()).stderr(Stdio::null());
        let mut import = Process::start(&mut command)?;
        loop {
            if !running.load(Ordering::Relaxed) {
                return Ok(finished);
            }
            match import.ended() {
                Some(status) if status.ends_with(": 0") => break,
                Some(status) => bail!("the import ended: {status}"),
                None => std::thread::sleep(CHECK_INTERVAL),
            }
        }
        finished += 1;
    }
}
