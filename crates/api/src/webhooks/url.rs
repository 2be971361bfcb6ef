//! The URL of a webhook: which are accepted, and their parts.

use std::net::IpAddr;

use hyper::Uri;

use super::address::Guard;

/// Characters of a URL.
pub const MAX_URL: usize = 2_000;

/// A URL that messages can be sent to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WebhookUrl {
    /// A name or an address, without brackets.
    pub host: String,
    pub port: u16,
    pub tls: bool,
    /// The path and the query.
    pub path: String,
    /// The value of the Host header.
    pub authority: String,
}

/// Why a URL is not accepted, as the end of a sentence about it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum UrlError {
    #[error("must be a URL such as https://example.com/panji, with ASCII characters only")]
    Malformed,
    #[error("must have at most {MAX_URL} characters")]
    TooLong,
    #[error("must begin with https://")]
    NotHttps,
    #[error("must begin with https:// or http://")]
    NotHttp,
    #[error("must not contain a user name or a password: the signature proves who sends a message")]
    Credentials,
    #[error("must not contain a fragment (#…): it is never sent")]
    Fragment,
    #[error("must not resolve to {0}: only addresses of the public internet are permitted")]
    Address(super::address::Refusal),
}

impl WebhookUrl {
    /// Parses a URL. An address in it is checked here; what a name resolves to is checked at every connection.
    pub fn parse(text: &str, allow_http: bool, guard: &Guard) -> Result<WebhookUrl, UrlError> {
        if text.len() > MAX_URL {
            return Err(UrlError::TooLong);
        }
        if text.contains('#') {
            return Err(UrlError::Fragment);
        }
        let uri: Uri = text.parse().map_err(|_| UrlError::Malformed)?;
        let tls = match uri.scheme_str() {
            Some("https") => true,
            Some("http") if allow_http => false,
            Some(_) if allow_http => return Err(UrlError::NotHttp),
            Some(_) => return Err(UrlError::NotHttps),
            None => return Err(UrlError::Malformed),
        };
        let authority = uri.authority().ok_or(UrlError::Malformed)?;
        if authority.as_str().contains('@') {
            return Err(UrlError::Credentials);
        }
        let host = authority.host().trim_start_matches('[').trim_end_matches(']');
        // A port that is not a number from 1 to 65535 is no port for `Uri`.
        let has_port = authority.as_str().len() > authority.host().len();
        let port = match authority.port_u16() {
            Some(port) if port > 0 => port,
            None if !has_port => {
                if tls {
                    443
                } else {
                    80
                }
            }
            _ => return Err(UrlError::Malformed),
        };
        if host.is_empty() {
            return Err(UrlError::Malformed);
        }
        if let Ok(address) = host.parse::<IpAddr>() {
            guard.check(address).map_err(UrlError::Address)?;
        }
        Ok(WebhookUrl {
            host: host.to_owned(),
            port,
            tls,
            path: uri.path_and_query().map_or("/", |path| path.as_str()).to_owned(),
            authority: authority.as_str().to_owned(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::address::Refusal;
    use super::*;

    fn parse(text: &str) -> Result<WebhookUrl, UrlError> {
        WebhookUrl::parse(text, false, &Guard::default())
    }

    #[test]
    fn a_url_is_taken_apart() {
        let url = parse("https://hooks.example.com:8443/panji?x=1").expect("a URL");
        assert_eq!((url.host.as_str(), url.port, url.tls), ("hooks.example.com", 8443, true));
        assert_eq!(
            (url.path.as_str(), url.authority.as_str()),
            ("/panji?x=1", "hooks.example.com:8443")
        );
        let url = parse("https://example.com").expect("a URL");
        assert_eq!((url.port, url.path.as_str()), (443, "/"));
        let url = parse("https://[2606:4700:4700::1111]/").expect("a URL");
        assert_eq!((url.host.as_str(), url.port), ("2606:4700:4700::1111", 443));
    }

    #[test]
    fn unusable_urls_are_refused_with_a_reason() {
        for (text, error) in [
            ("", UrlError::Malformed),
            ("example.com", UrlError::Malformed),
            ("/panji", UrlError::Malformed),
            ("https://", UrlError::Malformed),
            ("https://exämple.com/", UrlError::Malformed),
            ("https://example.com:/", UrlError::Malformed),
            ("https://example.com:0/", UrlError::Malformed),
            ("https://example.com:99999/", UrlError::Malformed),
            ("https://exa mple.com/", UrlError::Malformed),
            ("http://example.com/", UrlError::NotHttps),
            ("file://example.com/etc", UrlError::NotHttps),
            ("https://user:pass@example.com/", UrlError::Credentials),
            ("https://example.com@127.0.0.1/", UrlError::Credentials),
            ("https://example.com/#part", UrlError::Fragment),
            ("https://127.0.0.1/", UrlError::Address(Refusal::Loopback)),
            ("https://[::1]:8443/", UrlError::Address(Refusal::Loopback)),
            ("https://[::ffff:10.0.0.1]/", UrlError::Address(Refusal::Private)),
            ("https://169.254.169.254/latest", UrlError::Address(Refusal::LinkLocal)),
        ] {
            assert_eq!(parse(text), Err(error), "{text}");
        }
        let long = format!("https://example.com/{}", "a".repeat(MAX_URL));
        assert_eq!(parse(&long), Err(UrlError::TooLong));
    }

    #[test]
    fn http_is_accepted_only_where_the_operator_allows_it() {
        let url = WebhookUrl::parse("http://example.com/", true, &Guard::default()).expect("a URL");
        assert_eq!((url.port, url.tls), (80, false));
        let ftp = WebhookUrl::parse("ftp://example.com/", true, &Guard::default());
        assert_eq!(ftp, Err(UrlError::NotHttp));
    }
}
