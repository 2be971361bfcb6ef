//! The calls that tools make, through the API's own routes and with the client's key.

use std::net::SocketAddr;
use std::sync::Arc;

use axum::body::{Body, to_bytes};
use axum::extract::ConnectInfo;
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderName, HeaderValue, Request, header};
use serde_json::Value;

use super::arguments::ApiCall;
use crate::api::middleware::Middleware;
use crate::http::context::{NestedCall, RequestContext};

/// Far above the largest real response.
const MAX_RESPONSE_BYTES: usize = 32 * 1024 * 1024;
/// The headers of the client that its calls need: its key, its own id of the request, its trace.
const FORWARDED: [HeaderName; 3] = [
    header::AUTHORIZATION,
    HeaderName::from_static("x-request-id"),
    HeaderName::from_static("traceparent"),
];

/// What the API returned for the call of a tool.
pub struct ApiResponse {
    pub status: u16,
    pub headers: HeaderMap,
    pub envelope: Value,
}

/// Why a call could not be made. The cause is for the log.
#[derive(Debug, thiserror::Error)]
pub enum CallError {
    #[error("the MCP request did not pass through the middleware")]
    NoContext,
    #[error("a call could not be built: {0}")]
    Request(#[from] axum::http::Error),
    #[error("a response could not be read: {0}")]
    Response(#[from] axum::Error),
    #[error("a response is not JSON: {0}")]
    Json(#[from] serde_json::Error),
}

/// The API's routes.
#[derive(Clone)]
pub struct ApiCalls(pub Middleware);

impl ApiCalls {
    /// Makes a call for the client of an MCP request.
    pub async fn make(&self, client: &Parts, call: ApiCall) -> Result<ApiResponse, CallError> {
        let context = context_of(client).ok_or(CallError::NoContext)?;
        let counted = context.rate().ok_or(CallError::NoContext)?;
        let mut request = Request::builder()
            .method(call.operation.method())
            .uri(&call.address)
            .body(call.body.map_or_else(Body::empty, Body::from))?;
        *request.headers_mut() = call.headers;
        for name in FORWARDED {
            for value in client.headers.get_all(&name) {
                request.headers_mut().append(name.clone(), value.clone());
            }
        }
        let json = HeaderValue::from_static("application/json");
        request.headers_mut().insert(header::CONTENT_TYPE, json);
        request.extensions_mut().insert(NestedCall(counted));
        request.extensions_mut().insert(ConnectInfo(SocketAddr::new(context.address, 0)));
        let (parts, body) = self.0.respond(request).await.into_parts();
        let bytes = to_bytes(body, MAX_RESPONSE_BYTES).await?;
        let envelope = serde_json::from_slice(&bytes)?;
        Ok(ApiResponse { status: parts.status.as_u16(), headers: parts.headers, envelope })
    }
}

pub fn context_of(client: &Parts) -> Option<&Arc<RequestContext>> {
    client.extensions.get::<Arc<RequestContext>>()
}
