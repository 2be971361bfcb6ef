//! Tests of the Model Context Protocol: who may call, what tools answer and cost, and confirmations.

mod admission;
pub mod client;
mod confirmation;
mod money;
mod protocol;
mod tools;
mod watching;
