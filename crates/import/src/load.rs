//! Loading lines into a register, batch by batch.

use std::io::{self, BufRead, Read};

use panji_store::register::Record;
use panji_store::{Register, StoreError};

use crate::panji;
use crate::report::{Reject, Report};

/// Records that one transaction takes.
const BATCH: usize = 2_000;
/// The longest line that is read; a longer one is rejected, and passed over without keeping it.
const MAX_LINE_BYTES: usize = 1 << 20;
/// How much of a rejected row is kept for the report.
const MAX_RAW_CHARACTERS: usize = 2_000;

/// Why an import stopped. What was committed before stays, and running it again goes on from there.
#[derive(Debug, thiserror::Error)]
pub enum ImportError {
    /// The source could not be read on.
    #[error("{file}: {cause}")]
    Source {
        /// The file.
        file: String,
        /// What the system said.
        cause: io::Error,
    },
    /// The register could not take it.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Reads lines of the own format and stores them. Rejected rows are handed to `on_reject`; after
/// every batch `on_progress` sees the sums so far.
pub async fn import_lines(
    register: &Register,
    file: &str,
    mut source: impl BufRead,
    report: &mut Report,
    now_ms: i64,
    mut on_reject: impl FnMut(Reject),
    mut on_progress: impl FnMut(&Report),
) -> Result<(), ImportError> {
    let mut batch: Vec<Record> = Vec::with_capacity(BATCH);
    let mut bytes = Vec::new();
    for line in 1u64.. {
        let line_end = read_line(&mut source, &mut bytes)
            .map_err(|cause| ImportError::Source { file: file.to_owned(), cause })?;
        if line_end == LineEnd::OfFile {
            break;
        }
        let text = String::from_utf8_lossy(&bytes);
        if text.trim().is_empty() {
            continue;
        }
        report.read += 1;
        let parsed = match line_end {
            LineEnd::Cut => Err(format!("the line is longer than {MAX_LINE_BYTES} bytes")),
            _ => panji::parse_line(&text),
        };
        match parsed {
            Ok(record) => batch.push(record),
            Err(reason) => {
                report.rejected += 1;
                let raw = text.trim_end().chars().take(MAX_RAW_CHARACTERS).collect();
                on_reject(Reject { file: file.to_owned(), line, reason, raw });
            }
        }
        if batch.len() == BATCH {
            store(register, &mut batch, report, now_ms).await?;
            on_progress(report);
        }
    }
    store(register, &mut batch, report, now_ms).await?;
    on_progress(report);
    Ok(())
}

async fn store(
    register: &Register,
    batch: &mut Vec<Record>,
    report: &mut Report,
    now_ms: i64,
) -> Result<(), ImportError> {
    if batch.is_empty() {
        return Ok(());
    }
    let outcomes = register.store_batch(batch, now_ms).await?;
    for (record, stored) in batch.iter().zip(&outcomes) {
        report.count(record, stored);
    }
    batch.clear();
    Ok(())
}

#[derive(PartialEq, Eq)]
enum LineEnd {
    Whole,
    Cut,
    OfFile,
}

/// Reads one line with a bound on what is kept of it.
fn read_line(source: &mut impl BufRead, bytes: &mut Vec<u8>) -> io::Result<LineEnd> {
    bytes.clear();
    let limit = MAX_LINE_BYTES as u64 + 1;
    let read = source.by_ref().take(limit).read_until(b'\n', bytes)?;
    if read == 0 {
        return Ok(LineEnd::OfFile);
    }
    if read as u64 == limit && bytes.last() != Some(&b'\n') {
        skip_line(source)?;
        return Ok(LineEnd::Cut);
    }
    Ok(LineEnd::Whole)
}

fn skip_line(source: &mut impl BufRead) -> io::Result<()> {
    loop {
        let available = source.fill_buf()?;
        if available.is_empty() {
            return Ok(());
        }
        match available.iter().position(|byte| *byte == b'\n') {
            Some(end) => {
                source.consume(end + 1);
                return Ok(());
            }
            None => {
                let length = available.len();
                source.consume(length);
            }
        }
    }
}
