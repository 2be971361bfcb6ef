//! Shared code of the benchmarks: golden queries and companies, generated registers, the load
//! generator, bare tables, processes, the report.

pub mod bare_table;
pub mod companies;
pub mod golden;
pub mod linked_register;
pub mod load;
pub mod program;
pub mod register;
pub mod report;
