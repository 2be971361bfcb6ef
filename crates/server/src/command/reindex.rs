//! `panji reindex`: a new search index from the register.

use std::process::ExitCode;
use std::sync::Mutex;

use panji_search::{Generations, Outcome, Watch, build};
use panji_store::engine::Workload;

use super::output::{Progress, print};
use crate::config::Config;
use crate::state::{index_dir, open_register};

pub async fn run(config: &Config) -> Result<ExitCode, String> {
    let sentence = |error: panji_search::SearchError| error.to_string();
    let register = open_register(config, Workload::Register).await?;
    let generations = Generations::open(&index_dir(config)).map_err(sentence)?;
    let shown = Shown(Mutex::new(Progress::new()));
    let outcome = build(&generations, &register, &shown).await.map_err(sentence)?;
    shown.0.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner).finish();
    match outcome {
        Outcome::Built(built) => {
            print(&format!("{} companies indexed in {:.1} s", built.companies, built.seconds));
            Ok(ExitCode::SUCCESS)
        }
        Outcome::Elsewhere | Outcome::Stopped => {
            Err("another process is building this index at the moment".to_owned())
        }
    }
}

/// Shows how far the build is.
struct Shown(Mutex<Progress>);

impl Watch for Shown {
    fn goes_on(&self, companies: u64) -> bool {
        if let Ok(mut progress) = self.0.lock() {
            progress.show(&format!("{companies} companies read"));
        }
        true
    }
}
