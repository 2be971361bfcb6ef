//! The envelope of every response: the same five fields in the same order, and `error` on failure.

use std::fmt::Arguments;
use std::io::Write;
use std::num::NonZeroI64;

use axum::body::{Body, Bytes};
use axum::http::{HeaderName, HeaderValue, StatusCode, header};
use axum::response::Response;
use serde::Serialize;

use crate::http::error::ApiError;
use crate::http::json::{RESPONSE_BYTES, append};

/// The path of the documentation of error codes.
pub const ERROR_DOCS_PATH: &str = "/docs/errors";

/// The bytes kept free before the data for the fields of the envelope.
const HEAD_BYTES: usize = 192;
/// A body with more unused memory than this is moved to memory of its own size, because a slow client
/// may take long to read it.
const MAX_UNUSED_BYTES: usize = 16_384;
/// The longest value of a header that is written with [`header_value`].
const HEADER_BYTES: usize = 128;
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

/// The data of a successful response as JSON, with free bytes before it: the envelope is written around
/// it without a copy.
pub struct EnvelopeData(Vec<u8>);

impl EnvelopeData {
    pub fn serialize(data: &impl Serialize) -> serde_json::Result<EnvelopeData> {
        let mut bytes = Vec::with_capacity(RESPONSE_BYTES);
        bytes.resize(HEAD_BYTES, 0);
        append(bytes, data).map(EnvelopeData)
    }

    /// Data that is serialized already.
    pub fn from_json(json: &str) -> EnvelopeData {
        let mut bytes = Vec::with_capacity(HEAD_BYTES + json.len() + 1);
        bytes.resize(HEAD_BYTES, 0);
        bytes.extend_from_slice(json.as_bytes());
        EnvelopeData(bytes)
    }

    pub fn json(&self) -> &[u8] {
        &self.0[HEAD_BYTES..]
    }
}

/// A successful response.
pub fn success(request_id: &str, charged: i64, remaining: i64, data: EnvelopeData) -> Response {
    let mut head = [0; HEAD_BYTES];
    let head = write_short(
        &mut head,
        format_args!(
            "{{\"success\":true,\"request_id\":\"{request_id}\",\"credits_charged\":{charged},\
             \"credits_remaining\":{remaining},\"data\":"
        ),
    )
    .expect("the fields of an envelope are short");
    let EnvelopeData(mut body) = data;
    let start = HEAD_BYTES - head.len();
    body[start..HEAD_BYTES].copy_from_slice(head);
    body.push(b'}');
    if body.capacity() - body.len() > MAX_UNUSED_BYTES {
        body.shrink_to_fit();
    }
    json(StatusCode::OK, Bytes::from(body).slice(start..))
}

/// The value of a header; none if it is too long or has characters that no header has.
pub fn header_value(text: Arguments<'_>) -> Option<HeaderValue> {
    let mut buffer = [0; HEADER_BYTES];
    let value = write_short(&mut buffer, text);
    debug_assert!(value.is_some(), "longer than {HEADER_BYTES} bytes: {text}");
    HeaderValue::from_bytes(value?).ok()
}

/// Writes a text into a buffer on the stack; none if it has no room.
fn write_short<'b>(buffer: &'b mut [u8], text: Arguments<'_>) -> Option<&'b [u8]> {
    let mut free = &mut *buffer;
    free.write_fmt(text).ok()?;
    let free = free.len();
    let written = buffer.len() - free;
    Some(&buffer[..written])
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
