//! Delivers the events of accounts to their webhooks: charges them, sends them, and records the result.

mod charge;
mod disabled;
pub mod message;
pub mod round;
pub mod test_message;
pub mod worker;
