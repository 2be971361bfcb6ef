//! Requests to the identity provider, with limits of size and time. Redirects are not followed.

use std::time::Duration;

use bytes::Bytes;
use http_body_util::{BodyExt, Full, Limited};
use hyper::header::{ACCEPT, CONTENT_TYPE, HeaderName, USER_AGENT};
use hyper::{Method, Request};
use hyper_rustls::{HttpsConnector, HttpsConnectorBuilder};
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::TokioExecutor;
use serde_json::Value;

use super::SsoError;
use crate::config::url::is_private_channel;

/// A page waits for up to three responses, within the time of a request.
const FETCH_TIMEOUT: Duration = Duration::from_secs(3);
const MAX_RESPONSE_BYTES: usize = 512 * 1024;
/// Characters of the provider's error code in the log.
const MAX_ERROR: usize = 100;

/// The system's certificates, which prove the provider's identity, cannot be read.
#[derive(Debug, thiserror::Error)]
#[error("single sign-on: the system's certificates: {0}")]
pub struct NoSsoCertificates(#[source] std::io::Error);

pub(super) struct Fetcher {
    client: Client<HttpsConnector<HttpConnector>, Full<Bytes>>,
}

impl Fetcher {
    /// The client trusts the system's certificates.
    pub(super) fn open() -> Result<Fetcher, NoSsoCertificates> {
        let connector = HttpsConnectorBuilder::new()
            .with_native_roots()
            .map_err(NoSsoCertificates)?
            .https_or_http()
            .enable_http1()
            .build();
        Ok(Fetcher { client: Client::builder(TokioExecutor::new()).build(connector) })
    }

    pub(super) async fn get(
        &self,
        url: &str,
        headers: &[(HeaderName, String)],
    ) -> Result<Value, SsoError> {
        self.fetch(Method::GET, url, Bytes::new(), headers).await
    }

    pub(super) async fn post_form(
        &self,
        url: &str,
        body: String,
        headers: &[(HeaderName, String)],
    ) -> Result<Value, SsoError> {
        self.fetch(Method::POST, url, body.into(), headers).await
    }

    async fn fetch(
        &self,
        method: Method,
        url: &str,
        body: Bytes,
        headers: &[(HeaderName, String)],
    ) -> Result<Value, SsoError> {
        let exchange = self.exchange(method, url, body, headers);
        let fetched = tokio::time::timeout(FETCH_TIMEOUT, exchange).await;
        let fetched = fetched.unwrap_or_else(|_| Err("no response in time".to_owned()));
        fetched.map_err(|reason| SsoError::Provider(format!("{url}: {reason}")))
    }

    async fn exchange(
        &self,
        method: Method,
        url: &str,
        body: Bytes,
        headers: &[(HeaderName, String)],
    ) -> Result<Value, String> {
        let uri: hyper::Uri = url.parse().map_err(|_| "not a URL".to_owned())?;
        // The addresses of the endpoints come from the provider.
        if !is_private_channel(&uri) {
            return Err("an endpoint without TLS".to_owned());
        }
        let mut request = Request::builder()
            .method(method)
            .uri(uri)
            .header(ACCEPT, "application/json")
            .header(USER_AGENT, concat!("Panji/", env!("CARGO_PKG_VERSION")));
        if !body.is_empty() {
            request = request.header(CONTENT_TYPE, "application/x-www-form-urlencoded");
        }
        for (name, value) in headers {
            request = request.header(name, value);
        }
        let request = request.body(Full::new(body)).map_err(|error| error.to_string())?;
        let response = self.client.request(request).await;
        let response = response.map_err(|error| format!("no response: {error}"))?;
        let status = response.status();
        let body = Limited::new(response.into_body(), MAX_RESPONSE_BYTES).collect().await;
        let body = body.map_err(|error| format!("the response: {error}"))?.to_bytes();
        let value: Result<Value, _> = serde_json::from_slice(&body);
        if !status.is_success() {
            let error = value.ok().and_then(|value| Some(value["error"].as_str()?.to_owned()));
            let error: String = error.unwrap_or_default().chars().take(MAX_ERROR).collect();
            return Err(format!("the status is {status} {error:?}"));
        }
        value.map_err(|_| "the response is not JSON".to_owned())
    }
}
