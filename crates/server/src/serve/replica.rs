//! Checks the read replica every few seconds and logs when its state changes.

use std::sync::Arc;
use std::time::Duration;

use panji_api::app::App;
use panji_store::register::{Replica, ReplicaCheck, ReplicaFault};
use tokio::sync::watch;

/// The time between two checks.
const CHECK_INTERVAL: Duration = Duration::from_secs(2);
/// The time before the next check after a read failed on the replica.
const CHECK_AFTER_FAILURE: Duration = Duration::from_millis(200);

/// Checks the replica until `stop` is true. Returns at once if there is none.
pub async fn watch(app: Arc<App>, mut stop: watch::Receiver<bool>) {
    let Some(replica) = app.live.register.replica() else { return };
    let mut last = replica.last_check();
    if let Some(check) = &last {
        report(check);
    }
    loop {
        tokio::select! {
            () = tokio::time::sleep(CHECK_INTERVAL) => {}
            () = failed_read(replica) => {}
            _ = stop.wait_for(|stop| *stop) => return,
        }
        // If the primary does not respond, there is nothing to compare with, and the state stays.
        if let Ok(Some(check)) = app.live.register.check_replica().await {
            if last.as_ref().is_none_or(|before| has_changed(before, &check)) {
                report(&check);
            }
            last = Some(check);
        }
    }
}

/// Waits for a failed read on the replica, and then a little longer, so that failures do not cause
/// checks without pause.
async fn failed_read(replica: &Replica) {
    replica.lookup_failed().await;
    tokio::time::sleep(CHECK_AFTER_FAILURE).await;
}

fn has_changed(before: &ReplicaCheck, now: &ReplicaCheck) -> bool {
    match (&before.fault, &now.fault) {
        (None, None) => false,
        (Some(before), Some(now)) => !before.is_like(now),
        _ => true,
    }
}

fn report(check: &ReplicaCheck) {
    match &check.fault {
        None => tracing::info!("the register is read from the replica"),
        Some(fault) => {
            let sentence = "the register is read from the primary, because of the replica";
            match fault {
                ReplicaFault::OtherDatabase(_) => tracing::error!("{sentence}: {fault}"),
                _ => tracing::warn!("{sentence}: {fault}"),
            }
        }
    }
}
