//! Shared test code: one body run on all engines, invented records, a mailbox, and figures for the
//! documentation.

mod databases;
mod figures;
mod mailbox;
mod pdf;
pub mod records;

pub use databases::{Databases, NOW_MS, on_both_engines, on_citus, on_every_engine};
pub use figures::{Tally, figures_directory, grouped, record_figure};
pub use mailbox::Mailbox;
pub use pdf::pdf_pages;
