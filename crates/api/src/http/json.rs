//! Writes JSON.

use std::io::{self, Write};

use serde::Serialize;

/// About the bytes of most responses: allocated once.
pub const RESPONSE_BYTES: usize = 2048;

/// Appends data as JSON.
pub fn append(text: Vec<u8>, data: &impl Serialize) -> serde_json::Result<Vec<u8>> {
    let mut buffer = Buffer(text);
    serde_json::to_writer(&mut buffer, data)?;
    Ok(buffer.0)
}

/// Memory that JSON is written into. Most of what serde_json writes is a single byte, such as a quote or
/// a comma, which is cheaper to add than a slice of unknown length.
struct Buffer(Vec<u8>);

impl Write for Buffer {
    #[inline]
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.write_all(bytes).map(|()| bytes.len())
    }

    #[inline(always)]
    fn write_all(&mut self, bytes: &[u8]) -> io::Result<()> {
        match bytes {
            [byte] => self.0.push(*byte),
            _ => self.0.extend_from_slice(bytes),
        }
        Ok(())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
