//! Redacts text from clients before it is logged.

use std::borrow::Cow;

/// The characters of a client's text that are logged.
const MAX_LOGGED: usize = 200;

/// The beginning of a path with a token of the reconciliation service.
pub const RECONCILE_PATH: &str = "/reconcile/";

/// A client's text in the form that is logged: decoded, truncated, redacted, in one line.
pub fn loggable(text: &str) -> Cow<'_, str> {
    if text.len() <= MAX_LOGGED && is_harmless(text) {
        return Cow::Borrowed(text);
    }
    let decoded = percent_encoding::percent_decode_str(text).decode_utf8_lossy();
    Cow::Owned(redacted_line(&decoded))
}

/// A path in the form that is logged. What stands at the place of a token is left out, also if it is
/// none: it may be a mistyped one.
pub fn loggable_path(path: &str) -> Cow<'_, str> {
    let Some(rest) = path.strip_prefix(RECONCILE_PATH) else { return loggable(path) };
    let behind = rest.find('/').map_or("", |at| &rest[at..]);
    Cow::Owned(format!("{RECONCILE_PATH}…{}", loggable(behind)))
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
    for prefix in ["pk_test_", "pk_live_", "rk_test_", "rk_live_", "link="] {
        let mut pieces = redacted.split(prefix);
        let first = pieces.next().unwrap_or_default().to_owned();
        redacted = pieces.fold(first, |text, piece| {
            text + prefix + "…" + piece.trim_start_matches(|c: char| c.is_ascii_alphanumeric())
        });
    }
    redacted
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_in_a_path_is_never_logged() {
        let token = format!("rk_live_{}", "a".repeat(32));
        for (path, logged) in [
            (format!("/reconcile/{token}"), "/reconcile/…"),
            (format!("/reconcile/{token}/preview"), "/reconcile/…/preview"),
            (format!("/reconcile/{}/x", &token[3..]), "/reconcile/…/x"),
            (format!("/other/{token}/x"), "/other/rk_live_…/x"),
            ("/other/rk%5Flive%5Fabc".to_owned(), "/other/rk_live_…"),
            ("/reconcile/".to_owned(), "/reconcile/…"),
        ] {
            assert_eq!(loggable_path(&path), logged);
        }
        assert_eq!(redact(&format!("no {token}.")), "no rk_live_….");
    }
}
