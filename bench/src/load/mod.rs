//! The load: identifiers, requests, and the generator that sends them.

pub mod answer;
pub mod generator;
pub mod identifiers;
pub mod requests;
