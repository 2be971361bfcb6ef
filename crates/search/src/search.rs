//! Searches with the current generation of the index, and detects damage.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, PoisonError, RwLock};

use panji_generations::Generations;
use panji_store::register::{IndexedCompany, IndexedDirector};

use crate::error::SearchError;
use crate::find::find;
use crate::index::NameIndex;
use crate::index_kind::{IndexKind, director_document};
use crate::matching::{Candidates, MatchItem, candidates};
use crate::request::{Hits, SearchRequest};
use crate::snapshot::IndexSnapshot;

/// Thread-safe access to the current index.
pub struct Search {
    kind: IndexKind,
    generations: Option<Generations>,
    serving: RwLock<Arc<Serving>>,
    needs_check: AtomicBool,
}

/// The current index.
pub(crate) struct Serving {
    pub index: Arc<NameIndex>,
    /// The name of its directory; none for an index in memory and for a draft.
    pub generation: Option<String>,
    /// Whether it does not contain the whole register yet.
    pub partial: bool,
}

impl Search {
    /// An index of these companies in memory.
    pub fn in_memory(companies: &[IndexedCompany]) -> Result<Search, SearchError> {
        let index = NameIndex::in_memory()?;
        let mut writer = index.builder()?;
        for company in companies {
            writer.add(company)?;
        }
        writer.commit(Some(0))?;
        drop(writer);
        Ok(Search::serving(
            IndexKind::Companies,
            None,
            Serving { index: Arc::new(index), generation: None, partial: false },
        ))
    }

    /// An index of these directors in memory.
    pub fn in_memory_directors(directors: Vec<IndexedDirector>) -> Result<Search, SearchError> {
        let documents: Vec<_> = directors.into_iter().map(director_document).collect();
        Ok(Search { kind: IndexKind::Directors, ..Search::in_memory(&documents)? })
    }

    /// Opens the current generation in a directory. If there is none, or it cannot be used, nothing
    /// is found until the follower has built one from the register.
    pub fn open(kind: IndexKind, directory: &Path) -> Result<Search, SearchError> {
        let generations = Generations::open(directory)?;
        let current = generations.current().and_then(|name| {
            match NameIndex::open(&generations.path(&name)) {
                Ok(index) => {
                    Some(Serving { index: Arc::new(index), generation: Some(name), partial: false })
                }
                Err(error) => {
                    tracing::warn!(%error, "the search index cannot be used and is rebuilt");
                    None
                }
            }
        });
        let serving = match current {
            Some(serving) => serving,
            None => Serving {
                index: Arc::new(NameIndex::in_memory()?),
                generation: None,
                partial: true,
            },
        };
        Ok(Search::serving(kind, Some(generations), serving))
    }

    fn serving(kind: IndexKind, generations: Option<Generations>, serving: Serving) -> Search {
        let serving = RwLock::new(Arc::new(serving));
        Search { kind, generations, serving, needs_check: AtomicBool::new(false) }
    }

    pub(crate) fn kind(&self) -> IndexKind {
        self.kind
    }

    /// None for an index in memory.
    pub fn generations(&self) -> Option<&Generations> {
        self.generations.as_ref()
    }

    pub(crate) fn current(&self) -> Arc<Serving> {
        self.serving.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Replaces the current index; running searches finish on the old one.
    pub(crate) fn switch(&self, serving: Serving) {
        *self.serving.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(serving);
    }

    /// Whether the index must be checked for damage; resets the flag.
    pub(crate) fn take_needs_check(&self) -> bool {
        self.needs_check.swap(false, Ordering::Relaxed)
    }

    /// The number of companies in the index, while it does not contain the whole register yet.
    pub fn building(&self) -> Option<u64> {
        let current = self.current();
        current.partial.then(|| current.index.snapshot().companies)
    }

    /// The last change of the register in the index; none before the first build is complete.
    pub fn indexed_change(&self) -> Option<i64> {
        let current = self.current();
        if current.partial { None } else { current.index.stamp().ok()??.seq }
    }

    /// Finds companies. A damaged index causes an error here, and is then rebuilt.
    pub fn find(&self, request: &SearchRequest<'_>) -> Result<Hits, SearchError> {
        self.read(|snapshot| find(snapshot, request))
    }

    /// The companies that an item may mean; `Candidates::decide` decides. Errors as in `find`.
    pub fn match_candidates(&self, item: &MatchItem<'_>) -> Result<Candidates, SearchError> {
        self.read(|snapshot| candidates(snapshot, item))
    }

    fn read<T>(
        &self,
        read: impl FnOnce(&IndexSnapshot) -> tantivy::Result<T>,
    ) -> Result<T, SearchError> {
        let snapshot = self.current().index.snapshot();
        // Reading damaged bytes may panic; that must end only this search.
        let done = match catch_unwind(AssertUnwindSafe(|| read(&snapshot))) {
            Ok(done) => done.map_err(SearchError::from),
            Err(_) => Err(SearchError::Unreadable),
        };
        if done.is_err() {
            self.needs_check.store(true, Ordering::Relaxed);
        }
        done
    }
}
