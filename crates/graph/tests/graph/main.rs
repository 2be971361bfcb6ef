//! The graph: what links companies, the results against a plain computation, and the graph as a server
//! uses it: built from a register, updated, damaged, rebuilt.

#![allow(clippy::unwrap_used, reason = "a failed expectation is a failed test")]

mod addresses;
mod bench;
mod domains;
mod hubs;
mod plain;
mod register;
mod results;
