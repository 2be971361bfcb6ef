//! The HTTP API: routes, callers, handlers and what they send.

pub mod bulk;
mod call;
mod caller;
mod companies;
mod directors;
mod enrich;
mod gst;
pub mod openapi;
mod query;
pub mod routes;
mod verify;
pub mod wire;
