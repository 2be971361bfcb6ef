//! What tests share: one body run on both engines, sample records and a mailbox.

mod databases;
mod mailbox;
mod pdf;
pub mod records;

pub use databases::{Databases, NOW_MS, on_both_engines, on_citus, on_every_engine};
pub use mailbox::Mailbox;
pub use pdf::pdf_pages;

/// How long a test waits before it looks at a condition again.
const PAUSE: std::time::Duration = std::time::Duration::from_millis(1);

/// Waits between two looks at a condition, so that what is waited for has the processor.
pub async fn pause() {
    tokio::time::sleep(PAUSE).await;
}
