//! The routes of the public address: the API, its documentation and the console.

use std::sync::Arc;

use axum::extract::State;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use panji_api::api::middleware::Middleware;
use panji_api::api::routes::{calls, not_allowed, operations};
use panji_api::api::watch::stream;
use panji_api::api::{openapi, reconcile};
use panji_api::app::App;
use panji_api::http::compression::Compressed;
use panji_api::http::error::{ApiError, ErrorCode};
use panji_api::mcp;
use panji_web::console;
use panji_web::docs;

const OPENAPI_PATH: &str = "/v1/openapi.json";

pub fn site(app: Arc<App>) -> Compressed<Middleware> {
    let (operations, _) = operations().split_for_parts();
    let calls = calls(&app);
    let routes = operations
        .route(OPENAPI_PATH, get(|| async { json(openapi::document_text()) }))
        .route("/healthz", get(|| async { json("{\"status\":\"up\"}") }))
        .route("/readyz", get(ready))
        .merge(reconcile::routes())
        .merge(stream::routes())
        .merge(console::routes::pages(&app, calls.clone()))
        .merge(mcp::routes::routes(&app, calls.clone()))
        .merge(docs::routes::pages(&app, calls))
        .method_not_allowed_fallback(|| async { not_allowed("GET") })
        .fallback(|| async { ApiError::from_code(ErrorCode::RouteNotFound) })
        .with_state(app.clone());
    Compressed(Middleware::around(routes, app))
}

async fn ready(State(app): State<Arc<App>>) -> Response {
    if app.ready().await {
        return json("{\"status\":\"ready\"}").into_response();
    }
    let mut response = json("{\"status\":\"not ready\"}").into_response();
    *response.status_mut() = StatusCode::SERVICE_UNAVAILABLE;
    response
}

fn json(text: &'static str) -> impl IntoResponse {
    ([(header::CONTENT_TYPE, "application/json")], text)
}
