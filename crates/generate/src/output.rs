//! A file under writing.

use std::fs::File;
use std::io::{BufWriter, ErrorKind, Write};
use std::path::{Path, PathBuf};

use crate::GenerateError;

const BUFFER_BYTES: usize = 1 << 20;

/// A file under writing, with the bytes so far.
pub(crate) struct Output {
    path: PathBuf,
    file: BufWriter<File>,
    bytes: u64,
}

impl Output {
    pub fn create(path: PathBuf) -> Result<Output, GenerateError> {
        let file = File::create_new(&path).map_err(|error| failure(&path, &error))?;
        Ok(Output { path, file: BufWriter::with_capacity(BUFFER_BYTES, file), bytes: 0 })
    }

    pub fn write(&mut self, bytes: &[u8]) -> Result<(), GenerateError> {
        self.bytes += bytes.len() as u64;
        self.file.write_all(bytes).map_err(|error| failure(&self.path, &error))
    }

    /// Writes out what is left; tells how much it was in all.
    pub fn finish(mut self) -> Result<u64, GenerateError> {
        self.file.flush().map_err(|error| failure(&self.path, &error))?;
        Ok(self.bytes)
    }
}

/// What could not be done with a file, as a sentence.
pub(crate) fn failure(path: &Path, error: &std::io::Error) -> GenerateError {
    let path = path.display();
    GenerateError(match error.kind() {
        ErrorKind::StorageFull => {
            format!("the disk is full: {path} could not be written to its end")
        }
        _ => format!("{path} could not be written: {error}"),
    })
}
