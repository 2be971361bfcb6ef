//! Whole answers held against stored ones; the same on both engines.

use crate::ask::{Answer, Ask};
use crate::server::{Key, Server};

/// Asks with a fresh test key and holds the whole answer against the stored one of that name.
pub async fn assert_answer(server: &Server, name: &str, ask: Ask) -> Answer {
    let key = server.test_key().await;
    assert_answer_to(server, &key, name, ask).await
}

/// The same for a key.
pub async fn assert_answer_to(server: &Server, key: &Key, name: &str, ask: Ask) -> Answer {
    let info = format!("{} {}", ask.method, ask.path);
    let answer = server.send(ask.key(key)).await;
    insta::with_settings!({
        description => info,
        omit_expression => true,
        prepend_module_to_snapshot => false,
    }, {
        insta::assert_json_snapshot!(name, answer.shown());
    });
    answer
}
