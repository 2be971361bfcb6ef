//! Keeping the index whole, and up to date with the register's change feed.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use panji_store::Register;
use tokio::sync::{oneshot, watch};

use crate::build::{Outcome, Watch, build};
use crate::error::SearchError;
use crate::generations::Generations;
use crate::index::NameIndex;
use crate::search::{Search, Serving};

/// Changes read at a time.
const PAGE: i64 = 5_000;
/// How often the feed and the current generation are checked.
const PAUSE: Duration = Duration::from_millis(500);
/// How long it waits after a failure.
const PAUSE_AFTER_FAILURE: Duration = Duration::from_secs(2);
/// Changes behind which a new generation is quicker than following one by one.
const MAX_BEHIND: i64 = 200_000;
/// So long nothing must have changed before a generation is built for being far behind: a large
/// import would outdate it at once, and wants the processor itself.
const QUIET: Duration = Duration::from_secs(3);
/// After so long behind it is built all the same.
const MAX_WAIT: Duration = Duration::from_secs(600);

/// Follows the register until `stop` says so. A failure is logged and tried again: search goes on
/// with what the index holds meanwhile.
pub async fn follow(search: Arc<Search>, register: Arc<Register>, mut stop: watch::Receiver<bool>) {
    let Some(generations) = search.generations().cloned() else { return };
    let feed = Arc::new(Mutex::new(Feed::default()));
    while !*stop.borrow() {
        let follower = Follower {
            search: search.clone(),
            register: register.clone(),
            generations: generations.clone(),
            feed: feed.clone(),
            stop: stop.clone(),
        };
        let pause = match behind_serving(follower).await {
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
    #[error("{0}")]
    Thread(#[source] std::io::Error),
    #[error("it fell over")]
    Panicked,
}

/// Looks on a thread of its own, because writing an index blocks. It gives way to those who serve, and
/// so do the threads that it starts; where it may not, it works as any other.
async fn behind_serving(follower: Follower) -> Result<(), FollowError> {
    const BEHIND_SERVING: i32 = 10;
    let runtime = tokio::runtime::Handle::current();
    let (finished, result) = oneshot::channel();
    let look = move || {
        let _ = rustix::process::nice(BEHIND_SERVING);
        let looked = runtime.block_on(follower.look());
        // Whoever waits for the end may close what the follower has open.
        drop(follower);
        let _ = finished.send(looked);
    };
    let started = std::thread::Builder::new().name("search-index".into()).spawn(look);
    started.map_err(FollowError::Thread)?;
    Ok(result.await.map_err(|_| FollowError::Panicked)??)
}

struct Follower {
    search: Arc<Search>,
    register: Arc<Register>,
    generations: Generations,
    feed: Arc<Mutex<Feed>>,
    stop: watch::Receiver<bool>,
}

/// How the change feed was seen to grow while the index is far behind it.
#[derive(Default)]
struct Feed {
    newest: i64,
    /// When it grew last, and since when the index is far behind.
    since: Option<(Instant, Instant)>,
}

impl Feed {
    /// Whether it still grows, and has not done so for too long.
    fn is_busy(&mut self, newest: i64, now: Instant) -> bool {
        let (grew, behind) = self.since.unwrap_or((now, now));
        let grew = if newest == self.newest { grew } else { now };
        (self.newest, self.since) = (newest, Some((grew, behind)));
        now - grew < QUIET && now - behind < MAX_WAIT
    }

    fn is_followed(&mut self) {
        self.since = None;
    }
}

impl Follower {
    fn feed(&self) -> MutexGuard<'_, Feed> {
        self.feed.lock().unwrap_or_else(PoisonError::into_inner)
    }

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
            Some(seq) if seq == newest => {
                self.feed().is_followed();
                Ok(())
            }
            Some(seq) if seq < newest && newest - seq <= MAX_BEHIND => {
                self.feed().is_followed();
                self.catch_up(&current, seq).await
            }
            Some(seq) if seq < newest && self.feed().is_busy(newest, Instant::now()) => Ok(()),
            // Far behind, or ahead of a register that was made anew, or its directory is gone.
            _ => self.rebuild().await,
        }
    }

    /// Takes the current generation into use, whichever process built it. One that cannot be
    /// opened is as good as none.
    fn adopt(&self) {
        let serving = self.search.current();
        match self.generations.current() {
            Some(name) if Some(&name) != serving.generation.as_ref() => {
                match self.generations.open_generation(&name) {
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
        match build(&self.generations, &self.register, self).await? {
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
        let Some(mut writer) = current.index.follower()? else {
            // Another process on this directory keeps the index current: its work is shown.
            return current.index.reload();
        };
        let mut seq = from;
        while !*self.stop.borrow() {
            let settled = self.register.settled_change().await?;
            let mut changes = self.register.list_changes(seq, PAGE).await?;
            changes.retain(|change| change.seq <= settled);
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_feed_that_grows_is_waited_for_but_not_for_ever() {
        let start = Instant::now();
        let at = |seconds: u64| start + Duration::from_secs(seconds);
        let mut feed = Feed::default();
        assert!(feed.is_busy(300_000, at(0)));
        assert!(feed.is_busy(400_000, at(2)));
        assert!(feed.is_busy(400_000, at(4)), "it grew two seconds ago");
        assert!(!feed.is_busy(400_000, at(5)), "it is quiet");
        assert!(!feed.is_busy(500_000, at(601)), "it has gone on for too long");
        feed.is_followed();
        assert!(feed.is_busy(900_000, at(700)));
    }
}
