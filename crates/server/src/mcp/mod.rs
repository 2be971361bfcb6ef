//! The Model Context Protocol: the API's operations as tools for assistants. A tool calls the API's
//! own routes with the client's key, so that it is checked, charged and logged like any call.

mod agent;
mod answer;
mod arguments;
mod calls;
mod confirmation;
mod definitions;
mod kyb_check;
mod origins;
pub mod routes;
mod schemas;
mod tools;

/// The path of the endpoint.
pub const PATH: &str = "/mcp";
