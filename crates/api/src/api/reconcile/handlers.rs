//! The routes of the reconciliation service.

use std::sync::Arc;

use axum::Router;
use axum::extract::{Request, State};
use axum::http::Method;
use axum::routing::{MethodRouter, get};
use serde_json::json;

use super::extend::extend;
use super::manifest::manifest;
use super::preview::preview;
use super::properties::{TYPE, proposed};
use super::queries::Batch;
use super::service_request::{ServiceRequest, respond, respond_fixed};
use super::suggest;
use crate::api::enrich::section_price;
use crate::api::matching::{Matched, match_for};
use crate::api::routes::{not_allowed, preflight};
use crate::app::App;
use crate::config::operation::Operation;
use crate::http::error::{ApiError, ApiResult};

const READ: &str = "GET, OPTIONS";
const READ_AND_SEND: &str = "GET, POST, OPTIONS";

/// They are not in the OpenAPI description: the interface has its own, and a manifest.
pub fn routes() -> Router<Arc<App>> {
    let service = get(service).post(service);
    Router::new()
        .route("/reconcile/{token}", limited(service, READ_AND_SEND))
        .route("/reconcile/{token}/suggest/entity", limited(get(suggest_entity), READ))
        .route("/reconcile/{token}/suggest/property", limited(get(suggest_property), READ))
        .route("/reconcile/{token}/suggest/type", limited(get(suggest_type), READ))
        .route("/reconcile/{token}/properties", limited(get(propose), READ))
        .route("/reconcile/{token}/preview", limited(get(show_preview), READ))
}

/// Adds the preflight response and the refusal of other methods, HEAD included.
fn limited(methods: MethodRouter<Arc<App>>, allow: &'static str) -> MethodRouter<Arc<App>> {
    let refuse = move || async move { not_allowed(allow) };
    methods.options(move || async move { preflight(allow) }).head(refuse).fallback(refuse)
}

/// One address for the manifest, queries and data extension: the parameters decide.
async fn service(State(app): State<Arc<App>>, request: Request) -> ApiResult {
    let request = ServiceRequest::authorize(app, request).await?;
    let given = |name: &str| request.parameters.get(name).is_some();
    match (given("queries"), given("extend")) {
        (true, false) => reconcile(request).await,
        (false, true) => extend(request).await,
        (false, false) if request.method == Method::GET => respond_fixed(&manifest(&request)),
        (both, _) => {
            request.into_call(Operation::MatchCompanies)?;
            let message = match both {
                true => "Send either queries or extend, not both.",
                false => "Send the parameter queries or the parameter extend.",
            };
            Err(ApiError::parameter("queries", message))
        }
    }
}

async fn reconcile(request: ServiceRequest) -> ApiResult {
    let (call, parameters) = request.into_call(Operation::MatchCompanies)?;
    let most = call.app.config.limits.match_items.get();
    let mut batch = Batch::parse(parameters.get("queries").unwrap_or_default(), most)?;
    let (items, limit) = batch.take_items();
    if items.is_empty() {
        let call = call.check_funds_for(0).await?;
        return respond(&call, 0, &batch.response(Vec::new())).await;
    }
    let Matched { call, results, price } = match_for(call, items, limit).await?;
    respond(&call, price, &batch.response(results.results)).await
}

async fn suggest_entity(State(app): State<Arc<App>>, request: Request) -> ApiResult {
    suggest::entities(ServiceRequest::authorize(app, request).await?).await
}

async fn suggest_property(State(app): State<Arc<App>>, request: Request) -> ApiResult {
    suggest::properties(&ServiceRequest::authorize(app, request).await?)
}

async fn suggest_type(State(app): State<Arc<App>>, request: Request) -> ApiResult {
    suggest::kinds(&ServiceRequest::authorize(app, request).await?)
}

async fn show_preview(State(app): State<Arc<App>>, request: Request) -> ApiResult {
    preview(ServiceRequest::authorize(app, request).await?).await
}

/// The properties that data extension can add, with their prices.
async fn propose(State(app): State<Arc<App>>, request: Request) -> ApiResult {
    let request = ServiceRequest::authorize(app, request).await?;
    let limit = request.parameters.get("limit").and_then(|limit| limit.parse().ok());
    let prices = &request.app.config.prices;
    let mut properties = proposed(|section| section_price(prices, section));
    properties.truncate(limit.unwrap_or(usize::MAX));
    respond_fixed(&json!({ "type": TYPE, "properties": properties }))
}
