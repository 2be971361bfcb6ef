//! The index as a server uses it: built from a register, updated, damaged, rebuilt.

#![allow(clippy::unwrap_used, reason = "a failed expectation is a failed test")]

mod bench;
mod directors;
mod generations;
mod health;
mod pages_and_filters;
mod results;
