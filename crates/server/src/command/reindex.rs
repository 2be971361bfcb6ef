//! `panji reindex`: builds a new search index from the register.

use std::process::ExitCode;
use std::sync::Mutex;

use panji_search::{Generations, Outcome, SearchError, Subject, Watch, build};
use panji_store::engine::Workload;

use super::error::CommandError;
use super::output::{Progress, print};
use crate::app::{director_index_dir, index_dir};
use crate::config::Config;
use crate::databases::{IfAbsent, open_register, require_data_dir};

pub async fn run(config: &Config) -> Result<ExitCode, CommandError> {
    let register = open_register(config, Workload::Register, IfAbsent::Refuse).await?;
    require_data_dir(config)?;
    for (subject, resource, directory) in [
        (Subject::Companies, "company", index_dir(config)),
        (Subject::Directors, "director", director_index_dir(config)),
    ] {
        let generations = Generations::open(&directory).map_err(SearchError::from)?;
        let counts = register.list_record_counts().await?;
        let records = counts.iter().filter(|count| count.resource == resource);
        let total = records.map(|count| count.records.unsigned_abs()).sum();
        let watch = BuildProgress { progress: Mutex::new(Progress::new()), total, subject };
        let outcome = build(&generations, subject, &register, &watch).await?;
        watch.progress.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner).finish();
        let Outcome::Built(built) = outcome else { return Err(CommandError::IndexInUse) };
        let what = subject.as_str();
        print(&format!("{} {what} indexed in {:.1} s", built.companies, built.seconds));
    }
    Ok(ExitCode::SUCCESS)
}

/// Displays the progress of the build.
struct BuildProgress {
    progress: Mutex<Progress>,
    /// The number of records in the register.
    total: u64,
    subject: Subject,
}

impl Watch for BuildProgress {
    fn should_continue(&self, read: u64) -> bool {
        if let Ok(mut progress) = self.progress.lock() {
            let text = format!("{read} {} read", self.subject.as_str());
            progress.show(read, Some(self.total), &text);
        }
        true
    }
}
