//! The `panji` program: it serves the API and the pages, and has the command line.
//!
//! The modules are layers: each uses only the ones above it in this list. A test in
//! `crates/testkit` checks the `use` lines.

pub mod serve;

mod doctor;

pub mod command;
