//! Building a new generation of the index from the register.

use std::sync::Arc;
use std::time::Instant;

use panji_store::Register;
use panji_store::register::IndexedCompany;

use crate::error::SearchError;
use crate::generations::Generations;
use crate::index::{NameIndex, Writer};

/// Companies read at a time.
const PAGE: i64 = 10_000;
/// Companies after which a first build shows what it has.
const SHOWN_EVERY: u64 = 250_000;

/// What a build did.
#[derive(Clone, Copy, Debug)]
pub struct Built {
    /// Companies in the index.
    pub companies: u64,
    /// How long it took.
    pub seconds: f64,
}

/// How a build ended.
#[derive(Clone, Copy, Debug)]
pub enum Outcome {
    /// The new generation is the current one.
    Built(Built),
    /// Another process is building; its generation will be found.
    Elsewhere,
    /// The build was told to stop, and left nothing behind.
    Stopped,
}

/// Watches a build.
pub trait Watch {
    /// The companies that are in so far; false stops the build.
    fn goes_on(&self, companies: u64) -> bool;

    /// The index that is being built, for those who have no other.
    fn started(&self, _index: &Arc<NameIndex>) {}

    /// Whether what is built shall be visible on the way.
    fn wants_to_see(&self) -> bool {
        false
    }
}

/// Builds a new generation from the register and makes it the current one.
pub async fn build(
    generations: &Generations,
    register: &Register,
    watch: &dyn Watch,
) -> Result<Outcome, SearchError> {
    let started = Instant::now();
    let Some(lock) = generations.lock()? else { return Ok(Outcome::Elsewhere) };
    let (directory, number) = generations.draft(&lock)?;
    let index = Arc::new(NameIndex::create(&directory)?);
    watch.started(&index);
    let newest = register.settled_change().await?;
    let mut filling = Filling { writer: index.builder()?, companies: 0, shown: 0 };
    let mut after = String::new();
    loop {
        let page = register.list_indexed(&after, PAGE).await?;
        let Some(last) = page.last() else { break };
        after.clone_from(&last.cin);
        filling.add(&page, watch)?;
        if !watch.goes_on(filling.companies) {
            drop(filling);
            std::fs::remove_dir_all(&directory)?;
            return Ok(Outcome::Stopped);
        }
    }
    let companies = filling.companies;
    filling.finish(newest)?;
    drop(index);
    generations.publish(&lock, number)?;
    generations.sweep(&lock)?;
    Ok(Outcome::Built(Built { companies, seconds: started.elapsed().as_secs_f64() }))
}

/// Builds a new generation of companies that come from anywhere, and makes it the current one.
pub fn build_of(
    generations: &Generations,
    companies: impl Iterator<Item = IndexedCompany>,
) -> Result<Built, SearchError> {
    let started = Instant::now();
    let lock = generations.lock()?.ok_or(SearchError::InUse)?;
    let (directory, number) = generations.draft(&lock)?;
    let index = NameIndex::create(&directory)?;
    let mut filling = Filling { writer: index.builder()?, companies: 0, shown: 0 };
    for company in companies {
        filling.writer.add(&company)?;
        filling.companies += 1;
    }
    let companies = filling.companies;
    filling.finish(0)?;
    drop(index);
    generations.publish(&lock, number)?;
    generations.sweep(&lock)?;
    Ok(Built { companies, seconds: started.elapsed().as_secs_f64() })
}

struct Filling<'a> {
    writer: Writer<'a>,
    companies: u64,
    shown: u64,
}

impl Filling<'_> {
    fn add(&mut self, page: &[IndexedCompany], watch: &dyn Watch) -> Result<(), SearchError> {
        for company in page {
            self.writer.add(company)?;
        }
        self.companies += page.len() as u64;
        if watch.wants_to_see() && self.companies - self.shown >= SHOWN_EVERY {
            self.writer.commit(None)?;
            self.shown = self.companies;
        }
        Ok(())
    }

    fn finish(mut self, seq: i64) -> Result<(), SearchError> {
        self.writer.commit(Some(seq))?;
        self.writer.merge()?;
        self.writer.close()
    }
}
