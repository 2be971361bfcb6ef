//! Keeps the index complete and up to date with the register's change feed.

use std::collections::HashSet;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use panji_generations::{BackgroundError, FeedGrowth, Generations, at_low_priority};
use panji_store::Register;
use tokio::sync::watch;

use crate::build::{Outcome, Watch, build};
use crate::error::SearchError;
use crate::index::NameIndex;
use crate::search::{Search, Serving};

/// Changes per page.
const PAGE: i64 = 5_000;
/// How often the feed and the current generation are checked.
const PAUSE: Duration = Duration::from_millis(500);
const PAUSE_AFTER_FAILURE: Duration = Duration::from_secs(2);
/// If the index is more changes behind, a new generation is faster than applying single changes.
const MAX_BEHIND: i64 = 200_000;

/// Follows the register until `stop` is true. A failure is logged and retried; meanwhile search
/// uses the existing index.
pub async fn follow(search: Arc<Search>, register: Arc<Register>, mut stop: watch::Receiver<bool>) {
    let Some(generations) = search.generations().cloned() else { return };
    let feed = Arc::new(Mutex::new(FeedGrowth::default()));
    while !*stop.borrow() {
        let follower = Follower {
            search: search.clone(),
            register: register.clone(),
            generations: generations.clone(),
            feed: feed.clone(),
            stop: stop.clone(),
        };
        let pause = match update_at_low_priority(follower).await {
            Ok(()) => PAUSE,
            Err(FollowError::Index(error)) => {
                tracing::warn!(%error, "the search index could not be brought up to date");
                PAUSE_AFTER_FAILURE
            }
            Err(error) => {
                tracing::error!(%error, "bringing the search index up to date failed");
                PAUSE_AFTER_FAILURE
            }
        };
        tokio::select! {
            () = tokio::time::sleep(pause) => {}
            changed = stop.changed() => if changed.is_err() { return },
        }
    }
}

/// Why the index was not brought up to date.
#[derive(Debug, thiserror::Error)]
enum FollowError {
    #[error(transparent)]
    Index(#[from] SearchError),
    #[error(transparent)]
    Background(#[from] BackgroundError),
}

async fn update_at_low_priority(follower: Follower) -> Result<(), FollowError> {
    Ok(at_low_priority("search-index", || async move { follower.update().await }).await??)
}

struct Follower {
    search: Arc<Search>,
    register: Arc<Register>,
    generations: Generations,
    feed: Arc<Mutex<FeedGrowth>>,
    stop: watch::Receiver<bool>,
}

impl Follower {
    fn feed(&self) -> MutexGuard<'_, FeedGrowth> {
        self.feed.lock().unwrap_or_else(PoisonError::into_inner)
    }

    async fn update(&self) -> Result<(), SearchError> {
        self.adopt();
        let current = self.search.current();
        if self.search.take_needs_check()
            && let Err(error) = current.index.check()
        {
            tracing::warn!(%error, "the search index is damaged and is rebuilt");
            return self.rebuild().await;
        }
        let newest = self.register.newest_change().await?;
        let oldest = self.register.oldest_kept_change().await?;
        match self.search.reaches_up_to() {
            _ if current.generation.is_none() => self.rebuild().await,
            // Entries that the index has not got were deleted.
            Some(seq) if seq < oldest => self.rebuild().await,
            Some(seq) if seq == newest => {
                self.feed().reset();
                Ok(())
            }
            Some(seq) if seq < newest && newest - seq <= MAX_BEHIND => {
                self.feed().reset();
                self.catch_up(&current, seq).await
            }
            Some(seq) if seq < newest && self.feed().is_busy(newest, Instant::now()) => Ok(()),
            // Far behind, or ahead of a new register, or without its directory.
            _ => self.rebuild().await,
        }
    }

    /// Switches to the current generation, which any process may have built. A generation that
    /// cannot be opened is ignored.
    fn adopt(&self) {
        let serving = self.search.current();
        match self.generations.current() {
            Some(name) if Some(&name) != serving.generation.as_ref() => {
                match NameIndex::open(&self.generations.path(&name)) {
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
                        tracing::warn!(%error, "the search index cannot be used and is rebuilt");
                    }
                }
            }
            // The files were removed: the open index still answers.
            None if serving.generation.is_some() => {
                let index = serving.index.clone();
                self.search.switch(Serving { index, generation: None, partial: serving.partial });
            }
            _ => {}
        }
    }

    async fn rebuild(&self) -> Result<(), SearchError> {
        match build(&self.generations, self.search.subject(), &self.register, self).await? {
            Outcome::Built(built) => {
                tracing::info!(
                    of = self.search.subject().as_str(),
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
        let Some(mut writer) = current.index.follower()? else {
            // Another process updates the index in this directory.
            return current.index.reload();
        };
        let mut seq = from;
        while !*self.stop.borrow() {
            let settled = self.register.settled_change().await?;
            let mut changes = self.register.list_changes(seq, PAGE).await?;
            changes.retain(|change| change.seq <= settled);
            let Some(last) = changes.last() else { break };
            seq = last.seq;
            let subject = self.search.subject();
            // A person with many new seats is read once.
            let mut written = HashSet::new();
            let affected = changes.iter().filter_map(|change| subject.affected(change));
            for key in affected.filter(|key| written.insert(*key)) {
                writer.remove(key);
                if let Some(company) = subject.find(&self.register, key).await? {
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
    fn should_continue(&self, _companies: u64) -> bool {
        !*self.stop.borrow()
    }

    fn started(&self, index: &Arc<NameIndex>) {
        if self.search.current().partial {
            self.search.switch(Serving { index: index.clone(), generation: None, partial: true });
        }
    }

    fn commits_early(&self) -> bool {
        self.search.current().partial
    }
}
