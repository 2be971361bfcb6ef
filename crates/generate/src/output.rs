//! An output file.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use crate::GenerateError;

const BUFFER_BYTES: usize = 1 << 20;

/// An output file, with the number of bytes written.
pub(crate) struct Output {
    path: PathBuf,
    file: BufWriter<File>,
    bytes: u64,
}

impl Output {
    pub fn create(path: PathBuf) -> Result<Output, GenerateError> {
        let file = File::create_new(&path).map_err(failure(&path))?;
        Ok(Output { path, file: BufWriter::with_capacity(BUFFER_BYTES, file), bytes: 0 })
    }

    pub fn write(&mut self, bytes: &[u8]) -> Result<(), GenerateError> {
        self.bytes += bytes.len() as u64;
        self.file.write_all(bytes).map_err(failure(&self.path))
    }

    /// Flushes the file; returns the total number of bytes.
    pub fn finish(mut self) -> Result<u64, GenerateError> {
        self.file.flush().map_err(failure(&self.path))?;
        Ok(self.bytes)
    }
}

/// Names the file in the error.
pub(crate) fn failure(path: &Path) -> impl Fn(std::io::Error) -> GenerateError + '_ {
    move |cause| GenerateError::File { path: path.to_owned(), cause }
}
