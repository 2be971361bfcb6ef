//! Runs programs and measures their time and memory.

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, bail, ensure};

/// The interval between two memory samples.
const SAMPLE_INTERVAL: Duration = Duration::from_millis(20);

/// The time and memory of a run.
#[derive(Clone, Copy, Debug)]
pub struct ResourceUsage {
    /// From start to end.
    pub time: Duration,
    /// Peak resident memory, in MB.
    pub peak_mb: u64,
}

/// The built program `panji`, next to this one.
pub fn panji() -> anyhow::Result<PathBuf> {
    let own = std::env::current_exe()?;
    let path = own.with_file_name("panji");
    ensure!(
        path.is_file(),
        "the program panji is not built: `cargo build --profile dist -p panji-server`"
    );
    Ok(path)
}

/// Runs a command without output; the error contains its output.
pub fn run(command: &mut Command) -> anyhow::Result<ResourceUsage> {
    let began = Instant::now();
    let child = command
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .with_context(|| command.get_program().to_string_lossy().into_owned())?;
    watch(child, began)
}

/// Runs a command; its progress output is visible.
pub fn run_with_output(command: &mut Command) -> anyhow::Result<()> {
    let name = command.get_program().to_string_lossy().into_owned();
    let status = command.stdout(Stdio::null()).status();
    let status = status.with_context(|| name.clone())?;
    ensure!(status.success(), "{name} failed: {status}");
    Ok(())
}

/// Runs a command and returns its output; the error contains its error output.
pub fn output(command: &mut Command) -> anyhow::Result<String> {
    let name = command.get_program().to_string_lossy().into_owned();
    let output = command.output().with_context(|| name.clone())?;
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).trim().to_owned();
    ensure!(output.status.success(), "{name}: {}", text(&output.stderr));
    Ok(text(&output.stdout))
}

/// Waits for a child that was started at `began`.
pub fn watch(mut child: Child, began: Instant) -> anyhow::Result<ResourceUsage> {
    let mut peak_mb = 0;
    loop {
        peak_mb = peak_mb.max(peak_of(child.id()));
        match child.try_wait()? {
            None => std::thread::sleep(SAMPLE_INTERVAL),
            Some(status) if status.success() => break,
            Some(_) => {
                let output = child.wait_with_output()?;
                bail!("{}", String::from_utf8_lossy(&output.stderr));
            }
        }
    }
    Ok(ResourceUsage { time: began.elapsed(), peak_mb })
}

/// The peak resident memory of a process, in MB.
pub fn peak_of(process: u32) -> u64 {
    status_mb(process, "VmHWM:")
}

/// A line of a process's status in kilobytes, converted to MB.
pub fn status_mb(process: u32, name: &str) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).unwrap_or_default();
    let line = status.lines().find(|line| line.starts_with(name));
    let kilobytes = line.and_then(|line| line.split_whitespace().nth(1)?.parse::<u64>().ok());
    kilobytes.unwrap_or(0) / 1_000
}

/// The median of several durations.
pub fn median(mut times: Vec<Duration>) -> Duration {
    times.sort();
    times.get(times.len() / 2).copied().unwrap_or_default()
}

/// Removes a directory if it exists.
pub fn remove(directory: &Path) {
    let _ = std::fs::remove_dir_all(directory);
}
