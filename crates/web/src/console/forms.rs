//! Forms: parsed within a size limit, and accepted only from our own pages.

use std::sync::Arc;

use axum::body::Bytes;
use axum::extract::{FromRequest, FromRequestParts, Request};
use axum::http::{HeaderMap, Method, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use panji_api::app::App;
use serde::Deserialize;
use serde::de::DeserializeOwned;

use super::page_error::PageError;
use super::session::{Anonymous, SignedIn};

/// The limit of all forms except uploads.
pub const MAX_FORM_BYTES: usize = 64 * 1024;

/// A form of a signed-in user, sent from a page of the same session.
pub struct AuthenticatedForm<T> {
    pub signed_in: SignedIn,
    pub form: T,
}

pub struct AnonymousForm<T> {
    pub anonymous: Anonymous,
    pub form: T,
}

/// A form with no fields except the token.
#[derive(Debug, Deserialize)]
pub struct Empty {}

#[derive(Deserialize)]
struct FormToken {
    #[serde(default)]
    form_token: String,
}

impl<T: DeserializeOwned> FromRequest<Arc<App>> for AuthenticatedForm<T> {
    type Rejection = PageError;

    async fn from_request(
        request: Request,
        app: &Arc<App>,
    ) -> Result<AuthenticatedForm<T>, PageError> {
        let (mut parts, body) = request.into_parts();
        let signed_in = SignedIn::from_request_parts(&mut parts, app).await?;
        let bytes = read(Request::from_parts(parts, body), app).await?;
        let FormToken { form_token } = parse(&bytes)?;
        if !verify_csrf_token(&signed_in, &form_token) {
            return Err(PageError::csrf_failed());
        }
        Ok(AuthenticatedForm { signed_in, form: parse(&bytes)? })
    }
}

impl<T: DeserializeOwned> FromRequest<Arc<App>> for AnonymousForm<T> {
    type Rejection = PageError;

    async fn from_request(request: Request, app: &Arc<App>) -> Result<AnonymousForm<T>, PageError> {
        let (mut parts, body) = request.into_parts();
        let anonymous = Anonymous::from_request_parts(&mut parts, app).await?;
        let bytes = read(Request::from_parts(parts, body), app).await?;
        Ok(AnonymousForm { anonymous, form: parse(&bytes)? })
    }
}

pub fn verify_csrf_token(signed_in: &SignedIn, form_token: &str) -> bool {
    signed_in.is_form_token(form_token)
}

/// The password, required before an action that weakens the log-in.
#[derive(Deserialize)]
pub struct PasswordProof {
    password: String,
}

impl PasswordProof {
    /// Whether this is the user's password; an error after too many attempts.
    pub async fn verify_password(self, signed_in: &SignedIn) -> Result<bool, PageError> {
        let person = &signed_in.session.person;
        let address = signed_in.context.address;
        if let Some(seconds) = signed_in.app.limits.count_log_in(address, &person.email) {
            return Err(PageError::too_many(seconds));
        }
        Ok(signed_in.app.passwords.check(self.password, person.password_hash.clone()).await?)
    }
}

async fn read(request: Request, app: &Arc<App>) -> Result<Bytes, PageError> {
    Bytes::from_request(request, app)
        .await
        .map_err(|error| PageError::bad_form(error.body_text().trim_end_matches('.')))
}

fn parse<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, PageError> {
    serde_html_form::from_bytes(bytes).map_err(PageError::bad_form)
}

/// Refuses cross-site requests. Browsers send the origin of a request in a header. A request
/// without such a header does not come from a browser, so no user's cookies were attached to it.
pub async fn same_origin(request: Request, next: Next) -> Response {
    let is_read = [Method::GET, Method::HEAD, Method::OPTIONS].contains(request.method());
    if !is_read && is_cross_site(request.headers(), request.uri().authority()) {
        return PageError::csrf_failed().into_response();
    }
    next.run(request).await
}

fn is_cross_site(headers: &HeaderMap, authority: Option<&axum::http::uri::Authority>) -> bool {
    let text = |name: &str| headers.get(name).map(|value| value.to_str().unwrap_or("unreadable"));
    if let Some(site) = text("sec-fetch-site") {
        return site != "same-origin" && site != "none";
    }
    let Some(origin) = text(header::ORIGIN.as_str()) else { return false };
    let host = text(header::HOST.as_str()).or(authority.map(|authority| authority.as_str()));
    match (origin.split_once("://"), host) {
        (Some((_, origin)), Some(host)) => origin != host,
        _ => true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_form_from_another_site_is_recognized_by_its_headers() {
        let foreign = |headers: &[(&'static str, &'static str)]| {
            let mut map = HeaderMap::new();
            for (name, value) in headers {
                map.insert(*name, axum::http::HeaderValue::from_static(value));
            }
            is_cross_site(&map, None)
        };
        assert!(!foreign(&[]));
        assert!(!foreign(&[("sec-fetch-site", "same-origin")]));
        assert!(foreign(&[("sec-fetch-site", "cross-site")]));
        assert!(foreign(&[("sec-fetch-site", "same-site")]));
        assert!(!foreign(&[("origin", "https://panji.example"), ("host", "panji.example")]));
        assert!(foreign(&[("origin", "https://evil.example"), ("host", "panji.example")]));
        assert!(foreign(&[("origin", "null"), ("host", "panji.example")]));
        assert!(foreign(&[("origin", "null")]));
    }
}
