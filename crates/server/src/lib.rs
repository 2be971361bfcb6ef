//! The `panji` program: it serves the API and the pages, and has the command line.
//!
//! The modules are layers, the lowest first: each uses only modules that are listed before it. A
//! test in `crates/testkit` checks the `use` lines.

pub mod serve;

mod doctor;

pub mod command;
