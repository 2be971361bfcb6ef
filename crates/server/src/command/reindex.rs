//! `panji reindex`: builds a new search index from the register.

use std::process::ExitCode;
use std::sync::Mutex;

use panji_search::{Generations, Outcome, SearchError, Watch, build};
use panji_store::engine::Workload;

use super::error::CommandError;
use super::output::{Progress, print};
use crate::app::index_dir;
use crate::config::Config;
use crate::databases::{IfAbsent, open_register, require_data_dir};

pub async fn run(config: &Config) -> Result<ExitCode, CommandError> {
    let register = open_register(config, Workload::Register, IfAbsent::Refuse).await?;
    require_data_dir(config)?;
    let generations = Generations::open(&index_dir(config)).map_err(SearchError::from)?;
    let counts = register.list_record_counts().await?;
    let companies = counts.iter().filter(|count| count.resource == "company");
    let total = companies.map(|count| count.records.unsigned_abs()).sum();
    let watch = BuildProgress { progress: Mutex::new(Progress::new()), total };
    let outcome = build(&generations, &register, &watch).await?;
    watch.progress.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner).finish();
    match outcome {
        Outcome::Built(built) => {
            print(&format!("{} companies indexed in {:.1} s", built.companies, built.seconds));
            Ok(ExitCode::SUCCESS)
        }
        Outcome::Elsewhere | Outcome::Stopped => Err(CommandError::IndexInUse),
    }
}

/// Displays the progress of the build.
struct BuildProgress {
    progress: Mutex<Progress>,
    /// The number of companies in the register.
    total: u64,
}

impl Watch for BuildProgress {
    fn should_continue(&self, companies: u64) -> bool {
        if let Ok(mut progress) = self.progress.lock() {
            progress.show(companies, Some(self.total), &format!("{companies} companies read"));
        }
        true
    }
}
