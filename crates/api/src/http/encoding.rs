//! Percent-encoding of values in URLs.

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

/// All characters except letters, digits, `-`, `_` and `.`.
const ENCODED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'_').remove(b'.');

/// Percent-encodes a part of a path or the value of a query.
pub fn encoded(text: &str) -> String {
    utf8_percent_encode(text.trim(), ENCODED).to_string()
}
