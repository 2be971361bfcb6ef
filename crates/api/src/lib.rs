//! The API of Panji, and what it shares with the console and the command line.
//!
//! The modules are layers, the lowest first: each uses only modules that are listed before it. A
//! test in `crates/testkit` checks the `use` lines.

pub mod config;
pub mod locale;

pub mod telemetry;

pub mod databases;

pub mod accounts;

pub mod http;
pub mod payments;
pub mod webhooks;

pub mod app;

pub mod deliveries;

pub mod api;

pub mod events;
pub mod workers;

pub mod mcp;
