//! Whether a client accepts a media type.

use axum::http::{HeaderMap, header};

/// Whether the Accept headers allow a media type such as `application/pdf`. Without one, everything is accepted. The most
/// specific range decides; a quality of 0 excludes.
pub fn accepts(headers: &HeaderMap, media_type: &str) -> bool {
    let mut values =
        headers.get_all(header::ACCEPT).iter().filter_map(|value| value.to_str().ok()).peekable();
    if values.peek().is_none() {
        return true;
    }
    let group = media_type.split('/').next().unwrap_or_default();
    let ranges = values.flat_map(|value| value.split(','));
    let best = ranges
        .filter_map(|range| {
            let mut parts = range.split(';').map(str::trim);
            let name = parts.next().unwrap_or_default().to_ascii_lowercase();
            let specificity = match name.as_str() {
                name if name == media_type => 2,
                name if name.strip_suffix("/*") == Some(group) => 1,
                "*/*" => 0,
                _ => return None,
            };
            let quality = parts
                .find_map(|part| part.to_ascii_lowercase().strip_prefix("q=").map(str::to_owned));
            let excluded = quality
                .is_some_and(|quality| quality.parse::<f32>().is_ok_and(|quality| quality <= 0.0));
            Some((specificity, !excluded))
        })
        .max();
    best.is_some_and(|(_, accepted)| accepted)
}

#[cfg(test)]
mod tests {
    use axum::http::HeaderValue;

    use super::*;

    fn check(values: &[&'static str], accepted: bool) {
        let mut headers = HeaderMap::new();
        for value in values {
            headers.append(header::ACCEPT, HeaderValue::from_static(value));
        }
        assert_eq!(accepts(&headers, "application/pdf"), accepted, "{values:?}");
    }

    #[test]
    fn the_most_specific_range_decides() {
        check(&[], true);
        check(&["application/pdf"], true);
        check(&["*/*"], true);
        check(&["application/*"], true);
        check(&["text/html, Application/PDF;q=0.5"], true);
        check(&["application/json", "application/pdf"], true);
        check(&["application/json"], false);
        check(&["text/*"], false);
        check(&["application/pdf;q=0"], false);
        check(&["*/*, application/pdf; q=0.0"], false);
        check(&["*/*;q=0"], false);
        check(&[""], false);
    }
}
