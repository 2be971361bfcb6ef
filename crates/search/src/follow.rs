//! Keeping the index up to date with the register's change feed.

use std::sync::Arc;
use std::time::Duration;

use panji_store::Register;
use tokio::sync::watch;

use crate::index::{Search, SearchError};

/// Companies read at a time.
const PAGE: i64 = 5_000;
/// How often the feed is looked at.
const PAUSE: Duration = Duration::from_millis(500);

/// Follows the register until `stop` says so. A failure is logged and tried again: search goes on
/// with what the index holds meanwhile.
pub async fn follow(search: Arc<Search>, register: Arc<Register>, mut stop: watch::Receiver<bool>) {
    while !*stop.borrow() {
        if let Err(error) = catch_up(&search, &register).await {
            tracing::warn!(error, "the search index could not be brought up to date");
        }
        tokio::select! {
            () = tokio::time::sleep(PAUSE) => {}
            changed = stop.changed() => if changed.is_err() { return },
        }
    }
}

async fn catch_up(search: &Search, register: &Register) -> Result<(), String> {
    let newest = register.newest_change().await.map_err(|error| error.to_string())?;
    match search.reaches_up_to() {
        Some(seq) if seq == newest => Ok(()),
        Some(seq) if seq < newest => follow_changes(search, register, seq).await,
        // Never filled, or ahead of a register that was made anew.
        _ => fill(search, register, newest).await,
    }
}

async fn fill(search: &Search, register: &Register, newest: i64) -> Result<(), String> {
    let text = |error: SearchError| error.to_string();
    let mut writer = search.writer().map_err(text)?;
    writer.delete_all_documents().map_err(|error| error.to_string())?;
    let mut after = String::new();
    loop {
        let page = register.list_indexed(&after, PAGE).await.map_err(|error| error.to_string())?;
        let Some(last) = page.last() else { break };
        after.clone_from(&last.cin);
        for company in &page {
            search.put(&mut writer, company).map_err(text)?;
        }
    }
    search.commit(&mut writer, newest).map_err(text)
}

async fn follow_changes(search: &Search, register: &Register, from: i64) -> Result<(), String> {
    let text = |error: SearchError| error.to_string();
    let mut writer = search.writer().map_err(text)?;
    let mut seq = from;
    loop {
        let changes = register.list_changes(seq, PAGE).await.map_err(|error| error.to_string())?;
        let Some(last) = changes.last() else { return Ok(()) };
        seq = last.seq;
        for change in changes.iter().filter(|change| change.resource == "company") {
            let company =
                register.find_indexed(&change.key).await.map_err(|error| error.to_string())?;
            if let Some(company) = company {
                search.put(&mut writer, &company).map_err(text)?;
            }
        }
        search.commit(&mut writer, seq).map_err(text)?;
    }
}
