//! Opens the register and the ledger of the settings. Only commands that write create missing ones:
//! a mistyped directory must not look like an empty register.

pub mod backup;
pub mod sandbox;

use std::path::Path;
use std::time::Duration;

use panji_store::calendar::now_ms;
use panji_store::engine::{PostgresOptions, Workload, has_tables};
use panji_store::ledger::Secret;
use panji_store::{Engine, Ledger, Register, StoreError};

use crate::config::Config;
use backup::{LEDGER, REGISTER, SECRET, check_restored};

pub(crate) const REGISTER_SCHEMA: &str = "panji_register";
pub(crate) const LEDGER_SCHEMA: &str = "panji_ledger";

/// What to do if a database does not exist.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IfAbsent {
    Create,
    /// Returns an error and creates nothing.
    Refuse,
}

/// One of the two databases: a file in the data directory, or a PostgreSQL schema.
#[derive(Clone, Copy, Debug)]
pub struct Database {
    file: &'static str,
    schema: &'static str,
}

pub const THE_LEDGER: Database = Database { file: LEDGER, schema: LEDGER_SCHEMA };
pub const THE_REGISTER: Database = Database { file: REGISTER, schema: REGISTER_SCHEMA };

impl Database {
    pub async fn exists(self, config: &Config) -> Result<bool, String> {
        if config.database_url.is_empty() {
            return Ok(config.data_dir.join(self.file).exists());
        }
        let exists = has_tables(&config.database_url, self.schema).await;
        exists.map_err(|error| store_sentence(&error))
    }

    /// Returns an error if it does not exist.
    pub async fn require(self, config: &Config) -> Result<(), String> {
        check_restored(&config.data_dir)?;
        if self.exists(config).await? {
            return Ok(());
        }
        if config.database_url.is_empty() {
            return Err(absent_from_directory(&config.data_dir, self.file));
        }
        Err(format!(
            "there is no register in the database (it has no schema {}): 'panji serve' creates one, or \
             name the right database with --database-url",
            self.schema
        ))
    }
}

fn absent_from_directory(data_dir: &Path, file: &str) -> String {
    format!(
        "there is no register in {} ({file} is missing): 'panji serve' creates one, or name the right \
         directory with --data-dir",
        data_dir.display()
    )
}

/// Returns an error if the ledger's secret is missing; without it no entry can be verified.
pub fn require_secret(config: &Config) -> Result<(), String> {
    let path = config.data_dir.join(SECRET);
    if path.exists() {
        return Ok(());
    }
    Err(format!(
        "the ledger's secret {} is missing: name the right directory with --data-dir, or put it back \
         from a backup or from another node",
        path.display()
    ))
}

/// Returns an error if the data directory is missing. With PostgreSQL the register may exist
/// without it.
pub fn require_data_dir(config: &Config) -> Result<(), String> {
    if config.data_dir.is_dir() {
        return Ok(());
    }
    let path = config.data_dir.display();
    Err(format!("there is no data directory {path}: name the right one with --data-dir"))
}

pub async fn open_ledger(config: &Config, if_absent: IfAbsent) -> Result<Ledger, String> {
    if if_absent == IfAbsent::Refuse {
        THE_LEDGER.require(config).await?;
        require_secret(config)?;
    }
    let path = config.data_dir.join(SECRET);
    let is_new = !path.exists();
    let secret = read_or_create_secret(&config.data_dir)?;
    let engine = open_engine(config, THE_LEDGER, Workload::Ledger).await?;
    let ledger = Ledger::open(engine, secret, now_ms()).await;
    if ledger.is_err() && is_new {
        // The new secret does not match the existing ledger; the operator must put the right one
        // here.
        let _ = std::fs::remove_file(&path);
    }
    ledger.map_err(|error| store_sentence(&error))
}

pub async fn open_register(
    config: &Config,
    workload: Workload,
    if_absent: IfAbsent,
) -> Result<Register, String> {
    match if_absent {
        IfAbsent::Create => make_data_dir(&config.data_dir)?,
        IfAbsent::Refuse => THE_REGISTER.require(config).await?,
    }
    let engine = open_engine(config, THE_REGISTER, workload).await?;
    Register::open(engine, now_ms()).await.map_err(|error| store_sentence(&error))
}

/// Opens the register with the replica of the settings, which is checked once.
pub async fn open_register_with_replica(
    config: &Config,
    if_absent: IfAbsent,
) -> Result<Register, String> {
    let mut register = open_register(config, Workload::Register, if_absent).await?;
    if config.read_database_url.is_empty() {
        return Ok(register);
    }
    let options =
        PostgresOptions { url: config.read_database_url.clone(), schema: REGISTER_SCHEMA };
    let max_lag = Duration::from_secs(config.replica_lag_seconds);
    let attached = register.attach_replica(options, max_lag).await;
    attached
        .map_err(|error| format!("the setting read_database_url: {}", store_sentence(&error)))?;
    register.check_replica().await.map_err(|error| store_sentence(&error))?;
    Ok(register)
}

async fn open_engine(
    config: &Config,
    database: Database,
    workload: Workload,
) -> Result<Engine, String> {
    check_restored(&config.data_dir)?;
    let engine = if config.database_url.is_empty() {
        Engine::open_sqlite(&config.data_dir.join(database.file), workload)
    } else {
        let (url, schema) = (config.database_url.clone(), database.schema);
        Engine::open_postgres(PostgresOptions { url, schema }).await
    };
    engine.map_err(|error| store_sentence(&error))
}

/// Creates the data directory, readable only by its owner: it contains customer data and the
/// secret.
pub(crate) fn make_data_dir(path: &Path) -> Result<(), String> {
    use std::os::unix::fs::DirBuilderExt;
    std::fs::DirBuilder::new().recursive(true).mode(0o700).create(path).map_err(|error| {
        format!("the data directory {} cannot be created: {error}", path.display())
    })
}

/// The ledger's secret, in a file that only its owner can read. All nodes of a ledger share it.
fn read_or_create_secret(data_dir: &Path) -> Result<Secret, String> {
    make_data_dir(data_dir)?;
    let path = data_dir.join(SECRET);
    let sentence = |error: std::io::Error| format!("the secret {}: {error}", path.display());
    if !path.exists() {
        let mut bytes = [0; 32];
        getrandom::fill(&mut bytes).map_err(|error| format!("no random bytes: {error}"))?;
        write_secret(&path, &bytes).map_err(sentence)?;
    }
    let bytes = std::fs::read(&path).map_err(sentence)?;
    let bytes: [u8; 32] = bytes.try_into().map_err(|_| {
        format!("the secret {} is damaged: it must have 32 bytes. Restore it", path.display())
    })?;
    Ok(Secret::new(bytes))
}

/// Writes the secret to a temporary file and links it into place: the file is complete or absent,
/// and if several processes start at once, the first one wins.
fn write_secret(path: &Path, bytes: &[u8]) -> std::io::Result<()> {
    use std::io::Write;
    use std::os::unix::fs::OpenOptionsExt;
    let draft = path.with_extension(format!("draft-{}", std::process::id()));
    let mut file = std::fs::OpenOptions::new()
        .write(true)
        .create(true)
        .truncate(true)
        .mode(0o600)
        .open(&draft)?;
    file.write_all(bytes)?;
    file.sync_all()?;
    let linked = std::fs::hard_link(&draft, path);
    std::fs::remove_file(&draft)?;
    match linked {
        Err(error) if error.kind() != std::io::ErrorKind::AlreadyExists => Err(error),
        _ => Ok(()),
    }
}

pub fn store_sentence(error: &StoreError) -> String {
    match error {
        StoreError::Conflict(reason)
        | StoreError::Unavailable(reason)
        | StoreError::Undecided(reason) => reason.clone(),
        StoreError::Bug(_) => error.to_string(),
    }
}
