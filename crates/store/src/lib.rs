//! All SQL of the program: the register (public data about companies) and the ledger (accounts,
//! keys, credits), each written once for SQLite and PostgreSQL.
//!
//! `engine` hides the two drivers behind one small interface, `register` and `ledger` contain the
//! queries, `migrate` updates the schema. The other crates do not know which engine runs.

pub mod calendar;
pub mod engine;
mod error;
pub mod ledger;
pub mod migrate;
mod packed;
pub mod probe;
pub mod register;
mod table;

pub use engine::shard::{ShardedTable, Sharding};
pub use engine::{Engine, PoolStats};
pub use error::StoreError;
pub use ledger::Ledger;
pub use packed::PackedRow;
pub use register::Register;
pub use table::Table;
