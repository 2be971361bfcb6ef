//! What the process tells of itself: log, metrics, traces; and what is redacted in them.

pub mod crash;
pub mod log_lines;
pub mod log_stream;
pub mod metrics;
pub mod redaction;
pub mod traces;
