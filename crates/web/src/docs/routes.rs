//! The routes of the documentation.

use std::sync::Arc;

use axum::extract::DefaultBodyLimit;
use axum::{Extension, Router, middleware};
use panji_api::api::middleware::Middleware;
use panji_api::app::App;
use panji_api::http::routing::{get, post};

use super::content::Docs;
use super::{assets, pages, trial_page};
use crate::console::api_call::ApiCalls;
use crate::console::forms::{MAX_FORM_BYTES, same_origin};
use crate::console::menu::add_menu;
use crate::console::page_error::PageError;

/// All pages. `calls` serves the API's routes, which the pages of operations call.
pub fn pages(app: &Arc<App>, calls: Middleware) -> Router<Arc<App>> {
    let missing = || async { PageError::not_found("This page does not exist.") };
    Router::new()
        .route("/docs", get(pages::overview))
        .route("/docs/", get(pages::overview))
        .route("/docs/errors", get(pages::errors))
        .route("/docs/search", get(pages::search))
        .route("/docs/guides/{slug}", get(pages::guide))
        .route(
            "/docs/reference/{operation}",
            get(trial_page::show).merge(post(trial_page::send_form)),
        )
        .route("/docs/assets/{name}", get(assets::serve))
        .route("/docs/{*path}", get(missing))
        .route("/llms.txt", get(pages::llms))
        .layer(Extension(Arc::new(Docs::new(app.clone()))))
        .layer(Extension(ApiCalls(calls)))
        .layer(DefaultBodyLimit::max(MAX_FORM_BYTES))
        .layer(middleware::from_fn(same_origin))
        .layer(middleware::from_fn_with_state(app.clone(), add_menu))
}
