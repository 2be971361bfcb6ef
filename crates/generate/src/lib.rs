//! A synthetic national register: companies, people and tax registrations that look like India's
//! but are all invented, each computed from the seed and its index alone.

mod chance;
mod coined;
mod company;
mod format;
mod gst;
mod layout;
mod names;
mod office;
mod output;
mod people;
mod places;
mod sections;
mod sectors;
mod tally;
mod traps;
mod words;
mod write;

pub use company::{Company, FormerName};
pub use layout::AS_OF;
pub use names::LegalForm;
pub use people::{Director, director_count};
pub use tally::{KINDS, Tally};
pub use traps::MAX_TRAPS_PER_MILLION;
pub use write::{EXPECTED_FILE, Plan, write_register};

/// The most companies in a register.
pub const MAX_COMPANIES: u64 = 10_000_000;

/// Why a register could not be written, as one sentence.
#[derive(Debug)]
pub struct GenerateError(pub String);

impl std::fmt::Display for GenerateError {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(&self.0)
    }
}

impl std::error::Error for GenerateError {}

/// A synthetic register. It stores no records: each is computed on request, always with the same
/// result.
pub struct Synthetic {
    seed: u64,
    traps_per_million: u64,
    layout: layout::Layout,
}

impl Synthetic {
    pub fn new(seed: u64) -> Synthetic {
        Synthetic::with_traps(seed, 0)
    }

    /// A register with faults in so many rows of a million.
    fn with_traps(seed: u64, traps_per_million: u64) -> Synthetic {
        Synthetic { seed, traps_per_million, layout: layout::Layout::new(seed) }
    }
}
