//! What a page answers when it cannot do what it was asked.

use askama::Template;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Redirect, Response};
use panji_store::StoreError;

use super::frame::{Frame, respond};
use crate::edge::hide_secrets;

/// Why there is no page.
#[derive(Debug)]
pub enum Problem {
    /// The person must log in first, and is then brought to this path.
    LogIn {
        /// Where they wanted to go.
        next: String,
    },
    /// A page that says what is wrong.
    Page {
        /// The status.
        status: StatusCode,
        /// The heading.
        title: &'static str,
        /// What happened and what to do.
        sentence: String,
        /// What happened inside; for the log only.
        cause: Option<String>,
    },
}

impl Problem {
    fn page(status: StatusCode, title: &'static str, sentence: impl Into<String>) -> Problem {
        Problem::Page { status, title, sentence: sentence.into(), cause: None }
    }

    /// A fault of ours, with what the log should say.
    pub fn internal(cause: impl Into<String>) -> Problem {
        Problem::Page {
            status: StatusCode::INTERNAL_SERVER_ERROR,
            title: "Something went wrong",
            sentence: "A fault of ours. It has been noted; please try again.".into(),
            cause: Some(cause.into()),
        }
    }

    /// Too much to do.
    pub fn overloaded() -> Problem {
        let sentence = "There is too much to do at this moment. Please try again in a few seconds.";
        Problem::page(StatusCode::SERVICE_UNAVAILABLE, "One moment", sentence)
    }

    /// There is nothing at this place, or nothing that this person may see.
    pub fn not_found(what: &str) -> Problem {
        Problem::page(
            StatusCode::NOT_FOUND,
            "Not found",
            format!("{what} It may have been removed."),
        )
    }

    /// The person's role does not allow it.
    pub fn not_allowed(role: &str) -> Problem {
        let sentence = format!(
            "Your role in this account is {role}, which does not allow this. Ask an owner."
        );
        Problem::page(StatusCode::FORBIDDEN, "Not allowed", sentence)
    }

    /// A form that does not come from our own page.
    pub fn foreign_form() -> Problem {
        let sentence = "This form did not come from a page of this session, so nothing was done. \
                        Go back, reload the page and try again.";
        Problem::page(StatusCode::FORBIDDEN, "Form refused", sentence)
    }

    /// A form that cannot be read.
    pub fn bad_form(reason: impl std::fmt::Display) -> Problem {
        Problem::page(StatusCode::BAD_REQUEST, "Form not understood", format!("{reason}."))
    }

    /// A payment whose signature does not fit.
    pub fn unverified_payment() -> Problem {
        let sentence = "The payment could not be verified, so nothing was granted. If money has \
                        left your account, the credits come by themselves as soon as the payment \
                        provider confirms it.";
        Problem::page(StatusCode::BAD_REQUEST, "Payment not verified", sentence)
    }

    /// A file that is larger than it may be.
    pub fn too_large(max_bytes: usize) -> Problem {
        let sentence = format!("A file has at most {max_bytes} bytes: split it.");
        Problem::page(StatusCode::PAYLOAD_TOO_LARGE, "Too large", sentence)
    }

    /// Too many attempts.
    pub fn too_many(seconds: u64) -> Problem {
        let unit = if seconds == 1 { "second" } else { "seconds" };
        let sentence = format!("Too many attempts. Please try again in {seconds} {unit}.");
        Problem::page(StatusCode::TOO_MANY_REQUESTS, "Slow down", sentence)
    }

    /// A link that was used, has expired or was never sent.
    pub fn dead_link() -> Problem {
        let sentence =
            "This link was used already, has expired, or is not whole. Ask for a new one.";
        Problem::page(StatusCode::NOT_FOUND, "This link does not work", sentence)
    }

    /// Something that the settings of this service switch off.
    pub fn switched_off(sentence: &str) -> Problem {
        Problem::page(StatusCode::FORBIDDEN, "Switched off", sentence)
    }
}

impl From<StoreError> for Problem {
    fn from(error: StoreError) -> Problem {
        match error {
            StoreError::Unavailable(_) | StoreError::Undecided(_) => Problem::Page {
                status: StatusCode::SERVICE_UNAVAILABLE,
                title: "Not available",
                sentence: "A part of this service is down. Please try again in a minute.".into(),
                cause: Some(error.to_string()),
            },
            StoreError::Conflict(_) | StoreError::Bug(_) => Problem::internal(error.to_string()),
        }
    }
}

#[derive(Template)]
#[template(path = "problem.html")]
struct ProblemPage {
    frame: Frame,
    sentence: String,
}

impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        match self {
            Problem::LogIn { next } => Redirect::to(&super::log_in::address(&next)).into_response(),
            Problem::Page { status, title, sentence, cause } => {
                if let Some(cause) = cause {
                    tracing::warn!(cause = hide_secrets(&cause), "a page could not be made");
                }
                let page = ProblemPage { frame: Frame::outside(title), sentence };
                let mut response = respond(&page);
                *response.status_mut() = status;
                response
            }
        }
    }
}
