//! Housekeeping while serving: warnings, idle rate limits, and data whose retention time is over.

use std::sync::Arc;
use std::time::{Duration, Instant};

use panji_store::StoreError;
use panji_store::calendar::{ist_day, now_ms};
use tokio::sync::watch;

use crate::app::App;
use crate::payments::low_balance;

/// How often old usage is summed up, old answers and sessions dropped and idle rate limits forgotten.
const HOUSEKEEPING: Duration = Duration::from_secs(60);
const DAY_MS: i64 = 24 * 3600 * 1000;
/// By how much the clock may be set before nothing is dropped by its age any more.
const MAX_CLOCK_STEP_MS: i64 = DAY_MS;

/// Warns of low balances, forgets idle rate limits, drops what is past its time.
pub async fn housekeeping(app: Arc<App>, mut stop: watch::Receiver<bool>) {
    let (started, started_ms) = (Instant::now(), now_ms());
    loop {
        tokio::select! {
            () = tokio::time::sleep(HOUSEKEEPING) => {}
            _ = stop.wait_for(|stop| *stop) => return,
        }
        app.limits.forget_idle();
        let now_ms = now_ms();
        if let Err(error) =
            low_balance::warn(&app.ledger, &app.mailer, &app.public_url, now_ms).await
        {
            tracing::warn!(%error, "low balances could not be looked for");
        }
        if clock_was_set(started_ms, started.elapsed(), now_ms) {
            tracing::warn!(
                "the clock was set by more than a day: nothing is dropped by its age until the next start"
            );
            continue;
        }
        purge_expired(&app, now_ms).await;
    }
}

/// Drops what is past the time that the settings give it.
async fn purge_expired(app: &App, now_ms: i64) {
    let days_ago = |days: u32| now_ms - i64::from(days) * DAY_MS;
    let (ledger, config) = (&app.ledger, &app.config);
    let warn = |what: &str, done: Result<(), StoreError>| {
        if let Err(error) = done {
            tracing::warn!(%error, "{what} could not be dropped");
        }
    };
    let usage = ledger.roll_up_usage(&ist_day(days_ago(config.usage.keep_days))).await;
    warn("old usage", usage.map(drop));
    let events = ledger.purge_audit_events(days_ago(config.audit_log.keep_days)).await;
    warn("old lines of the audit log", events.map(drop));
    warn("old answers", ledger.drop_old_answers(now_ms).await.map(drop));
    warn("old sessions", ledger.drop_old_sessions(now_ms).await);
    warn("old answers of the console", ledger.drop_old_view_answers(now_ms).await.map(drop));
    warn("old counts", ledger.drop_old_counts(now_ms).await.map(drop));
    let lists = ledger.drop_old_bulk_jobs(days_ago(config.bulk_jobs.keep_days), now_ms).await;
    warn("old lists", lists.map(drop));
    warn("old events of payments", ledger.drop_old_payment_events(now_ms).await.map(drop));
    let orders = ledger.drop_unpaid_orders(days_ago(config.unpaid_orders.keep_days)).await;
    warn("orders that nobody paid", orders.map(drop));
    let rejects = app.live.register.drop_old_rejects(days_ago(config.import_rejects.keep_days));
    warn("old rejected rows", rejects.await.map(drop));
}

/// Whether the clock shows something else than the time that has passed since the start. What it then
/// takes for old may be new, and what is dropped is gone.
fn clock_was_set(started_ms: i64, passed: Duration, now_ms: i64) -> bool {
    let expected_ms = started_ms + passed.as_millis() as i64;
    (now_ms - expected_ms).abs() > MAX_CLOCK_STEP_MS
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clock_that_jumps_by_years_is_told_from_one_that_is_corrected() {
        let (year, started_ms) = (Duration::from_secs(365 * 24 * 3600), 1_768_458_600_000);
        let year_ms = year.as_millis() as i64;
        assert!(!clock_was_set(started_ms, year, started_ms + year_ms), "it ran for a year");
        assert!(!clock_was_set(started_ms, year, started_ms + year_ms - 3_600_000));
        assert!(clock_was_set(started_ms, Duration::from_secs(60), started_ms + year_ms));
        assert!(clock_was_set(started_ms, Duration::from_secs(60), started_ms - year_ms));
    }
}
