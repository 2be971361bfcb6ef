//! The operations of webhooks.

pub mod handlers;
mod request;
mod response;
