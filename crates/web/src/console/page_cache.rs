//! The cache of pages: the API responses that a page displays are stored for a day, so that a reload is free
//! and more sections can be added.

use std::collections::HashMap;

use axum::http::header;
use axum::response::{IntoResponse, Response};
use futures_util::future::join_all;
use panji_api::config::operation::Operation;
use panji_api::http::encoding::encoded;
use panji_store::calendar::now_ms;
use panji_store::ledger::{ViewKey, ViewPart};
use serde::Deserialize;

use super::api_call::{ApiCalls, ApiResponse};
use super::language::{in_this_language, t};
use super::page_error::PageError;
use super::repeated::RepeatedQuery;
use super::session::SignedIn;

/// A call that a part of a page needs.
pub struct Part {
    /// Unique within the page.
    pub name: String,
    pub operation: Operation,
    /// With the query.
    pub path: String,
}

/// The stored responses of one page, for one account and mode.
pub struct CachedPage<'a> {
    signed_in: &'a SignedIn,
    subject: String,
    responses: HashMap<String, ApiResponse>,
    /// The expiry time of the response that expires first.
    pub stored_until: Option<i64>,
    /// Whether a part is missing because another request is loading it.
    pub in_progress: bool,
}

impl<'a> CachedPage<'a> {
    /// Reads the stored responses of a subject.
    pub async fn open(
        signed_in: &'a SignedIn,
        subject: String,
    ) -> Result<CachedPage<'a>, PageError> {
        let key = key(signed_in, &subject);
        let rows = signed_in.app.ledger.list_view_responses(key, now_ms()).await?;
        let successful = rows.iter().filter(|row| row.status < 400);
        let stored_until = successful.map(|row| row.expires_at).min();
        let mut responses = HashMap::new();
        for row in rows {
            let Some(operation) = Operation::ALL.iter().find(|one| one.id() == row.operation)
            else {
                continue;
            };
            let body = row.body.as_bytes();
            let mut response =
                ApiResponse::read(signed_in, *operation, row.path, row.status, body)?;
            response.address = address(&subject, &row.part, &response);
            responses.insert(row.part, response);
        }
        Ok(CachedPage { signed_in, subject, responses, stored_until, in_progress: false })
    }

    /// Whether a successful response is stored for a part.
    pub fn has_response(&self, name: &str) -> bool {
        self.responses.get(name).is_some_and(|response| !response.failed())
    }

    /// Removes and returns the response of a part.
    pub fn take(&mut self, name: &str) -> Option<ApiResponse> {
        self.responses.remove(name)
    }

    /// Requests the missing parts concurrently and stores the responses.
    pub async fn fetch(&mut self, calls: &ApiCalls, parts: Vec<Part>) -> Result<(), PageError> {
        let claimed = self.claim(parts).await?;
        if claimed.is_empty() {
            return Ok(());
        }
        let signed_in = self.signed_in;
        let requests = claimed.into_iter().map(|part| async move {
            let response = calls.get(signed_in, part.operation, part.path).await;
            (part.name, response)
        });
        let (mut fetched, mut failure) = (Vec::new(), None);
        for (name, response) in join_all(requests).await {
            match response {
                Ok(mut response) => {
                    response.address = address(&self.subject, &name, &response);
                    fetched.push((name, response));
                }
                Err(error) => failure = Some(error),
            }
        }
        let rows: Vec<(&str, u16, &str)> = fetched
            .iter()
            .map(|(name, response)| (name.as_str(), response.status, response.json.as_str()))
            .collect();
        let key = key(signed_in, &self.subject);
        let expires_at = signed_in.app.ledger.store_view_responses(key, &rows, now_ms()).await?;
        if fetched.iter().any(|(_, response)| !response.failed()) {
            self.stored_until.get_or_insert(expires_at);
        }
        self.responses.extend(fetched);
        failure.map_or(Ok(()), Err)
    }

    /// Claims the missing parts that no other request is loading.
    async fn claim(&mut self, parts: Vec<Part>) -> Result<Vec<Part>, PageError> {
        let mut claimed = Vec::new();
        for part in parts {
            if self.has_response(&part.name) {
                continue;
            }
            let row =
                ViewPart { part: &part.name, operation: part.operation.id(), path: &part.path };
            let key = key(self.signed_in, &self.subject);
            match self.signed_in.app.ledger.claim_view_part(key, row, now_ms()).await? {
                true => claimed.push(part),
                false => self.in_progress = true,
            }
        }
        Ok(claimed)
    }
}

/// Bodies of more bytes are not part of the page: it stays small, and few people read them.
const MAX_INLINE_BYTES: usize = 2_000;

/// The address of a stored body; none if it is short.
fn address(subject: &str, part: &str, response: &ApiResponse) -> Option<String> {
    let (subject, part) = (encoded(subject), encoded(part));
    (response.json.len() > MAX_INLINE_BYTES)
        .then(|| format!("/console/responses?subject={subject}&part={part}"))
}

/// A stored response.
#[derive(Deserialize)]
pub struct StoredPart {
    subject: String,
    part: String,
}

/// The body of a stored response, as the API sent it.
pub async fn show_response(
    signed_in: SignedIn,
    RepeatedQuery(stored): RepeatedQuery<StoredPart>,
) -> Result<Response, PageError> {
    let mut cached = CachedPage::open(&signed_in, stored.subject).await?;
    let Some(response) = cached.take(&stored.part) else {
        return Err(PageError::not_found(t("This response is no longer stored.")));
    };
    let headers =
        [(header::CONTENT_TYPE, "application/json"), (header::CACHE_CONTROL, "private, no-store")];
    Ok((headers, response.json).into_response())
}

/// Runs charged calls to completion. A request is dropped when the browser disconnects, for example
/// after a second click, and responses that were already charged would not be stored.
pub async fn run_to_completion<T: Send + 'static>(
    work: impl Future<Output = Result<T, PageError>> + Send + 'static,
) -> Result<T, PageError> {
    let done = tokio::spawn(in_this_language(work)).await;
    done.map_err(|error| PageError::internal(error.to_string()))?
}

fn key<'a>(signed_in: &'a SignedIn, subject: &'a str) -> ViewKey<'a> {
    ViewKey { account_id: signed_in.account_id(), mode: signed_in.mode(), subject }
}
