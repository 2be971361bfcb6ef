//! What a backup is: some files, and a manifest that is written last and proves them.

use std::fs::{self, File};
use std::io::{Read, Write};
use std::path::Path;

use panji_store::calendar::rfc3339;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

/// The file whose absence tells that a backup did not come to its end.
const MANIFEST: &str = "manifest.json";
/// The form of backups that this program makes.
const FORM: u32 = 1;
/// The largest manifest that is read.
const MAX_MANIFEST_BYTES: u64 = 1 << 20;
/// Bytes read at a time.
const CHUNK: usize = 1 << 16;
/// Marks a data directory into which a restore has not come to its end.
const UNFINISHED: &str = "restore-unfinished";

/// The names of the files.
pub const LEDGER: &str = "ledger.db";
/// See above.
pub const REGISTER: &str = "register.db";
/// See above.
pub const SECRET: &str = "secret.key";
/// Both schemas of a PostgreSQL database.
pub const DUMP: &str = "postgres.dump";

/// What a backup holds.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Manifest {
    form: u32,
    /// When it was finished.
    pub made_at: String,
    /// The program that made it.
    pub version: String,
    /// The engine it is from.
    pub engine: BackupEngine,
    /// Every file of it.
    pub files: Vec<BackupFile>,
}

/// The engine that a backup is from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum BackupEngine {
    /// The embedded one.
    Sqlite,
    /// PostgreSQL.
    Postgres,
}

/// One file of a backup.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct BackupFile {
    /// Its name in the backup's directory.
    pub name: String,
    /// Its size.
    pub bytes: u64,
    /// Its SHA-256 in hexadecimal digits.
    pub sha256: String,
}

impl Manifest {
    /// Writes the manifest of these files, after all of them have reached the disk.
    pub fn write(
        directory: &Path,
        engine: BackupEngine,
        names: &[&str],
        now_ms: i64,
    ) -> Result<Manifest, String> {
        let files = names
            .iter()
            .map(|name| BackupFile::describe(directory, name))
            .collect::<Result<Vec<_>, _>>()?;
        let version = env!("CARGO_PKG_VERSION").to_owned();
        let manifest = Manifest { form: FORM, made_at: rfc3339(now_ms), version, engine, files };
        let text = serde_json::to_string_pretty(&manifest).map_err(|error| error.to_string())?;
        let draft = directory.join("manifest.draft");
        let written = File::create(&draft)
            .and_then(|mut file| {
                file.write_all(text.as_bytes())?;
                file.write_all(b"\n")?;
                file.sync_all()
            })
            .and_then(|()| fs::rename(&draft, directory.join(MANIFEST)))
            .and_then(|()| File::open(directory)?.sync_all());
        written.map_err(|error| sentence(&directory.join(MANIFEST), &error))?;
        Ok(manifest)
    }

    /// Reads a backup's manifest and proves every file by it.
    pub fn prove(directory: &Path) -> Result<Manifest, String> {
        let path = directory.join(MANIFEST);
        let file = File::open(&path).map_err(|error| {
            if error.kind() == std::io::ErrorKind::NotFound {
                format!(
                    "{} has no {MANIFEST}: it is no backup, or one that did not come to its end",
                    directory.display()
                )
            } else {
                sentence(&path, &error)
            }
        })?;
        let manifest: Manifest = serde_json::from_reader(file.take(MAX_MANIFEST_BYTES))
            .map_err(|error| format!("{}: {error}", path.display()))?;
        if manifest.form != FORM {
            return Err(format!(
                "{}: this backup is of a form that this version does not know: use version {}",
                path.display(),
                manifest.version
            ));
        }
        for file in &manifest.files {
            let known = [LEDGER, REGISTER, SECRET, DUMP].contains(&file.name.as_str());
            if !known || BackupFile::describe(directory, &file.name)? != *file {
                return Err(format!(
                    "{}: it is not what the manifest says: the backup is damaged",
                    directory.join(&file.name).display()
                ));
            }
        }
        Ok(manifest)
    }

    /// The sizes of all files together.
    pub fn bytes(&self) -> u64 {
        self.files.iter().map(|file| file.bytes).sum()
    }
}

impl BackupFile {
    fn describe(directory: &Path, name: &str) -> Result<BackupFile, String> {
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
        described.map_err(|error| sentence(&path, &error))
    }
}

/// Makes a directory that must be empty, for its owner only.
pub fn make_empty(directory: &Path, what: &str) -> Result<(), String> {
    crate::databases::make_data_dir(directory)?;
    let mut entries = fs::read_dir(directory).map_err(|error| sentence(directory, &error))?;
    if entries.next().is_some() {
        return Err(format!("{} is not empty: {what}", directory.display()));
    }
    Ok(())
}

/// Marks a data directory until its restore has come to its end.
pub fn begin_restore(data_dir: &Path) -> Result<(), String> {
    let path = data_dir.join(UNFINISHED);
    File::create(&path).map(drop).map_err(|error| sentence(&path, &error))
}

/// Takes the mark away once all files have reached the disk.
pub fn end_restore(data_dir: &Path) -> Result<(), String> {
    let path = data_dir.join(UNFINISHED);
    File::open(data_dir)
        .and_then(|directory| {
            directory.sync_all()?;
            fs::remove_file(&path)?;
            directory.sync_all()
        })
        .map_err(|error| sentence(&path, &error))
}

/// Refuses a data directory with the mark: a part of a ledger must not be taken for the whole.
pub fn check_restored(data_dir: &Path) -> Result<(), String> {
    if data_dir.join(UNFINISHED).exists() {
        return Err(format!(
            "a restore into {} did not come to its end: empty it and restore again",
            data_dir.display()
        ));
    }
    Ok(())
}

/// Copies one file and waits for the disk.
pub fn copy_file(from: &Path, to: &Path) -> Result<(), String> {
    fs::copy(from, to)
        .and_then(|_| File::open(to)?.sync_all())
        .map_err(|error| format!("{} to {}: {error}", from.display(), to.display()))
}

fn sentence(path: &Path, error: &std::io::Error) -> String {
    format!("{}: {error}", path.display())
}
