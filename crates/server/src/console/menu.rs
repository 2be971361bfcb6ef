//! Error pages keep the menu for people who are logged in.

use std::sync::Arc;

use axum::extract::{FromRequestParts, MatchedPath, Request, State};
use axum::middleware::Next;
use axum::response::Response;

use super::frame::Tab;
use super::problem::{ErrorPage, give_page};
use super::session::SignedIn;
use crate::app::App;
use crate::http::context::RequestContext;

/// Puts the menu around a problem's page for a person who has logged in.
pub async fn keep_menu(State(app): State<Arc<App>>, request: Request, next: Next) -> Response {
    let (mut parts, body) = request.into_parts();
    if let (Some(context), Some(route)) =
        (parts.extensions.get::<Arc<RequestContext>>(), parts.extensions.get::<MatchedPath>())
    {
        context.note_route(route.as_str());
    }
    let asked = Request::from_parts(parts.clone(), body);
    let response = give_page(next.run(asked).await).await;
    let Some(page) = response.extensions().get::<ErrorPage>().cloned() else { return response };
    match SignedIn::from_request_parts(&mut parts, &app).await {
        Ok(signed_in) => page.response(signed_in.frame(Tab::Elsewhere, page.title)),
        Err(_) => response,
    }
}
