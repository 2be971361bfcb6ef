//! The envelope of every response: the same five fields in the same order, and `error` on failure.

use std::io::Write;
use std::num::NonZeroI64;

use axum::body::Body;
use axum::http::{HeaderName, HeaderValue, StatusCode, header};
use axum::response::Response;
use serde::Serialize;

use crate::http::error::ApiError;

/// The path of the documentation of error codes.
pub const ERROR_DOCS_PATH: &str = "/docs/errors";

/// Upper bound of the bytes of an envelope without its data.
const MAX_HEAD_BYTES: usize = 192;
/// About the number of headers a response ends up with: allocated once.
const HEADERS: usize = 16;

#[derive(Serialize)]
struct Failure<'a> {
    success: bool,
    request_id: &'a str,
    credits_charged: i64,
    credits_remaining: Option<i64>,
    data: Option<()>,
    error: FailureReason<'a>,
}

#[derive(Serialize)]
struct FailureReason<'a> {
    code: &'a str,
    message: &'a str,
    param: Option<&'a str>,
    docs_url: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    oldest: Option<i64>,
}

/// A successful response; `data` is JSON already.
pub fn success(request_id: &str, charged: i64, remaining: i64, data: &[u8]) -> Response {
    let mut body = Vec::with_capacity(data.len() + MAX_HEAD_BYTES);
    write!(
        body,
        "{{\"success\":true,\"request_id\":\"{request_id}\",\"credits_charged\":{charged},\
         \"credits_remaining\":{remaining},\"data\":"
    )
    .expect("memory can always be written to");
    body.extend_from_slice(data);
    body.push(b'}');
    json(StatusCode::OK, body)
}

/// An error response.
pub fn failure(
    request_id: &str,
    remaining: Option<i64>,
    error: &ApiError,
    public_url: &str,
) -> Response {
    json(error.code.status(), failure_text(request_id, remaining, error, public_url))
}

/// The body of an error response.
pub fn failure_text(
    request_id: &str,
    remaining: Option<i64>,
    error: &ApiError,
    public_url: &str,
) -> String {
    let code = error.code.as_str();
    let failure = Failure {
        success: false,
        request_id,
        credits_charged: 0,
        credits_remaining: remaining,
        data: None,
        error: FailureReason {
            code,
            message: &error.message,
            param: error.param.as_deref(),
            docs_url: format!("{public_url}{ERROR_DOCS_PATH}#{code}"),
            oldest: error.oldest.map(NonZeroI64::get),
        },
    };
    serde_json::to_string(&failure).expect("strings can always be serialized")
}

/// The header with the credits charged, and the one with the balance after, of a response that is a file.
pub const CREDITS_CHARGED: HeaderName = HeaderName::from_static("panji-credits-charged");
pub const CREDITS_REMAINING: HeaderName = HeaderName::from_static("panji-credits-remaining");

/// A successful response that is a file: the fields of the envelope are in its headers.
pub fn file(charged: i64, remaining: i64, media_type: &'static str, bytes: Vec<u8>) -> Response {
    let mut response = Response::new(Body::from(bytes));
    let headers = response.headers_mut();
    headers.reserve(HEADERS);
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(media_type));
    headers.insert(CREDITS_CHARGED, charged.into());
    headers.insert(CREDITS_REMAINING, remaining.into());
    response
}

fn json(status: StatusCode, body: impl Into<Body>) -> Response {
    let mut response = Response::new(body.into());
    *response.status_mut() = status;
    response.headers_mut().reserve(HEADERS);
    response
        .headers_mut()
        .insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
    response
}
