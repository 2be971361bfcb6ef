//! How long one deletion of old entries of the feed takes: on SQLite an import waits for it.

use std::time::{Duration, Instant};

use super::database::Database;

/// Deletions that are measured.
const SLICES: usize = 20;

pub async fn measure(database: &Database) -> anyhow::Result<String> {
    let register = database.register().await?;
    let mut longest = Duration::ZERO;
    let mut deleted = 0;
    for _ in 0..SLICES {
        let began = Instant::now();
        let passed = register.delete_expired_changes(i64::MAX).await?;
        if passed == 0 {
            break;
        }
        longest = longest.max(began.elapsed());
        deleted += passed;
    }
    let longest = longest.as_secs_f64() * 1e3;
    Ok(format!(
        "| {}, {deleted} old entries deleted | | longest part {longest:.0} ms | | |\n",
        database.name()
    ))
}
