//! The API key in the Authorization header.

use axum::http::{HeaderMap, HeaderValue, header};
use panji_store::ledger::{KeyText, KeyTextError};

use super::error::{ApiError, ErrorCode};

/// Whether a key is presented that may exist: it is well formed, and was not looked for.
pub fn presents_key(headers: &HeaderMap) -> bool {
    presented_key(headers.get_all(header::AUTHORIZATION)).is_ok()
}

/// The key among the Authorization headers.
pub fn presented_key<'a>(
    values: impl IntoIterator<Item = &'a HeaderValue>,
) -> Result<KeyText, ApiError> {
    let invalid = |message: &str| ApiError::new(ErrorCode::InvalidApiKey, message);
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
        .map_err(|_| invalid("The Authorization header has characters that no key has."))?;
    // A scheme's name is taken without regard to case, as HTTP says.
    let key = match text.split_once(' ') {
        Some((scheme, key)) if scheme.eq_ignore_ascii_case("bearer") => key.trim(),
        _ => {
            return Err(invalid(
                "The Authorization header must be the word Bearer, a space and your key.",
            ));
        }
    };
    KeyText::parse(key).map_err(|error| {
        invalid(match error {
            KeyTextError::Prefix => "That is no key of this service: keys begin with pk_test_ or pk_live_.",
            KeyTextError::Shape => {
                "The key is cut or has characters too many: after its prefix come 32 letters and digits."
            }
            KeyTextError::Checksum => {
                "The key is mistyped or cut: its last six characters do not fit the rest."
            }
        })
    })
}
