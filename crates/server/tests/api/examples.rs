//! Checks that the examples of the OpenAPI description are real responses of the sandbox.

use std::path::PathBuf;

use panji_api::api::examples::Example;
use panji_api::config::operation::Operation;
use serde_json::{Value, json};

use crate::ask::{ask, get, post};
use crate::described;
use crate::jobs::run_job;
use crate::server::{Key, Server, serve_embedded};
use crate::webhooks::receiver::Receiver;
use crate::webhooks::{LOCAL, act};

/// The values in place of those that change with each call.
const REQUEST_ID: &str = "req_01ARZ3NDEKTSV4RRFFQ69G5FAV";
const JOB_ID: &str = "job_01ARZ3NDEKTSV4RRFFQ69G5FAV";
const WATCHLIST_ID: &str = "wl_01ARZ3NDEKTSV4RRFFQ69G5FAV";
const WEBHOOK_ID: &str = "we_01ARZ3NDEKTSV4RRFFQ69G5FAV";
const CREATED_AT: &str = "2026-08-01T06:30:00.000Z";
const CREDITS_REMAINING: i64 = 9_990;

fn path_of(operation: Operation) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../api/examples");
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

/// Creates what the examples of watching need: a list with members, and events.
async fn watch(server: &Server, operation: Operation, key: &Key) -> String {
    let path = operation.path();
    let is_about_watching =
        ["/v1/watchlists", "/v1/events", "/v1/sandbox"].iter().any(|begin| path.starts_with(begin));
    if operation == Operation::CreateWatchlist || !is_about_watching {
        return String::new();
    }
    let body = Example::of(Operation::CreateWatchlist).body.unwrap();
    let list = server.send(post("/v1/watchlists", &body).key(key)).await.expect_data().clone();
    let id = list["id"].as_str().unwrap().to_owned();
    if operation != Operation::AddWatchMembers {
        let members = Example::of(Operation::AddWatchMembers).body.unwrap();
        let path = format!("/v1/watchlists/{id}/members");
        server.send(post(path, &members).key(key)).await.expect_data();
    }
    if operation == Operation::ListEvents {
        let body = Example::of(Operation::SimulateEvents).body.unwrap();
        server.send(post("/v1/sandbox/simulate", &body).key(key)).await.expect_data();
    }
    id
}

/// Replaces what is different for each watch list and event.
fn steady_watch(value: &mut Value, id: &str) {
    match value {
        Value::Object(members) => {
            for (name, member) in members {
                let steady = match name.as_str() {
                    "created_at" | "added_at" | "recorded_at" => Some(CREATED_AT),
                    "as_of" => Some("2026-08-01"),
                    "id" if member.as_str().is_some_and(|text| text.starts_with("evt_")) => {
                        Some("evt_01ARZ3NDEKTSV4RRFFQ69G5FAV")
                    }
                    _ => None,
                };
                match steady {
                    Some(steady) => *member = json!(steady),
                    None => steady_watch(member, id),
                }
            }
        }
        Value::Array(items) => items.iter_mut().for_each(|item| steady_watch(item, id)),
        Value::String(text) if text == id || text.starts_with("wl_") => {
            *text = WATCHLIST_ID.to_owned();
        }
        _ => {}
    }
}

/// Creates the webhook of the example of createWebhook for the other operations of webhooks. Its tests are sent
/// to a receiver on this machine.
async fn new_webhook(
    server: &Server,
    operation: Operation,
    key: &Key,
) -> (String, Option<Receiver>) {
    let is_sent = matches!(operation, Operation::TestWebhook | Operation::ListWebhookAttempts);
    if operation == Operation::CreateWebhook || !operation.path().starts_with("/v1/webhooks") {
        return (String::new(), None);
    }
    let mut body = Example::of(Operation::CreateWebhook).body.unwrap();
    let receiver = if is_sent { Some(Receiver::open().await) } else { None };
    if let Some(receiver) = &receiver {
        body["url"] = json!(receiver.at("ok"));
    }
    let webhook = server.send(post("/v1/webhooks", &body).key(key)).await.expect_data().clone();
    if operation == Operation::ListWebhookAttempts {
        act(server, key, &webhook, "test").await.expect_data();
    }
    (webhook["id"].as_str().unwrap().to_owned(), receiver)
}

/// Replaces what is different for each webhook and each attempt.
fn steady_webhook(object: &mut Value) {
    if object.get("public_key").is_some() {
        object["id"] = json!(WEBHOOK_ID);
        object["public_key"] = json!("whpk_6kpsY+KcUgq+9VB7Ey7F+ZVHdq7+vnuSQh7qaRRG0iw=");
        object["created_at"] = json!(CREATED_AT);
        for (name, value) in [
            ("secret", "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"),
            ("disabled_at", CREATED_AT),
            ("previous_secret_expires_at", CREATED_AT),
        ] {
            if object[name].is_string() {
                object[name] = json!(value);
            }
        }
    }
    if object.get("delivered").is_some() {
        object["id"] = json!("wa_01ARZ3NDEKTSV4RRFFQ69G5FAV");
        object["event_id"] = json!("evt_test_01ARZ3NDEKTSV4RRFFQ69G5FAV");
        object["at"] = json!(CREATED_AT);
        object["duration_ms"] = json!(87);
    }
    if object.get("deleted").is_some() {
        object["id"] = json!(WEBHOOK_ID);
    }
    if object.get("from_seq").is_some() {
        object["webhook"] = json!(WEBHOOK_ID);
    }
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

async fn real_response(server: &Server, operation: Operation) -> Value {
    let example = Example::of(operation);
    let key = server.test_key().await;
    let job_id = new_job(server, operation, &key).await;
    let list_id = watch(server, operation, &key).await;
    let (webhook_id, _receiver) = new_webhook(server, operation, &key).await;
    let path = match operation {
        Operation::GetRequest | Operation::GetUsage => {
            let earlier = server.send(get("/v1/verify/cin/L17111MH1994PLC990011").key(&key)).await;
            let id = earlier.json["request_id"].as_str().unwrap();
            // The example's period is a past month; the real one is the present.
            example.path.replace(REQUEST_ID, id).replace("from=2026-03-01&to=2026-03-31&", "")
        }
        _ => example
            .path
            .replace(JOB_ID, &job_id)
            .replace(WATCHLIST_ID, &list_id)
            .replace(WEBHOOK_ID, &webhook_id),
    };
    let ask = match &example.body {
        Some(body) => post(path, body).method(operation.method()),
        None => ask(operation.method(), path),
    };
    let response = server.send(ask.key(&key)).await;
    assert_eq!(response.status, 200, "{}: {}", operation.id(), response.json);
    if operation.file_type().is_some() {
        return Value::Null;
    }
    let mut response = response.json;
    for (pointer, value) in changing_values(operation) {
        *response.pointer_mut(pointer).expect(pointer) = value;
    }
    for pointer in ["/data", "/data/job", "/data/jobs/0"] {
        response.pointer_mut(pointer).map(steady_job);
    }
    if !list_id.is_empty() || operation == Operation::CreateWatchlist {
        steady_watch(&mut response["data"], &list_id);
    }
    if operation.path().starts_with("/v1/webhooks") {
        for pointer in ["/data", "/data/webhooks/0", "/data/attempts/0"] {
            response.pointer_mut(pointer).map(steady_webhook);
        }
    }
    response["request_id"] = json!(REQUEST_ID);
    response["credits_remaining"] = json!(CREDITS_REMAINING);
    response
}

/// The values of a response that differ with each account or moment.
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
fn every_example_is_what_the_sandbox_returns() {
    let update = std::env::var_os("UPDATE_EXAMPLES").is_some();
    serve_embedded(&LOCAL, async |server| {
        for operation in Operation::ALL {
            let response = real_response(server, *operation).await;
            let text = format!("{}\n", serde_json::to_string_pretty(&response).unwrap());
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
