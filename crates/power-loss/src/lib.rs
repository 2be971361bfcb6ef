//! Simulates the loss of power for tests. A layer below SQLite records what is written to the files
//! of a directory and when it is synced. From the record, the states are made that a disk may be in
//! after a loss of power at any moment: what was synced is there; of the rest, each sector may be
//! there or not, in any order.

mod disk;
mod recorder;

pub use disk::{Loss, PowerLosses};
pub use recorder::{Recorder, install};

use std::collections::BTreeMap;

/// What a disk writes as a whole.
pub const SECTOR: usize = 512;

/// The files of a directory by their names.
pub type Files = BTreeMap<String, Vec<u8>>;

/// One call that changes a file or makes changes durable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Call {
    /// Bytes were written at an offset.
    Write {
        /// The offset.
        at: usize,
        /// The bytes.
        bytes: Vec<u8>,
    },
    /// The file got this length.
    Truncate(usize),
    /// A sync has returned. It covers the calls on the file before this position of the record,
    /// where it began.
    Sync {
        /// The position.
        covers: usize,
    },
}

/// What was done with the files of a directory, in order.
#[derive(Clone, Debug, Default)]
pub struct Record {
    /// The files when the recording began, taken as durable.
    pub start: Files,
    /// Each call with the name of its file.
    pub calls: Vec<(String, Call)>,
}
