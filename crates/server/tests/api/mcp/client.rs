//! A client of the protocol that writes its messages by hand, in both revisions.

use serde_json::{Value, json};

use crate::ask::{Ask, Response, post};
use crate::server::{Key, Server};

pub const LEGACY: &str = "2025-11-25";
pub const RECENT: &str = "2026-07-28";
/// Companies of the sandbox: one with everything, one with nothing but its identity.
pub const CIN: &str = "L17111MH1994PLC990011";

/// A message to the endpoint, as the clients of one revision send it.
pub fn message(revision: &str, method: &str, params: Value) -> Ask {
    with_capabilities(revision, method, params, json!({}))
}

/// The same from a client that declares capabilities.
pub fn with_capabilities(revision: &str, method: &str, mut params: Value, able: Value) -> Ask {
    let mut headers = vec![("mcp-protocol-version", revision.to_owned())];
    if revision == RECENT {
        headers.push(("mcp-method", method.to_owned()));
        let name = params.get("name").or(params.get("uri")).and_then(Value::as_str);
        headers.extend(name.map(|name| ("mcp-name", name.to_owned())));
        params["_meta"] = json!({
            "io.modelcontextprotocol/protocolVersion": revision,
            "io.modelcontextprotocol/clientInfo": { "name": "test", "version": "1" },
            "io.modelcontextprotocol/clientCapabilities": able,
        });
    }
    let body = json!({ "jsonrpc": "2.0", "id": 7, "method": method, "params": params });
    let ask = post("/mcp", &body)
        .header("host", "localhost")
        .header("accept", "application/json, text/event-stream");
    headers.iter().fold(ask, |ask, (name, value)| ask.header(name, value))
}

pub fn tool_call(revision: &str, tool: &str, arguments: Value) -> Ask {
    message(revision, "tools/call", json!({ "name": tool, "arguments": arguments }))
}

/// Sends a message and returns its result.
pub async fn result(server: &Server, key: &Key, ask: Ask) -> Value {
    let response = server.send_unchecked(ask.key(key)).await;
    assert_eq!(response.status, 200, "{}", response.json);
    assert_eq!(response.json["id"], 7, "{}", response.json);
    assert!(response.json["error"].is_null(), "{}", response.json);
    response.json["result"].clone()
}

/// Calls a tool in the recent revision.
pub async fn call(server: &Server, key: &Key, tool: &str, arguments: Value) -> Value {
    result(server, key, tool_call(RECENT, tool, arguments)).await
}

/// The structured content of a tool's result, which is also there as text.
pub fn content(result: &Value) -> &Value {
    assert_ne!(result["isError"], true, "{result}");
    let content = &result["structuredContent"];
    let text: Value = serde_json::from_str(result["content"][0]["text"].as_str().unwrap()).unwrap();
    assert_eq!(&text, content);
    content
}

/// The fields of a tool error. Its text names the code and the request.
pub fn error(result: &Value) -> &Value {
    assert_eq!(result["isError"], true, "{result}");
    let error = &result["_meta"]["panji/error"];
    let text = result["content"][0]["text"].as_str().unwrap();
    assert!(text.starts_with(error["code"].as_str().unwrap()), "{text}");
    assert!(text.contains(error["request_id"].as_str().unwrap()), "{text}");
    error
}

/// The code of a JSON-RPC error.
pub fn protocol_error(response: &Response) -> i64 {
    response.json["error"]["code"].as_i64().unwrap_or_else(|| panic!("{}", response.json))
}
