//! What tests share: one body run on both engines, invented records, and a mailbox.

mod databases;
mod mailbox;
pub mod records;

pub use databases::{Databases, NOW_MS, on_both_engines, on_citus, on_every_engine};
pub use mailbox::Mailbox;
