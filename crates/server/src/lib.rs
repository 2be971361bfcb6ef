//! The program: the HTTP API, its pages, and the command line.

pub mod api;
mod bulk_jobs;
pub mod command;
pub mod config;
mod console;
mod context;
mod edge;
mod envelope;
pub mod error;
pub mod examples;
mod limits;
pub mod operation;
mod pages;
pub mod payments;
mod sandbox;
pub mod serve;
pub mod state;
