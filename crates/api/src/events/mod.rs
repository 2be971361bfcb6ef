//! The work on events in the background: storing the register's events for those who watch, and emails.

pub mod digest;
pub mod fan_out;
pub mod sentence;
