//! What tests share: one body run on both engines, sample records and a mailbox.

mod databases;
mod mailbox;
mod pdf;
pub mod records;

pub use databases::{Databases, NOW_MS, on_both_engines, on_citus, on_every_engine};
pub use mailbox::Mailbox;
pub use pdf::pdf_pages;
