//! Idempotency keys: a repeat of a call gets the first response again, without a second charge. The
//! response is stored in the same commit as the charge. The middleware releases the key of a failed
//! call.

use std::time::Duration;

use axum::http::{HeaderMap, HeaderName, HeaderValue};
use axum::response::Response;
use base64::Engine;
use base64::engine::general_purpose::STANDARD as BASE64;
use panji_store::ledger::{FirstResponse, IdempotencyClaim};
use sha2::{Digest, Sha256};

use super::call::{Call, insert_free_remaining};
use crate::app::App;
use crate::config::operation::{Operation, Tariff};
use crate::http::context::{RequestContext, Via};
use crate::http::envelope::{self, EnvelopeData};
use crate::http::error::{ApiError, ErrorCode};

/// In bytes.
const MAX_IDEMPOTENCY_KEY: usize = 255;
/// How long a failed call waits for the release of its key.
const RELEASE_TIME: Duration = Duration::from_secs(1);
const HEADER: &str = "Idempotency-Key";

/// A header of the response, in addition to those that the middleware adds.
pub type ResponseHeader = (HeaderName, HeaderValue);

impl Call {
    /// As `claim`, for a call about the object whose id is in the path: id and body must be the same in a repeat.
    pub async fn claim_at_id(&self, body: &[u8]) -> Result<Option<Response>, ApiError> {
        self.claim(&[self.path_value("id").as_bytes(), b"\n", body].concat()).await
    }

    /// Claims the caller's idempotency key for this call, if it sent one. Returns the first response
    /// if this is a repeat. `content` must be the same in a repeat: the path and query of a GET,
    /// the body of a POST.
    pub async fn claim(&self, content: &[u8]) -> Result<Option<Response>, ApiError> {
        let Some(key) = idempotency_key(&self.headers)? else { return Ok(None) };
        Box::pin(self.claim_key(key, content)).await
    }

    async fn claim_key(&self, key: String, content: &[u8]) -> Result<Option<Response>, ApiError> {
        let fingerprint = fingerprint(self.operation, content);
        let claim = self.app.ledger.claim_idempotency_key(
            (&*self.caller.account_id, self.caller.mode),
            (&key, self.caller.via == Via::Job),
            &fingerprint,
            &self.context.request_id,
            self.context.at_ms,
        );
        match claim.await? {
            IdempotencyClaim::First => {
                self.context.set_claimed_key(key);
                Ok(None)
            }
            IdempotencyClaim::Replay(first) => self.replay(&first).await.map(Some),
            IdempotencyClaim::InProgress => {
                Err(ApiError::from_code(ErrorCode::IdempotencyInProgress).param(HEADER))
            }
            IdempotencyClaim::Mismatch => {
                Err(ApiError::from_code(ErrorCode::IdempotencyMismatch).param(HEADER))
            }
        }
    }

    async fn replay(&self, first: &FirstResponse) -> Result<Response, ApiError> {
        let (charged, remaining) = (first.credits_charged, first.credits_remaining);
        let mut response = match self.operation.file_type() {
            Some(media_type) => {
                let bytes = BASE64.decode(&first.data);
                let bytes = bytes.map_err(|error| ApiError::internal(error.to_string()))?;
                envelope::file(charged, remaining, media_type, bytes)
            }
            None => {
                let data = EnvelopeData::from_json(&first.data);
                envelope::success(&first.request_id, charged, remaining, data)
            }
        };
        for (name, value) in from_lines(&first.headers) {
            response.headers_mut().insert(name, value);
        }
        response.headers_mut().insert("idempotent-replayed", HeaderValue::from_static("true"));
        if self.operation.tariff() == Tariff::FreeQuota {
            let snapshot = self.find_balance().await?;
            insert_free_remaining(&self.app, snapshot.quota_used, response.headers_mut());
        }
        Ok(response)
    }
}

/// Releases the idempotency key of a failed call, so that the caller can retry with it. If the
/// ledger does not respond, the claim expires by itself.
pub async fn release(app: &App, context: &RequestContext) {
    if let (Some(key), Some(caller)) = (context.claimed_key(), context.caller()) {
        let owner = (&*caller.account_id, caller.mode);
        let released = app.ledger.release_idempotency_key(owner, key, &context.request_id);
        let _ = tokio::time::timeout(RELEASE_TIME, released).await;
    }
}

pub fn idempotency_key(headers: &HeaderMap) -> Result<Option<String>, ApiError> {
    let mut values = headers.get_all(HEADER).iter();
    let Some(value) = values.next() else { return Ok(None) };
    let text = value.to_str().ok().filter(|text| {
        (1..=MAX_IDEMPOTENCY_KEY).contains(&text.len())
            && text.bytes().all(|byte| byte.is_ascii_graphic() || byte == b' ')
    });
    match text.filter(|_| values.next().is_none()) {
        Some(text) => Ok(Some(text.to_owned())),
        None => {
            let message = format!(
                "The header Idempotency-Key must be given once, with 1 to {MAX_IDEMPOTENCY_KEY} \
                 printable ASCII characters."
            );
            Err(ApiError::parameter(HEADER, message))
        }
    }
}

/// Identifies a request: a repeat must have the same fingerprint as the first call.
fn fingerprint(operation: Operation, content: &[u8]) -> String {
    let digest =
        Sha256::new().chain_update(operation.id()).chain_update(b"\n").chain_update(content);
    digest.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Headers in their stored form: one "name: value" per line.
pub fn to_lines(headers: &[ResponseHeader]) -> String {
    headers
        .iter()
        .filter_map(|(name, value)| Some(format!("{name}: {}\n", value.to_str().ok()?)))
        .collect()
}

fn from_lines(lines: &str) -> impl Iterator<Item = ResponseHeader> {
    lines.lines().filter_map(|line| {
        let (name, value) = line.split_once(": ")?;
        Some((name.parse().ok()?, HeaderValue::from_str(value).ok()?))
    })
}
