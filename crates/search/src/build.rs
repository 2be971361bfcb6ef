//! Builds a new generation of the index from the register.

use std::sync::Arc;
use std::time::Instant;

use panji_generations::{BuildOutcome, Built, Generations};
use panji_store::Register;
use panji_store::register::IndexedCompany;

use crate::error::SearchError;
use crate::index::{NameIndex, Writer};
use crate::index_kind::IndexKind;

/// Companies per page.
const PAGE: i64 = 10_000;
/// A first build makes its companies visible after each of this many.
const COMMIT_INTERVAL: u64 = 250_000;

/// Observes and controls a build.
pub trait BuildObserver {
    /// Called after each page with the number of companies so far; false stops the build.
    fn should_continue(&self, companies: u64) -> bool;

    /// Called with the new index before it is filled.
    fn started(&self, _index: &Arc<NameIndex>) {}

    /// Whether companies become searchable while the build runs.
    fn commits_early(&self) -> bool {
        false
    }
}

/// Builds a new generation from the register and makes it the current one.
pub async fn build(
    generations: &Generations,
    kind: IndexKind,
    register: &Register,
    observer: &dyn BuildObserver,
) -> Result<BuildOutcome, SearchError> {
    let started = Instant::now();
    let Some(lock) = generations.lock()? else { return Ok(BuildOutcome::AlreadyBuilding) };
    let (directory, number) = generations.create_draft(&lock)?;
    let index = Arc::new(NameIndex::create(&directory)?);
    observer.started(&index);
    let newest = register.newest_committed_change().await?;
    let mut filling = Filling { writer: index.builder()?, companies: 0, committed: 0 };
    let mut after = String::new();
    loop {
        let page = kind.list(register, &after, PAGE).await?;
        let Some(last) = page.last() else { break };
        after.clone_from(&last.cin);
        filling.add(&page, observer)?;
        if !observer.should_continue(filling.companies) {
            drop(filling);
            std::fs::remove_dir_all(&directory)?;
            return Ok(BuildOutcome::Stopped);
        }
    }
    let companies = filling.companies;
    filling.finish(newest)?;
    drop(index);
    generations.publish(&lock, number)?;
    generations.remove_old(&lock)?;
    Ok(BuildOutcome::Built(Built { records: companies, seconds: started.elapsed().as_secs_f64() }))
}

/// Builds a new generation from these companies and makes it the current one.
pub fn build_from(
    generations: &Generations,
    companies: impl Iterator<Item = IndexedCompany>,
) -> Result<Built, SearchError> {
    let started = Instant::now();
    let lock = generations.lock()?.ok_or(SearchError::InUse)?;
    let (directory, number) = generations.create_draft(&lock)?;
    let index = NameIndex::create(&directory)?;
    let mut filling = Filling { writer: index.builder()?, companies: 0, committed: 0 };
    for company in companies {
        filling.writer.add(&company)?;
        filling.companies += 1;
    }
    let companies = filling.companies;
    filling.finish(0)?;
    drop(index);
    generations.publish(&lock, number)?;
    generations.remove_old(&lock)?;
    Ok(Built { records: companies, seconds: started.elapsed().as_secs_f64() })
}

struct Filling<'a> {
    writer: Writer<'a>,
    companies: u64,
    committed: u64,
}

impl Filling<'_> {
    fn add(
        &mut self,
        page: &[IndexedCompany],
        observer: &dyn BuildObserver,
    ) -> Result<(), SearchError> {
        for company in page {
            self.writer.add(company)?;
        }
        self.companies += page.len() as u64;
        if observer.commits_early() && self.companies - self.committed >= COMMIT_INTERVAL {
            self.writer.commit(None)?;
            self.committed = self.companies;
        }
        Ok(())
    }

    fn finish(mut self, seq: i64) -> Result<(), SearchError> {
        self.writer.commit(Some(seq))?;
        self.writer.merge()?;
        self.writer.close()
    }
}
