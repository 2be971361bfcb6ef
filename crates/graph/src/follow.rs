//! The graph as data derived from the register: new generations, and the changes since.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;

use panji_generations::{BuildOutcome, Derived, Generations, Stop, list_committed_changes};
use panji_store::Register;
use panji_store::register::Change;

use crate::build::{BuildObserver, build};
use crate::builder::CompanyLinks;
use crate::error::GraphError;
use crate::file;
use crate::graph::{Graph, Serving};
use crate::node::{CompanyNumber, pack_din};
use crate::overlay::Entry;
use crate::snapshot::GraphSnapshot;

/// If the graph is more changes behind, a new generation is faster than applying single changes.
const MAX_BEHIND: i64 = 50_000;
/// With more changed companies than this a new generation is built: an overlay costs memory and time.
const MAX_CHANGED: usize = 20_000;

impl Derived for Graph {
    type Error = GraphError;

    fn name(&self) -> &'static str {
        "graph"
    }

    fn generations(&self) -> Option<&Generations> {
        Graph::generations(self)
    }

    fn serving(&self) -> Option<String> {
        self.current().generation.clone()
    }

    fn switch_to(&self, name: &str, directory: &Path) -> Result<(), GraphError> {
        self.switch(Serving::of(file::read(directory)?, name.to_owned()));
        Ok(())
    }

    fn files_were_removed(&self) {
        let serving = self.current();
        let (snapshot, is_built) = (serving.snapshot.clone(), serving.is_built);
        self.switch(Serving { snapshot, generation: None, is_built });
    }

    fn indexed_change(&self) -> Option<i64> {
        Graph::indexed_change(self)
    }

    fn is_far_behind(&self, behind: i64) -> bool {
        behind > MAX_BEHIND || self.current().snapshot.overlay.len() > MAX_CHANGED
    }

    async fn build(
        &self,
        generations: &Generations,
        register: &Register,
        stop: &Stop,
    ) -> Result<BuildOutcome, GraphError> {
        build(generations, register, &UntilStop(stop)).await
    }

    /// Reads the changed companies again, up to the newest change.
    async fn catch_up(&self, register: &Register, stop: &Stop) -> Result<(), GraphError> {
        let current = self.current();
        let mut snapshot = GraphSnapshot::clone(&current.snapshot);
        while !stop.is_requested() && snapshot.overlay.len() <= MAX_CHANGED {
            let changes = list_committed_changes(register, snapshot.seq).await?;
            let Some(last) = changes.last() else { break };
            let seq = last.seq;
            for cin in changed_companies(&changes) {
                refresh(register, &mut snapshot, cin).await?;
            }
            snapshot.seq = seq;
        }
        let generation = current.generation.clone();
        self.switch(Serving { snapshot: Arc::new(snapshot), generation, is_built: true });
        Ok(())
    }
}

/// Lets a build run until the process stops.
struct UntilStop<'a>(&'a Stop);

impl BuildObserver for UntilStop<'_> {
    fn should_continue(&self, _companies: u64) -> bool {
        !self.0.is_requested()
    }
}

/// Reads a company and its former numbers, whose records it may have taken over.
async fn refresh(
    register: &Register,
    snapshot: &mut GraphSnapshot,
    cin: &str,
) -> Result<(), GraphError> {
    let former = refresh_one(register, snapshot, cin).await?;
    for former in former.iter().filter(|former| former.as_str() != cin) {
        let is_known = CompanyNumber::pack(former).is_some_and(|number| {
            snapshot.base.find(number).or_else(|| snapshot.overlay.find(number)).is_some()
        });
        if is_known {
            refresh_one(register, snapshot, former).await?;
        }
    }
    Ok(())
}

/// Reads a company; returns its former numbers.
async fn refresh_one(
    register: &Register,
    snapshot: &mut GraphSnapshot,
    cin: &str,
) -> Result<Vec<String>, GraphError> {
    let Some(number) = CompanyNumber::pack(cin) else { return Ok(Vec::new()) };
    let company = register.find_linked(cin).await?;
    let holders = register.list_appointed_dins(cin).await?;
    let dins: Vec<u32> = holders.iter().filter_map(|din| pack_din(din)).collect();
    let is_removed = company.is_none() && dins.is_empty();
    let links = company.as_ref().map(CompanyLinks::of).unwrap_or_default();
    snapshot.overlay.set(&snapshot.base, number, Entry { is_removed, dins, links });
    Ok(company.map(|company| company.former_numbers()).unwrap_or_default())
}

/// The companies that changed, each once. A director's own record links nothing.
fn changed_companies(changes: &[Change]) -> BTreeSet<&str> {
    let company =
        |change: &'_ Change| matches!(change.resource.as_str(), "company" | "appointment");
    let changed = changes.iter().filter(|change| company(change));
    changed.filter_map(|change| change.key.split('|').next()).collect()
}
