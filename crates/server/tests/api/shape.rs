//! Checks what every response of the API must have: the envelope and the headers.

use axum::http::Method;
use panji_api::http::error::ErrorCode;
use serde_json::Value;

use crate::ask::Answer;

const MEMBERS: [&str; 5] =
    ["success", "request_id", "credits_charged", "credits_remaining", "data"];

/// Checks the envelope and the headers of a response.
pub fn check(method: &Method, path: &str, answer: &Answer) {
    let what = format!("{method} {path}: {} {}", answer.status, answer.json);
    assert_eq!(answer.header("x-content-type-options"), Some("nosniff"), "{what}");
    let request_id = answer.header("request-id").expect(&what);
    assert!(request_id.len() == 30 && request_id.starts_with("req_"), "{what}");
    if answer.status == 204 {
        return;
    }
    let media_type = if is_file(answer) { "application/pdf" } else { "application/json" };
    assert_eq!(answer.header("content-type"), Some(media_type), "{what}");
    assert_eq!(answer.header("cache-control"), Some("private, no-store"), "{what}");
    assert_eq!(answer.headers.contains_key("www-authenticate"), answer.status == 401, "{what}");
    let retryable = matches!(answer.status, 429 | 503);
    assert_eq!(answer.headers.contains_key("retry-after"), retryable, "{what}");
    assert_eq!(answer.headers.contains_key("allow"), answer.status == 405, "{what}");
    if method == Method::HEAD {
        assert!(answer.bytes.is_empty(), "{what}");
        assert_eq!(answer.status, 405, "{what}");
        return;
    }
    if answer.header("content-encoding").is_some() {
        return;
    }
    let replayed = answer.headers.contains_key("idempotent-replayed");
    // The id of the first answer is in the envelope, which a file has not got.
    assert_eq!(answer.json["request_id"] == request_id, !replayed || is_file(answer), "{what}");
    match answer.status {
        200 => check_success(answer, &what),
        _ => check_failure(answer, &what),
    }
}

/// Whether the answer is a file, with the fields of the envelope in its headers.
fn is_file(answer: &Answer) -> bool {
    answer.status == 200 && answer.headers.contains_key("panji-credits-charged")
}

fn members(value: &Value) -> Vec<&str> {
    value.as_object().map(|object| object.keys().map(String::as_str).collect()).unwrap_or_default()
}

fn check_success(answer: &Answer, what: &str) {
    assert_eq!(members(&answer.json), MEMBERS, "{what}");
    assert_eq!(answer.json["success"], true, "{what}");
    assert!(answer.charged() >= 0 && answer.remaining() >= 0, "{what}");
    assert!(answer.data().is_object() || is_file(answer), "{what}");
    let mode = answer.header("panji-mode").expect(what);
    assert!(["live", "test"].contains(&mode), "{what}");
    check_rate_headers(answer, what);
}

fn check_rate_headers(answer: &Answer, what: &str) {
    assert!(answer.header("ratelimit").is_some_and(|value| value.contains(";r=")), "{what}");
    assert!(answer.header("ratelimit-policy").is_some_and(|value| value.contains(";q=")), "{what}");
}

fn check_failure(answer: &Answer, what: &str) {
    let with_error: Vec<&str> = MEMBERS.into_iter().chain(["error"]).collect();
    assert_eq!(members(&answer.json), with_error, "{what}");
    check_rate_headers(answer, what);
    assert_eq!(answer.json["success"], false, "{what}");
    assert_eq!(answer.json["credits_charged"], 0, "{what}");
    assert_eq!(answer.json["data"], Value::Null, "{what}");
    let error = &answer.json["error"];
    let known = ["code", "message", "param", "docs_url"].into_iter();
    let oldest = (answer.code() == "cursor_expired").then_some("oldest");
    assert_eq!(members(error), known.chain(oldest).collect::<Vec<_>>(), "{what}");
    let code = ErrorCode::ALL.iter().find(|code| code.as_str() == answer.code());
    let code = code.unwrap_or_else(|| panic!("an unknown code in {what}"));
    assert_eq!(code.status().as_u16(), answer.status, "{what}");
    let docs_url = format!("http://127.0.0.1:8080/docs/errors#{}", code.as_str());
    assert_eq!(error["docs_url"], docs_url, "{what}");
    let message = error["message"].as_str().expect(what);
    assert!(message.len() > 10 && message.ends_with('.'), "{what}");
    assert!(!message.chars().any(char::is_control), "{what}");
}
