//! Opens the register and the ledger of the settings. Only commands that write create missing ones:
//! a mistyped directory must not look like an empty register.

pub mod backup;
pub mod error;
pub mod sandbox;

use std::path::Path;
use std::time::Duration;

use panji_store::calendar::now_ms;
use panji_store::engine::{PostgresOptions, Workload, has_tables};
use panji_store::ledger::Secret;
use panji_store::{Engine, Ledger, Register};

use crate::config::Config;
use backup::{LEDGER, REGISTER, SECRET, check_restored};
pub use error::{OpenError, SecretError, store_sentence};

pub const REGISTER_SCHEMA: &str = "panji_register";
pub const LEDGER_SCHEMA: &str = "panji_ledger";

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

pub const LEDGER_DATABASE: Database = Database { file: LEDGER, schema: LEDGER_SCHEMA };
pub const REGISTER_DATABASE: Database = Database { file: REGISTER, schema: REGISTER_SCHEMA };

impl Database {
    pub async fn exists(self, config: &Config) -> Result<bool, OpenError> {
        if config.database_url.is_empty() {
            return Ok(config.data_dir.join(self.file).exists());
        }
        Ok(has_tables(&config.database_url, self.schema).await?)
    }

    /// Returns an error if it does not exist.
    pub async fn require(self, config: &Config) -> Result<(), OpenError> {
        check_restored(&config.data_dir)?;
        if self.exists(config).await? {
            return Ok(());
        }
        if config.database_url.is_empty() {
            return Err(OpenError::NoFile { data_dir: config.data_dir.clone(), file: self.file });
        }
        Err(OpenError::NoSchema { schema: self.schema })
    }
}

/// Returns an error if the ledger's secret is missing; without it no entry can be verified.
pub fn require_secret(config: &Config) -> Result<(), SecretError> {
    let path = config.data_dir.join(SECRET);
    if path.exists() { Ok(()) } else { Err(SecretError::Missing { path }) }
}

/// Returns an error if the data directory is missing. With PostgreSQL the register may exist
/// without it.
pub fn require_data_dir(config: &Config) -> Result<(), OpenError> {
    match config.data_dir.is_dir() {
        true => Ok(()),
        false => Err(OpenError::NoDataDir { path: config.data_dir.clone() }),
    }
}

pub async fn open_ledger(config: &Config, if_absent: IfAbsent) -> Result<Ledger, OpenError> {
    if if_absent == IfAbsent::Refuse {
        LEDGER_DATABASE.require(config).await?;
        require_secret(config)?;
    }
    let path = config.data_dir.join(SECRET);
    let is_new = !path.exists();
    let secret = read_or_create_secret(&config.data_dir)?;
    let engine = open_engine(config, LEDGER_DATABASE, Workload::Ledger).await?;
    let ledger = Ledger::open(engine, secret, now_ms()).await;
    if ledger.is_err() && is_new {
        // The new secret does not match the existing ledger; the operator must put the right one
        // here.
        let _ = std::fs::remove_file(&path);
    }
    Ok(ledger?)
}

pub async fn open_register(
    config: &Config,
    workload: Workload,
    if_absent: IfAbsent,
) -> Result<Register, OpenError> {
    match if_absent {
        IfAbsent::Create => make_data_dir(&config.data_dir)?,
        IfAbsent::Refuse => REGISTER_DATABASE.require(config).await?,
    }
    let engine = open_engine(config, REGISTER_DATABASE, workload).await?;
    Ok(Register::open(engine, now_ms()).await?)
}

/// Opens the register with the replica of the settings, which is checked once.
pub async fn open_register_with_replica(
    config: &Config,
    if_absent: IfAbsent,
) -> Result<Register, OpenError> {
    let mut register = open_register(config, Workload::Register, if_absent).await?;
    if config.read_database_url.is_empty() {
        return Ok(register);
    }
    let options =
        PostgresOptions { url: config.read_database_url.clone(), schema: REGISTER_SCHEMA };
    let max_lag = Duration::from_secs(config.replica_lag_seconds.get());
    let attached = register.attach_replica(options, max_lag).await;
    attached.map_err(OpenError::Replica)?;
    register.check_replica().await?;
    Ok(register)
}

async fn open_engine(
    config: &Config,
    database: Database,
    workload: Workload,
) -> Result<Engine, OpenError> {
    check_restored(&config.data_dir)?;
    let engine = if config.database_url.is_empty() {
        Engine::open_sqlite(&config.data_dir.join(database.file), workload)
    } else {
        let (url, schema) = (config.database_url.clone(), database.schema);
        Engine::open_postgres(PostgresOptions { url, schema }).await
    };
    Ok(engine?)
}

/// Creates the data directory, readable only by its owner: it contains customer data and the
/// secret.
pub(crate) fn make_data_dir(path: &Path) -> Result<(), OpenError> {
    use std::os::unix::fs::DirBuilderExt;
    std::fs::DirBuilder::new()
        .recursive(true)
        .mode(0o700)
        .create(path)
        .map_err(|cause| OpenError::UncreatedDataDir { path: path.to_owned(), cause })
}

/// The ledger's secret, in a file that only its owner can read. All nodes of a ledger share it.
fn read_or_create_secret(data_dir: &Path) -> Result<Secret, OpenError> {
    make_data_dir(data_dir)?;
    let path = data_dir.join(SECRET);
    let failed = |cause| SecretError::File { path: path.clone(), cause };
    if !path.exists() {
        let mut bytes = [0; 32];
        getrandom::fill(&mut bytes).map_err(SecretError::NoRandomBytes)?;
        write_secret(&path, &bytes).map_err(failed)?;
    }
    let bytes = std::fs::read(&path).map_err(failed)?;
    let bytes: [u8; 32] = bytes.try_into().map_err(|_| SecretError::Damaged { path })?;
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
