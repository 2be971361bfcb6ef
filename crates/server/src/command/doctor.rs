//! `panji doctor`: reports problems of the installation, with advice.

use std::process::ExitCode;

use clap::Args;
use panji_api::config::Config;
use panji_store::calendar::now_ms;

use super::error::CommandError;
use super::output::{print, print_table};
use crate::doctor::{CheckStatus, examine};

#[derive(Args)]
pub struct DoctorArguments {
    /// Skip the complete read of the embedded databases
    #[arg(long)]
    fast: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// Exit status 1 on any failure; warnings do not change it.
pub async fn run(config: &Config, arguments: &DoctorArguments) -> Result<ExitCode, CommandError> {
    let findings = examine(config, !arguments.fast, now_ms()).await;
    let failed = findings.iter().any(|finding| finding.verdict == CheckStatus::Failure);
    if arguments.json {
        print(&serde_json::to_string(&findings)?);
    } else {
        let rows: Vec<Vec<String>> = findings
            .into_iter()
            .map(|finding| {
                let advice = finding.advice.map_or(String::new(), |advice| format!(" → {advice}"));
                let found = format!("{}{advice}", finding.found);
                vec![finding.verdict.as_str().to_owned(), finding.check.to_owned(), found]
            })
            .collect();
        print_table(&["VERDICT", "CHECK", "FOUND"], &rows);
    }
    Ok(if failed { ExitCode::from(1) } else { ExitCode::SUCCESS })
}
