//! Sends signed messages to the webhooks of accounts: signatures, permitted addresses, retries. Nothing here
//! reads or writes a database.

pub mod address;
pub mod schedule;
pub mod sender;
pub mod signature;
pub mod url;
