//! Two baseline servers: axum with a constant response, and axum with the same read of the register
//! but without key, charge, envelope or log line.

use std::sync::Arc;

use anyhow::Context;
use axum::Router;
use axum::extract::{Path, State};
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use panji_api::api::wire;
use panji_store::calendar::now_ms;
use panji_store::engine::Workload;
use panji_store::{Engine, Register};
use tokio::net::TcpListener;

use super::arguments::Baseline;

const JSON: [(header::HeaderName, &str); 1] = [(header::CONTENT_TYPE, "application/json")];

/// Serves a constant of this many bytes on every path.
pub fn serve_constant(baseline: &Baseline) -> anyhow::Result<()> {
    let text = "x".repeat(baseline.bytes.saturating_sub(2));
    let body: &'static str = Box::leak(format!("\"{text}\"").into_boxed_str());
    let routes = Router::new().route("/v1/companies/{cin}", get(async move || (JSON, body)));
    serve(baseline, async { Ok(routes) })
}

/// Serves companies in the API's format, and nothing else.
pub fn serve_read(baseline: &Baseline) -> anyhow::Result<()> {
    let data = baseline.data_dir.clone().context("--data-dir is missing")?;
    serve(baseline, async move {
        let engine = Engine::open_sqlite(&data.join("register.db"), Workload::Register)?;
        let register = Arc::new(Register::open(engine, now_ms()).await?);
        Ok(Router::new().route("/v1/companies/{cin}", get(read)).with_state(register))
    })
}

async fn read(State(register): State<Arc<Register>>, Path(cin): Path<String>) -> Response {
    match register.find_company(&cin).await {
        Ok(Some(company)) => match serde_json::to_string(&wire::Company::new(company, None)) {
            Ok(text) => (JSON, text).into_response(),
            Err(_) => StatusCode::INTERNAL_SERVER_ERROR.into_response(),
        },
        Ok(None) => StatusCode::NOT_FOUND.into_response(),
        Err(_) => StatusCode::SERVICE_UNAVAILABLE.into_response(),
    }
}

fn serve(
    baseline: &Baseline,
    routes: impl Future<Output = anyhow::Result<Router>>,
) -> anyhow::Result<()> {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    runtime.block_on(async {
        let listener = TcpListener::bind(&baseline.listen).await?;
        let routes = routes.await?;
        Ok(axum::serve(listener, routes).await?)
    })
}
