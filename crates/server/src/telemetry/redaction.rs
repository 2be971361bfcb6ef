//! What the log may say of texts that come from outside.

use std::borrow::Cow;

/// Characters of a caller's text that are logged.
const MAX_LOGGED: usize = 200;

/// What is logged of a caller's text, however it was encoded: a beginning, in one line.
pub fn loggable(text: &str) -> Cow<'_, str> {
    if text.len() <= MAX_LOGGED && nothing_to_hide(text) {
        return Cow::Borrowed(text);
    }
    let decoded = percent_encoding::percent_decode_str(text).decode_utf8_lossy();
    let plain = |character: char| if character.is_control() { '?' } else { character };
    let beginning: String = decoded.chars().take(MAX_LOGGED).map(plain).collect();
    Cow::Owned(redact(&panji_ids::mask_spaced_pans(&beginning)))
}

/// Whether a text is plain letters, digits and slashes without a PAN or a key among them, as most paths
/// are: nothing is encoded, and no separator can stand inside a PAN.
fn nothing_to_hide(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'/')
        && matches!(panji_ids::mask_pans(text), Cow::Borrowed(_))
}

/// A text without the digits of PANs and GSTINs, of keys only their prefix, and without the tokens of
/// links.
pub fn redact(text: &str) -> String {
    let mut hidden = panji_ids::mask_pans(text).into_owned();
    for prefix in ["pk_test_", "pk_live_", "link="] {
        let mut pieces = hidden.split(prefix);
        let first = pieces.next().unwrap_or_default().to_owned();
        hidden = pieces.fold(first, |text, piece| {
            text + prefix + "…" + piece.trim_start_matches(|c: char| c.is_ascii_alphanumeric())
        });
    }
    hidden
}
