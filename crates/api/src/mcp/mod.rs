//! The Model Context Protocol: the API's operations as tools for assistants. A tool calls the API's
//! own routes with the client's key, so that it is checked, charged and logged like any call.

mod arguments;
mod calls;
mod confirmation;
mod definitions;
mod kyb_check;
mod origins;
pub mod routes;
mod schemas;
mod server;
mod tool_result;
mod tools;

/// The path of the endpoint.
const PATH: &str = "/mcp";

/// The address that assistants are given.
pub fn address(public_url: &str) -> String {
    format!("{public_url}{PATH}")
}

/// The command that adds the service to Claude Code.
pub fn command(public_url: &str, key: &str) -> String {
    let address = address(public_url);
    format!(
        "claude mcp add --transport http panji {address} \\\n  --header \"Authorization: Bearer {key}\""
    )
}
