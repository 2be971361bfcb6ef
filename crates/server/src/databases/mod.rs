//! Opening the register and the ledger that the settings name. Only commands that write make them where
//! they are not there yet: a mistyped directory must not look like an empty register.

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

/// The PostgreSQL schemas.
pub(crate) const REGISTER_SCHEMA: &str = "panji_register";
pub(crate) const LEDGER_SCHEMA: &str = "panji_ledger";

/// What happens where a database is not there yet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IfAbsent {
    /// It is made.
    Create,
    /// The caller is told so, and nothing is made.
    Refuse,
}

/// One of the two databases: a file in the data directory, or a schema of PostgreSQL.
#[derive(Clone, Copy, Debug)]
pub struct Database {
    file: &'static str,
    schema: &'static str,
}

/// Accounts, keys and credits.
pub const THE_LEDGER: Database = Database { file: LEDGER, schema: LEDGER_SCHEMA };
/// Companies, directors and GST registrations.
pub const THE_REGISTER: Database = Database { file: REGISTER, schema: REGISTER_SCHEMA };

impl Database {
    /// Whether it is there.
    pub async fn exists(self, config: &Config) -> Result<bool, String> {
        if config.database_url.is_empty() {
            return Ok(config.data_dir.join(self.file).exists());
        }
        let there = has_tables(&config.database_url, self.schema).await;
        there.map_err(|error| store_sentence(&error))
    }

    /// Refuses where it is not there.
    pub async fn require(self, config: &Config) -> Result<(), String> {
        check_restored(&config.data_dir)?;
        if self.exists(config).await? {
            return Ok(());
        }
        if config.database_url.is_empty() {
            return Err(absent_from_directory(&config.data_dir, self.file));
        }
        Err(format!(
            "there is no register in the database (it has no schema {}): 'panji serve' makes one, or \
             name the right database with --database-url",
            self.schema
        ))
    }
}

fn absent_from_directory(data_dir: &Path, file: &str) -> String {
    format!(
        "there is no register in {} ({file} is missing): 'panji serve' makes one, or name the right \
         directory with --data-dir",
        data_dir.display()
    )
}

/// Refuses where the ledger's secret is not there; without it no entry can be proven.
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

/// Refuses where the data directory is not there: with PostgreSQL the register may be there without it.
pub fn require_data_dir(config: &Config) -> Result<(), String> {
    if config.data_dir.is_dir() {
        return Ok(());
    }
    let shown = config.data_dir.display();
    Err(format!("there is no data directory {shown}: name the right one with --data-dir"))
}

/// Opens the ledger that the settings name.
pub async fn open_ledger(config: &Config, if_absent: IfAbsent) -> Result<Ledger, String> {
    if if_absent == IfAbsent::Refuse {
        THE_LEDGER.require(config).await?;
        require_secret(config)?;
    }
    let path = config.data_dir.join(SECRET);
    let made_now = !path.exists();
    let secret = read_or_make_secret(&config.data_dir)?;
    let engine = open_engine(config, THE_LEDGER, Workload::Ledger).await?;
    let ledger = Ledger::open(engine, secret, now_ms()).await;
    if ledger.is_err() && made_now {
        // It does not fit the ledger that is there; the right one shall find its place empty.
        let _ = std::fs::remove_file(&path);
    }
    ledger.map_err(|error| store_sentence(&error))
}

/// Opens the register that the settings name.
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

/// Opens it together with the replica that the settings name, which is looked at once.
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
    register.look_at_replica().await.map_err(|error| store_sentence(&error))?;
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

/// Makes the data directory for its owner only: it holds who pays, and the secret.
pub(crate) fn make_data_dir(path: &Path) -> Result<(), String> {
    use std::os::unix::fs::DirBuilderExt;
    std::fs::DirBuilder::new()
        .recursive(true)
        .mode(0o700)
        .create(path)
        .map_err(|error| format!("the data directory {} cannot be made: {error}", path.display()))
}

/// The ledger's secret, in a file that only its owner can read. Nodes that share a ledger share it.
fn read_or_make_secret(data_dir: &Path) -> Result<Secret, String> {
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

/// Writes the secret beside its place and links it in, so that it is there whole or not at all, and
/// the first of several starters wins.
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

/// A store error as a sentence for the operator.
pub fn store_sentence(error: &StoreError) -> String {
    match error {
        StoreError::Conflict(reason)
        | StoreError::Unavailable(reason)
        | StoreError::Undecided(reason) => reason.clone(),
        StoreError::Bug(_) => error.to_string(),
    }
}
