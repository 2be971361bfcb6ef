//! The program: the HTTP API, its pages, and the command line.

pub mod api;
mod backup;
mod bulk_jobs;
pub mod command;
pub mod config;
mod connections;
mod console;
mod context;
mod crash;
pub mod deeds;
mod doctor;
mod edge;
mod envelope;
pub mod error;
pub mod examples;
mod limits;
pub mod metrics;
pub mod operation;
mod pages;
pub mod payments;
pub mod personal_data;
pub mod proxy;
mod sandbox;
pub mod serve;
pub mod state;
pub mod tls;
