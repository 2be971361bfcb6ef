//! The HTTP API: routes, callers, handlers and what they send.

mod body;
pub mod bulk;
pub mod bulk_request;
pub mod call;
pub(crate) mod caller;
mod companies;
pub(crate) mod cover;
mod directors;
pub mod enrich;
mod gst;
pub(crate) mod idempotency;
pub mod openapi;
mod query;
pub mod routes;
mod verdict;
mod verify;
pub mod wire;

pub use caller::ConsoleCaller;

/// The name under which calls that people make in the console are noted, in place of a key's.
pub const CONSOLE_KEY_ID: &str = "console";
