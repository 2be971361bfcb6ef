//! What the measurements share.

pub mod program;
pub mod report;
