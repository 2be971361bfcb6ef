//! The endpoint: checks where a request comes from and its key, then hands it to the protocol's SDK.

use std::sync::Arc;

use axum::Router;
use axum::body::{Body, to_bytes};
use axum::extract::Request;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::post;
use http_body_util::Full;
use rmcp::model::{ErrorData, JsonRpcError};
use rmcp::transport::streamable_http_server::session::never::NeverSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};

use super::PATH;
use super::calls::{ApiCalls, context_of};
use super::origins::{CrossOriginRequest, Origins};
use super::server::McpServer;
use crate::api::authentication::authorize_mcp_request;
use crate::api::body::collect;
use crate::api::middleware::Middleware;
use crate::api::routes::not_allowed;
use crate::app::App;
use crate::http::error::{ApiError, ApiResult};

/// The longest line of text with which the SDK refuses a request.
const MAX_REFUSAL_BYTES: usize = 64 * 1024;
/// The beginning of the SDK's refusal of a body that is not a message.
const UNREADABLE: &[u8] = b"fail to deserialize request body";

type Protocol = StreamableHttpService<McpServer, NeverSessionManager>;

#[derive(Clone)]
struct Endpoint {
    app: Arc<App>,
    origins: Arc<Origins>,
    protocol: Protocol,
}

/// The route of the endpoint. It keeps no session, so that there is nothing to GET or to DELETE.
pub fn routes(app: &Arc<App>, calls: Middleware) -> Router<Arc<App>> {
    let server = McpServer::new(app, ApiCalls(calls));
    // The SDK's own checks of origin and size are off: this endpoint makes them.
    let settings = StreamableHttpServerConfig::default()
        .with_legacy_session_mode(false)
        .with_json_response(true)
        .disable_allowed_hosts()
        .disable_allowed_origins()
        .with_max_request_body_bytes(app.config.limits.body_bytes.get());
    let make_server = move || Ok(server.clone());
    let protocol = Protocol::new(make_server, Arc::new(NeverSessionManager::default()), settings);
    let origins = Arc::new(Origins::of(&app.config));
    let endpoint = Endpoint { app: app.clone(), origins, protocol };
    let refuse = || async { not_allowed("POST") };
    let respond = move |request: Request| async move { endpoint.respond(request).await };
    Router::new().route(PATH, post(respond).head(refuse).fallback(refuse))
}

impl Endpoint {
    async fn respond(&self, request: Request) -> ApiResult {
        let (parts, body) = request.into_parts();
        if let Err(refused) = self.origins.check(&parts) {
            return Ok(forbidden(&refused));
        }
        let context = context_of(&parts).cloned();
        let context = context
            .ok_or_else(|| ApiError::internal("the request did not pass through the middleware"))?;
        authorize_mcp_request(&self.app, &context, &parts.headers).await?;
        let bytes = collect(body, self.app.config.limits.body_bytes.get()).await?;
        // From here on the call that a tool makes has its own time limit.
        context.disable_timeout();
        let request = Request::from_parts(parts, Full::new(bytes));
        let response = self.protocol.handle(request).await.map(Body::new);
        let mut response =
            if is_plain_error(&response) { refusal_of_sdk(response).await? } else { response };
        let private = HeaderValue::from_static("private, no-store");
        response.headers_mut().insert(header::CACHE_CONTROL, private);
        Ok(response)
    }
}

/// The protocol asks for this status, with an error that belongs to no request.
fn forbidden(refused: &CrossOriginRequest) -> Response {
    json_rpc_error(StatusCode::FORBIDDEN, ErrorData::invalid_request(refused.to_string(), None))
}

fn json_rpc_error(status: StatusCode, error: ErrorData) -> Response {
    let body = serde_json::to_string(&JsonRpcError::new(None, error));
    let body = body.expect("an error is plain data");
    (status, [(header::CONTENT_TYPE, "application/json")], body).into_response()
}

/// Whether the SDK has refused a request before it read a message, with a line of text.
fn is_plain_error(response: &Response) -> bool {
    let kind = response.headers().get(header::CONTENT_TYPE);
    let json = kind.is_some_and(|kind| kind.as_bytes().starts_with(b"application/json"));
    response.status().is_client_error() && !json
}

/// The same refusal as an error of the protocol.
async fn refusal_of_sdk(response: Response) -> ApiResult {
    let status = response.status();
    let text = to_bytes(response.into_body(), MAX_REFUSAL_BYTES)
        .await
        .map_err(|error| ApiError::internal(error.to_string()))?;
    // The SDK reports a body that it cannot read as an unsupported type.
    if status == StatusCode::UNSUPPORTED_MEDIA_TYPE && text.starts_with(UNREADABLE) {
        let message = "The body is not a JSON-RPC message: send one, in JSON.";
        return Ok(json_rpc_error(StatusCode::BAD_REQUEST, ErrorData::parse_error(message, None)));
    }
    let text = String::from_utf8_lossy(&text).into_owned();
    Ok(json_rpc_error(status, ErrorData::invalid_request(text, None)))
}
