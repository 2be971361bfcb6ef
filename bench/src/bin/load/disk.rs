//! Measures how long the disk takes to sync a write.

use std::fs::File;
use std::io::Write;
use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::Context;
use panji_bench::report::print_progress;

use super::measure::middle;

/// The number of measured writes.
const WRITES: usize = 2_000;
/// Bytes per write: a page of SQLite.
const BYTES: usize = 4_096;

/// The disk's sync time in milliseconds.
#[derive(Clone, Copy, Debug)]
pub struct SyncTime {
    pub median_ms: f64,
    pub p99_ms: f64,
}

impl SyncTime {
    /// The median of several measurements.
    pub fn median(times: &[SyncTime]) -> SyncTime {
        SyncTime {
            median_ms: middle(times.iter().map(|time| time.median_ms)),
            p99_ms: middle(times.iter().map(|time| time.p99_ms)),
        }
    }
}

/// Appends pages to a file in this directory, and syncs each.
pub fn sync_time(directory: &Path) -> anyhow::Result<SyncTime> {
    let path = directory.join("sync-time");
    let measured = write_and_sync(&path).with_context(|| path.display().to_string());
    let _ = std::fs::remove_file(&path);
    let mut times = measured?;
    times.sort();
    let at = |share: f64| times[(times.len() as f64 * share) as usize].as_secs_f64() * 1e3;
    let time = SyncTime { median_ms: at(0.5), p99_ms: at(0.99) };
    print_progress(&format!(
        "the disk syncs in {:.2} ms, p99 {:.2} ms",
        time.median_ms, time.p99_ms
    ));
    Ok(time)
}

fn write_and_sync(path: &Path) -> std::io::Result<Vec<Duration>> {
    let mut file = File::create(path)?;
    let page = [7; BYTES];
    (0..WRITES)
        .map(|_| {
            let began = Instant::now();
            file.write_all(&page)?;
            file.sync_data()?;
            Ok(began.elapsed())
        })
        .collect()
}
