//! What the measurements share: golden queries and their companies, a generated register, the load,
//! bare tables, running programs, the report.

pub mod bare_table;
pub mod companies;
pub mod golden;
pub mod load;
pub mod program;
pub mod register;
pub mod report;
