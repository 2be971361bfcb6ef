//! A call: an authorized request with its caller and its parameters.

use std::borrow::Cow;
use std::sync::Arc;
use std::time::Duration;

use axum::extract::{FromRequestParts, MatchedPath};
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderName, Method};
use axum::response::{IntoResponse, Response};
use panji_ids::{CompanyId, Din, Gstin, IdError, Pan};
use panji_store::calendar::ist_year;
use panji_store::ledger::Mode;
use percent_encoding::percent_decode_str;

use super::authentication::{authorize_call, authorize_internal, check_operation};
use super::query::Query;
use super::wire::IdentifierType;
use crate::api::simulation::{self, Effect, SLOW_RESPONSE_MS, effect_of};
use crate::app::{App, CachedKey};
use crate::config::operation::Operation;
use crate::http::context::{Caller, InternalCall, NestedCall, RequestContext, Via};
use crate::http::envelope::header_value;
use crate::http::error::{ApiError, ErrorCode};
use crate::telemetry::redaction::{redacted_line, redacted_target};

/// An authorized request: its key is valid, allowed to call this operation, and within its rate
/// limit.
pub struct Call {
    pub app: Arc<App>,
    pub context: Arc<RequestContext>,
    pub caller: Arc<Caller>,
    /// None for a call from inside the process.
    pub key: Option<Arc<CachedKey>>,
    pub operation: Operation,
    pub query: Query,
    pub headers: HeaderMap,
    /// No route has more than one.
    path: Option<PathValue>,
    /// Whether the call holds a permit of its own, and not the request that makes it.
    has_permit: bool,
}

/// A value in the path.
struct PathValue {
    name: &'static str,
    value: Arc<str>,
    /// Whether each % in it was followed by two hexadecimal digits.
    well_encoded: bool,
}

/// The response to a request that ends before its handler runs.
pub enum EarlyResponse {
    Refused(ApiError),
    /// A repeat under an idempotency key, with the stored first response.
    Replayed(Response),
}

impl From<ApiError> for EarlyResponse {
    fn from(error: ApiError) -> EarlyResponse {
        EarlyResponse::Refused(error)
    }
}

impl IntoResponse for EarlyResponse {
    fn into_response(self) -> Response {
        match self {
            EarlyResponse::Refused(error) => error.into_response(),
            EarlyResponse::Replayed(response) => response,
        }
    }
}

impl FromRequestParts<Arc<App>> for Call {
    type Rejection = EarlyResponse;

    async fn from_request_parts(parts: &mut Parts, app: &Arc<App>) -> Result<Call, EarlyResponse> {
        let template = parts.extensions.get::<MatchedPath>().map_or("", MatchedPath::as_str);
        let operation = Operation::at(&parts.method, template)
            .ok_or_else(|| ApiError::internal("the route has no operation"))?;
        Call::authorize(parts, app, operation).await
    }
}

impl Call {
    /// The call of a request, if it is authorized.
    pub async fn authorize(
        parts: &mut Parts,
        app: &Arc<App>,
        operation: Operation,
    ) -> Result<Call, EarlyResponse> {
        let context =
            parts.extensions.get::<Arc<RequestContext>>().cloned().ok_or_else(|| {
                ApiError::internal("the request did not pass through the middleware")
            })?;
        context.set_operation(operation);
        context.record_route(operation.path());
        let path = path_value(operation.path(), parts.uri.path());
        if let Some(named) = &path {
            context.set_subject(match redacted_line(&named.value) {
                Cow::Borrowed(_) => named.value.clone(),
                Cow::Owned(redacted) => redacted.into(),
            });
        }
        let (path_text, query_text) = (parts.uri.path(), parts.uri.query());
        context.set_target(redacted_target(parts.method.as_str(), path_text, query_text));
        let authorize_span = context.span("authorize");
        let nested = parts.extensions.get::<NestedCall>().copied();
        let (caller, key) = match parts.extensions.get::<InternalCall>() {
            Some(InternalCall(caller)) => {
                authorize_internal(app, &context, caller, operation)?;
                (caller.clone(), None)
            }
            None => {
                let key = authorize_call(app, &context, &parts.headers, operation, nested).await?;
                (key.caller.clone(), Some(key))
            }
        };
        drop(authorize_span);
        let query = Query::parse(parts.uri.query().unwrap_or_default())?;
        if let Some(text) = query.get("q") {
            context.set_subject(redacted_line(text));
        }
        query.allow_only(operation.query_parameters())?;
        // Moved rather than cloned: no later extractor reads the headers.
        let headers = std::mem::take(&mut parts.headers);
        let (app, has_permit) = (app.clone(), key.is_some() && nested.is_none());
        let call = Call { app, context, caller, key, operation, query, headers, path, has_permit };
        // Checked before the replay, so that a repeat obeys the same rules as the first call.
        call.max_credits()?;
        // A POST claims its key later, once its body is read.
        if parts.method == Method::GET {
            let address = parts.uri.path_and_query().map_or("", |address| address.as_str());
            if let Some(first) = call.claim(address.as_bytes()).await? {
                return Err(EarlyResponse::Replayed(first));
            }
        }
        Ok(call)
    }

    /// A call whose key came another way than in a header, and was authorized already.
    pub fn with_key(
        app: Arc<App>,
        context: Arc<RequestContext>,
        key: Arc<CachedKey>,
        operation: Operation,
        headers: HeaderMap,
    ) -> Result<Call, ApiError> {
        context.set_operation(operation);
        check_operation(&key, operation)?;
        let caller = key.caller.clone();
        let (query, path) = (Query::default(), None);
        let (key, has_permit) = (Some(key), true);
        let call = Call { app, context, caller, key, operation, query, headers, path, has_permit };
        call.max_credits()?;
        Ok(call)
    }

    /// The account and mode whose lists, webhooks and events a call is about.
    pub fn owner(&self) -> (&str, Mode) {
        (&self.caller.account_id, self.caller.mode)
    }

    /// An identifier in the path, unparsed.
    pub fn path_value(&self, name: &str) -> &str {
        self.path.as_ref().filter(|part| part.name == name).map_or("", |part| &part.value)
    }

    /// Refuses a value in the path with invalid percent-encoding: the intended value is unknown, so
    /// it cannot be verified.
    pub fn check_encoding(&self, name: &'static str) -> Result<(), ApiError> {
        match self.path.as_ref().is_some_and(|part| part.name == name && !part.well_encoded) {
            true => Err(ApiError::malformed_identifier(
                name,
                "each % must be followed by two hexadecimal digits",
            )),
            false => Ok(()),
        }
    }

    pub async fn company_id(&self) -> Result<CompanyId, ApiError> {
        let id = self.parse("cin", |text| CompanyId::parse_in_year(text, self.this_year()))?;
        self.simulate(|| effect_of(IdentifierType::Cin, id.as_str())).await?;
        Ok(id)
    }

    pub async fn din(&self) -> Result<Din, ApiError> {
        let din = self.parse("din", Din::parse)?;
        self.simulate(|| effect_of(IdentifierType::Din, din.as_str())).await?;
        Ok(din)
    }

    pub async fn gstin(&self) -> Result<Gstin, ApiError> {
        let gstin = self.parse("gstin", Gstin::parse)?;
        self.simulate(|| effect_of(IdentifierType::Gstin, gstin.as_str())).await?;
        Ok(gstin)
    }

    pub async fn pan(&self) -> Result<Pan, ApiError> {
        let pan = self.parse("pan", Pan::parse)?;
        self.simulate(|| effect_of(IdentifierType::Pan, pan.as_str())).await?;
        Ok(pan)
    }

    fn parse<T>(
        &self,
        name: &'static str,
        parse: impl FnOnce(&str) -> Result<T, IdError>,
    ) -> Result<T, ApiError> {
        parse(self.path_value(name)).map_err(|error| ApiError::identifier(name, &error))
    }

    /// The current year in India, the latest a CIN may contain.
    pub fn this_year(&self) -> u16 {
        ist_year(self.context.at_ms)
    }

    /// Runs the effect that some identifiers have in test mode, so that clients can test error
    /// handling. In a bulk job they have none, because the job would retry indefinitely.
    pub async fn simulate(&self, effect: impl FnOnce() -> Effect) -> Result<(), ApiError> {
        match self.caller.mode {
            Mode::Test if self.caller.via != Via::Job => self.run_effect(effect()).await,
            Mode::Test | Mode::Live => Ok(()),
        }
    }

    async fn run_effect(&self, effect: Effect) -> Result<(), ApiError> {
        match effect {
            Effect::Fail(code) => {
                let error = simulation::error(code);
                if code == ErrorCode::RateLimited {
                    self.context.exhaust_rate(error.retry_after.unwrap_or(1));
                }
                Err(error)
            }
            Effect::Wait => {
                self.context.extend_deadline_ms(SLOW_RESPONSE_MS);
                self.wait_without_permit(tokio::time::sleep(Duration::from_millis(
                    SLOW_RESPONSE_MS,
                )))
                .await;
                Ok(())
            }
            Effect::NotFound => Ok(()),
        }
    }

    /// Waits for something slow outside of this service, and releases the call's permit meanwhile.
    pub async fn wait_without_permit<T>(&self, slow: impl Future<Output = T>) -> T {
        match self.has_permit {
            true => self.app.in_flight.release_while_waiting(slow).await,
            false => slow.await,
        }
    }

    /// The value of Panji-Max-Credits: the most that this call may cost.
    pub fn max_credits(&self) -> Result<Option<i64>, ApiError> {
        const HEADER: &str = "Panji-Max-Credits";
        let mut values = self.headers.get_all(HEADER).iter();
        let Some(value) = values.next() else { return Ok(None) };
        let digits = value
            .to_str()
            .ok()
            .map(str::trim)
            .filter(|text| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit()));
        // A number beyond `i64` is more than any call costs.
        let number = digits.map(|digits| digits.parse().unwrap_or(i64::MAX));
        match number.filter(|_| values.next().is_none()) {
            Some(number) => Ok(Some(number)),
            None => Err(ApiError::parameter(
                HEADER,
                "The header Panji-Max-Credits must be one whole number of credits, 0 or more.",
            )),
        }
    }
}

/// The value in the path, with its name in the route. Invalid UTF-8 becomes replacement characters,
/// so that the identifier is reported as malformed.
fn path_value(template: &'static str, path: &str) -> Option<PathValue> {
    template.split('/').zip(path.split('/')).find_map(|(part, segment)| {
        let name = part.strip_prefix('{')?.strip_suffix('}')?;
        let value = percent_decode_str(segment).decode_utf8_lossy().into();
        Some(PathValue { name, value, well_encoded: is_well_encoded(segment) })
    })
}

/// Whether each % in a text is followed by two hexadecimal digits.
fn is_well_encoded(text: &str) -> bool {
    let is_escape = |rest: &str| {
        let digits = rest.as_bytes().get(..2);
        digits.is_some_and(|digits| digits.iter().all(u8::is_ascii_hexdigit))
    };
    text.split('%').skip(1).all(is_escape)
}

/// Adds the header with the calls left in today's free quota.
pub fn insert_free_remaining(app: &App, quota_used: i64, headers: &mut HeaderMap) {
    const NAME: HeaderName = HeaderName::from_static("panji-free-remaining");
    if let Some(value) = header_value(format_args!("{}", app.free_calls_left(quota_used))) {
        headers.insert(NAME, value);
    }
}

/// A number of credits with its unit: "1 credit", "2 credits".
pub fn in_credits(number: i64) -> String {
    format!("{number} {}", if number == 1 { "credit" } else { "credits" })
}
