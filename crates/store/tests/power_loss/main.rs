//! The store after a loss of power: its files are recorded under load, thousands of states are made
//! that a disk may be in after a loss of power, and each is opened and checked.
#![allow(clippy::unwrap_used, reason = "a test stops at the first thing that goes wrong")]

mod ledger;
mod register;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::Mutex;

use panji_power_loss::{Call, Loss, PowerLosses, Record};
use tokio::runtime::Runtime;

/// Losses of power per test. Another number can be given by this variable, for a longer search.
const LOSSES: usize = 2_000;
const LOSSES_VARIABLE: &str = "PANJI_TEST_POWER_LOSSES";
const SEED: u64 = 21;

#[expect(clippy::disallowed_methods, reason = "a variable of the tests is not a setting")]
fn number_of_losses() -> usize {
    std::env::var(LOSSES_VARIABLE).map_or(LOSSES, |number| number.parse().unwrap())
}

fn runtime() -> Runtime {
    tokio::runtime::Builder::new_multi_thread().worker_threads(4).enable_all().build().unwrap()
}

/// Runs a check on the thread that calls it.
fn block_on<T>(work: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(work)
}

/// How often a checkpoint was complete, so that the WAL started again.
fn restarts_of_wal(record: &Record) -> usize {
    let is_header = |(name, call): &&(String, Call)| {
        name.ends_with("-wal") && matches!(call, Call::Write { at: 0, .. })
    };
    record.calls.iter().filter(is_header).count()
}

/// Checks the files after each loss of power, on all processors. A failed check is a panic that
/// says which loss it was.
fn check_each(losses: PowerLosses<'_>, check: impl Fn(&Loss, &Path) + Sync) {
    let losses = Mutex::new(losses);
    let threads = std::thread::available_parallelism().unwrap().get();
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                // The lock is poisoned, and all threads end, if making a loss panics.
                while let Some(loss) = { losses.lock().unwrap().next() } {
                    let directory = tempfile::tempdir().unwrap();
                    loss.write_to(directory.path()).unwrap();
                    let checked = || check(&loss, directory.path());
                    if catch_unwind(AssertUnwindSafe(checked)).is_err() {
                        panic!("after a loss of power at call {}: {}", loss.at, loss.description);
                    }
                }
            });
        }
    });
}

/// Whether a check fails for at least one loss of power.
fn fails_for_one(losses: PowerLosses<'_>, check: impl Fn(&Loss, &Path) + Sync) -> bool {
    catch_unwind(AssertUnwindSafe(|| check_each(losses, check))).is_err()
}
