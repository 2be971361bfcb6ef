//! Generations of the index on disk: each in its own directory, one of them current.
//!
//! A new generation is built as a draft, and becomes current by renaming a small file. So readers
//! never see an incomplete index, and several processes can share the directory: a lock allows one
//! build at a time.

use std::fs::{self, File, TryLockError};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use crate::error::SearchError;
use crate::index::NameIndex;
use crate::subject::Subject;

/// The file with the name of the current generation.
const POINTER: &str = "current";
/// Locked by the process that builds.
const LOCK: &str = "build.lock";
const GENERATION: &str = "generation-";
const DRAFT: &str = "draft-";

/// The directory of all generations.
#[derive(Clone, Debug)]
pub struct Generations {
    directory: PathBuf,
    subject: Subject,
}

/// The permission to build; released when dropped.
pub struct BuildLock {
    _file: File,
}

impl Generations {
    /// Indexes of companies. Creates the directory if it is missing.
    pub fn open(directory: &Path) -> Result<Generations, SearchError> {
        Generations::open_of(Subject::Companies, directory)
    }

    /// Indexes of companies or of directors. Creates the directory if it is missing.
    pub fn open_of(subject: Subject, directory: &Path) -> Result<Generations, SearchError> {
        let generations = Generations { directory: directory.to_owned(), subject };
        fs::create_dir_all(directory).map_err(|error| generations.failure(error))?;
        Ok(generations)
    }

    pub fn subject(&self) -> Subject {
        self.subject
    }

    fn failure(&self, cause: io::Error) -> SearchError {
        SearchError::Directory { directory: self.directory.clone(), cause }
    }

    pub fn current(&self) -> Option<String> {
        let name = fs::read_to_string(self.directory.join(POINTER)).ok()?;
        let name = name.trim();
        let is_valid = name.starts_with(GENERATION) && !name.contains(['/', '\\', '.']);
        (is_valid && self.directory.join(name).is_dir()).then(|| name.to_owned())
    }

    pub fn open_generation(&self, name: &str) -> Result<NameIndex, SearchError> {
        NameIndex::open(&self.directory.join(name))
    }

    /// Acquires the build lock; none while another process has it.
    pub fn lock(&self) -> Result<Option<BuildLock>, SearchError> {
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
    pub fn draft(&self, _lock: &BuildLock) -> Result<(PathBuf, u64), SearchError> {
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
    pub fn publish(&self, _lock: &BuildLock, number: u64) -> Result<String, SearchError> {
        let name = format!("{GENERATION}{number}");
        let publish = || {
            fs::rename(
                self.directory.join(format!("{DRAFT}{number}")),
                self.directory.join(&name),
            )?;
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
    pub fn sweep(&self, _lock: &BuildLock) -> Result<(), SearchError> {
        let current = self.current();
        for name in self.names()? {
            if name != POINTER && name != LOCK && Some(&name) != current.as_ref() {
                self.remove(&name)?;
            }
        }
        Ok(())
    }

    fn names(&self) -> Result<Vec<String>, SearchError> {
        let entries = fs::read_dir(&self.directory).map_err(|error| self.failure(error))?;
        Ok(entries.flatten().filter_map(|entry| entry.file_name().into_string().ok()).collect())
    }

    fn remove(&self, name: &str) -> Result<(), SearchError> {
        let path = self.directory.join(name);
        let removed =
            if path.is_dir() { fs::remove_dir_all(&path) } else { fs::remove_file(&path) };
        removed.map_err(|error| self.failure(error))
    }
}
