//! URLs of other services to which secrets or personal data are sent.

/// Why secrets cannot be sent to the URL of a setting.
#[derive(Debug, thiserror::Error)]
pub enum UrlError {
    #[error("the setting {name} is not a URL")]
    NoUrl { name: &'static str },
    #[error("the setting {name} must begin with https://")]
    WithoutTls { name: &'static str },
}

/// The URL must use TLS or stay on this machine.
pub(super) fn check_url(name: &'static str, url: &str) -> Result<(), UrlError> {
    let uri: axum::http::Uri = url.parse().map_err(|_| UrlError::NoUrl { name })?;
    match is_private_channel(&uri) {
        true => Ok(()),
        false => Err(UrlError::WithoutTls { name }),
    }
}

/// Whether nobody on the way can read what is sent to a URL.
pub fn is_private_channel(uri: &axum::http::Uri) -> bool {
    let host = uri.host().unwrap_or_default();
    let address = host.trim_start_matches('[').trim_end_matches(']');
    let local =
        host == "localhost" || address.parse().is_ok_and(|ip: std::net::IpAddr| ip.is_loopback());
    match uri.scheme_str() {
        Some("https") => true,
        Some("http") => local,
        _ => false,
    }
}
