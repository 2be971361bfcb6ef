//! Keeping the index whole, and up to date with the register's change feed.

use std::sync::Arc;
use std::time::Duration;

use panji_store::Register;
use tokio::sync::watch;

use crate::build::{Outcome, Watch, build};
use crate::error::SearchError;
use crate::index::NameIndex;
use crate::search::{Search, Serving};
use crate::shelf::Shelf;

/// Changes read at a time.
const PAGE: i64 = 5_000;
/// How often the feed and the shelf are looked at.
const PAUSE: Duration = Duration::from_millis(500);
/// Changes behind which a new generation is quicker than following one by one.
const MAX_BEHIND: i64 = 200_000;

/// Follows the register until `stop` says so. A failure is logged and tried again: search goes on
/// with what the index holds meanwhile.
pub async fn follow(search: Arc<Search>, register: Arc<Register>, mut stop: watch::Receiver<bool>) {
    let Some(shelf) = search.shelf().cloned() else { return };
    while !*stop.borrow() {
        // Writing an index blocks; a thread of its own keeps that away from those who serve.
        let follower = Follower {
            search: search.clone(),
            register: register.clone(),
            shelf: shelf.clone(),
            stop: stop.clone(),
        };
        let runtime = tokio::runtime::Handle::current();
        let work = tokio::task::spawn_blocking(move || runtime.block_on(follower.look()));
        match work.await {
            Ok(Ok(())) => {}
            Ok(Err(error)) => {
                tracing::warn!(%error, "the search index could not be brought up to date");
            }
            Err(error) => tracing::error!(%error, "bringing the search index up to date failed"),
        }
        tokio::select! {
            () = tokio::time::sleep(PAUSE) => {}
            changed = stop.changed() => if changed.is_err() { return },
        }
    }
}

struct Follower {
    search: Arc<Search>,
    register: Arc<Register>,
    shelf: Shelf,
    stop: watch::Receiver<bool>,
}

impl Follower {
    async fn look(&self) -> Result<(), SearchError> {
        self.adopt();
        let current = self.search.current();
        if self.search.take_suspicion()
            && let Err(error) = current.index.check()
        {
            tracing::warn!(%error, "the search index is damaged and is built anew");
            return self.rebuild().await;
        }
        let newest = self.register.newest_change().await?;
        match self.search.reaches_up_to() {
            _ if current.generation.is_none() => self.rebuild().await,
            Some(seq) if seq == newest => Ok(()),
            Some(seq) if seq < newest && newest - seq <= MAX_BEHIND => {
                self.catch_up(&current, seq).await
            }
            // Far behind, or ahead of a register that was made anew, or its directory is gone.
            _ => self.rebuild().await,
        }
    }

    /// Takes the shelf's current generation into use, whichever process built it. One that cannot be
    /// opened is as good as none.
    fn adopt(&self) {
        let serving = self.search.current();
        match self.shelf.current() {
            Some(name) if Some(&name) != serving.generation.as_ref() => {
                match self.shelf.open_generation(&name) {
                    Ok(index) => {
                        tracing::info!(generation = name, "a new search index is in use");
                        let index = Arc::new(index);
                        self.search.switch(Serving {
                            index,
                            generation: Some(name),
                            partial: false,
                        });
                    }
                    Err(error) => {
                        tracing::warn!(%error, "the search index cannot be used and is built anew");
                    }
                }
            }
            // The files were taken away under us: what is open still answers.
            None if serving.generation.is_some() => {
                let index = serving.index.clone();
                self.search.switch(Serving { index, generation: None, partial: serving.partial });
            }
            _ => {}
        }
    }

    async fn rebuild(&self) -> Result<(), SearchError> {
        match build(&self.shelf, &self.register, self).await? {
            Outcome::Built(built) => {
                tracing::info!(
                    companies = built.companies,
                    seconds = built.seconds,
                    "search index built"
                );
                self.adopt();
                Ok(())
            }
            Outcome::Elsewhere | Outcome::Stopped => Ok(()),
        }
    }

    async fn catch_up(&self, current: &Serving, from: i64) -> Result<(), SearchError> {
        let mut writer = match current.index.follower() {
            Ok(writer) => writer,
            // Another process on this directory keeps the index current: its work is shown.
            Err(_) => return current.index.reload(),
        };
        let mut seq = from;
        while !*self.stop.borrow() {
            let changes = self.register.list_changes(seq, PAGE).await?;
            let Some(last) = changes.last() else { break };
            seq = last.seq;
            for change in changes.iter().filter(|change| change.resource == "company") {
                writer.remove(&change.key);
                if let Some(company) = self.register.find_indexed(&change.key).await? {
                    for former in company.former_numbers() {
                        writer.remove(&former);
                    }
                    writer.add(&company)?;
                }
            }
            writer.commit(Some(seq))?;
        }
        writer.close()
    }
}

impl Watch for Follower {
    fn goes_on(&self, _companies: u64) -> bool {
        !*self.stop.borrow()
    }

    fn started(&self, index: &Arc<NameIndex>) {
        if self.search.current().partial {
            self.search.switch(Serving { index: index.clone(), generation: None, partial: true });
        }
    }

    fn wants_to_see(&self) -> bool {
        self.search.current().partial
    }
}
