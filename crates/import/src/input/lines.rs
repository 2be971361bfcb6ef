//! Reads lines of bounded length.

use std::io::{self, BufRead, Read};

/// The longest accepted line; a longer one is rejected, and its rest is skipped.
pub const MAX_LINE_BYTES: usize = 1 << 20;

/// How a line ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LineEnd {
    /// The line ended with a line end or with the end of the file.
    Complete,
    /// The line is too long; the rest was skipped.
    Truncated,
    /// There are no more lines.
    EndOfFile,
}

/// Reads one line into `bytes`, up to the bound.
pub fn read_line(source: &mut impl BufRead, bytes: &mut Vec<u8>) -> io::Result<LineEnd> {
    bytes.clear();
    let limit = MAX_LINE_BYTES as u64 + 1;
    let read = source.by_ref().take(limit).read_until(b'\n', bytes)?;
    if read == 0 {
        return Ok(LineEnd::EndOfFile);
    }
    if read as u64 == limit && bytes.last() != Some(&b'\n') {
        skip_line(source)?;
        return Ok(LineEnd::Truncated);
    }
    Ok(LineEnd::Complete)
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

/// Why a truncated line is rejected.
pub fn line_too_long() -> String {
    format!("the line is longer than {MAX_LINE_BYTES} bytes")
}
