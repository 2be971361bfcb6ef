//! The file of the rows that an import could not use: one for each import, of bounded size.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use panji_import::Reject;

use super::error::ImportError;

/// The directory of these files in the data directory.
pub const DIRECTORY: &str = "import-rejects";
/// The size of one file; further rows are only counted.
const MAX_FILE_BYTES: u64 = 100 << 20;
/// Files in the directory; older ones are deleted.
const MAX_FILES: usize = 50;

/// The rejected rows of an import. The file is created with the first row.
pub struct Rejects {
    /// None where they are counted only.
    path: Option<PathBuf>,
    file: Option<BufWriter<File>>,
    failure: Option<io::Error>,
    max_bytes: u64,
    bytes: u64,
    written: u64,
    is_full: bool,
}

impl Rejects {
    pub fn new(path: Option<PathBuf>) -> Rejects {
        let (file, failure, max_bytes) = (None, None, MAX_FILE_BYTES);
        Rejects { path, file, failure, max_bytes, bytes: 0, written: 0, is_full: false }
    }

    pub fn write(&mut self, reject: &Reject) {
        let line = serde_json::json!({
            "file": reject.file, "line": reject.line, "kind": reject.kind, "reason": reject.reason,
            "raw": reject.raw,
        });
        let line = format!("{line}\n");
        self.is_full |= self.bytes + line.len() as u64 > self.max_bytes;
        if self.is_full || self.failure.is_some() {
            return;
        }
        match self.write_line(&line) {
            Ok(true) => {
                self.bytes += line.len() as u64;
                self.written += 1;
            }
            Ok(false) => {}
            Err(error) => self.failure = Some(error),
        }
    }

    /// Returns whether there is a file to write to.
    fn write_line(&mut self, line: &str) -> io::Result<bool> {
        let Some(path) = &self.path else { return Ok(false) };
        if self.file.is_none() {
            if let Some(directory) = path.parent().filter(|path| !path.as_os_str().is_empty()) {
                std::fs::create_dir_all(directory)?;
            }
            self.file = Some(BufWriter::new(File::create(path)?));
        }
        if let Some(file) = &mut self.file {
            file.write_all(line.as_bytes())?;
        }
        Ok(true)
    }

    /// Writes what is left.
    pub fn finish(&mut self) -> Result<(), ImportError> {
        let flushed = self.file.as_mut().map_or(Ok(()), BufWriter::flush);
        match self.failure.take().map_or(flushed, Err) {
            Ok(()) => Ok(()),
            Err(cause) => {
                Err(ImportError::Rejects { path: self.path.clone().unwrap_or_default(), cause })
            }
        }
    }

    /// Where the rejected rows of an import that has some are.
    pub fn sentence(&self) -> String {
        match &self.path {
            None => "To write the rejected rows with their reasons: --rejects FILE".to_owned(),
            Some(path) if self.is_full => format!(
                "The first {} rejected rows, up to {} MiB, each with its reason: {}",
                self.written,
                self.max_bytes >> 20,
                path.display()
            ),
            Some(path) => format!("The rejected rows, each with its reason: {}", path.display()),
        }
    }
}

/// The file of an import in the data directory.
pub fn usual_path(data_dir: &Path, import_id: &str) -> PathBuf {
    data_dir.join(DIRECTORY).join(format!("{import_id}.jsonl"))
}

/// Removes the files beyond `MAX_FILES` and those older than `keep`. Their names sort by time. A
/// file that cannot be removed is ignored.
#[allow(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    reason = "the age of a file is compared with the file system's clock"
)]
pub fn remove_old(data_dir: &Path, keep: Duration) {
    let Ok(entries) = std::fs::read_dir(data_dir.join(DIRECTORY)) else { return };
    let is_ours = |path: &PathBuf| path.extension().is_some_and(|extension| extension == "jsonl");
    let mut files: Vec<PathBuf> =
        entries.filter_map(|entry| Some(entry.ok()?.path())).filter(is_ours).collect();
    files.sort();
    let surplus = files.len().saturating_sub(MAX_FILES);
    let oldest_kept = std::time::SystemTime::now().checked_sub(keep);
    for (index, file) in files.iter().enumerate() {
        let written_at = std::fs::metadata(file).and_then(|metadata| metadata.modified()).ok();
        if index < surplus || (written_at.is_some() && written_at < oldest_kept) {
            let _ = std::fs::remove_file(file);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reject(line: u64) -> Reject {
        let [file, kind, reason] = ["goa.csv", "name is empty", "name is empty"].map(str::to_owned);
        Reject { file, line, kind, reason, raw: "x".repeat(300_000) }
    }

    #[test]
    fn a_file_is_capped_and_the_cap_is_reported() {
        let directory = tempfile::tempdir().expect("a directory");
        let path = usual_path(directory.path(), "01A");
        let mut rejects = Rejects { max_bytes: 1 << 20, ..Rejects::new(Some(path.clone())) };
        for line in 1..=9 {
            rejects.write(&reject(line));
        }
        rejects.finish().expect("it is written");
        let text = std::fs::read_to_string(&path).expect("the file is there");
        assert_eq!(text.lines().count(), 3);
        assert!(text.len() <= 1 << 20);
        let sentence = rejects.sentence();
        assert!(sentence.starts_with("The first 3 rejected rows, up to 1 MiB"), "{sentence}");
    }

    #[test]
    fn imports_have_files_of_their_own_and_only_the_newest_are_kept() {
        let directory = tempfile::tempdir().expect("a directory");
        for number in 0..MAX_FILES + 3 {
            let path = usual_path(directory.path(), &format!("{number:03}"));
            let mut rejects = Rejects::new(Some(path));
            rejects.write(&reject(1));
            rejects.finish().expect("it is written");
        }
        let kept = || std::fs::read_dir(directory.path().join(DIRECTORY)).expect("files").count();
        assert_eq!(kept(), MAX_FILES + 3);
        remove_old(directory.path(), Duration::from_secs(3_600));
        assert_eq!(kept(), MAX_FILES);
        assert!(!usual_path(directory.path(), "002").exists());
        assert!(usual_path(directory.path(), "003").exists());
    }
}
