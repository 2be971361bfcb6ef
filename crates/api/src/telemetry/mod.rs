//! Logs, metrics, traces, and the redaction of logs.

pub mod crash;
pub mod health;
pub mod log_lines;
pub mod log_stream;
pub mod metrics;
pub mod redaction;
pub mod traces;
