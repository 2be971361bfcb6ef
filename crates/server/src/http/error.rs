//! Every error of the API: one table of codes, one shape.

use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use panji_ids::IdError;
use panji_search::SearchError;
use panji_store::StoreError;
use panji_store::ledger::ChargeError;

macro_rules! error_codes {
    ($( $name:ident = $word:literal, $status:ident, $meaning:literal; )*) => {
        /// A code of the contract's table; stable, for programs.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum ErrorCode {
            $( $name, )*
        }

        impl ErrorCode {
            /// The whole table.
            pub const ALL: &'static [ErrorCode] = &[$( ErrorCode::$name, )*];

            /// The code as it is sent.
            pub fn as_str(self) -> &'static str {
                match self { $( ErrorCode::$name => $word, )* }
            }

            /// The HTTP statuses of all of them.
            pub fn statuses() -> Vec<u16> {
                ErrorCode::ALL.iter().map(|code| code.status().as_u16()).collect()
            }

            /// The HTTP status it is sent with.
            pub fn status(self) -> StatusCode {
                match self { $( ErrorCode::$name => StatusCode::$status, )* }
            }

            /// When it happens, in a sentence for the docs.
            pub fn meaning(self) -> &'static str {
                match self { $( ErrorCode::$name => $meaning, )* }
            }
        }
    };
}

error_codes! {
    InvalidIdentifier = "invalid_identifier", BAD_REQUEST,
        "A CIN, DIN, GSTIN or PAN in the path is malformed. The message names the character and the reason. The verify endpoints answer 200 with the verdict instead.";
    InvalidParameter = "invalid_parameter", BAD_REQUEST,
        "A query parameter or header is missing, malformed, unknown, repeated or out of range, the path or header block is too long, or the request is not well-formed HTTP.";
    InvalidBody = "invalid_body", BAD_REQUEST,
        "The body is not JSON, or a field is missing, unknown or of the wrong type.";
    BatchTooLarge = "batch_too_large", BAD_REQUEST,
        "A bulk request has more items than one call takes. Split it.";
    BatchEmpty = "batch_empty", BAD_REQUEST,
        "A bulk request has no items.";
    MissingApiKey = "missing_api_key", UNAUTHORIZED,
        "The request has no Authorization header.";
    InvalidApiKey = "invalid_api_key", UNAUTHORIZED,
        "The key is mistyped, cut or unknown, or the Authorization header does not hold one.";
    RevokedApiKey = "revoked_api_key", UNAUTHORIZED,
        "The key was revoked. Use another one.";
    ExpiredApiKey = "expired_api_key", UNAUTHORIZED,
        "The key's time is over. Create or roll a key.";
    InsufficientCredits = "insufficient_credits", PAYMENT_REQUIRED,
        "The balance does not cover the call. Nothing was charged and no data is given.";
    MaxCreditsExceeded = "max_credits_exceeded", PAYMENT_REQUIRED,
        "The call costs more than its Panji-Max-Credits header allows. Nothing was charged.";
    SpendCapReached = "spend_cap_reached", PAYMENT_REQUIRED,
        "The key's monthly cap is used up. Nothing was charged.";
    LiveKeyInBrowser = "live_key_in_browser", FORBIDDEN,
        "A live key arrived from a browser page, where anyone could read it. Call from a server, or use a test key.";
    IpNotAllowed = "ip_not_allowed", FORBIDDEN,
        "The key may not be used from this address.";
    EndpointNotAllowed = "endpoint_not_allowed", FORBIDDEN,
        "The key may not call this operation.";
    AccountSuspended = "account_suspended", FORBIDDEN,
        "The account is suspended. Ask the operator of this service.";
    CompanyNotFound = "company_not_found", NOT_FOUND,
        "The number is well-formed, but no such company is held.";
    DirectorNotFound = "director_not_found", NOT_FOUND,
        "The DIN is well-formed, but no such director is held.";
    GstinNotFound = "gstin_not_found", NOT_FOUND,
        "The GSTIN is well-formed, but no such registration is held.";
    RouteNotFound = "route_not_found", NOT_FOUND,
        "There is no such path.";
    MethodNotAllowed = "method_not_allowed", METHOD_NOT_ALLOWED,
        "The path does not take this method. The Allow header names those it takes.";
    IdempotencyInProgress = "idempotency_in_progress", CONFLICT,
        "The first call with this Idempotency-Key is still running. Try again in a moment.";
    IdempotencyMismatch = "idempotency_mismatch", UNPROCESSABLE_ENTITY,
        "This Idempotency-Key was used with another request. Use a new one.";
    BodyTooLarge = "body_too_large", PAYLOAD_TOO_LARGE,
        "The body is larger than one request may be.";
    UnsupportedMediaType = "unsupported_media_type", UNSUPPORTED_MEDIA_TYPE,
        "The body must be sent as application/json.";
    RateLimited = "rate_limited", TOO_MANY_REQUESTS,
        "Too many requests. Wait as long as Retry-After says.";
    InternalError = "internal_error", INTERNAL_SERVER_ERROR,
        "A fault of ours. Nothing was charged; the log has it under the request id.";
    Overloaded = "overloaded", SERVICE_UNAVAILABLE,
        "Too much to do at this moment. Nothing was charged. Wait as long as Retry-After says.";
    Unavailable = "unavailable", SERVICE_UNAVAILABLE,
        "A part of the service is down, or the request took too long. Nothing was charged. Wait as long as Retry-After says.";
}

impl ErrorCode {
    /// Whether it says that a well-formed identifier is not in the register.
    pub fn reveals_existence(self) -> bool {
        use ErrorCode as E;
        matches!(self, E::CompanyNotFound | E::DirectorNotFound | E::GstinNotFound)
    }
}

/// An error on its way to the caller. It is rendered and logged in one place, at the edge.
#[derive(Clone, Debug)]
pub struct ApiError {
    /// The code.
    pub code: ErrorCode,
    /// What was wrong and what to do, for a person.
    pub message: String,
    /// The path, query, header or body field at fault.
    pub param: Option<String>,
    /// Seconds until a retry makes sense.
    pub retry_after: Option<u64>,
    /// The methods a path takes.
    pub allow: Option<&'static str>,
    /// What happened inside; for the log only.
    pub cause: Option<String>,
}

/// What a handler gives.
pub type Answer = Result<Response, ApiError>;

impl ApiError {
    /// An error with its sentence.
    pub fn new(code: ErrorCode, message: impl Into<String>) -> ApiError {
        let waits = matches!(code.status().as_u16(), 429 | 503);
        ApiError {
            code,
            message: message.into(),
            param: None,
            retry_after: waits.then_some(1),
            allow: None,
            cause: None,
        }
    }

    /// An error that says just what its code means.
    pub fn plain(code: ErrorCode) -> ApiError {
        ApiError::new(code, code.meaning())
    }

    /// Names the field at fault.
    pub fn param(mut self, param: impl Into<String>) -> ApiError {
        self.param = Some(param.into());
        self
    }

    /// A malformed identifier in the path.
    pub fn identifier(param: &'static str, error: &IdError) -> ApiError {
        let kind = param.to_uppercase();
        let message = format!("The {kind} in the path is malformed: {error}.");
        ApiError::new(ErrorCode::InvalidIdentifier, message).param(param)
    }

    /// A query parameter or header at fault.
    pub fn parameter(param: impl Into<String>, message: impl Into<String>) -> ApiError {
        ApiError::new(ErrorCode::InvalidParameter, message).param(param)
    }

    /// A field of the body at fault.
    pub fn body(param: impl Into<String>, message: impl Into<String>) -> ApiError {
        ApiError::new(ErrorCode::InvalidBody, message).param(param)
    }

    /// A fault of ours, with what the log should say.
    pub fn internal(cause: impl Into<String>) -> ApiError {
        ApiError { cause: Some(cause.into()), ..ApiError::plain(ErrorCode::InternalError) }
    }

    fn unavailable(cause: String) -> ApiError {
        ApiError { cause: Some(cause), ..ApiError::plain(ErrorCode::Unavailable) }
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

impl From<ChargeError> for ApiError {
    fn from(error: ChargeError) -> ApiError {
        match error {
            ChargeError::Overloaded => ApiError::plain(ErrorCode::Overloaded),
            ChargeError::Store(error) => error.into(),
        }
    }
}

impl From<SearchError> for ApiError {
    fn from(error: SearchError) -> ApiError {
        ApiError::unavailable(error.to_string())
    }
}

impl IntoResponse for ApiError {
    // The edge, which knows the request, takes the error out again and renders it.
    fn into_response(self) -> Response {
        let mut response = self.code.status().into_response();
        response.extensions_mut().insert(self);
        response
    }
}
