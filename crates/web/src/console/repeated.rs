//! Query strings parsed like forms: a name can occur several times, and an error is a page.

use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use serde::de::DeserializeOwned;

use super::page_error::PageError;

pub struct RepeatedQuery<T>(pub T);

impl<T: DeserializeOwned, S: Sync> FromRequestParts<S> for RepeatedQuery<T> {
    type Rejection = PageError;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<RepeatedQuery<T>, PageError> {
        serde_html_form::from_str(parts.uri.query().unwrap_or_default())
            .map(RepeatedQuery)
            .map_err(PageError::bad_form)
    }
}
