//! Measured processes: started, sampled, and always ended.

use std::collections::HashMap;
use std::os::unix::process::CommandExt;
use std::process::{Child, Command};
use std::sync::{Mutex, PoisonError};

use anyhow::Context;
use panji_bench::program::status_mb;
use rustix::process::{Pid, Resource, Rlimit, Signal, getrlimit, kill_process_group, setrlimit};

/// The clock ticks in which Linux reports CPU time.
const TICKS_PER_SECOND: f64 = 100.0;

/// The running process groups, so that a signal to this program ends them too.
static RUNNING: Mutex<Vec<i32>> = Mutex::new(Vec::new());

/// A process with its children; killed on drop.
pub struct Process {
    child: Child,
}

impl Process {
    /// Starts a command in its own process group.
    pub fn start(command: &mut Command) -> anyhow::Result<Process> {
        let name = command.get_program().to_string_lossy().into_owned();
        let child = command.process_group(0).spawn().context(name)?;
        groups().push(child.id() as i32);
        Ok(Process { child })
    }

    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// Its exit status, if it has ended.
    pub fn ended(&mut self) -> Option<String> {
        self.child.try_wait().ok().flatten().map(|status| status.to_string())
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        let group = self.child.id() as i32;
        kill_group(group);
        let _ = self.child.wait();
        groups().retain(|running| *running != group);
    }
}

fn groups() -> std::sync::MutexGuard<'static, Vec<i32>> {
    RUNNING.lock().unwrap_or_else(PoisonError::into_inner)
}

fn kill_group(group: i32) {
    if let Some(group) = Pid::from_raw(group) {
        let _ = kill_process_group(group, Signal::KILL);
    }
}

/// Kills everything that was started.
pub fn end_all() {
    groups().drain(..).for_each(kill_group);
}

/// Ends everything that was started when this program gets a signal to stop.
#[allow(clippy::disallowed_methods, reason = "every process was ended before")]
pub fn end_children_on_signals() -> anyhow::Result<()> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    std::thread::spawn(move || {
        runtime.block_on(async {
            use tokio::signal::unix::{SignalKind, signal};
            let Ok(mut terminate) = signal(SignalKind::terminate()) else { return };
            tokio::select! {
                _ = terminate.recv() => {}
                _ = tokio::signal::ctrl_c() => {}
            }
            end_all();
            std::process::exit(130);
        });
    });
    Ok(())
}

/// Raises the limit of open files to the maximum, for this program and its children.
pub fn allow_open_files() -> anyhow::Result<()> {
    let limit = getrlimit(Resource::Nofile);
    let highest = Rlimit { current: limit.maximum, maximum: limit.maximum };
    setrlimit(Resource::Nofile, highest).context("open files")
}

/// Memory in MB: resident, and resident without file pages.
#[derive(Clone, Copy, Debug, Default)]
pub struct Memory {
    pub resident: u64,
    pub own: u64,
}

impl Memory {
    /// The larger of each.
    pub fn max(self, other: Memory) -> Memory {
        Memory { resident: self.resident.max(other.resident), own: self.own.max(other.own) }
    }
}

/// The memory of these processes and their children.
pub fn memory(roots: &[u32]) -> Memory {
    let mut memory = Memory::default();
    for process in with_children(roots) {
        memory.resident += status_mb(process, "VmRSS:");
        memory.own += status_mb(process, "RssAnon:");
    }
    memory
}

/// The CPU seconds of these processes and their children, including ended ones.
pub fn cpu_seconds(roots: &[u32]) -> f64 {
    let ticks: u64 = with_children(roots).into_iter().filter_map(ticks_of).sum();
    ticks as f64 / TICKS_PER_SECOND
}

fn ticks_of(process: u32) -> Option<u64> {
    let fields = stat_fields(process)?;
    // User and system time, own and of ended children: fields 14 to 17. The first field here is the
    // third.
    fields.get(11..15).map(|times| times.iter().filter_map(|time| time.parse::<u64>().ok()).sum())
}

/// The fields of /proc/PID/stat after the name, which may contain anything.
fn stat_fields(process: u32) -> Option<Vec<String>> {
    let line = std::fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    let (_, fields) = line.rsplit_once(')')?;
    Some(fields.split_whitespace().map(str::to_owned).collect())
}

fn with_children(roots: &[u32]) -> Vec<u32> {
    let mut children: HashMap<u32, Vec<u32>> = HashMap::new();
    for entry in std::fs::read_dir("/proc").into_iter().flatten().flatten() {
        let process = entry.file_name().to_str().and_then(|name| name.parse::<u32>().ok());
        let Some(process) = process else { continue };
        let parent = stat_fields(process).and_then(|fields| fields.get(1)?.parse::<u32>().ok());
        children.entry(parent.unwrap_or(0)).or_default().push(process);
    }
    let mut found = roots.to_vec();
    let mut next = 0;
    while let Some(process) = found.get(next).copied() {
        found.extend(children.get(&process).into_iter().flatten());
        next += 1;
    }
    found
}
