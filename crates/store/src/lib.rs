//! The only place with SQL: the register (what the world says of companies) and the ledger
//! (accounts, keys, credits), each written once for SQLite and PostgreSQL.
//!
//! `engine` hides the two drivers behind one small interface, `register` and `ledger` hold the
//! queries, `migrate` brings a schema up to date. Nothing above this crate knows which engine runs.

pub mod calendar;
pub mod engine;
mod error;
pub mod ledger;
pub mod migrate;
pub mod probe;
pub mod register;
mod table;

pub use engine::shard::{ShardedTable, Sharding};
pub use engine::{Engine, PoolUse};
pub use error::StoreError;
pub use ledger::Ledger;
pub use register::Register;
pub use table::Table;
