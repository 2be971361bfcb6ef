//! The routes of the public address: the API, its reference and the console.

use std::sync::Arc;

use axum::extract::State;
use axum::http::{StatusCode, header};
use axum::response::{Html, IntoResponse, Response};
use axum::routing::get;
use axum::{Router, middleware};
use utoipa_swagger_ui::{Config as ViewerConfig, SwaggerUi};

use crate::api::middleware::Middleware;
use crate::api::routes::{calls, not_allowed, operations};
use crate::api::{error_page, openapi, reconcile};
use crate::app::App;
use crate::console;
use crate::console::problem::replace_by_error_page;
use crate::http::compression::Compressed;
use crate::http::error::{ApiError, ErrorCode};
use crate::mcp;

const OPENAPI_PATH: &str = "/v1/openapi.json";

pub fn site(app: Arc<App>) -> Compressed<Middleware> {
    let (operations, _) = operations().split_for_parts();
    let viewer = ViewerConfig::new([OPENAPI_PATH])
        .persist_authorization(true)
        .try_it_out_enabled(true)
        .display_request_duration(true)
        .display_operation_id(true)
        .validator_url("none")
        .use_base_layout();
    let docs: Router<Arc<App>> = SwaggerUi::new("/docs").config(viewer).into();
    let routes = operations
        .route(OPENAPI_PATH, get(|| async { json(openapi::document_text()) }))
        .route("/healthz", get(|| async { json("{\"status\":\"up\"}") }))
        .route("/readyz", get(ready))
        .route("/docs/errors", get(|| async { Html(error_page::errors()) }))
        .merge(reconcile::routes())
        .merge(console::routes::pages(&app, calls(&app)))
        .merge(mcp::routes::routes(&app, calls(&app)))
        .merge(docs.layer(middleware::map_response(replace_by_error_page)))
        .method_not_allowed_fallback(|| async { not_allowed("GET") })
        .fallback(|| async { ApiError::plain(ErrorCode::RouteNotFound) })
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
