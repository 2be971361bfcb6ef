//! What answers searches: the current generation of the index, and its state of health.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, PoisonError, RwLock};

use panji_store::register::IndexedCompany;

use crate::error::SearchError;
use crate::find::{Hits, SearchRequest, find};
use crate::generations::Generations;
use crate::index::NameIndex;

/// A searchable register of names.
pub struct Search {
    generations: Option<Generations>,
    serving: RwLock<Arc<Serving>>,
    suspect: AtomicBool,
}

/// The index that answers at the moment.
pub(crate) struct Serving {
    pub index: Arc<NameIndex>,
    /// Its directory's name; none in memory, and while it is a draft.
    pub generation: Option<String>,
    /// It does not hold the whole register yet.
    pub partial: bool,
}

impl Search {
    /// An index in memory over these companies.
    pub fn in_memory(companies: &[IndexedCompany]) -> Result<Search, SearchError> {
        let index = NameIndex::in_memory()?;
        let mut writer = index.builder()?;
        for company in companies {
            writer.add(company)?;
        }
        writer.commit(Some(0))?;
        drop(writer);
        Ok(Search::serving(
            None,
            Serving { index: Arc::new(index), generation: None, partial: false },
        ))
    }

    /// The current generation in a directory. Where there is none that can be used, nothing is found
    /// until the follower has built one from the register.
    pub fn open(directory: &Path) -> Result<Search, SearchError> {
        let generations = Generations::open(directory)?;
        let current =
            generations.current().and_then(|name| match generations.open_generation(&name) {
                Ok(index) => {
                    Some(Serving { index: Arc::new(index), generation: Some(name), partial: false })
                }
                Err(error) => {
                    tracing::warn!(%error, "the search index cannot be used and is built anew");
                    None
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
        Ok(Search::serving(Some(generations), serving))
    }

    fn serving(generations: Option<Generations>, serving: Serving) -> Search {
        let serving = RwLock::new(Arc::new(serving));
        Search { generations, serving, suspect: AtomicBool::new(false) }
    }

    pub(crate) fn generations(&self) -> Option<&Generations> {
        self.generations.as_ref()
    }

    pub(crate) fn current(&self) -> Arc<Serving> {
        self.serving.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Lets another index answer from now on; searches under way finish on the old one.
    pub(crate) fn switch(&self, serving: Serving) {
        *self.serving.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(serving);
    }

    /// Whether the index should be looked at closely; asking takes the suspicion away.
    pub(crate) fn take_suspicion(&self) -> bool {
        self.suspect.swap(false, Ordering::Relaxed)
    }

    /// The companies that can be found so far, while the index does not hold the whole register yet.
    pub fn building(&self) -> Option<u64> {
        let current = self.current();
        current.partial.then(|| current.index.view().companies)
    }

    /// The change of the register that the index reaches up to; none while it was never filled.
    pub fn reaches_up_to(&self) -> Option<i64> {
        let current = self.current();
        if current.partial { None } else { current.index.stamp().ok()??.seq }
    }

    /// Finds companies. A damaged index makes an error here, and is then built anew.
    pub fn find(&self, request: &SearchRequest<'_>) -> Result<Hits, SearchError> {
        let view = self.current().index.view();
        // Reading damaged bytes may panic; that must not end more than this search.
        let found = catch_unwind(AssertUnwindSafe(|| find(&view, request)));
        let found = match found {
            Ok(found) => found.map_err(SearchError::from),
            Err(_) => Err(SearchError::Unreadable),
        };
        if found.is_err() {
            self.suspect.store(true, Ordering::Relaxed);
        }
        found
    }
}
