//! The report of a company as a file. It is requested with a POST, because it is charged.

use axum::Extension;
use axum::extract::Path;
use axum::http::header;
use axum::response::{IntoResponse, Response};
use panji_api::accounts::roles::Permission;
use panji_api::config::operation::Operation;
use panji_api::http::encoding::encoded;
use serde::Deserialize;

use super::api_call::{ApiCalls, Calls};
use super::forms::AuthenticatedForm;
use super::page_cache::run_to_completion;
use super::page_error::PageError;
use super::session::SignedIn;

#[derive(Deserialize)]
pub struct NoFields {}

/// Makes the API call, which is charged, and responds with the file.
pub async fn download(
    Extension(calls): Calls,
    Path(cin): Path<String>,
    AuthenticatedForm { signed_in, form: NoFields {} }: AuthenticatedForm<NoFields>,
) -> Result<Response, PageError> {
    signed_in.require(Permission::MakeCalls)?;
    run_to_completion(fetch(calls, signed_in, cin)).await
}

async fn fetch(calls: ApiCalls, signed_in: SignedIn, cin: String) -> Result<Response, PageError> {
    let path = format!("/v1/companies/{}/report", encoded(&cin));
    let file = calls.get_file(&signed_in, Operation::GetCompanyReport, path).await?;
    let name = file.name.unwrap_or_else(|| "report.pdf".to_owned());
    let headers = [
        (header::CONTENT_TYPE, "application/pdf".to_owned()),
        (header::CONTENT_DISPOSITION, format!("attachment; filename=\"{name}\"")),
        (header::CACHE_CONTROL, "private, no-store".to_owned()),
    ];
    Ok((headers, file.bytes).into_response())
}
