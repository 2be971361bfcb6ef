//! Writes measurements into `docs/benchmarks.md`, each between its own marks.

use std::fs;
use std::path::Path;

use anyhow::Context;

/// Puts a text between `<!-- section -->` and `<!-- /section -->` of a file.
pub fn replace_section(file: &Path, section: &str, text: &str) -> anyhow::Result<()> {
    let named = || file.display().to_string();
    let page = fs::read_to_string(file).with_context(named)?;
    let (open, close) = (format!("<!-- {section} -->"), format!("<!-- /{section} -->"));
    let marks = page.find(&open).zip(page.find(&close));
    let (start, end) = marks
        .filter(|(start, end)| start < end)
        .with_context(|| format!("{} has no section {open} … {close}", file.display()))?;
    let page = format!("{}{open}\n{}\n{}", &page[..start], text.trim(), &page[end..]);
    fs::write(file, page).with_context(named)
}

/// The machine in one line: processor, cores, memory, kernel.
pub fn machine() -> String {
    let read = |path: &str| fs::read_to_string(path).unwrap_or_default();
    let field = |text: &str, name: &str| {
        let line = text.lines().find(|line| line.starts_with(name));
        line.and_then(|line| line.split_once(':')).map(|(_, value)| value.trim().to_owned())
    };
    let processor = field(&read("/proc/cpuinfo"), "model name").unwrap_or_else(|| "unknown".into());
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let memory = field(&read("/proc/meminfo"), "MemTotal")
        .and_then(|text| text.split(' ').next()?.parse::<u64>().ok())
        .map_or(0, |kilobytes| kilobytes / 1_000_000);
    let kernel = read("/proc/sys/kernel/osrelease").trim().to_owned();
    format!("{processor}, {cores} cores, {memory} GB of memory, Linux {kernel}")
}

/// Memory of this process in MB: resident, and resident without file pages.
pub fn resident_mb() -> (u64, u64) {
    (memory_mb("VmRSS:"), memory_mb("RssAnon:"))
}

/// A line of the kernel's account of this process, in MB.
fn memory_mb(name: &str) -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find(|line| line.starts_with(name));
    let kilobytes = line.and_then(|line| line.split_whitespace().nth(1)?.parse::<u64>().ok());
    kilobytes.unwrap_or(0) / 1_000
}

/// The most memory that this process has had, in MB.
pub fn peak_mb() -> u64 {
    memory_mb("VmHWM:")
}

/// Prints a line of progress to standard error.
pub fn print_progress(line: &str) {
    use std::io::Write;
    let _ = writeln!(std::io::stderr().lock(), "{line}");
}
