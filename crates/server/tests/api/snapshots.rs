//! Compares whole answers with stored snapshots; the same on both engines.

use crate::ask::{Answer, Ask};
use crate::server::{Key, Server};

/// Sends a request with a new test key and compares the answer with the snapshot of that name.
pub async fn assert_answer(server: &Server, name: &str, ask: Ask) -> Answer {
    let key = server.test_key().await;
    assert_answer_to(server, &key, name, ask).await
}

/// The same with a given key.
pub async fn assert_answer_to(server: &Server, key: &Key, name: &str, ask: Ask) -> Answer {
    let info = format!("{} {}", ask.method, ask.path);
    let answer = server.send(ask.key(key)).await;
    insta::with_settings!({
        description => info,
        omit_expression => true,
        prepend_module_to_snapshot => false,
    }, {
        insta::assert_json_snapshot!(name, answer.snapshot());
    });
    answer
}
