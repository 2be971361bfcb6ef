//! Checks what every response of the API must have: the envelope and the headers.

use axum::http::Method;
use panji_api::http::error::ErrorCode;
use serde_json::Value;

use crate::ask::Response;

const MEMBERS: [&str; 5] =
    ["success", "request_id", "credits_charged", "credits_remaining", "data"];

/// Checks the envelope and the headers of a response.
pub fn check(method: &Method, path: &str, response: &Response) {
    let what = format!("{method} {path}: {} {}", response.status, response.json);
    assert_eq!(response.header("x-content-type-options"), Some("nosniff"), "{what}");
    let request_id = response.header("request-id").expect(&what);
    assert!(request_id.len() == 30 && request_id.starts_with("req_"), "{what}");
    if response.status == 204 {
        return;
    }
    let media_type = if is_file(response) { "application/pdf" } else { "application/json" };
    assert_eq!(response.header("content-type"), Some(media_type), "{what}");
    assert_eq!(response.header("cache-control"), Some("private, no-store"), "{what}");
    assert_eq!(response.headers.contains_key("www-authenticate"), response.status == 401, "{what}");
    let retryable = matches!(response.status, 429 | 503);
    assert_eq!(response.headers.contains_key("retry-after"), retryable, "{what}");
    assert_eq!(response.headers.contains_key("allow"), response.status == 405, "{what}");
    if method == Method::HEAD {
        assert!(response.bytes.is_empty(), "{what}");
        assert_eq!(response.status, 405, "{what}");
        return;
    }
    if response.header("content-encoding").is_some() {
        return;
    }
    let replayed = response.headers.contains_key("idempotent-replayed");
    // The id of the first response is in the envelope, which a file has not got.
    assert_eq!(response.json["request_id"] == request_id, !replayed || is_file(response), "{what}");
    match response.status {
        200 => check_success(response, &what),
        _ => check_failure(response, &what),
    }
}

/// Whether the response is a file, with the fields of the envelope in its headers.
fn is_file(response: &Response) -> bool {
    response.status == 200 && response.headers.contains_key("panji-credits-charged")
}

fn members(value: &Value) -> Vec<&str> {
    value.as_object().map(|object| object.keys().map(String::as_str).collect()).unwrap_or_default()
}

fn check_success(response: &Response, what: &str) {
    assert_eq!(members(&response.json), MEMBERS, "{what}");
    assert_eq!(response.json["success"], true, "{what}");
    assert!(response.charged() >= 0 && response.remaining() >= 0, "{what}");
    assert!(response.data().is_object() || is_file(response), "{what}");
    let mode = response.header("panji-mode").expect(what);
    assert!(["live", "test"].contains(&mode), "{what}");
    check_rate_headers(response, what);
}

fn check_rate_headers(response: &Response, what: &str) {
    assert!(response.header("ratelimit").is_some_and(|value| value.contains(";r=")), "{what}");
    assert!(
        response.header("ratelimit-policy").is_some_and(|value| value.contains(";q=")),
        "{what}"
    );
}

fn check_failure(response: &Response, what: &str) {
    let with_error: Vec<&str> = MEMBERS.into_iter().chain(["error"]).collect();
    assert_eq!(members(&response.json), with_error, "{what}");
    check_rate_headers(response, what);
    assert_eq!(response.json["success"], false, "{what}");
    assert_eq!(response.json["credits_charged"], 0, "{what}");
    assert_eq!(response.json["data"], Value::Null, "{what}");
    let error = &response.json["error"];
    let known = ["code", "message", "param", "docs_url"].into_iter();
    let oldest = (response.code() == "cursor_expired").then_some("oldest");
    assert_eq!(members(error), known.chain(oldest).collect::<Vec<_>>(), "{what}");
    let code = ErrorCode::ALL.iter().find(|code| code.as_str() == response.code());
    let code = code.unwrap_or_else(|| panic!("an unknown code in {what}"));
    assert_eq!(code.status().as_u16(), response.status, "{what}");
    let docs_url = format!("http://127.0.0.1:8080/docs/errors#{}", code.as_str());
    assert_eq!(error["docs_url"], docs_url, "{what}");
    let message = error["message"].as_str().expect(what);
    assert!(message.len() > 10 && message.ends_with('.'), "{what}");
    assert!(!message.chars().any(char::is_control), "{what}");
}
