//! The HTTP API: routes, authentication, handlers and the types of responses.

mod account;
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
pub mod jobs;
pub mod middleware;
pub mod openapi;
mod paging;
mod query;
pub mod routes;
mod search;
mod sections;
pub mod simulation;
mod verdict;
mod verify;
pub mod wire;
