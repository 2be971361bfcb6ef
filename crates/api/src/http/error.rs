//! The errors of the API: one table of codes, one type.

use std::num::NonZeroI64;

use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use panji_ids::IdError;
use panji_search::SearchError;
use panji_store::StoreError;
use panji_store::ledger::DebitError;

macro_rules! error_codes {
    ($( $name:ident = $word:literal, $status:ident, $meaning:literal; )*) => {
        /// An error code of the contract; stable, so programs can rely on it.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum ErrorCode {
            $( $name, )*
        }

        impl ErrorCode {
            pub const ALL: &'static [ErrorCode] = &[$( ErrorCode::$name, )*];

            pub fn as_str(self) -> &'static str {
                match self { $( ErrorCode::$name => $word, )* }
            }

            /// The HTTP statuses of all codes.
            pub fn statuses() -> Vec<u16> {
                ErrorCode::ALL.iter().map(|code| code.status().as_u16()).collect()
            }

            pub fn status(self) -> StatusCode {
                match self { $( ErrorCode::$name => StatusCode::$status, )* }
            }

            /// When the error occurs, in a sentence for the documentation.
            pub fn meaning(self) -> &'static str {
                match self { $( ErrorCode::$name => $meaning, )* }
            }
        }
    };
}

error_codes! {
    InvalidIdentifier = "invalid_identifier", BAD_REQUEST,
        "An identifier in the path is malformed. The message names the character and the reason. The verify endpoints return 200 with the verdict instead, unless the percent-encoding of the path is malformed.";
    InvalidParameter = "invalid_parameter", BAD_REQUEST,
        "A query parameter or header is missing, malformed, unknown, repeated or out of range, the path or header block is too long, or the request is not well-formed HTTP.";
    InvalidBody = "invalid_body", BAD_REQUEST,
        "The body is not JSON, or a field is missing, unknown or of the wrong type.";
    BatchTooLarge = "batch_too_large", BAD_REQUEST,
        "A bulk request has more items than one call accepts. Split it.";
    BatchEmpty = "batch_empty", BAD_REQUEST,
        "A bulk request has no items.";
    MissingApiKey = "missing_api_key", UNAUTHORIZED,
        "The request has no Authorization header.";
    InvalidApiKey = "invalid_api_key", UNAUTHORIZED,
        "The key is mistyped, incomplete or unknown, or the Authorization header does not contain one.";
    RevokedApiKey = "revoked_api_key", UNAUTHORIZED,
        "The key was revoked. Use another one.";
    ExpiredApiKey = "expired_api_key", UNAUTHORIZED,
        "The key has expired. Create or roll a key.";
    InsufficientCredits = "insufficient_credits", PAYMENT_REQUIRED,
        "The balance does not cover the call. Nothing was charged and no data is given.";
    MaxCreditsExceeded = "max_credits_exceeded", PAYMENT_REQUIRED,
        "The call costs more than its Panji-Max-Credits header allows. Nothing was charged.";
    SpendCapReached = "spend_cap_reached", PAYMENT_REQUIRED,
        "The key's monthly cap is used up. Nothing was charged.";
    LiveKeyInBrowser = "live_key_in_browser", FORBIDDEN,
        "A live key was sent from a browser page, where anyone could read it. Call from a server, \
         or use a test key.";
    IpNotAllowed = "ip_not_allowed", FORBIDDEN,
        "The key may not be used from this address.";
    EndpointNotAllowed = "endpoint_not_allowed", FORBIDDEN,
        "The key may not call this operation.";
    AccountSuspended = "account_suspended", FORBIDDEN,
        "The account is suspended. Ask the operator of this service.";
    CompanyNotFound = "company_not_found", NOT_FOUND,
        "The number is well-formed, but no such company is in the register.";
    DirectorNotFound = "director_not_found", NOT_FOUND,
        "The DIN is well-formed, but no such director is in the register.";
    GstinNotFound = "gstin_not_found", NOT_FOUND,
        "The GSTIN is well-formed, but no such registration is in the register.";
    NotRecordedThen = "not_recorded_then", NOT_FOUND,
        "The register has the record now, but did not have it on the day of as_of.";
    HistoryNotKept = "history_not_kept", GONE,
        "The changes since the day of as_of are no longer stored, or were made before changes were stored with their values.";
    RequestNotFound = "request_not_found", NOT_FOUND,
        "No request of this account and mode has this id, or it is older than usage is kept.";
    RouteNotFound = "route_not_found", NOT_FOUND,
        "There is no such path.";
    JobNotFound = "job_not_found", NOT_FOUND,
        "The account has no such job in the mode of the key, or it was deleted after its time.";
    JobConflict = "job_conflict", CONFLICT,
        "The job has ended and cannot be approved or cancelled any more, or the account has too many jobs that have not ended.";
    WatchlistNotFound = "watchlist_not_found", NOT_FOUND,
        "The account has no such watch list in the mode of the key.";
    WatchlistLimit = "watchlist_limit", CONFLICT,
        "The account has as many watch lists, or the list as many members, as this service allows. Nothing was changed.";
    CursorExpired = "cursor_expired", GONE,
        "Events after this number were deleted because of their age. `oldest` in the error is the number of the oldest event that is kept: set `after` to one less than it, or leave `after` out.";
    WebhookNotFound = "webhook_not_found", NOT_FOUND,
        "The account has no such webhook in the mode of the key.";
    WebhookLimit = "webhook_limit", CONFLICT,
        "The account has as many webhooks as this service allows. Nothing was changed.";
    MethodNotAllowed = "method_not_allowed", METHOD_NOT_ALLOWED,
        "The path does not support this method. The Allow header lists the methods it supports.";
    NotAcceptable = "not_acceptable", NOT_ACCEPTABLE,
        "The Accept header excludes the media type of the response: the report is application/pdf. Nothing was charged.";
    IdempotencyInProgress = "idempotency_in_progress", CONFLICT,
        "The first call with this Idempotency-Key is still running. Try again in a moment.";
    IdempotencyMismatch = "idempotency_mismatch", UNPROCESSABLE_ENTITY,
        "This Idempotency-Key was used with another request. Use a new one.";
    BodyTooLarge = "body_too_large", PAYLOAD_TOO_LARGE,
        "The body is larger than one request may be.";
    UnsupportedMediaType = "unsupported_media_type", UNSUPPORTED_MEDIA_TYPE,
        "The body must be sent as application/json.";
    RateLimited = "rate_limited", TOO_MANY_REQUESTS,
        "Too many requests. Wait for the number of seconds in the Retry-After header.";
    InternalError = "internal_error", INTERNAL_SERVER_ERROR,
        "An internal error. Nothing was charged; the log has the cause under the request id.";
    Overloaded = "overloaded", SERVICE_UNAVAILABLE,
        "The service is overloaded. Nothing was charged. Wait for the number of seconds in the \
         Retry-After header.";
    Unavailable = "unavailable", SERVICE_UNAVAILABLE,
        "Part of the service is unavailable, or the request took too long. Nothing was charged. \
         Wait for the number of seconds in the Retry-After header.";
}

impl ErrorCode {
    /// Whether the code says that a well-formed identifier is not in the register.
    pub fn reveals_existence(self) -> bool {
        use ErrorCode as E;
        matches!(
            self,
            E::CompanyNotFound | E::DirectorNotFound | E::GstinNotFound | E::NotRecordedThen
        )
    }
}

/// An error for the caller. The middleware renders and logs it.
#[derive(Clone, Debug)]
pub struct ApiError {
    pub code: ErrorCode,
    /// What is wrong and what to do, for a person.
    pub message: String,
    /// The path, query, header or body field that is wrong.
    pub param: Option<String>,
    pub retry_after: Option<u64>,
    /// The value of the Allow header.
    pub allow: Option<&'static str>,
    /// The internal cause; for the log only.
    pub cause: Option<String>,
    /// The number of the oldest event that can be read.
    pub oldest: Option<NonZeroI64>,
}

/// The result of a handler.
pub type ApiResult = Result<Response, ApiError>;

impl ApiError {
    pub fn new(code: ErrorCode, message: impl Into<String>) -> ApiError {
        let retryable = matches!(code.status().as_u16(), 429 | 503);
        ApiError {
            code,
            message: message.into(),
            param: None,
            retry_after: retryable.then_some(1),
            allow: None,
            cause: None,
            oldest: None,
        }
    }

    /// An error whose message is the meaning of its code.
    pub fn from_code(code: ErrorCode) -> ApiError {
        ApiError::new(code, code.meaning())
    }

    /// Names the wrong field.
    pub fn param(mut self, param: impl Into<String>) -> ApiError {
        self.param = Some(param.into());
        self
    }

    pub fn identifier(param: &'static str, error: &IdError) -> ApiError {
        ApiError::malformed_identifier(param, &error.to_string())
    }

    /// A malformed identifier in the path, with the reason.
    pub fn malformed_identifier(param: &'static str, error: &str) -> ApiError {
        let kind = param.to_uppercase();
        let message = format!("The {kind} in the path is malformed: {error}.");
        ApiError::new(ErrorCode::InvalidIdentifier, message).param(param)
    }

    /// A wrong query parameter or header.
    pub fn parameter(param: impl Into<String>, message: impl Into<String>) -> ApiError {
        ApiError::new(ErrorCode::InvalidParameter, message).param(param)
    }

    /// A wrong field of the body.
    pub fn body(param: impl Into<String>, message: impl Into<String>) -> ApiError {
        ApiError::new(ErrorCode::InvalidBody, message).param(param)
    }

    /// An internal error, with its cause for the log.
    pub fn internal(cause: impl Into<String>) -> ApiError {
        ApiError { cause: Some(cause.into()), ..ApiError::from_code(ErrorCode::InternalError) }
    }

    fn unavailable(cause: String) -> ApiError {
        ApiError { cause: Some(cause), ..ApiError::from_code(ErrorCode::Unavailable) }
    }
}

impl From<StoreError> for ApiError {
    fn from(error: StoreError) -> ApiError {
        match error {
            StoreError::Unavailable(_) | StoreError::Undecided(_) => {
                ApiError::unavailable(error.to_string())
            }
            StoreError::Conflict(_) | StoreError::Bug(_) => ApiError::internal(error.to_string()),
        }
    }
}

impl From<DebitError> for ApiError {
    fn from(error: DebitError) -> ApiError {
        match error {
            DebitError::Overloaded => ApiError::from_code(ErrorCode::Overloaded),
            DebitError::Store(error) => error.into(),
        }
    }
}

impl From<SearchError> for ApiError {
    fn from(error: SearchError) -> ApiError {
        ApiError::unavailable(error.to_string())
    }
}

impl IntoResponse for ApiError {
    // The middleware, which knows the request, takes the error out of the extensions and renders
    // it.
    fn into_response(self) -> Response {
        let mut response = self.code.status().into_response();
        response.extensions_mut().insert(self);
        response
    }
}
