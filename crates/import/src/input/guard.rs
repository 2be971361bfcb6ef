//! Bounds on the expansion of compressed data, in bytes and in time.

use std::cell::Cell;
use std::io::{self, Read};
use std::rc::Rc;
use std::time::{Duration, Instant};

use super::meter::Meter;

/// Every file or archive may expand to this size, even if it is very small.
const FREE_BYTES: u64 = 64 << 20;
/// The further allowance, as a multiple of the compressed size. Real lists expand about 10 times,
/// and each file of an archive is read up to four times.
const MAX_EXPANSION: u64 = 200;
/// The time for the decompression of one file or archive, without the processing of its rows.
const MAX_TIME: Duration = Duration::from_secs(3_600);

/// Why decompression was stopped.
#[derive(Debug, thiserror::Error)]
pub enum Oversized {
    #[error(
        "the compressed data expands to more than {} MiB and {MAX_EXPANSION} times its size, as no \
         real file does: it was stopped there",
        FREE_BYTES >> 20
    )]
    Bytes,
    #[error("the decompression takes longer than {} minutes: it was stopped there", MAX_TIME.as_secs() / 60)]
    Time,
}

/// The size of compressed data: known, or counted while it is read.
#[derive(Clone, Debug)]
pub enum Compressed {
    Known(u64),
    Counted(Meter),
}

/// The budget of one archive; clones share the same counters.
#[derive(Clone, Debug)]
pub struct Budget {
    compressed: Compressed,
    used: Rc<Cell<(u64, Duration)>>,
    free_bytes: u64,
    max_time: Duration,
}

impl Budget {
    pub fn new(compressed: Compressed) -> Budget {
        Budget { compressed, used: Rc::default(), free_bytes: FREE_BYTES, max_time: MAX_TIME }
    }

    /// A budget of this many bytes, whatever the compressed size.
    pub fn of_bytes(bytes: u64) -> Budget {
        Budget { free_bytes: bytes, ..Budget::new(Compressed::Known(0)) }
    }

    /// A reader of decompressed data that fails when the budget is used up.
    pub fn guard<R: Read>(&self, reader: R) -> Guarded<R> {
        Guarded { reader, budget: self.clone() }
    }

    fn count(&self, bytes: usize, time: Duration) -> Result<(), Oversized> {
        let (used_bytes, used_time) = self.used.get();
        let used = (used_bytes + bytes as u64, used_time + time);
        self.used.set(used);
        let compressed = match &self.compressed {
            Compressed::Known(bytes) => *bytes,
            Compressed::Counted(meter) => meter.bytes(),
        };
        if used.0 > self.free_bytes.saturating_add(compressed.saturating_mul(MAX_EXPANSION)) {
            return Err(Oversized::Bytes);
        }
        if used.1 > self.max_time { Err(Oversized::Time) } else { Ok(()) }
    }
}

/// A reader that counts against a budget.
pub struct Guarded<R> {
    reader: R,
    budget: Budget,
}

impl<R: Read> Read for Guarded<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let started = Instant::now();
        let length = self.reader.read(buffer)?;
        self.budget.count(length, started.elapsed()).map_err(io::Error::other)?;
        Ok(length)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read_with(free_bytes: u64, max_time: Duration, length: u64) -> io::Result<u64> {
        let budget = Budget { free_bytes, max_time, ..Budget::new(Compressed::Known(1)) };
        let mut reader = budget.guard(io::repeat(b'x').take(length));
        io::copy(&mut reader, &mut io::sink())
    }

    #[test]
    fn data_that_expands_beyond_its_budget_is_stopped() {
        let hour = Duration::from_secs(3_600);
        assert_eq!(read_with(100, hour, 300).expect("it is within the budget"), 300);
        let refused = read_with(100, hour, 301).expect_err("more than 100 bytes and 200 times one");
        assert!(refused.to_string().contains("200 times its size"), "{refused}");
        let refused = read_with(u64::MAX, Duration::ZERO, 1 << 24).expect_err("it takes some time");
        assert!(refused.to_string().contains("takes longer"), "{refused}");
    }

    #[test]
    fn the_files_of_an_archive_share_its_budget() {
        let budget = Budget { free_bytes: 100, ..Budget::new(Compressed::Known(0)) };
        let read = |length: u64| {
            let mut reader = budget.guard(io::repeat(b'x').take(length));
            io::copy(&mut reader, &mut io::sink()).is_ok()
        };
        assert!(read(60));
        assert!(!read(60));
    }
}
