//! Periodic tasks while serving: emails about balances, expiring keys and events, idle rate limits,
//! and data past its retention time.

use std::num::NonZeroU32;
use std::sync::Arc;
use std::time::{Duration, Instant};

use panji_api::accounts::key_expiry;
use panji_api::app::App;
use panji_api::events::digest;
use panji_api::payments::low_balance;
use panji_api::telemetry::health::hour_of;
use panji_store::StoreError;
use panji_store::calendar::{ist_day, now_ms};
use tokio::sync::watch;

/// The interval of these tasks.
const HOUSEKEEPING: Duration = Duration::from_secs(60);
/// Parts of the register's feed that one round deletes, and the time between two of them.
const MAX_DELETE_BATCHES: usize = 20;
const BATCH_PAUSE: Duration = Duration::from_millis(100);
const DAY_MS: i64 = 24 * 3600 * 1000;
/// The status page shows 90 days.
const HEALTH_DAYS: i64 = 92;
/// If the clock jumps by more than this, nothing is deleted by age until the next start.
const MAX_CLOCK_STEP_MS: i64 = DAY_MS;

pub async fn housekeeping(app: Arc<App>, mut stop: watch::Receiver<bool>) {
    let (started, started_ms) = (Instant::now(), now_ms());
    loop {
        tokio::select! {
            () = tokio::time::sleep(HOUSEKEEPING) => {}
            _ = stop.wait_for(|stop| *stop) => return,
        }
        app.limits.remove_idle();
        let now_ms = now_ms();
        if let Err(error) =
            low_balance::warn(&app.ledger, &app.mailer, &app.public_url, now_ms).await
        {
            tracing::warn!(%error, "low balances could not be checked");
        }
        let warned = key_expiry::warn(&app.ledger, &app.mailer, &app.public_url, now_ms).await;
        if let Err(error) = warned {
            tracing::warn!(%error, "keys that expire soon could not be read");
        }
        if let Err(error) = digest::send_due(&app, now_ms).await {
            tracing::warn!(%error, "digests of events could not be sent");
        }
        if clock_jumped(started_ms, started.elapsed(), now_ms) {
            tracing::warn!(
                "the clock jumped by more than a day: nothing is deleted by age until the next start"
            );
            continue;
        }
        delete_expired(&app, now_ms).await;
    }
}

/// Deletes data past the retention times in the settings.
async fn delete_expired(app: &App, now_ms: i64) {
    let days_ago = |days: NonZeroU32| now_ms - i64::from(days.get()) * DAY_MS;
    let (ledger, config) = (&app.ledger, &app.config);
    let warn = |what: &str, result: Result<(), StoreError>| {
        if let Err(error) = result {
            tracing::warn!(%error, "{what} could not be deleted");
        }
    };
    let usage = ledger.roll_up_usage(&ist_day(days_ago(config.usage.keep_days))).await;
    warn("old usage", usage.map(drop));
    let events = ledger.delete_expired_audit_events(days_ago(config.audit_log.keep_days)).await;
    warn("old audit events", events.map(drop));
    warn("old responses", ledger.delete_expired_responses(now_ms).await.map(drop));
    warn("old sessions", ledger.delete_expired_sessions(now_ms).await);
    warn("old console responses", ledger.delete_expired_view_responses(now_ms).await.map(drop));
    let health = ledger.delete_expired_health(hour_of(now_ms - HEALTH_DAYS * DAY_MS)).await;
    warn("old health", health.map(drop));
    warn("old counters", ledger.delete_expired_counts(now_ms).await.map(drop));
    let jobs = ledger.delete_expired_bulk_jobs(days_ago(config.bulk_jobs.keep_days), now_ms).await;
    warn("old bulk jobs", jobs.map(drop));
    let watched = ledger.delete_expired_watched_events(days_ago(config.events.keep_days)).await;
    warn("old events", watched.map(drop));
    let changes = delete_expired_changes(app, days_ago(config.events.keep_days)).await;
    warn("old changes of the register", changes);
    let attempts =
        ledger.delete_expired_webhook_attempts(days_ago(config.webhooks.keep_days)).await;
    warn("old attempts of webhooks", attempts.map(drop));
    warn("old payment events", ledger.delete_expired_payment_events(now_ms).await.map(drop));
    let orders = ledger.delete_unpaid_orders(days_ago(config.unpaid_orders.keep_days)).await;
    warn("unpaid orders", orders.map(drop));
    let rejects =
        app.live.register.delete_expired_rejects(days_ago(config.import_rejects.keep_days));
    warn("old rejected rows", rejects.await.map(drop));
}

/// Deletes old entries of the register's feed in small parts. Between them an import gets its turn.
async fn delete_expired_changes(app: &App, before_ms: i64) -> Result<(), StoreError> {
    for _ in 0..MAX_DELETE_BATCHES {
        if app.live.register.delete_expired_changes(before_ms).await? == 0 {
            break;
        }
        tokio::time::sleep(BATCH_PAUSE).await;
    }
    Ok(())
}

/// Whether the wall clock jumped against the monotonic clock since the start. After a jump, new
/// data could look old and be deleted.
fn clock_jumped(started_ms: i64, elapsed: Duration, now_ms: i64) -> bool {
    let expected_ms = started_ms + elapsed.as_millis() as i64;
    (now_ms - expected_ms).abs() > MAX_CLOCK_STEP_MS
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_jump_by_years_is_detected_and_a_small_correction_is_not() {
        let (year, started_ms) = (Duration::from_secs(365 * 24 * 3600), 1_768_458_600_000);
        let year_ms = year.as_millis() as i64;
        assert!(!clock_jumped(started_ms, year, started_ms + year_ms), "no jump in a year");
        assert!(!clock_jumped(started_ms, year, started_ms + year_ms - 3_600_000));
        assert!(clock_jumped(started_ms, Duration::from_secs(60), started_ms + year_ms));
        assert!(clock_jumped(started_ms, Duration::from_secs(60), started_ms - year_ms));
    }
}
