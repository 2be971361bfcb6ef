//! Counts the bytes read, for the progress of an import.

use std::io::{self, Read};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Counts the bytes read: compressed bytes for a gzip file, uncompressed bytes for a file in an
/// archive.
#[derive(Clone, Debug, Default)]
pub struct Meter(Arc<AtomicU64>);

impl Meter {
    pub fn bytes(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }

    pub fn reset(&self) {
        self.0.store(0, Ordering::Relaxed);
    }
}

/// A reader that counts its bytes with a meter.
pub struct Metered<R> {
    pub reader: R,
    pub meter: Meter,
}

impl<R: Read> Read for Metered<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let length = self.reader.read(buffer)?;
        self.meter.0.fetch_add(length as u64, Ordering::Relaxed);
        Ok(length)
    }
}
