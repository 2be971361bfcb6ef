//! Compares whole responses with stored snapshots; the same on both engines.

use crate::ask::{Ask, Response};
use crate::server::{Key, Server};

/// Sends a request with a new test key and compares the response with the snapshot of that name.
pub async fn assert_response(server: &Server, name: &str, ask: Ask) -> Response {
    let key = server.test_key().await;
    assert_response_to(server, &key, name, ask).await
}

/// The same with a given key.
pub async fn assert_response_to(server: &Server, key: &Key, name: &str, ask: Ask) -> Response {
    let info = format!("{} {}", ask.method, ask.path);
    let response = server.send(ask.key(key)).await;
    insta::with_settings!({
        description => info,
        omit_expression => true,
        prepend_module_to_snapshot => false,
    }, {
        insta::assert_json_snapshot!(name, response.snapshot());
    });
    response
}
