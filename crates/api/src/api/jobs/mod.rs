//! Jobs: a list of identifiers from a file, processed in the background through the bulk operations
//! and returned as JSON or as a file. The console and the API create the same jobs.

pub mod columns;
pub mod create;
mod enrich;
pub mod formats;
pub mod handlers;
mod json_items;
pub mod list;
pub mod match_columns;
mod matching;
pub mod operation;
mod parameters;
mod response;
mod result_page;
pub mod results;
pub mod reviewed;
pub mod task;
mod verify;
pub mod work;

pub use enrich::EnrichWork;
pub use matching::MatchWork;
pub use verify::VerifyWork;
