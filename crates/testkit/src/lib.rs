//! What tests share: one body run on both engines, and invented records.

mod databases;
pub mod records;

pub use databases::{Databases, NOW_MS, on_both_engines};
