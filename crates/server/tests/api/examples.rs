//! Checks that the examples of the OpenAPI description are real answers of the sandbox.

use std::path::PathBuf;

use panji_server::api::examples::Example;
use panji_server::config::operation::Operation;
use serde_json::{Value, json};

use crate::ask::{ask, get, post};
use crate::described;
use crate::jobs::run_job;
use crate::server::{Key, Server, serve_embedded};

/// The values in place of those that change with each call.
const REQUEST_ID: &str = "req_01ARZ3NDEKTSV4RRFFQ69G5FAV";
const JOB_ID: &str = "job_01ARZ3NDEKTSV4RRFFQ69G5FAV";
const CREATED_AT: &str = "2026-08-01T06:30:00.000Z";
const CREDITS_REMAINING: i64 = 9_990;

fn path_of(operation: Operation) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("examples");
    folder.join(format!("{}.json", operation.id()))
}

/// Creates the job of the example of createJob for the other operations of jobs. For its results it
/// is processed.
async fn new_job(server: &Server, operation: Operation, key: &Key) -> String {
    if operation == Operation::CreateJob || !operation.path().starts_with("/v1/jobs") {
        return String::new();
    }
    let body = Example::of(Operation::CreateJob).body.unwrap();
    let job = server.send(post("/v1/jobs", &body).key(key)).await.expect_data().clone();
    let id = job["id"].as_str().unwrap().to_owned();
    if operation == Operation::GetJobResults {
        run_job(server, key, &id).await;
    }
    id
}

/// Replaces what is different for each job.
fn steady_job(job: &mut Value) {
    if job.get("rows_done").is_some() {
        job["id"] = json!(JOB_ID);
        job["created_at"] = json!(CREATED_AT);
        if job["ended_at"].is_string() {
            job["ended_at"] = json!(CREATED_AT);
        }
    }
}

async fn real_answer(server: &Server, operation: Operation) -> Value {
    let example = Example::of(operation);
    let key = server.test_key().await;
    let job_id = new_job(server, operation, &key).await;
    let path = match operation {
        Operation::GetRequest | Operation::GetUsage => {
            let earlier = server.send(get("/v1/verify/cin/L17111MH1994PLC990011").key(&key)).await;
            let id = earlier.json["request_id"].as_str().unwrap();
            // The example's period is a past month; the real one is the present.
            example.path.replace(REQUEST_ID, id).replace("from=2026-03-01&to=2026-03-31&", "")
        }
        _ => example.path.replace(JOB_ID, &job_id),
    };
    let ask = match &example.body {
        Some(body) => post(path, body),
        None => ask(operation.method(), path),
    };
    let answer = server.send(ask.key(&key)).await;
    assert_eq!(answer.status, 200, "{}: {}", operation.id(), answer.json);
    if operation.file_type().is_some() {
        return Value::Null;
    }
    let mut answer = answer.json;
    for (pointer, value) in changing_values(operation) {
        *answer.pointer_mut(pointer).expect(pointer) = value;
    }
    for pointer in ["/data", "/data/job", "/data/jobs/0"] {
        answer.pointer_mut(pointer).map(steady_job);
    }
    answer["request_id"] = json!(REQUEST_ID);
    answer["credits_remaining"] = json!(CREDITS_REMAINING);
    answer
}

/// The values of an answer that differ with each account or moment.
fn changing_values(operation: Operation) -> Vec<(&'static str, Value)> {
    let key = json!("key_01ARZ3NDEKTSV4RRFFQ69G5FAV");
    match operation {
        Operation::GetAccount => vec![
            ("/data/account/id", json!("acc_01ARZ3NDEKTSV4RRFFQ69G5FAV")),
            ("/data/key/id", key),
            ("/data/key/last4", json!("4fQz")),
            ("/data/free_quota/resets_at", json!("2026-03-31T18:30:00.000Z")),
            ("/data/rate_limit", json!({ "per_second": 100, "burst": 200 })),
        ],
        Operation::GetUsage => {
            vec![("/data/from", json!("2026-03-01")), ("/data/to", json!("2026-03-31"))]
        }
        Operation::GetRequest => vec![
            ("/data/id", json!(REQUEST_ID)),
            ("/data/key", key),
            ("/data/requested_at", json!("2026-03-31T06:30:00.125Z")),
            ("/data/duration_ms", json!(0.42)),
        ],
        _ => Vec::new(),
    }
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
        let found = described::operation_of(&operation.method(), example.path);
        assert_eq!(found, Some(*operation));
        let templates = described::operations()
            .filter(|(.., entry)| entry["operationId"] == operation.id())
            .map(|(template, ..)| template);
        assert_eq!(templates.collect::<Vec<_>>(), [example.template]);
    }
}
