//! The load: identifiers, requests, and the generator that sends them.

pub mod generator;
pub mod identifiers;
pub mod requests;
pub mod response;
pub mod tally;
