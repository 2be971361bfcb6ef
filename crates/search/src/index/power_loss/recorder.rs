//! A directory in memory that records what is written to its files and when it is synced.

use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use tantivy::directory::error::{DeleteError, LockError, OpenReadError, OpenWriteError};
use tantivy::directory::{
    AntiCallToken, Directory, DirectoryLock, FileHandle, Lock, RamDirectory, TerminatingWrite,
    WatchCallback, WatchHandle, WritePtr,
};

#[derive(Clone, Debug)]
pub(super) enum Call {
    Create(PathBuf),
    Write(PathBuf, Vec<u8>),
    Sync(PathBuf),
    /// A complete new file takes the name.
    Replace(PathBuf, Vec<u8>),
    Delete(PathBuf),
    SyncDirectory,
}

#[derive(Clone, Debug, Default)]
pub(super) struct RecordingDirectory {
    files: RamDirectory,
    pub(super) calls: Arc<Mutex<Vec<Call>>>,
}

impl RecordingDirectory {
    fn record(&self, call: Call) {
        self.calls.lock().unwrap_or_else(PoisonError::into_inner).push(call);
    }

    pub(super) fn position(&self) -> usize {
        self.calls.lock().unwrap_or_else(PoisonError::into_inner).len()
    }
}

struct RecordingWriter {
    file: WritePtr,
    path: PathBuf,
    directory: RecordingDirectory,
}

impl Write for RecordingWriter {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.file.write(bytes)?;
        self.directory.record(Call::Write(self.path.clone(), bytes[..written].to_vec()));
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

impl TerminatingWrite for RecordingWriter {
    fn terminate_ref(&mut self, token: AntiCallToken) -> io::Result<()> {
        self.file.terminate_ref(token)?;
        self.directory.record(Call::Sync(self.path.clone()));
        Ok(())
    }
}

impl Directory for RecordingDirectory {
    fn get_file_handle(&self, path: &Path) -> Result<Arc<dyn FileHandle>, OpenReadError> {
        self.files.get_file_handle(path)
    }

    fn delete(&self, path: &Path) -> Result<(), DeleteError> {
        self.files.delete(path)?;
        self.record(Call::Delete(path.to_owned()));
        Ok(())
    }

    fn exists(&self, path: &Path) -> Result<bool, OpenReadError> {
        self.files.exists(path)
    }

    fn open_write(&self, path: &Path) -> Result<WritePtr, OpenWriteError> {
        let file = self.files.open_write(path)?;
        self.record(Call::Create(path.to_owned()));
        let (path, directory) = (path.to_owned(), self.clone());
        Ok(BufWriter::new(Box::new(RecordingWriter { file, path, directory })))
    }

    fn atomic_read(&self, path: &Path) -> Result<Vec<u8>, OpenReadError> {
        self.files.atomic_read(path)
    }

    fn atomic_write(&self, path: &Path, data: &[u8]) -> io::Result<()> {
        self.files.atomic_write(path, data)?;
        self.record(Call::Replace(path.to_owned(), data.to_vec()));
        Ok(())
    }

    fn sync_directory(&self) -> io::Result<()> {
        self.record(Call::SyncDirectory);
        Ok(())
    }

    /// A lock ends with the process, so it is not recorded.
    fn acquire_lock(&self, lock: &Lock) -> Result<DirectoryLock, LockError> {
        self.files.acquire_lock(lock)
    }

    fn watch(&self, callback: WatchCallback) -> tantivy::Result<WatchHandle> {
        self.files.watch(callback)
    }
}
