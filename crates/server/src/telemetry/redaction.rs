//! Redacts text from clients before it is logged.

use std::borrow::Cow;

/// The characters of a client's text that are logged.
const MAX_LOGGED: usize = 200;

/// A client's text in the form that is logged: decoded, truncated, redacted, in one line.
pub fn loggable(text: &str) -> Cow<'_, str> {
    if text.len() <= MAX_LOGGED && is_harmless(text) {
        return Cow::Borrowed(text);
    }
    let decoded = percent_encoding::percent_decode_str(text).decode_utf8_lossy();
    Cow::Owned(redacted_line(&decoded))
}

/// A decoded text of a client in the form that is logged or stored: truncated, redacted, in one line.
pub fn redacted_line(text: &str) -> String {
    let plain = |character: char| if character.is_control() { '?' } else { character };
    let truncated: String = text.chars().take(MAX_LOGGED).map(plain).collect();
    redact(&panji_ids::mask_spaced_pans(&truncated))
}

/// Whether a text, like most paths, has only letters, digits and slashes and no PAN: nothing is
/// encoded, and no separator can split a PAN.
fn is_harmless(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'/')
        && matches!(panji_ids::mask_pans(text), Cow::Borrowed(_))
}

/// Masks the digits of PANs and GSTINs, keys except for their prefix, and the tokens of links.
pub fn redact(text: &str) -> String {
    let mut redacted = panji_ids::mask_pans(text).into_owned();
    for prefix in ["pk_test_", "pk_live_", "link="] {
        let mut pieces = redacted.split(prefix);
        let first = pieces.next().unwrap_or_default().to_owned();
        redacted = pieces.fold(first, |text, piece| {
            text + prefix + "…" + piece.trim_start_matches(|c: char| c.is_ascii_alphanumeric())
        });
    }
    redacted
}
