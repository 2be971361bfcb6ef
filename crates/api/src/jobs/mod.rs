//! Processes jobs in the background, through the API's bulk operations.

pub mod worker;
