//! What the search index and the graph share: both are derived from the register, stored in generations
//! on disk, and follow the change feed in the background.

mod background;
mod feed;
mod generations;

pub use background::{BackgroundError, at_low_priority};
pub use feed::FeedGrowth;
pub use generations::{BuildLock, Generations, GenerationsError};
