//! Bulk jobs: a list of identifiers read from a file, worked off in the background by the API's own
//! bulk operations, and given back as a file.

pub mod columns;
pub mod list;
pub mod results;
pub mod task;
pub mod worker;
