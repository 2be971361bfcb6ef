//! Tests of the Model Context Protocol: who may call, what tools return and cost, and confirmations.

mod admission;
pub mod client;
mod confirmation;
mod money;
mod protocol;
mod tools;
mod watching;
