//! Backups: the files, and a manifest with their checksums that is written last.

use std::fs::{self, File};
use std::io::{Read, Write};
use std::path::Path;

use panji_store::calendar::rfc3339;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::error::{BackupError, OpenError};

/// Without this file a backup is incomplete.
pub(super) const MANIFEST: &str = "manifest.json";
/// The format version of backups.
const FORMAT: u32 = 1;
const MAX_MANIFEST_BYTES: u64 = 1 << 20;
const CHUNK: usize = 1 << 16;
/// Marks a data directory whose restore has not finished.
const UNFINISHED: &str = "restore-unfinished";

pub const LEDGER: &str = "ledger.db";
pub const REGISTER: &str = "register.db";
pub const SECRET: &str = "secret.key";
/// Both schemas of a PostgreSQL database.
pub const DUMP: &str = "postgres.dump";

#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Manifest {
    form: u32,
    pub made_at: String,
    /// The program version that made it.
    pub version: String,
    pub engine: BackupEngine,
    pub files: Vec<BackupFile>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum BackupEngine {
    Sqlite,
    Postgres,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct BackupFile {
    pub name: String,
    pub bytes: u64,
    /// In hexadecimal digits.
    pub sha256: String,
}

impl Manifest {
    /// Writes the manifest of these files after syncing all of them to disk.
    pub fn write(
        directory: &Path,
        engine: BackupEngine,
        names: &[&str],
        now_ms: i64,
    ) -> Result<Manifest, BackupError> {
        let files = names
            .iter()
            .map(|name| BackupFile::describe(directory, name))
            .collect::<Result<Vec<_>, _>>()?;
        let version = env!("CARGO_PKG_VERSION").to_owned();
        let manifest = Manifest { form: FORMAT, made_at: rfc3339(now_ms), version, engine, files };
        let text = serde_json::to_string_pretty(&manifest).map_err(BackupError::WriteManifest)?;
        let draft = directory.join("manifest.draft");
        let written = File::create(&draft)
            .and_then(|mut file| {
                file.write_all(text.as_bytes())?;
                file.write_all(b"\n")?;
                file.sync_all()
            })
            .and_then(|()| fs::rename(&draft, directory.join(MANIFEST)))
            .and_then(|()| File::open(directory)?.sync_all());
        written.map_err(failed(&directory.join(MANIFEST)))?;
        Ok(manifest)
    }

    /// Reads the manifest and checks every file against it.
    pub fn verify(directory: &Path) -> Result<Manifest, BackupError> {
        let path = directory.join(MANIFEST);
        let file = File::open(&path).map_err(|error| match error.kind() {
            std::io::ErrorKind::NotFound => {
                BackupError::NoManifest { directory: directory.to_owned() }
            }
            _ => failed(&path)(error),
        })?;
        let manifest: Manifest = serde_json::from_reader(file.take(MAX_MANIFEST_BYTES))
            .map_err(|cause| BackupError::ReadManifest { path: path.clone(), cause })?;
        if manifest.form != FORMAT {
            return Err(BackupError::Format { path, version: manifest.version });
        }
        for file in &manifest.files {
            let known = [LEDGER, REGISTER, SECRET, DUMP].contains(&file.name.as_str());
            if !known || BackupFile::describe(directory, &file.name)? != *file {
                return Err(BackupError::Damaged { path: directory.join(&file.name) });
            }
        }
        Ok(manifest)
    }

    pub fn bytes(&self) -> u64 {
        self.files.iter().map(|file| file.bytes).sum()
    }
}

impl BackupFile {
    fn describe(directory: &Path, name: &str) -> Result<BackupFile, BackupError> {
        let path = directory.join(name);
        let described = File::open(&path).and_then(|mut file| {
            let (mut hash, mut bytes, mut chunk) = (Sha256::new(), 0, vec![0; CHUNK]);
            loop {
                let read = file.read(&mut chunk)?;
                if read == 0 {
                    break;
                }
                hash.update(&chunk[..read]);
                bytes += read as u64;
            }
            file.sync_all()?;
            let digits = hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect();
            Ok(BackupFile { name: name.to_owned(), bytes, sha256: digits })
        });
        described.map_err(failed(&path))
    }
}

/// Creates a directory, readable only by its owner, that must be empty.
pub fn create_empty_directory(directory: &Path, advice: &'static str) -> Result<(), BackupError> {
    crate::databases::make_data_dir(directory)?;
    let mut entries = fs::read_dir(directory).map_err(failed(directory))?;
    if entries.next().is_some() {
        return Err(BackupError::NotEmpty { directory: directory.to_owned(), advice });
    }
    Ok(())
}

/// Marks a data directory until its restore has finished.
pub fn begin_restore(data_dir: &Path) -> Result<(), BackupError> {
    let path = data_dir.join(UNFINISHED);
    File::create(&path).map(drop).map_err(failed(&path))
}

/// Removes the mark once all files are synced to disk.
pub fn end_restore(data_dir: &Path) -> Result<(), BackupError> {
    let path = data_dir.join(UNFINISHED);
    File::open(data_dir)
        .and_then(|directory| {
            directory.sync_all()?;
            fs::remove_file(&path)?;
            directory.sync_all()
        })
        .map_err(failed(&path))
}

/// Refuses a data directory with the mark: an incomplete ledger must not be served.
pub fn check_restored(data_dir: &Path) -> Result<(), OpenError> {
    if data_dir.join(UNFINISHED).exists() {
        return Err(OpenError::UnfinishedRestore { data_dir: data_dir.to_owned() });
    }
    Ok(())
}

/// Copies one file and syncs it to disk.
pub fn copy_file(from: &Path, to: &Path) -> Result<(), BackupError> {
    let copied = fs::copy(from, to).and_then(|_| File::open(to)?.sync_all());
    copied.map_err(|cause| BackupError::Copy { from: from.to_owned(), to: to.to_owned(), cause })
}

/// Names the file in the error.
fn failed(path: &Path) -> impl Fn(std::io::Error) -> BackupError + '_ {
    move |cause| BackupError::File { path: path.to_owned(), cause }
}
