//! Generations of derived data on disk: each in its own directory, one of them current.
//!
//! A new generation is built as a draft, and becomes current by renaming a small file. So readers
//! never see an incomplete one, and several processes can share the directory: a lock allows one
//! build at a time.

use std::fs::{self, File, TryLockError};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// The file with the name of the current generation.
const POINTER: &str = "current";
/// Locked by the process that builds.
const LOCK: &str = "build.lock";
const GENERATION: &str = "generation-";
const DRAFT: &str = "draft-";

/// A file or directory of the generations could not be read or written.
#[derive(Debug, thiserror::Error)]
#[error("{}: {cause}", .directory.display())]
pub struct GenerationsError {
    directory: PathBuf,
    #[source]
    cause: io::Error,
}

/// The directory of all generations.
#[derive(Clone, Debug)]
pub struct Generations {
    directory: PathBuf,
}

/// The current generation, as operators see it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Generation {
    pub name: String,
    /// When it was built, in milliseconds since 1970.
    pub built_at_ms: i64,
    /// The size of its files.
    pub bytes: u64,
}

/// The permission to build; released when dropped.
pub struct BuildLock {
    _file: File,
}

impl Generations {
    /// Creates the directory if it is missing.
    pub fn open(directory: &Path) -> Result<Generations, GenerationsError> {
        let generations = Generations { directory: directory.to_owned() };
        fs::create_dir_all(directory).map_err(|error| generations.failure(error))?;
        Ok(generations)
    }

    fn failure(&self, cause: io::Error) -> GenerationsError {
        GenerationsError { directory: self.directory.clone(), cause }
    }

    pub fn current(&self) -> Option<String> {
        let name = fs::read_to_string(self.directory.join(POINTER)).ok()?;
        let name = name.trim();
        let is_valid = name.starts_with(GENERATION) && !name.contains(['/', '\\', '.']);
        (is_valid && self.directory.join(name).is_dir()).then(|| name.to_owned())
    }

    /// The current generation with its time and size; none without one.
    pub fn describe_current(&self) -> Option<Generation> {
        let name = self.current()?;
        let pointer = fs::metadata(self.directory.join(POINTER)).ok()?;
        let files = fs::read_dir(self.path(&name)).ok()?;
        let sizes = files.flatten().filter_map(|file| Some(file.metadata().ok()?.len()));
        let since = pointer.modified().ok()?.duration_since(std::time::UNIX_EPOCH).ok()?;
        let built_at_ms = i64::try_from(since.as_millis()).ok()?;
        Some(Generation { built_at_ms, bytes: sizes.sum(), name })
    }

    /// The directory of a generation.
    pub fn path(&self, name: &str) -> PathBuf {
        self.directory.join(name)
    }

    /// Acquires the build lock; none while another process has it.
    pub fn lock(&self) -> Result<Option<BuildLock>, GenerationsError> {
        fs::create_dir_all(&self.directory).map_err(|error| self.failure(error))?;
        let file = File::create(self.directory.join(LOCK)).map_err(|error| self.failure(error))?;
        match file.try_lock() {
            Ok(()) => Ok(Some(BuildLock { _file: file })),
            Err(TryLockError::WouldBlock) => Ok(None),
            Err(TryLockError::Error(error)) => Err(self.failure(error)),
        }
    }

    /// The directory of a new generation, with its number. Removes unfinished drafts of earlier
    /// builds.
    pub fn create_draft(&self, _lock: &BuildLock) -> Result<(PathBuf, u64), GenerationsError> {
        let mut newest = 0;
        for name in self.names()? {
            if let Some(number) = name.strip_prefix(GENERATION).or_else(|| name.strip_prefix(DRAFT))
            {
                newest = newest.max(number.parse().unwrap_or(0));
            }
            if name.starts_with(DRAFT) {
                self.remove(&name)?;
            }
        }
        let number = newest + 1;
        Ok((self.directory.join(format!("{DRAFT}{number}")), number))
    }

    /// Makes a finished draft the current generation and returns its name.
    pub fn publish(&self, _lock: &BuildLock, number: u64) -> Result<String, GenerationsError> {
        let name = format!("{GENERATION}{number}");
        let publish = || {
            let draft = self.directory.join(format!("{DRAFT}{number}"));
            // The names of its files must not be lost when the pointer to it is not.
            File::open(&draft)?.sync_all()?;
            fs::rename(draft, self.directory.join(&name))?;
            let pointer = self.directory.join(format!("{POINTER}.new"));
            let mut file = File::create(&pointer)?;
            file.write_all(name.as_bytes())?;
            file.sync_all()?;
            fs::rename(pointer, self.directory.join(POINTER))?;
            File::open(&self.directory)?.sync_all()
        };
        publish().map_err(|error| self.failure(error))?;
        Ok(name)
    }

    /// Removes all but the current generation. Open readers of an old one are not affected.
    pub fn remove_old(&self, _lock: &BuildLock) -> Result<(), GenerationsError> {
        let current = self.current();
        for name in self.names()? {
            if name != POINTER && name != LOCK && Some(&name) != current.as_ref() {
                self.remove(&name)?;
            }
        }
        Ok(())
    }

    fn names(&self) -> Result<Vec<String>, GenerationsError> {
        let entries = fs::read_dir(&self.directory).map_err(|error| self.failure(error))?;
        Ok(entries.flatten().filter_map(|entry| entry.file_name().into_string().ok()).collect())
    }

    fn remove(&self, name: &str) -> Result<(), GenerationsError> {
        let path = self.directory.join(name);
        let removed =
            if path.is_dir() { fs::remove_dir_all(&path) } else { fs::remove_file(&path) };
        removed.map_err(|error| self.failure(error))
    }
}
