//! Keeps derived data complete and up to date with the register's change feed.

use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use panji_store::register::Change;
use panji_store::{Register, StoreError};
use tokio::sync::watch;

use crate::background::{BackgroundError, at_low_priority};
use crate::feed::{Feed, FeedGrowth, NextStep};
use crate::generations::{Generations, GenerationsError};

/// Changes per page.
const PAGE: i64 = 5_000;
/// How often the feed and the current generation are checked.
const PAUSE: Duration = Duration::from_millis(500);
const PAUSE_AFTER_FAILURE: Duration = Duration::from_secs(2);

/// The result of a build.
#[derive(Clone, Copy, Debug)]
pub struct Built {
    /// Companies, or directors in an index of these.
    pub records: u64,
    pub seconds: f64,
}

#[derive(Clone, Copy, Debug)]
pub enum BuildOutcome {
    /// The new generation is the current one.
    Built(Built),
    /// Another process is building; its generation will be used.
    AlreadyBuilding,
    /// The build was cancelled.
    Stopped,
}

/// Whether the process is asked to stop.
#[derive(Clone)]
pub struct Stop(watch::Receiver<bool>);

impl Stop {
    pub fn is_requested(&self) -> bool {
        *self.0.borrow()
    }
}

/// Data that is derived from the register and stored in generations.
pub trait Derived: Send + Sync + 'static {
    type Error: std::error::Error + From<StoreError> + From<GenerationsError> + Send + 'static;

    /// The name of the thread and in log lines.
    fn name(&self) -> &'static str;

    /// None for data in memory, which follows nothing.
    fn generations(&self) -> Option<&Generations>;

    /// The generation in use; none if there is none, or its files were removed.
    fn serving(&self) -> Option<String>;

    /// Reads a generation, which is used from then on.
    fn switch_to(&self, name: &str, directory: &Path) -> Result<(), Self::Error>;

    /// Called after its files were removed: what is open stays usable.
    fn files_were_removed(&self);

    /// The last change in it; none before the first build is complete.
    fn indexed_change(&self) -> Option<i64>;

    /// Whether a new generation is faster than applying `behind` changes.
    fn is_far_behind(&self, behind: i64) -> bool;

    /// Checks for damage, after an error that damage may have caused.
    fn check(&self) -> Result<(), Self::Error> {
        Ok(())
    }

    fn build(
        &self,
        generations: &Generations,
        register: &Register,
        stop: &Stop,
    ) -> impl Future<Output = Result<BuildOutcome, Self::Error>>;

    /// Applies the changes after `indexed_change`, up to the newest one.
    fn catch_up(
        &self,
        register: &Register,
        stop: &Stop,
    ) -> impl Future<Output = Result<(), Self::Error>>;
}

/// A page of the changes after `seq`, without those that a transaction in progress may still precede.
pub async fn list_committed_changes(
    register: &Register,
    seq: i64,
) -> Result<Vec<Change>, StoreError> {
    let newest = register.newest_committed_change().await?;
    let mut changes = register.list_changes(seq, PAGE).await?;
    changes.retain(|change| change.seq <= newest);
    Ok(changes)
}

/// Follows the register until `stop` is true. A failure is logged and retried; meanwhile the existing
/// data is used.
pub async fn follow<D: Derived>(
    derived: Arc<D>,
    register: Arc<Register>,
    mut stop: watch::Receiver<bool>,
) {
    let Some(generations) = derived.generations().cloned() else { return };
    let name = derived.name();
    let growth = Arc::new(Mutex::new(FeedGrowth::default()));
    while !*stop.borrow() {
        let follower = Follower {
            derived: derived.clone(),
            register: register.clone(),
            generations: generations.clone(),
            growth: growth.clone(),
            stop: Stop(stop.clone()),
        };
        let pause = match update(name, follower).await {
            Ok(()) => PAUSE,
            Err(FollowError::Update(error)) => {
                tracing::warn!(%error, "the update of the {name} failed");
                PAUSE_AFTER_FAILURE
            }
            Err(error) => {
                tracing::error!(%error, "the update of the {name} failed");
                PAUSE_AFTER_FAILURE
            }
        };
        tokio::select! {
            () = tokio::time::sleep(pause) => {}
            changed = stop.changed() => if changed.is_err() { return },
        }
    }
}

/// Why the data was not brought up to date.
#[derive(Debug, thiserror::Error)]
enum FollowError<E: std::error::Error + 'static> {
    #[error(transparent)]
    Update(E),
    #[error(transparent)]
    Background(#[from] BackgroundError),
}

async fn update<D: Derived>(
    name: &str,
    follower: Follower<D>,
) -> Result<(), FollowError<D::Error>> {
    let updated = at_low_priority(name, || async move { follower.update().await }).await?;
    updated.map_err(FollowError::Update)
}

struct Follower<D> {
    derived: Arc<D>,
    register: Arc<Register>,
    generations: Generations,
    growth: Arc<Mutex<FeedGrowth>>,
    stop: Stop,
}

impl<D: Derived> Follower<D> {
    async fn update(&self) -> Result<(), D::Error> {
        self.use_current();
        if let Err(error) = self.derived.check() {
            tracing::warn!(%error, "the {} is damaged and is rebuilt", self.derived.name());
            return self.rebuild().await;
        }
        let feed = Feed {
            newest: self.register.newest_change().await?,
            oldest: self.register.oldest_kept_change().await?,
        };
        match self.next(feed) {
            NextStep::UpToDate | NextStep::Wait => Ok(()),
            NextStep::CatchUp => self.derived.catch_up(&self.register, &self.stop).await,
            NextStep::Rebuild => self.rebuild().await,
        }
    }

    fn next(&self, feed: Feed) -> NextStep {
        let mut growth = self.growth.lock().unwrap_or_else(PoisonError::into_inner);
        let indexed_change = self.derived.serving().and_then(|_| self.derived.indexed_change());
        feed.next(
            indexed_change,
            |behind| self.derived.is_far_behind(behind),
            &mut growth,
            Instant::now(),
        )
    }

    /// Switches to the current generation, which any process may have built. A generation that cannot
    /// be read is ignored.
    fn use_current(&self) {
        let (of, serving) = (self.derived.name(), self.derived.serving());
        match self.generations.current() {
            Some(name) if Some(&name) != serving.as_ref() => {
                match self.derived.switch_to(&name, &self.generations.path(&name)) {
                    Ok(()) => tracing::info!(generation = name, "a new {of} is in use"),
                    Err(error) => tracing::warn!(%error, "the {of} cannot be used and is rebuilt"),
                }
            }
            None if serving.is_some() => self.derived.files_were_removed(),
            _ => {}
        }
    }

    async fn rebuild(&self) -> Result<(), D::Error> {
        let build = self.derived.build(&self.generations, &self.register, &self.stop);
        match build.await? {
            BuildOutcome::Built(Built { records, seconds }) => {
                tracing::info!(records, seconds, "{} built", self.derived.name());
                self.use_current();
                Ok(())
            }
            BuildOutcome::AlreadyBuilding | BuildOutcome::Stopped => Ok(()),
        }
    }
}
