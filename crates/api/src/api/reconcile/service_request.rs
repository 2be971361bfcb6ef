//! A request to the reconciliation service, authorized by the token in its path.

use std::sync::Arc;

use axum::extract::{MatchedPath, Request};
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, header};
use axum::response::{IntoResponse, Response};
use panji_store::calendar::{ist_day, ist_midnight_ms};
use panji_store::ledger::DailyLimit;
use percent_encoding::percent_decode_str;
use serde::Serialize;

use crate::api::authentication::authorize_token;
use crate::api::body::{check_content_encoding, collect, media_type};
use crate::api::call::Call;
use crate::api::charging::{ChargeableCall, to_json};
use crate::api::idempotency::idempotency_key;
use crate::api::query::Query;
use crate::app::{App, CachedKey};
use crate::config::operation::Operation;
use crate::http::context::RequestContext;
use crate::http::error::{ApiError, ApiResult, ErrorCode};

const DAY_MS: i64 = 86_400_000;
const FORM: &str = "application/x-www-form-urlencoded";

/// An authorized request with its parameters, of the query or of a form.
pub struct ServiceRequest {
    pub app: Arc<App>,
    pub parameters: Query,
    pub method: Method,
    /// The address of the service, with the token.
    pub service_url: String,
    context: Arc<RequestContext>,
    key: Arc<CachedKey>,
    headers: HeaderMap,
}

impl ServiceRequest {
    pub async fn authorize(app: Arc<App>, request: Request) -> Result<ServiceRequest, ApiError> {
        let (parts, body) = request.into_parts();
        let extensions = &parts.extensions;
        let context = extensions
            .get::<Arc<RequestContext>>()
            .cloned()
            .ok_or_else(|| ApiError::internal("the request did not pass through the middleware"))?;
        context.record_route(extensions.get::<MatchedPath>().map_or("", MatchedPath::as_str));
        let token = token_in(parts.uri.path());
        let query = Query::parse_first(parts.uri.query().unwrap_or_default());
        let has = |name| query.as_ref().is_ok_and(|query| query.get(name).is_some());
        let is_bulk = parts.method == Method::POST || has("queries") || has("extend");
        if is_bulk {
            let limits = &app.config.limits;
            // The operation, and so its time, is known only when the body is read.
            let (bulk, other) = (limits.bulk_request_seconds.get(), limits.request_seconds.get());
            context.extend_deadline_ms(bulk.saturating_sub(other) * 1_000);
        }
        let authorize_span = context.span("authorize");
        let key = authorize_token(&app, &context, &token, is_bulk).await?;
        drop(authorize_span);
        let parameters = match parts.method == Method::POST {
            true => read_form(&app, &parts.headers, body).await?,
            false => query?,
        };
        let service_url = format!("{}/reconcile/{token}", app.public_url);
        let (method, headers) = (parts.method, parts.headers);
        Ok(ServiceRequest { app, parameters, method, service_url, context, key, headers })
    }

    /// The request as a call of the operation that it corresponds to.
    pub fn into_call(self, operation: Operation) -> Result<(Call, Query), ApiError> {
        let call = Call::with_key(self.app, self.context, self.key, operation, self.headers)?;
        if idempotency_key(&call.headers)?.is_some() {
            let message =
                "The reconciliation service stores no responses: leave the Idempotency-Key out.";
            return Err(ApiError::parameter("Idempotency-Key", message));
        }
        Ok((call, self.parameters))
    }

    /// The request as a call that is free, but counts against a daily limit: it shows companies that
    /// nobody has paid for.
    pub async fn into_free_call(self) -> Result<(ChargeableCall, Query), ApiError> {
        let (call, parameters) = self.into_call(Operation::MatchCompanies)?;
        let limit = i64::from(call.app.config.limits.suggestions_per_day.get());
        let subject = format!("{} {}", call.caller.account_id, call.caller.mode.as_str());
        let now_ms = call.context.at_ms;
        let counted = call.app.ledger.count_today(DailyLimit::Suggestions, &subject, limit, now_ms);
        if !counted.await? {
            let message = format!(
                "The account has used its {limit} free suggestions and previews of today (Indian time)."
            );
            let midnight_ms = ist_midnight_ms(&ist_day(now_ms + DAY_MS));
            let seconds = (midnight_ms - now_ms) / 1_000 + 1;
            return Err(ApiError {
                retry_after: u64::try_from(seconds).ok(),
                ..ApiError::new(ErrorCode::RateLimited, message)
            });
        }
        Ok((call.check_funds_for(0).await?, parameters))
    }
}

/// The second segment of the path, decoded.
fn token_in(path: &str) -> String {
    let segment = path.split('/').nth(2).unwrap_or_default();
    percent_decode_str(segment).decode_utf8_lossy().into_owned()
}

async fn read_form(
    app: &App,
    headers: &HeaderMap,
    body: axum::body::Body,
) -> Result<Query, ApiError> {
    check_content_encoding(headers)?;
    if media_type(headers).as_deref() != Some(FORM) {
        let message = format!("Send the parameters as a form, with a Content-Type of {FORM}.");
        return Err(ApiError::new(ErrorCode::UnsupportedMediaType, message)
            .param(header::CONTENT_TYPE.as_str()));
    }
    let bytes = collect(body, app.config.limits.body_bytes.get()).await?;
    let text = std::str::from_utf8(&bytes)
        .map_err(|_| ApiError::body("body", "The form is not UTF-8: percent-encode it."))?;
    Query::parse_first(text)
}

/// Charges, and responds in the form of the interface, without the envelope.
pub async fn respond(call: &ChargeableCall, price: i64, data: &impl Serialize) -> ApiResult {
    let data = to_json(data)?;
    call.charge_for(price).await?;
    Ok(json(data))
}

/// A response that reads nothing from the register.
pub fn respond_fixed(data: &impl Serialize) -> ApiResult {
    Ok(json(to_json(data)?))
}

fn json(data: Vec<u8>) -> Response {
    let kind = HeaderValue::from_static("application/json");
    (StatusCode::OK, [(header::CONTENT_TYPE, kind)], data).into_response()
}
