//! Where requests may come from: no page of another site, and no other name of this machine (DNS
//! rebinding).

use std::net::IpAddr;

use axum::http::request::Parts;
use axum::http::uri::Authority;
use axum::http::{HeaderMap, HeaderName, Uri, header};

use crate::config::Config;

const SEC_FETCH_SITE: HeaderName = HeaderName::from_static("sec-fetch-site");

/// Why a request is refused, for the client.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum CrossOriginRequest {
    #[error(
        "The Host header names another service: use the address of this one, or have its operator \
         add the name to the setting mcp.allowed_hosts."
    )]
    Host,
    #[error("Pages of other origins may not call this service.")]
    Origin,
}

/// The names of this service, in lower case, and its own origin.
#[derive(Clone, Debug)]
pub struct Origins {
    hosts: Vec<String>,
    own: Option<Authority>,
}

impl Origins {
    pub fn of(config: &Config) -> Origins {
        let own = config.public_url().parse::<Uri>().ok();
        let own = own.and_then(|address| address.authority().cloned());
        let names = config.mcp.allowed_hosts.split(',').map(str::trim);
        let names = names.filter(|name| !name.is_empty()).map(str::to_ascii_lowercase);
        let mut hosts: Vec<String> = names.collect();
        hosts.push("localhost".to_owned());
        hosts.extend(own.as_ref().map(|own| own.host().to_ascii_lowercase()));
        Origins { hosts, own }
    }

    /// Refuses requests of pages of other origins. Other clients send no Origin.
    pub fn check(&self, request: &Parts) -> Result<(), CrossOriginRequest> {
        let host = host_of(request).ok_or(CrossOriginRequest::Host)?;
        if !self.is_own_host(host.host()) {
            return Err(CrossOriginRequest::Host);
        }
        let site = text(&request.headers, &SEC_FETCH_SITE)?;
        if site.is_some_and(|site| site != "same-origin" && site != "none") {
            return Err(CrossOriginRequest::Origin);
        }
        let Some(origin) = text(&request.headers, &header::ORIGIN)? else { return Ok(()) };
        let origin = origin.split_once("://").and_then(|(_, rest)| rest.parse::<Authority>().ok());
        let is_own = |origin: Authority| origin == host || self.own.as_ref() == Some(&origin);
        if origin.is_some_and(is_own) { Ok(()) } else { Err(CrossOriginRequest::Origin) }
    }

    /// An address is accepted: another site can only make a name resolve to this machine.
    fn is_own_host(&self, host: &str) -> bool {
        let bare = host.trim_start_matches('[').trim_end_matches(']');
        bare.parse::<IpAddr>().is_ok()
            || self.hosts.iter().any(|own| own.eq_ignore_ascii_case(host))
    }
}

/// The host that the client asked for: HTTP/2 has it in the address.
fn host_of(request: &Parts) -> Option<Authority> {
    match request.headers.get(header::HOST) {
        Some(host) => host.to_str().ok()?.parse().ok(),
        None => request.uri.authority().cloned(),
    }
}

/// The only value of a header; an error if it is repeated or unreadable.
fn text<'a>(
    headers: &'a HeaderMap,
    name: &HeaderName,
) -> Result<Option<&'a str>, CrossOriginRequest> {
    let mut values = headers.get_all(name).iter();
    let Some(value) = values.next() else { return Ok(None) };
    let value = value.to_str().ok().filter(|_| values.next().is_none());
    value.map(Some).ok_or(CrossOriginRequest::Origin)
}

#[cfg(test)]
mod tests {
    use axum::http::Request;

    use super::*;

    fn check(headers: &[(&str, &str)]) -> Result<(), CrossOriginRequest> {
        let origins = Origins {
            hosts: vec!["localhost".to_owned(), "panji.example".to_owned()],
            own: Some("panji.example".parse().expect("an authority")),
        };
        let mut request = Request::post("/mcp");
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        origins.check(&request.body(()).expect("a request").into_parts().0)
    }

    #[test]
    fn only_the_names_of_this_service_and_addresses_are_its_hosts() {
        for own in
            ["panji.example", "PANJI.example:443", "localhost:8080", "127.0.0.1:8080", "[::1]:80"]
        {
            assert_eq!(check(&[("host", own)]), Ok(()), "{own}");
        }
        for foreign in ["evil.example", "panji.example.evil.example", "localhost.evil.example", ""]
        {
            assert_eq!(check(&[("host", foreign)]), Err(CrossOriginRequest::Host), "{foreign}");
        }
        assert_eq!(check(&[]), Err(CrossOriginRequest::Host));
    }

    #[test]
    fn pages_of_other_origins_are_refused_and_programs_are_not() {
        let host = ("host", "127.0.0.1:8080");
        assert_eq!(check(&[host]), Ok(()));
        for own in ["http://127.0.0.1:8080", "https://panji.example"] {
            assert_eq!(check(&[host, ("origin", own)]), Ok(()), "{own}");
        }
        for foreign in [
            "https://evil.example",
            "http://127.0.0.1:9090",
            "http://localhost:8080",
            "https://panji.example.evil.example",
            "null",
            "",
        ] {
            assert_eq!(
                check(&[host, ("origin", foreign)]),
                Err(CrossOriginRequest::Origin),
                "{foreign}"
            );
        }
        let twice = [host, ("origin", "http://127.0.0.1:8080"), ("origin", "https://evil.example")];
        assert_eq!(check(&twice), Err(CrossOriginRequest::Origin));
        assert_eq!(
            check(&[host, ("sec-fetch-site", "cross-site")]),
            Err(CrossOriginRequest::Origin)
        );
        assert_eq!(check(&[host, ("sec-fetch-site", "same-origin")]), Ok(()));
    }
}
