//! Watch lists and the events of their members: over the API, as a stream, and in the sandbox.

pub mod feed;
pub mod lists;
pub mod member_id;
pub mod members;
pub mod pay;
pub mod simulate;
mod simulated_company;
pub mod stream;
