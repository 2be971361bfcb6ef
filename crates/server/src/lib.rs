//! The program: the HTTP API, its pages, and the command line.
//!
//! The modules are layers: each uses only those above it in this list. A test of `crates/testkit` reads the
//! `use` lines and checks that.

pub mod config;
mod locale;

mod telemetry;

mod databases;

mod accounts;

pub mod http;
pub mod payments;

pub mod app;

pub mod api;

mod jobs;

mod console;

pub mod serve;

mod doctor;

pub mod command;
