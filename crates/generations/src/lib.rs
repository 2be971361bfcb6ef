//! What the search indexes and the graph share: they are derived from the register, stored in generations
//! on disk, and follow the change feed in the background.

mod background;
mod feed;
mod follow;
mod generations;

pub use follow::{BuildOutcome, Built, Derived, Stop, follow, list_committed_changes};
pub use generations::{BuildLock, Generation, Generations, GenerationsError};
