//! Bulk jobs: a list of identifiers from a file, processed in the background through the API's bulk
//! operations and returned as a file.

pub mod columns;
pub mod list;
pub mod results;
pub mod task;
pub mod worker;
