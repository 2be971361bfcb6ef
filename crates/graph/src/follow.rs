//! Keeps the graph complete and up to date with the register's change feed.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use panji_generations::{BackgroundError, FeedGrowth, Generations, at_low_priority};
use panji_store::Register;
use panji_store::register::Change;
use tokio::sync::watch;

use crate::build::{Outcome, Watch, build};
use crate::builder::CompanyLinks;
use crate::error::GraphError;
use crate::file;
use crate::graph::{Graph, Serving};
use crate::node::{Number, pack_din};
use crate::overlay::Entry;
use crate::view::View;

/// Changes per page.
const PAGE: i64 = 5_000;
/// How often the feed and the current generation are checked.
const PAUSE: Duration = Duration::from_millis(500);
const PAUSE_AFTER_FAILURE: Duration = Duration::from_secs(2);
/// If the graph is more changes behind, a new generation is faster than applying single changes.
const MAX_BEHIND: i64 = 50_000;
/// With more changed companies than this a new generation is built: an overlay costs memory and time.
const MAX_CHANGED: usize = 20_000;

/// Follows the register until `stop` is true. A failure is logged and retried; meanwhile the existing
/// graph answers.
pub async fn follow(graph: Arc<Graph>, register: Arc<Register>, mut stop: watch::Receiver<bool>) {
    let Some(generations) = graph.generations().cloned() else { return };
    let feed = Arc::new(Mutex::new(FeedGrowth::default()));
    while !*stop.borrow() {
        let follower = Follower {
            graph: graph.clone(),
            register: register.clone(),
            generations: generations.clone(),
            feed: feed.clone(),
            stop: stop.clone(),
        };
        let update = at_low_priority("graph", || async move { follower.update().await }).await;
        let pause = match flatten(update) {
            Ok(()) => PAUSE,
            Err(FollowError::Graph(error)) => {
                tracing::warn!(%error, "the graph could not be brought up to date");
                PAUSE_AFTER_FAILURE
            }
            Err(error) => {
                tracing::error!(%error, "bringing the graph up to date failed");
                PAUSE_AFTER_FAILURE
            }
        };
        tokio::select! {
            () = tokio::time::sleep(pause) => {}
            changed = stop.changed() => if changed.is_err() { return },
        }
    }
}

/// Why the graph was not brought up to date.
#[derive(Debug, thiserror::Error)]
enum FollowError {
    #[error(transparent)]
    Graph(#[from] GraphError),
    #[error(transparent)]
    Background(#[from] BackgroundError),
}

fn flatten(update: Result<Result<(), GraphError>, BackgroundError>) -> Result<(), FollowError> {
    Ok(update??)
}

struct Follower {
    graph: Arc<Graph>,
    register: Arc<Register>,
    generations: Generations,
    feed: Arc<Mutex<FeedGrowth>>,
    stop: watch::Receiver<bool>,
}

impl Follower {
    fn feed(&self) -> MutexGuard<'_, FeedGrowth> {
        self.feed.lock().unwrap_or_else(PoisonError::into_inner)
    }

    async fn update(&self) -> Result<(), GraphError> {
        self.adopt();
        let current = self.graph.current();
        if current.generation.is_none() {
            return self.rebuild().await;
        }
        let newest = self.register.newest_change().await?;
        let (seq, changed) = (current.view.seq, current.view.overlay.len());
        // Entries that the graph has not got were deleted.
        if seq < self.register.oldest_kept_change().await? {
            return self.rebuild().await;
        }
        if changed > MAX_CHANGED || newest - seq > MAX_BEHIND {
            // The overlay has what it had; a running import would outdate a new generation at once.
            let is_busy = self.feed().is_busy(newest, Instant::now());
            return if is_busy { Ok(()) } else { self.rebuild().await };
        }
        self.feed().reset();
        match newest.cmp(&seq) {
            std::cmp::Ordering::Equal => Ok(()),
            std::cmp::Ordering::Greater => self.catch_up(&current).await,
            // Ahead of the register: it is a new one.
            std::cmp::Ordering::Less => self.rebuild().await,
        }
    }

    /// Switches to the current generation, which any process may have built. A generation that cannot
    /// be read is ignored.
    fn adopt(&self) {
        let serving = self.graph.current();
        match self.generations.current() {
            Some(name) if Some(&name) != serving.generation.as_ref() => {
                match file::read(&self.generations.path(&name)) {
                    Ok(base) => {
                        tracing::info!(generation = name, "a new graph is in use");
                        self.graph.switch(Serving::of(base, name));
                    }
                    Err(error) => tracing::warn!(%error, "the graph cannot be used and is rebuilt"),
                }
            }
            // The files were removed: the graph in memory still answers.
            None if serving.generation.is_some() => {
                let (view, is_built) = (serving.view.clone(), serving.is_built);
                self.graph.switch(Serving { view, generation: None, is_built });
            }
            _ => {}
        }
    }

    async fn rebuild(&self) -> Result<(), GraphError> {
        match build(&self.generations, &self.register, self).await? {
            Outcome::Built(built) => {
                tracing::info!(companies = built.companies, seconds = built.seconds, "graph built");
                self.adopt();
                Ok(())
            }
            Outcome::Elsewhere | Outcome::Stopped => Ok(()),
        }
    }

    /// Reads the changed companies again, up to the newest change.
    async fn catch_up(&self, current: &Serving) -> Result<(), GraphError> {
        let mut view = View::clone(&current.view);
        while !*self.stop.borrow() && view.overlay.len() <= MAX_CHANGED {
            let settled = self.register.settled_change().await?;
            let mut changes = self.register.list_changes(view.seq, PAGE).await?;
            changes.retain(|change| change.seq <= settled);
            let Some(last) = changes.last() else { break };
            let seq = last.seq;
            for cin in changed_companies(&changes) {
                self.refresh(&mut view, cin).await?;
            }
            view.seq = seq;
        }
        let generation = current.generation.clone();
        self.graph.switch(Serving { view: Arc::new(view), generation, is_built: true });
        Ok(())
    }

    /// Reads a company and its former numbers, whose records it may have taken over.
    async fn refresh(&self, view: &mut View, cin: &str) -> Result<(), GraphError> {
        let former = self.refresh_one(view, cin).await?;
        for former in former.iter().filter(|former| former.as_str() != cin) {
            let is_known = Number::pack(former).is_some_and(|number| {
                view.base.find(number).or_else(|| view.overlay.find(number)).is_some()
            });
            if is_known {
                self.refresh_one(view, former).await?;
            }
        }
        Ok(())
    }

    /// Reads a company; returns its former numbers.
    async fn refresh_one(&self, view: &mut View, cin: &str) -> Result<Vec<String>, GraphError> {
        let Some(number) = Number::pack(cin) else { return Ok(Vec::new()) };
        let company = self.register.find_linked(cin).await?;
        let holders = self.register.list_seat_holders(cin).await?;
        let dins: Vec<u32> = holders.iter().filter_map(|din| pack_din(din)).collect();
        let is_gone = company.is_none() && dins.is_empty();
        let links = company.as_ref().map(CompanyLinks::of).unwrap_or_default();
        view.overlay.set(&view.base, number, Entry { is_gone, dins, links });
        Ok(company.map(|company| company.former_numbers()).unwrap_or_default())
    }
}

/// The companies that changed, each once. A director's own record links nothing.
fn changed_companies(changes: &[Change]) -> BTreeSet<&str> {
    let company =
        |change: &'_ Change| matches!(change.resource.as_str(), "company" | "appointment");
    let changed = changes.iter().filter(|change| company(change));
    changed.filter_map(|change| change.key.split('|').next()).collect()
}

impl Watch for Follower {
    fn should_continue(&self, _companies: u64) -> bool {
        !*self.stop.borrow()
    }
}
