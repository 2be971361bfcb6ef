//! The error pages of the console.

use askama::Template;
use axum::http::header::{CONTENT_TYPE, RETRY_AFTER};
use axum::http::{HeaderValue, StatusCode};
use axum::response::{IntoResponse, Redirect, Response};
use panji_api::accounts::passwords::PasswordError;
use panji_api::http::error::ApiError;
use panji_api::telemetry::redaction::redact;
use panji_store::StoreError;

use super::language::{amounts, filters, in_hindi, sentence, t, t_with};
use super::layout::{Layout, respond};
use super::redirects::log_in_path;

/// Why a page cannot be shown.
#[derive(Debug)]
pub enum PageError {
    /// The user must log in first.
    LogIn {
        /// The redirect target after the log-in.
        next: String,
    },
    /// An error page.
    Page {
        status: StatusCode,
        title: &'static str,
        /// What happened, and what the user can do.
        sentence: String,
        /// The internal cause; it is only logged.
        cause: Option<String>,
        /// In seconds.
        retry_after: Option<u64>,
    },
}

impl PageError {
    fn page(status: StatusCode, title: &'static str, sentence: impl Into<String>) -> PageError {
        PageError::Page { status, title, sentence: sentence.into(), cause: None, retry_after: None }
    }

    /// `cause` is logged and not sent to the user.
    pub fn internal(cause: impl Into<String>) -> PageError {
        PageError::Page {
            status: StatusCode::INTERNAL_SERVER_ERROR,
            title: t("Something went wrong"),
            sentence: t("An internal error occurred and was logged. Please try again.").into(),
            cause: Some(cause.into()),
            retry_after: None,
        }
    }

    /// A call of the API that failed with this sentence.
    pub fn failed_call(status: StatusCode, sentence: impl Into<String>) -> PageError {
        PageError::page(status, t("The request failed"), sentence)
    }

    pub fn overloaded() -> PageError {
        let sentence = t("The service is busy. Please try again in a few seconds.");
        PageError::page(StatusCode::SERVICE_UNAVAILABLE, t("Service busy"), sentence)
    }

    /// Something that does not exist, or that the user may not see.
    pub fn not_found(what: &str) -> PageError {
        PageError::page(
            StatusCode::NOT_FOUND,
            t("Not found"),
            t_with("{0} It may have been deleted.", &[&what]),
        )
    }

    pub fn not_allowed(role: &str) -> PageError {
        let sentence = t_with(
            "Your role in this account is {0}, which does not allow this. Ask an account owner.",
            &[&role],
        );
        PageError::page(StatusCode::FORBIDDEN, t("Not allowed"), sentence)
    }

    /// A form that was not sent from a page of the session.
    pub fn csrf_failed() -> PageError {
        let sentence =
            t("The form was not sent from a page of this session, so nothing was changed. \
                        Go back, reload the page and try again.");
        PageError::page(StatusCode::FORBIDDEN, t("Form rejected"), sentence)
    }

    /// A form that cannot be parsed. `reason` has no full stop.
    pub fn bad_form(reason: impl std::fmt::Display) -> PageError {
        let reason = reason.to_string();
        let reason = reason.trim_end_matches(['.', '।']);
        let stop = if in_hindi() { "।" } else { "." };
        PageError::page(StatusCode::BAD_REQUEST, t("Invalid form"), format!("{reason}{stop}"))
    }

    /// Something that is not possible now. The sentence says why.
    pub fn conflict(sentence: impl Into<String>) -> PageError {
        PageError::page(StatusCode::CONFLICT, t("Not possible"), sentence)
    }

    /// A payment with an invalid signature.
    pub fn unverified_payment() -> PageError {
        let sentence =
            t("The payment could not be verified, so no credits were added. If you were \
                        charged, the credits are added automatically as soon as the payment \
                        provider confirms the payment.");
        PageError::page(StatusCode::BAD_REQUEST, t("Payment not verified"), sentence)
    }

    pub fn too_large(max_bytes: usize) -> PageError {
        let sentence = match max_bytes / (1024 * 1024) {
            0 => t_with("A field can have at most {0} bytes.", &[&max_bytes]),
            megabytes => t_with(
                "A file can have at most {0} MB. Split it into smaller files.",
                &[&megabytes],
            ),
        };
        PageError::page(StatusCode::PAYLOAD_TOO_LARGE, t("Too large"), sentence)
    }

    pub fn too_many(seconds: u64) -> PageError {
        let wait = amounts::counted(seconds.cast_signed(), "second", "seconds");
        let sentence = t_with("Too many attempts. Please try again in {0}.", &[&wait]);
        PageError::Page {
            status: StatusCode::TOO_MANY_REQUESTS,
            title: t("Too many attempts"),
            sentence,
            cause: None,
            retry_after: Some(seconds),
        }
    }

    /// The daily limit of new accounts is reached.
    pub fn too_many_today() -> PageError {
        let sentence =
            t("Too many accounts were created from your network today. Please try again \
                        tomorrow, or ask the operator of this service for an account.");
        PageError::page(StatusCode::TOO_MANY_REQUESTS, t("Daily limit reached"), sentence)
    }

    /// A link that was used, has expired or never existed.
    pub fn invalid_link() -> PageError {
        let sentence =
            t("This link was already used, has expired, or is incomplete. Request a new one.");
        PageError::page(StatusCode::NOT_FOUND, t("This link does not work"), sentence)
    }

    /// A log-in that is not permitted. The sentence says why.
    pub fn refused_log_in(sentence: impl Into<String>) -> PageError {
        PageError::page(StatusCode::FORBIDDEN, t("You cannot log in"), sentence)
    }

    /// The identity provider gave no response that can be used; `cause` is logged.
    pub fn failed_sso(status: StatusCode, sentence: String, cause: String) -> PageError {
        PageError::Page {
            status,
            title: t("Log-in failed"),
            sentence,
            cause: Some(cause),
            retry_after: None,
        }
    }

    /// A function that is disabled on this service.
    pub fn switched_off(sentence: &str) -> PageError {
        PageError::page(StatusCode::FORBIDDEN, t("Not available"), sentence)
    }
}

impl From<PasswordError> for PageError {
    fn from(error: PasswordError) -> PageError {
        match error {
            PasswordError::Busy => PageError::overloaded(),
            PasswordError::Weak(advice) => PageError::bad_form(sentence(&advice)),
            PasswordError::Failed(_) => PageError::internal(error.to_string()),
        }
    }
}

impl From<StoreError> for PageError {
    fn from(error: StoreError) -> PageError {
        match error {
            StoreError::Unavailable(_) | StoreError::Undecided(_) => PageError::Page {
                status: StatusCode::SERVICE_UNAVAILABLE,
                title: t("Temporarily unavailable"),
                sentence: t("Part of this service is unavailable. Please try again in a minute.")
                    .into(),
                cause: Some(error.to_string()),
                retry_after: None,
            },
            StoreError::Conflict(_) | StoreError::Bug(_) => PageError::internal(error.to_string()),
        }
    }
}

#[derive(Template)]
#[template(path = "error.html")]
struct ErrorTemplate {
    layout: Layout,
    sentence: String,
}

impl IntoResponse for PageError {
    fn into_response(self) -> Response {
        match self {
            PageError::LogIn { next } => Redirect::to(&log_in_path(&next)).into_response(),
            PageError::Page { status, title, sentence, cause, retry_after } => {
                if let Some(cause) = cause {
                    tracing::warn!(cause = redact(&cause), "a page could not be created");
                }
                let page = ErrorPage { status, title, sentence, retry_after };
                let mut response = page.response(Layout::without_menu(title));
                response.extensions_mut().insert(page);
                response
            }
        }
    }
}

/// The content of an error page. It is attached to the response, so that the middleware can render
/// it with the menu for a signed-in user.
#[derive(Clone)]
pub struct ErrorPage {
    status: StatusCode,
    pub title: &'static str,
    sentence: String,
    retry_after: Option<u64>,
}

impl ErrorPage {
    pub fn response(&self, layout: Layout) -> Response {
        let mut response = respond(&ErrorTemplate { layout, sentence: self.sentence.clone() });
        *response.status_mut() = self.status;
        if let Some(seconds) = self.retry_after {
            response.headers_mut().insert(RETRY_AFTER, seconds.into());
        }
        response
    }
}

/// Replaces an error response that is neither HTML nor JSON, such as those of the framework, by an
/// error page.
pub async fn replace_by_error_page(response: Response) -> Response {
    let status = response.status();
    let failed = status.is_client_error() || status.is_server_error();
    if !failed || response.extensions().get::<ApiError>().is_some() {
        return response;
    }
    let kind = response.headers().get(CONTENT_TYPE).map(HeaderValue::as_bytes).unwrap_or_default();
    if kind.starts_with(b"text/html") || kind.starts_with(b"application/json") {
        return response;
    }
    let error = match status {
        StatusCode::NOT_FOUND => PageError::not_found(t("This page does not exist.")),
        status if status.is_server_error() => {
            PageError::page(status, t("Something went wrong"), t("Please try again in a minute."))
        }
        status => PageError::page(
            status,
            t("Invalid request"),
            t("The request could not be read. Please go back and try again."),
        ),
    };
    error.into_response()
}
