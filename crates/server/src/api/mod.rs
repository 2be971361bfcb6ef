//! The HTTP API: routes, authentication, handlers and the types of responses.

mod body;
pub mod bulk;
pub mod bulk_request;
pub mod call;
pub(crate) mod caller;
mod companies;
pub(crate) mod cover;
mod directors;
pub mod enrich;
pub mod error_page;
pub mod examples;
pub(crate) mod failure;
mod gst;
pub(crate) mod idempotency;
mod identified;
mod match_request;
mod matching;
pub mod middleware;
pub mod openapi;
mod query;
pub mod routes;
mod sections;
pub mod simulation;
mod verdict;
mod verify;
pub mod wire;
