//! `panji restore`: restores a backup into an empty data directory, with checks before and after.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use panji_api::config::Config;
use panji_api::databases::backup::{
    BackupEngine, DUMP, Manifest, begin_restore, copy_file, create_empty_directory, end_restore,
};
use panji_api::databases::{LEDGER_SCHEMA, REGISTER_SCHEMA};
use panji_store::engine::{has_tables, restore_postgres};

use super::error::{CommandError, RestoreError};
use super::ledger::audit;
use super::output::print;

#[derive(Args)]
pub struct RestoreArguments {
    /// The directory of the backup
    #[arg(value_name = "DIR")]
    directory: PathBuf,
}

pub async fn run(config: &Config, arguments: &RestoreArguments) -> Result<ExitCode, CommandError> {
    let (data_dir, directory) = (&config.data_dir, &arguments.directory);
    let manifest = Manifest::verify(directory)?;
    check_engine(config, manifest.engine)?;
    if manifest.engine == BackupEngine::Postgres {
        check_database(&config.database_url).await?;
    }
    create_empty_directory(
        data_dir,
        "a restore needs an empty data directory, so that nothing is overwritten",
    )?;
    begin_restore(data_dir)?;
    for file in &manifest.files {
        let from = directory.join(&file.name);
        if file.name == DUMP {
            restore_postgres(&config.database_url, &from)?;
        } else {
            copy_file(&from, &data_dir.join(&file.name))?;
        }
    }
    end_restore(data_dir)?;
    print(&format!("Restored the backup of {}.", manifest.made_at));
    audit(config).await
}

fn check_engine(config: &Config, engine: BackupEngine) -> Result<(), RestoreError> {
    match (engine, config.database_url.is_empty()) {
        (BackupEngine::Sqlite, false) => Err(RestoreError::OfEmbedded),
        (BackupEngine::Postgres, true) => Err(RestoreError::OfPostgres),
        _ => Ok(()),
    }
}

/// The database must be empty, so that nothing is overwritten.
async fn check_database(url: &str) -> Result<(), CommandError> {
    for schema in [LEDGER_SCHEMA, REGISTER_SCHEMA] {
        if has_tables(url, schema).await? {
            return Err(RestoreError::NotEmpty { schema }.into());
        }
    }
    Ok(())
}
