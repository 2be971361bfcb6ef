//! Checks that the examples of the OpenAPI description are real answers of the sandbox.

use std::path::PathBuf;

use panji_server::api::examples::Example;
use panji_server::config::operation::Operation;
use serde_json::{Value, json};

use crate::ask::{get, post};
use crate::described;
use crate::server::{Server, serve_embedded};

/// The values in place of those that change with each call.
const REQUEST_ID: &str = "req_01ARZ3NDEKTSV4RRFFQ69G5FAV";
const CREDITS_REMAINING: i64 = 9_990;

fn path_of(operation: Operation) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("examples");
    folder.join(format!("{}.json", operation.id()))
}

async fn real_answer(server: &Server, operation: Operation) -> Value {
    let example = Example::of(operation);
    let key = server.test_key().await;
    let ask = match &example.body {
        Some(body) => post(example.path, body),
        None => get(example.path),
    };
    let answer = server.send(ask.key(&key)).await;
    assert_eq!(answer.status, 200, "{}: {}", operation.id(), answer.json);
    let mut answer = answer.json;
    answer["request_id"] = json!(REQUEST_ID);
    answer["credits_remaining"] = json!(CREDITS_REMAINING);
    answer
}

#[test]
#[allow(clippy::disallowed_methods, reason = "asks whether to write the file anew")]
fn every_example_is_what_the_sandbox_answers() {
    let update = std::env::var_os("UPDATE_EXAMPLES").is_some();
    serve_embedded(&[], async |server| {
        for operation in Operation::ALL {
            let answer = real_answer(server, *operation).await;
            let text = format!("{}\n", serde_json::to_string_pretty(&answer).unwrap());
            let path = path_of(*operation);
            if update {
                std::fs::write(&path, &text).unwrap();
            }
            let stored = std::fs::read_to_string(&path).unwrap_or_default();
            assert!(
                stored == text,
                "examples/{}.json is out of date: run this test with UPDATE_EXAMPLES=1, then the \
                 one of openapi.json with UPDATE_OPENAPI=1",
                operation.id()
            );
        }
    });
}

#[test]
fn every_example_has_the_path_of_its_operation() {
    for operation in Operation::ALL {
        let example = Example::of(*operation);
        let method = if example.body.is_some() { "POST" } else { "GET" };
        let method = method.parse().unwrap();
        assert_eq!(described::operation_of(&method, example.path), Some(*operation));
        let templates = described::operations()
            .filter(|(.., entry)| entry["operationId"] == operation.id())
            .map(|(template, ..)| template);
        assert_eq!(templates.collect::<Vec<_>>(), [example.template]);
    }
}
