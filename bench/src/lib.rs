//! What the measurements share: golden queries and their companies, running programs, the report.

pub mod companies;
pub mod golden;
pub mod program;
pub mod report;
