//! A synthetic national register: companies, people and tax registrations that look like India's
//! but are all synthetic, each computed from the seed and its index alone.

mod company;
mod faults;
mod format;
mod gst;
mod invented_words;
mod layout;
mod names;
mod office;
mod output;
mod people;
mod places;
mod random;
mod sections;
mod sectors;
mod tally;
mod vocabulary;
mod write;

use std::path::PathBuf;
use std::{fmt, io};

pub use company::{Company, FormerName};
pub use faults::MAX_FAULTS_PER_MILLION;
pub use layout::AS_OF;
pub use names::LegalForm;
pub use people::{Director, director_count};
pub use tally::{KINDS, Tally};
pub use write::{EXPECTED_FILE, Plan, write_register};

/// The most companies in a register.
pub const MAX_COMPANIES: u64 = 10_000_000;

/// Why a register could not be written, as one sentence.
#[derive(Debug)]
pub enum GenerateError {
    /// The number of companies is 0 or above the bound.
    Companies,
    /// The directory already has files.
    NotEmpty {
        directory: PathBuf,
    },
    File {
        path: PathBuf,
        cause: io::Error,
    },
}

impl fmt::Display for GenerateError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            GenerateError::Companies => {
                write!(formatter, "from 1 to {MAX_COMPANIES} companies can be made")
            }
            GenerateError::NotEmpty { directory } => {
                let directory = directory.display();
                write!(formatter, "{directory} is not empty: choose a new or empty directory")
            }
            GenerateError::File { path, cause } if cause.kind() == io::ErrorKind::StorageFull => {
                write!(formatter, "the disk is full: {} is incomplete", path.display())
            }
            GenerateError::File { path, cause } => {
                write!(formatter, "{} could not be written: {cause}", path.display())
            }
        }
    }
}

impl std::error::Error for GenerateError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            GenerateError::File { cause, .. } => Some(cause),
            GenerateError::Companies | GenerateError::NotEmpty { .. } => None,
        }
    }
}

/// A synthetic register. It stores no records: each is computed on request, always with the same
/// result.
pub struct Synthetic {
    seed: u64,
    faults_per_million: u64,
    layout: layout::Layout,
}

impl Synthetic {
    pub fn new(seed: u64) -> Synthetic {
        Synthetic::with_faults(seed, 0)
    }

    /// A register with faults in `faults_per_million` rows of a million.
    fn with_faults(seed: u64, faults_per_million: u64) -> Synthetic {
        Synthetic { seed, faults_per_million, layout: layout::Layout::new(seed) }
    }
}
