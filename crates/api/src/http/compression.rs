//! Compresses responses for clients that accept a content coding.

use std::convert::Infallible;
use std::net::IpAddr;

use axum::body::Body;
use axum::extract::Request;
use axum::http::{HeaderMap, HeaderValue, Response as HttpResponse, header};
use axum::response::Response;
use tower::{Layer, ServiceExt, service_fn};
use tower_http::compression::CompressionLayer;
use tower_http::compression::predicate::{NotForContentType, Predicate, SizeAbove};

use super::service::HttpService;

/// Responses of fewer bytes are sent uncompressed.
const COMPRESS_ABOVE: u64 = 1_024;

/// A service whose larger responses are compressed if the client accepts it.
#[derive(Clone)]
pub struct Compressed<S>(pub S);

impl<S: HttpService> Compressed<S> {
    /// Responds in this content coding. The compression layer sees only this one in Accept-Encoding:
    /// with the client's full list, it could return 406 instead of a response that was charged.
    async fn respond_compressed(&self, mut request: Request, coding: &'static str) -> Response {
        request.headers_mut().insert(header::ACCEPT_ENCODING, HeaderValue::from_static(coding));
        let inner = service_fn(async |request| Ok::<_, Infallible>(self.0.respond(request).await));
        // A compressed stream of events would arrive late: an encoder collects before it writes.
        let large = SizeAbove::new(COMPRESS_ABOVE)
            .and(NotForContentType::SSE)
            // A font is compressed already.
            .and(NotForContentType::const_new("font/woff2"));
        let compressing = CompressionLayer::new().compress_when(large);
        let Ok(response) = compressing.layer(inner).oneshot(request).await;
        response.map(Body::new)
    }
}

impl<S: HttpService> HttpService for Compressed<S> {
    async fn respond(&self, request: Request) -> Response {
        match preferred_coding(request.headers()) {
            // Boxed, so that a response without compression reserves no memory for it.
            Some(coding) => Box::pin(self.respond_compressed(request, coding)).await,
            None => self.0.respond(request).await,
        }
    }

    fn refuse_unreadable(&self, status: u16, address: IpAddr) -> Option<HttpResponse<String>> {
        self.0.refuse_unreadable(status, address)
    }
}

/// The supported content codings, the preferred one first.
const CODINGS: [&str; 3] = ["zstd", "br", "gzip"];
/// The weight of a coding without a `q` parameter, in thousandths.
const FULL_WEIGHT: u16 = 1_000;

/// The supported content coding with the highest weight; none if the client prefers an uncompressed
/// response. A client that accepts nothing, not even `identity`, gets an uncompressed response: a
/// paid response is always delivered.
fn preferred_coding(headers: &HeaderMap) -> Option<&'static str> {
    let mut offers: Vec<(&str, u16)> = Vec::new();
    for value in headers.get_all(header::ACCEPT_ENCODING) {
        let members = value.to_str().unwrap_or_default().split(',');
        offers.extend(members.filter_map(parse_coding));
    }
    let weight = |name: &str| {
        let find =
            |wanted: &str| offers.iter().find(|(coding, _)| coding.eq_ignore_ascii_case(wanted));
        find(name).or_else(|| find("*")).map_or(0, |(_, weight)| *weight)
    };
    let plain = weight("identity");
    let best = CODINGS.iter().rev().max_by_key(|coding| weight(coding))?;
    (weight(best) > 0 && weight(best) >= plain).then_some(*best)
}

/// A member of Accept-Encoding: a coding and its weight in thousandths. Malformed members are
/// ignored.
fn parse_coding(member: &str) -> Option<(&str, u16)> {
    let mut parts = member.split(';').map(str::trim);
    let coding = parts.next().filter(|coding| !coding.is_empty())?;
    let Some(parameter) = parts.next() else { return Some((coding, FULL_WEIGHT)) };
    let (name, value) = parameter.split_once('=')?;
    let weight: f32 = value.trim().parse().ok()?;
    let known = name.trim().eq_ignore_ascii_case("q") && (0.0..=1.0).contains(&weight);
    known.then_some((coding, (weight * f32::from(FULL_WEIGHT)) as u16))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn preferred(values: &[&str]) -> Option<&'static str> {
        let mut headers = HeaderMap::new();
        for value in values {
            let value = HeaderValue::from_bytes(value.as_bytes()).expect("a header value");
            headers.append(header::ACCEPT_ENCODING, value);
        }
        preferred_coding(&headers)
    }

    #[test]
    fn the_best_coding_that_the_client_accepts_is_used() {
        assert_eq!(preferred(&["gzip"]), Some("gzip"));
        assert_eq!(preferred(&["gzip, deflate, br, zstd"]), Some("zstd"));
        assert_eq!(preferred(&["gzip, deflate", "br"]), Some("br"));
        assert_eq!(preferred(&["GZIP;Q=0.5, br;q=0.25"]), Some("gzip"));
        assert_eq!(preferred(&["*"]), Some("zstd"));
        assert_eq!(preferred(&["zstd;q=0, *;q=0.1"]), Some("br"));
        assert_eq!(preferred(&["identity;q=0, gzip"]), Some("gzip"));
    }

    #[test]
    fn a_client_that_accepts_no_supported_coding_gets_an_uncompressed_response() {
        for values in [
            &[][..],
            &[""],
            &["identity"],
            &["identity;q=0"],
            &["*;q=0"],
            &["identity;q=0, *;q=0"],
            &["gzip;q=0"],
            &["deflate, compress"],
            &["identity, gzip;q=0.5"],
            &["gzip;q=2"],
            &["gzip;q=x"],
            &["gzip;q=NaN"],
            &["gzip;level=9"],
            &[";q=1"],
            &["\u{fc}"],
        ] {
            assert_eq!(preferred(values), None, "{values:?}");
        }
    }
}
