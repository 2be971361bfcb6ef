//! `panji register accept`: accepts what another program wrote to the embedded register.

use std::process::ExitCode;

use clap::Subcommand;
use panji_api::config::Config;
use panji_api::databases::REGISTER_DATABASE;
use panji_api::databases::backup::REGISTER;
use panji_store::engine::{Acceptance, accept_changes};

use super::error::{CommandError, RegisterError};
use super::output::{counted, print};

#[derive(Subcommand)]
pub enum RegisterCommand {
    /// After another program wrote to register.db: check its structure and renew its checksums.
    /// Panji must be stopped
    #[command(after_help = "Example:
  panji register accept")]
    Accept,
}

pub async fn run(config: &Config, command: &RegisterCommand) -> Result<ExitCode, CommandError> {
    let RegisterCommand::Accept = command;
    accept(config).await
}

async fn accept(config: &Config) -> Result<ExitCode, CommandError> {
    if !config.database_url.is_empty() {
        return Err(RegisterError::OnPostgres.into());
    }
    REGISTER_DATABASE.require(config).await?;
    let path = config.data_dir.join(REGISTER);
    let file = path.display();
    match accept_changes(&path)? {
        Acceptance::AllCorrect { pages } => {
            let pages = counted(i64::from(pages), "page", "pages");
            print(&format!("{file}: {pages} with correct checksums; nothing was changed."));
        }
        Acceptance::Accepted { changed, pages } => print(&format!(
            "{file}: pages with a wrong checksum that were accepted: {changed} of {pages}. The \
             structure of the file is intact.\n\
             A wrong value in these pages cannot be excluded: if no other program wrote to the \
             file, import again or restore a backup.\n\
             If the other program changed records, run 'panji reindex'."
        )),
        Acceptance::Damaged(fault) => {
            return Err(RegisterError::Damaged { path, fault }.into());
        }
    }
    Ok(ExitCode::SUCCESS)
}
