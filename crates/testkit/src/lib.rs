//! What tests share: one body run on both engines, invented records, a mailbox, and what they saw.

mod databases;
mod figures;
mod mailbox;
mod pdf;
pub mod records;

pub use databases::{Databases, NOW_MS, on_both_engines, on_citus, on_every_engine};
pub use figures::{Tally, figures_directory, grouped, record_figure};
pub use mailbox::Mailbox;
pub use pdf::pdf_pages;
