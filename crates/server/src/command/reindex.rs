//! `panji reindex`: builds new search indexes and a new graph from the register.

use std::process::ExitCode;
use std::sync::Mutex;

use panji_api::app::{director_index_dir, graph_dir, index_dir};
use panji_api::config::Config;
use panji_api::databases::{IfAbsent, open_register, require_data_dir};
use panji_graph::GraphError;
use panji_search::{BuildOutcome, Built, Generations, IndexKind, SearchError};
use panji_store::Register;
use panji_store::engine::Workload;

use super::error::CommandError;
use super::output::{Progress, counted, print};

pub async fn run(config: &Config) -> Result<ExitCode, CommandError> {
    let register = open_register(config, Workload::Register, IfAbsent::Refuse).await?;
    require_data_dir(config)?;
    for (kind, resource, directory) in [
        (IndexKind::Companies, "company", index_dir(config)),
        (IndexKind::Directors, "director", director_index_dir(config)),
    ] {
        let generations = Generations::open(&directory).map_err(SearchError::from)?;
        let watch = BuildProgress::new(&register, resource, kind.as_str()).await?;
        let built = panji_search::build(&generations, kind, &register, &watch).await?;
        let built = watch.finish(built)?;
        let what = kind.as_str();
        print(&format!("{} {what} indexed in {:.1} s", built.records, built.seconds));
    }
    let generations = Generations::open(&graph_dir(config)).map_err(GraphError::from)?;
    let watch = BuildProgress::new(&register, "company", "companies").await?;
    let built = panji_graph::build(&generations, &register, &watch).await?;
    let built = watch.finish(built)?;
    let companies = counted(built.records as i64, "company", "companies");
    print(&format!("graph of {companies} built in {:.1} s", built.seconds));
    Ok(ExitCode::SUCCESS)
}

/// Displays the progress of a build.
struct BuildProgress {
    progress: Mutex<Progress>,
    /// The number of records in the register.
    total: u64,
    /// What they are.
    what: &'static str,
}

impl BuildProgress {
    async fn new(
        register: &Register,
        resource: &str,
        what: &'static str,
    ) -> Result<BuildProgress, CommandError> {
        let counts = register.list_record_counts().await?;
        let records = counts.iter().filter(|count| count.resource == resource);
        let total = records.map(|count| count.records.unsigned_abs()).sum();
        Ok(BuildProgress { progress: Mutex::new(Progress::new()), total, what })
    }

    fn show(&self, read: u64) {
        if let Ok(mut progress) = self.progress.lock() {
            progress.show(read, Some(self.total), &format!("{read} {} read", self.what));
        }
    }

    fn finish(self, outcome: BuildOutcome) -> Result<Built, CommandError> {
        self.progress.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner).finish();
        match outcome {
            BuildOutcome::Built(built) => Ok(built),
            BuildOutcome::AlreadyBuilding | BuildOutcome::Stopped => Err(CommandError::IndexInUse),
        }
    }
}

impl panji_search::BuildObserver for BuildProgress {
    fn should_continue(&self, read: u64) -> bool {
        self.show(read);
        true
    }
}

impl panji_graph::BuildObserver for BuildProgress {
    fn should_continue(&self, read: u64) -> bool {
        self.show(read);
        true
    }
}
