//! What the head of a request must be like, and the errors of the requests that are not.

use std::net::SocketAddr;

use axum::extract::{ConnectInfo, Request};
use axum::http::{Version, header};

use super::is_internal;
use crate::accounts::sso::{CALLBACK_PATH, MAX_CALLBACK_BYTES};
use crate::app::App;
use crate::http::error::ApiError;

pub(super) fn check_head(app: &App, request: &Request) -> Result<(), ApiError> {
    let limits = &app.config.limits;
    let path = request.uri().path_and_query().map_or(0, |path| path.as_str().len());
    // Some identity providers respond with long codes.
    let max_path = match request.uri().path() == CALLBACK_PATH {
        true => limits.path_bytes.get().max(MAX_CALLBACK_BYTES),
        false => limits.path_bytes.get(),
    };
    if path > max_path {
        let message = format!("The path is longer than {} bytes: shorten it.", limits.path_bytes);
        return Err(ApiError::parameter("path", message));
    }
    let headers: usize =
        request.headers().iter().map(|(name, value)| name.as_str().len() + value.len() + 4).sum();
    if headers > limits.header_bytes.get() {
        let message =
            format!("The headers are longer than {} bytes: send fewer.", limits.header_bytes);
        return Err(ApiError::parameter("headers", message));
    }
    // HTTP/1.1 requires one Host header; with two, a proxy may have used the other one. Calls from
    // inside the process have none.
    let hosts = request.headers().get_all(header::HOST).iter().count();
    let from_network =
        request.extensions().get::<ConnectInfo<SocketAddr>>().is_some() && !is_internal(request);
    if hosts > 1 || (hosts == 0 && from_network && request.version() == Version::HTTP_11) {
        let message = format!("The request has {hosts} Host headers: send one.");
        return Err(ApiError::parameter("headers", message));
    }
    Ok(())
}

pub(super) fn unreadable(status: u16, header_bytes: usize) -> ApiError {
    match status {
        414 => ApiError::parameter("path", "The path is too long: shorten it."),
        431 => ApiError::parameter(
            "headers",
            format!(
                "The request has too many headers: send at most 100, of {header_bytes} bytes together."
            ),
        ),
        _ => ApiError::parameter(
            "request",
            "The request is not well-formed HTTP: percent-encode quotes, spaces and similar \
             characters in the address, and check the headers.",
        ),
    }
}
