//! Watching the replica that look-ups go to: looked at every few seconds, and told of when it changes.

use std::sync::Arc;
use std::time::Duration;

use panji_store::register::{Replica, ReplicaFault, ReplicaLook};
use tokio::sync::watch;

use crate::app::App;

/// How often it is looked at.
const PAUSE: Duration = Duration::from_secs(2);
/// How soon it is looked at again after a look-up failed on it.
const PAUSE_AFTER_FAILURE: Duration = Duration::from_millis(200);

/// Watches the replica until `stop` says so, where there is one.
pub async fn watch(app: Arc<App>, mut stop: watch::Receiver<bool>) {
    let Some(replica) = app.live.register.replica() else { return };
    let mut told = replica.last_look();
    if let Some(look) = &told {
        tell(look);
    }
    loop {
        tokio::select! {
            () = tokio::time::sleep(PAUSE) => {}
            () = doubt(replica) => {}
            _ = stop.wait_for(|stop| *stop) => return,
        }
        // If the primary cannot be asked, there is nothing to compare with, and nothing is changed.
        if let Ok(Some(look)) = app.live.register.look_at_replica().await {
            if told.as_ref().is_none_or(|before| has_changed(before, &look)) {
                tell(&look);
            }
            told = Some(look);
        }
    }
}

/// Comes back a moment after a look-up failed on the replica, so that it is not asked without pause.
async fn doubt(replica: &Replica) {
    replica.doubted().await;
    tokio::time::sleep(PAUSE_AFTER_FAILURE).await;
}

fn has_changed(before: &ReplicaLook, now: &ReplicaLook) -> bool {
    match (&before.fault, &now.fault) {
        (None, None) => false,
        (Some(before), Some(now)) => !before.is_like(now),
        _ => true,
    }
}

fn tell(look: &ReplicaLook) {
    match &look.fault {
        None => tracing::info!("look-ups in the register go to the replica"),
        Some(fault) => {
            let sentence = "look-ups in the register go to the primary, because of the replica";
            match fault {
                ReplicaFault::Foreign(_) => tracing::error!("{sentence}: {fault}"),
                _ => tracing::warn!("{sentence}: {fault}"),
            }
        }
    }
}
