//! Redacts text from clients before it is logged.

use std::borrow::Cow;

/// The letters and digits of a PAN of which one is missing.
const SHORTEST_PAN: usize = 9;
/// The characters of a client's text that are logged.
const MAX_LOGGED: usize = 200;

/// The beginning of a path with a token of the reconciliation service.
pub const RECONCILE_PATH: &str = "/reconcile/";

/// A client's text in the form that is logged: decoded, truncated, redacted, in one line.
pub fn loggable(text: &str) -> Cow<'_, str> {
    if needs_no_redaction(text) {
        return Cow::Borrowed(text);
    }
    let decoded = percent_encoding::percent_decode_str(text).decode_utf8_lossy();
    Cow::Owned(redacted_line(&decoded).into_owned())
}

/// A path in the form that is logged. The part in the place of a token is left out even if it
/// is not a token, because it may be a mistyped one.
pub fn loggable_path(path: &str) -> Cow<'_, str> {
    let Some(rest) = path.strip_prefix(RECONCILE_PATH) else { return loggable(path) };
    let after = rest.find('/').map_or("", |at| &rest[at..]);
    Cow::Owned(format!("{RECONCILE_PATH}…{}", loggable(after)))
}

/// A decoded text of a client in the form that is logged or stored: truncated, redacted, in one line.
pub fn redacted_line(text: &str) -> Cow<'_, str> {
    if needs_no_redaction(text) {
        return Cow::Borrowed(text);
    }
    let plain = |character: char| if character.is_control() { '?' } else { character };
    let truncated: String = text.chars().take(MAX_LOGGED).map(plain).collect();
    Cow::Owned(redact(&panji_ids::mask_spaced_pans(&truncated)))
}

/// The characters of a stored query.
const MAX_QUERY: usize = 400;

/// The method and the address of a request in the form that is stored: redacted, still well encoded.
pub fn redacted_target(method: &str, path: &str, query: Option<&str>) -> String {
    let mut target = [method, " ", &loggable_path(path)].concat();
    let Some(query) = query.filter(|query| !query.is_empty()) else { return target };
    let pairs: Vec<(String, String)> = serde_html_form::from_str(query).unwrap_or_default();
    let pairs = pairs.iter().map(|(name, value)| (redacted_line(name), redacted_line(value)));
    let mut text = String::new();
    for pair in pairs {
        let pair = serde_html_form::to_string([pair]).unwrap_or_default();
        // A pair is stored whole or not at all: half of one would be another request.
        if text.len() + pair.len() > MAX_QUERY {
            break;
        }
        text.push(if text.is_empty() { '?' } else { '&' });
        text.push_str(&pair);
    }
    target.push_str(&text);
    target
}

/// Whether a text, like most paths and identifiers, is short, has no PAN, and each part between slashes is
/// letters and digits, or letters, digits and hyphens with too few letters and digits for a PAN of which one
/// is missing. Nothing in it is encoded, and no hyphen splits a PAN.
fn needs_no_redaction(text: &str) -> bool {
    let is_plain = |word: &[u8]| {
        let hyphens = word.iter().filter(|byte| **byte == b'-').count();
        let others = word.len() - hyphens;
        word.iter().all(|byte| byte.is_ascii_alphanumeric() || *byte == b'-')
            && (hyphens == 0 || others < SHORTEST_PAN)
    };
    text.len() <= MAX_LOGGED
        && text.as_bytes().split(|byte| *byte == b'/').all(is_plain)
        && matches!(panji_ids::mask_pans(text), Cow::Borrowed(_))
}

/// Redacts the digits of PANs and GSTINs, keys except for their prefix, and the tokens of links.
pub fn redact(text: &str) -> String {
    let mut redacted = panji_ids::mask_pans(text).into_owned();
    for prefix in ["pk_test_", "pk_live_", "rk_test_", "rk_live_", "link="] {
        if !redacted.contains(prefix) {
            continue;
        }
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
    fn the_address_of_a_request_is_stored_redacted_and_well_encoded() {
        let target = |path, query| redacted_target("GET", path, query);
        assert_eq!(target("/v1/companies/U1", None), "GET /v1/companies/U1");
        assert_eq!(
            target("/v1/search", Some("q=a%26b+c&pan=AAPPV1231K")),
            "GET /v1/search?q=a%26b+c&pan=AAPPVXXXXK"
        );
        assert_eq!(target("/v1/verify/pan/AAPPV1231K", None), "GET /v1/verify/pan/AAPPVXXXXK");
        let long = format!("limit=5&q={}", "%E0%A4%95".repeat(200));
        assert_eq!(target("/v1/search", Some(&long)), "GET /v1/search?limit=5");
    }

    #[test]
    fn a_pan_is_redacted_however_it_is_split_and_a_number_with_a_hyphen_is_kept() {
        for (text, logged) in [
            ("AAB-1234", "AAB-1234"),
            ("/v1/companies/AAB-1234/profile", "/v1/companies/AAB-1234/profile"),
            ("AAPPV-1231-K", "AAPPV-XXXX-K"),
            ("/v1/verify/pan/AAPPV-1231-K", "/v1/verify/pan/AAPPV-XXXX-K"),
            ("/v1/verify/pan/A-APPV123K", "/v1/verify/pan/A-APPVXXXK"),
        ] {
            assert_eq!(redacted_line(text), logged);
            assert_eq!(loggable_path(text), logged);
        }
    }

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
