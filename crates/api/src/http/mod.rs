//! HTTP: connections, TLS, limits, errors and the envelope, independent of the routes.

pub mod admission;
pub mod authorization;
pub mod compression;
pub mod context;
pub mod encoding;
pub mod envelope;
pub mod error;
pub mod json;
pub mod limits;
pub mod listener;
pub mod malformed_request;
pub mod proxy;
pub mod routing;
pub mod service;
pub mod streams;
pub mod tls;
pub mod write_timeout;
