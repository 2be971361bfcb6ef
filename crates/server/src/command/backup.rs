//! `panji backup`: copies ledger, register and secret, also while serving.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Args;
use panji_api::config::Config;
use panji_api::databases::backup::{
    BackupEngine, DUMP, LEDGER, Manifest, REGISTER, SECRET, copy_file, create_empty_directory,
};
use panji_api::databases::{
    LEDGER_DATABASE, LEDGER_SCHEMA, REGISTER_DATABASE, REGISTER_SCHEMA, require_secret,
};
use panji_store::calendar::now_ms;
use panji_store::engine::{Workload, copy_sqlite, dump_postgres};

use super::error::CommandError;
use super::output::{Progress, counted, print};

#[derive(Args)]
pub struct BackupArguments {
    /// A new or empty directory
    #[arg(value_name = "DIR")]
    directory: PathBuf,
}

pub async fn run(config: &Config, arguments: &BackupArguments) -> Result<ExitCode, CommandError> {
    let (data_dir, directory) = (&config.data_dir, &arguments.directory);
    LEDGER_DATABASE.require(config).await?;
    REGISTER_DATABASE.require(config).await?;
    require_secret(config)?;
    create_empty_directory(directory, "a backup needs its own directory")?;
    copy_file(&data_dir.join(SECRET), &directory.join(SECRET))?;
    let (engine, names) = if config.database_url.is_empty() {
        // The ledger is copied last, so that it is not older than the rest.
        copy_database(data_dir, directory, REGISTER, Workload::Register)?;
        copy_database(data_dir, directory, LEDGER, Workload::Ledger)?;
        (BackupEngine::Sqlite, [LEDGER, REGISTER, SECRET].to_vec())
    } else {
        let schemas = [LEDGER_SCHEMA, REGISTER_SCHEMA];
        dump_postgres(&config.database_url, &schemas, &directory.join(DUMP)).await?;
        (BackupEngine::Postgres, [DUMP, SECRET].to_vec())
    };
    let manifest = Manifest::write(directory, engine, &names, now_ms())?;
    let files = counted(manifest.files.len() as i64, "file", "files");
    print(&format!("{files}, {} bytes in {}", manifest.bytes(), directory.display()));
    Ok(ExitCode::SUCCESS)
}

fn copy_database(
    from: &Path,
    to: &Path,
    name: &str,
    workload: Workload,
) -> Result<(), CommandError> {
    let mut progress = Progress::new();
    let copied = copy_sqlite(&from.join(name), &to.join(name), workload, |done, all| {
        progress.show(done, Some(all), &format!("of {name} copied"));
    });
    progress.finish();
    Ok(copied?)
}
