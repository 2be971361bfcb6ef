//! Usage summed by day. A past day does not change, so each is read once and cached.

use std::sync::Arc;

use jiff::ToSpan;
use jiff::civil::Date;
use panji_store::calendar::now_ms;
use panji_store::ledger::{Mode, UsageGroup};
use panji_store::{Ledger, StoreError};
use quick_cache::sync::Cache;
use tokio::sync::Semaphore;

use crate::locale::dates;

/// The number of cached days, over all accounts.
const CACHED_DAYS: usize = 5_000;
/// A day is cached after this many days: late rows may still be added before.
const CACHED_AFTER_DAYS: i64 = 2;

/// Reports that are read at the same time. The last days of a busy account have many rows, and a
/// free call must not occupy the whole machine with them.
const MAX_READS: usize = 4;

/// Account, mode and day.
type Key = (String, Mode, Date);

pub struct UsageDays {
    days: Cache<Key, Arc<Vec<UsageGroup>>>,
    /// Bounds the reports that are read at the same time.
    permits: Arc<Semaphore>,
}

impl Default for UsageDays {
    fn default() -> UsageDays {
        UsageDays { days: Cache::new(CACHED_DAYS), permits: Arc::new(Semaphore::new(MAX_READS)) }
    }
}

impl UsageDays {
    async fn sum(&self, ledger: &Ledger, key: &Key) -> Result<Arc<Vec<UsageGroup>>, StoreError> {
        let (account_id, mode, day) = key;
        if let Some(cached) = self.days.get(key) {
            return Ok(cached);
        }
        let text = day.to_string();
        let groups = Arc::new(ledger.sum_usage(account_id, *mode, (&text, &text)).await?);
        let newest = dates::today(now_ms()).saturating_sub(CACHED_AFTER_DAYS.days());
        if *day <= newest {
            self.days.insert(key.clone(), groups.clone());
        }
        Ok(groups)
    }
}

/// The usage of an account between two days, both included.
pub async fn sum_usage(
    ledger: &Arc<Ledger>,
    days: &Arc<UsageDays>,
    account_id: &str,
    mode: Mode,
    (first, last): (Date, Date),
) -> Result<Vec<UsageGroup>, StoreError> {
    let (ledger, days, account_id) = (ledger.clone(), days.clone(), account_id.to_owned());
    let permit = days.permits.clone().acquire_owned().await;
    let permit = permit.map_err(|error| StoreError::Bug(error.to_string()))?;
    run_blocking(async move || {
        // Held until the reads end, also when the caller no longer waits.
        let _permit = permit;
        let mut groups = Vec::new();
        for day in first.series(1.day()).take_while(|day| *day <= last) {
            let sum = days.sum(&ledger, &(account_id.clone(), mode, day)).await?;
            groups.extend(sum.iter().cloned());
        }
        Ok(groups)
    })
    .await
}

/// Reads the store on a blocking thread. The embedded engine reads on the calling thread and would
/// block other requests during a busy month.
pub async fn run_blocking<T: Send + 'static>(
    read: impl AsyncFnOnce() -> Result<T, StoreError> + Send + 'static,
) -> Result<T, StoreError> {
    let runtime = tokio::runtime::Handle::current();
    let result = tokio::task::spawn_blocking(move || runtime.block_on(read()));
    result.await.map_err(|error| StoreError::Bug(error.to_string()))?
}
