//! The index as data derived from the register: new generations, and the changes since.

use std::collections::HashSet;
use std::path::Path;
use std::sync::Arc;

use panji_generations::{BuildOutcome, Derived, Generations, Stop, list_committed_changes};
use panji_store::Register;

use crate::build::{BuildObserver, build};
use crate::error::SearchError;
use crate::index::NameIndex;
use crate::index_kind::IndexKind;
use crate::search::{Search, Serving};

/// If the index is more changes behind, a new generation is faster than applying single changes.
const MAX_BEHIND: i64 = 200_000;

impl Derived for Search {
    type Error = SearchError;

    fn name(&self) -> &'static str {
        match self.kind() {
            IndexKind::Companies => "search index",
            IndexKind::Directors => "director index",
        }
    }

    fn generations(&self) -> Option<&Generations> {
        Search::generations(self)
    }

    fn serving(&self) -> Option<String> {
        self.current().generation.clone()
    }

    fn switch_to(&self, name: &str, directory: &Path) -> Result<(), SearchError> {
        let index = Arc::new(NameIndex::open(directory)?);
        self.switch(Serving { index, generation: Some(name.to_owned()), partial: false });
        Ok(())
    }

    fn files_were_removed(&self) {
        let serving = self.current();
        let index = serving.index.clone();
        self.switch(Serving { index, generation: None, partial: serving.partial });
    }

    fn indexed_change(&self) -> Option<i64> {
        Search::indexed_change(self)
    }

    fn is_far_behind(&self, behind: i64) -> bool {
        behind > MAX_BEHIND
    }

    fn check(&self) -> Result<(), SearchError> {
        if self.take_needs_check() { self.current().index.check() } else { Ok(()) }
    }

    async fn build(
        &self,
        generations: &Generations,
        register: &Register,
        stop: &Stop,
    ) -> Result<BuildOutcome, SearchError> {
        build(generations, self.kind(), register, &Building { search: self, stop }).await
    }

    async fn catch_up(&self, register: &Register, stop: &Stop) -> Result<(), SearchError> {
        let (current, kind) = (self.current(), self.kind());
        let Some(mut seq) = self.indexed_change() else { return Ok(()) };
        let Some(mut writer) = current.index.follower()? else {
            // Another process updates the index in this directory.
            return current.index.reload();
        };
        while !stop.is_requested() {
            let changes = list_committed_changes(register, seq).await?;
            let Some(last) = changes.last() else { break };
            seq = last.seq;
            // A person with many new appointments is read once.
            let mut written = HashSet::new();
            let affected = changes.iter().filter_map(|change| kind.affected(change));
            for key in affected.filter(|key| written.insert(*key)) {
                writer.remove(key);
                if let Some(company) = kind.find(register, key).await? {
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

/// A build while the current index is searched. If there is none, the new one is searched as it grows.
struct Building<'a> {
    search: &'a Search,
    stop: &'a Stop,
}

impl BuildObserver for Building<'_> {
    fn should_continue(&self, _companies: u64) -> bool {
        !self.stop.is_requested()
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
