//! Adds the menu to error pages for signed-in users.

use std::sync::Arc;

use axum::extract::{FromRequestParts, MatchedPath, Request, State};
use axum::middleware::Next;
use axum::response::Response;
use panji_api::app::App;
use panji_api::http::context::RequestContext;

use super::layout::Tab;
use super::page_error::{ErrorPage, replace_by_error_page};
use super::session::SignedIn;

pub async fn add_menu(State(app): State<Arc<App>>, request: Request, next: Next) -> Response {
    let (mut parts, body) = request.into_parts();
    if let (Some(context), Some(route)) =
        (parts.extensions.get::<Arc<RequestContext>>(), parts.extensions.get::<MatchedPath>())
    {
        context.record_route(route.as_str());
    }
    let request = Request::from_parts(parts.clone(), body);
    let response = replace_by_error_page(next.run(request).await).await;
    let Some(page) = response.extensions().get::<ErrorPage>().cloned() else { return response };
    match SignedIn::from_request_parts(&mut parts, &app).await {
        Ok(signed_in) => page.response(signed_in.layout(Tab::None, page.title)),
        Err(_) => response,
    }
}
