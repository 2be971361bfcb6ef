//! The `panji` program: the HTTP API, the console pages and the command line.
//!
//! The modules are layers: each uses only the ones above it in this list. A test in
//! `crates/testkit` checks the `use` lines.

pub mod config;
mod locale;

mod telemetry;
pub use telemetry::health;

mod databases;

mod accounts;
pub use accounts::key_expiry;

pub mod http;
pub mod payments;
pub mod webhooks;

pub mod app;

pub mod deliveries;

pub mod api;

pub mod events;
mod jobs;

mod mcp;

mod console;

mod docs;

pub mod serve;

mod doctor;

pub mod command;
