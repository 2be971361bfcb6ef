//! Background workers: they process jobs through the API's bulk operations.

pub mod jobs;
