//! Why a database, its secret or a backup cannot be used. Each error is one sentence for the
//! operator.

use std::io;
use std::path::PathBuf;

use panji_import::Reason;
use panji_store::StoreError;

/// Why a database cannot be opened.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    #[error("{}", store_sentence(.0))]
    Store(#[from] StoreError),
    #[error("the setting read_database_url: {}", store_sentence(.0))]
    Replica(#[source] StoreError),
    #[error(
        "there is no register in {} ({file} is missing): 'panji serve' creates one, or set the correct directory with --data-dir",
        .data_dir.display()
    )]
    NoFile { data_dir: PathBuf, file: &'static str },
    #[error(
        "there is no register in the database (it has no schema {schema}): 'panji serve' creates \
         one, or set the correct database with --database-url"
    )]
    NoSchema { schema: &'static str },
    #[error("there is no data directory {}: set the correct one with --data-dir", .path.display())]
    NoDataDir { path: PathBuf },
    #[error("the data directory {} cannot be created: {cause}", .path.display())]
    UncreatedDataDir {
        path: PathBuf,
        #[source]
        cause: io::Error,
    },
    #[error(
        "a restore into {} did not finish: empty it and restore again",
        .data_dir.display()
    )]
    UnfinishedRestore { data_dir: PathBuf },
    #[error(transparent)]
    Secret(#[from] SecretError),
}

/// Why the ledger's secret cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum SecretError {
    #[error(
        "the ledger's secret {} is missing: set the correct directory with --data-dir, or restore it from a backup or from another node",
        .path.display()
    )]
    Missing { path: PathBuf },
    #[error("the secret {}: {cause}", .path.display())]
    File {
        path: PathBuf,
        #[source]
        cause: io::Error,
    },
    #[error("the secret {} is damaged: it must have 32 bytes. Restore it", .path.display())]
    Damaged { path: PathBuf },
    #[error("the operating system gave no random bytes: {0}")]
    NoRandomBytes(#[source] getrandom::Error),
}

/// Why a backup cannot be written, verified or restored.
#[derive(Debug, thiserror::Error)]
pub enum BackupError {
    #[error("{}: {cause}", .path.display())]
    File {
        path: PathBuf,
        #[source]
        cause: io::Error,
    },
    #[error("{} to {}: {cause}", .from.display(), .to.display())]
    Copy {
        from: PathBuf,
        to: PathBuf,
        #[source]
        cause: io::Error,
    },
    #[error("{} is not empty: {advice}", .directory.display())]
    NotEmpty { directory: PathBuf, advice: &'static str },
    #[error(
        "{} has no {}: it is not a backup, or the backup did not finish",
        .directory.display(),
        super::backup::MANIFEST
    )]
    NoManifest { directory: PathBuf },
    #[error("{0}")]
    WriteManifest(#[source] serde_json::Error),
    #[error("{}: {cause}", .path.display())]
    ReadManifest {
        path: PathBuf,
        #[source]
        cause: serde_json::Error,
    },
    #[error(
        "{}: this version does not support the format of this backup: use version {version}",
        .path.display()
    )]
    Format { path: PathBuf, version: String },
    #[error("{}: it does not match the manifest: the backup is damaged", .path.display())]
    Damaged { path: PathBuf },
    #[error(transparent)]
    Directory(#[from] OpenError),
}

/// A malformed record of the sandbox.
#[derive(Debug, thiserror::Error)]
#[error("sandbox/{file}, line {line}: {cause}")]
pub struct SandboxError {
    pub file: &'static str,
    pub line: usize,
    pub cause: Reason,
}

/// The reason alone: the operator need not know how the store classifies it.
pub fn store_sentence(error: &StoreError) -> String {
    match error {
        StoreError::Conflict(reason)
        | StoreError::Unavailable(reason)
        | StoreError::Undecided(reason) => reason.clone(),
        StoreError::Bug(_) => error.to_string(),
    }
}
