//! The API key in the Authorization header.

use axum::http::{HeaderMap, HeaderValue, header};
use panji_store::ledger::{KeyKind, KeyText, KeyTextError};

use super::error::{ApiError, ErrorCode};

/// Whether the headers contain a well-formed key. It may not exist: it is not looked up.
pub fn presents_key(headers: &HeaderMap) -> bool {
    presented_key(headers.get_all(header::AUTHORIZATION)).is_ok()
}

/// The key in the Authorization headers.
pub fn presented_key<'a>(
    values: impl IntoIterator<Item = &'a HeaderValue>,
) -> Result<KeyText, ApiError> {
    let mut values = values.into_iter();
    let value = values.next().ok_or_else(|| {
        ApiError::new(
            ErrorCode::MissingApiKey,
            "Send your key in the header \"Authorization: Bearer <API_KEY>\".",
        )
    })?;
    if values.next().is_some() {
        return Err(invalid("There are two Authorization headers: send one."));
    }
    let text = value
        .to_str()
        .map_err(|_| invalid("The Authorization header contains characters that no key has."))?;
    // HTTP authentication schemes are case-insensitive.
    let key = match text.split_once(' ') {
        Some((scheme, key)) if scheme.eq_ignore_ascii_case("bearer") => key.trim(),
        _ => {
            return Err(invalid(
                "The Authorization header must be the word Bearer, a space and your key.",
            ));
        }
    };
    match parse(key, "This is not a key of this service: keys begin with pk_test_ or pk_live_.")? {
        token if token.kind() == KeyKind::Reconcile => Err(invalid(
            "This is a token of the reconciliation service: it works only in an address that begins \
             with /reconcile/. Send an API key.",
        )),
        key => Ok(key),
    }
}

/// The token in the path of the reconciliation service.
pub fn presented_token(token: &str) -> Result<KeyText, ApiError> {
    match parse(
        token,
        "The address has no reconciliation token: one begins with rk_test_ or rk_live_.",
    )? {
        key if key.kind() == KeyKind::Api => Err(invalid(
            "This is an API key, which is not accepted in an address: revoke it if it was shared, and \
             create a reconciliation token.",
        )),
        token => Ok(token),
    }
}

/// Whether a path has a well-formed token of the reconciliation service. It is not looked up.
pub fn path_presents_token(path: &str) -> bool {
    let token = path.strip_prefix("/reconcile/").and_then(|rest| rest.split('/').next());
    token.is_some_and(|token| presented_token(token).is_ok())
}

fn invalid(message: &str) -> ApiError {
    ApiError::new(ErrorCode::InvalidApiKey, message)
}

fn parse(text: &str, wrong_prefix: &str) -> Result<KeyText, ApiError> {
    KeyText::parse(text).map_err(|error| {
        invalid(match error {
            KeyTextError::Prefix => wrong_prefix,
            KeyTextError::Shape => {
                "The key has the wrong length or wrong characters: after its prefix it has 32 letters and digits."
            }
            KeyTextError::Checksum => {
                "The key is mistyped or incomplete: its last six characters, a checksum, do not match the rest."
            }
        })
    })
}
