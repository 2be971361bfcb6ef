//! Sends one message to a webhook: resolves its name, checks every address, connects to exactly these, and reads
//! the status of the response.

use std::net::{SocketAddr, ToSocketAddrs};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use bytes::Bytes;
use http_body_util::{BodyExt, Full};
use hyper::client::conn::http1;
use hyper::{Request, StatusCode, header};
use hyper_rustls::ConfigBuilderExt;
use hyper_util::rt::TokioIo;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;
use tokio::sync::Semaphore;
use tokio::task::JoinSet;
use tokio_rustls::TlsConnector;
use tokio_rustls::rustls::ClientConfig;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::ServerName;

use super::address::{Guard, Refusal};
use super::url::{UrlError, WebhookUrl};
use crate::config::WebhookSettings;
use crate::config::error::ConfigError;

/// How long one attempt may take, from the lookup of the name to the response.
pub const ATTEMPT_TIMEOUT: Duration = Duration::from_secs(15);
/// Addresses of a name that are tried.
const MAX_ADDRESSES: usize = 4;
/// Names that are looked up at the same time: a lookup occupies a thread, and a server that does not respond
/// must not occupy all of them.
const MAX_LOOKUPS: usize = 32;
/// Bytes of the head of a response.
const MAX_HEAD_BYTES: usize = 16 * 1024;
/// Bytes of the body of a response that are read, so that the connection usually ends in order. They are not used.
const MAX_BODY_BYTES: usize = 4 * 1024;
/// How long the body is waited for.
const BODY_TIMEOUT: Duration = Duration::from_secs(1);
/// Characters of an error that are kept.
const MAX_ERROR: usize = 200;

/// A message with its signature.
#[derive(Clone, Debug)]
pub struct Message {
    /// The same at each attempt.
    pub id: String,
    /// Seconds since 1970.
    pub timestamp: i64,
    pub signature: String,
    pub body: Bytes,
}

/// Why there is no response.
#[derive(Debug, thiserror::Error)]
enum SendError {
    #[error("the URL {0}")]
    Url(#[from] UrlError),
    #[error("the host is not a valid name")]
    HostName,
    #[error("the host name cannot be resolved: {0}")]
    Resolve(std::io::Error),
    #[error("the host name has no address")]
    NoAddress,
    #[error("the host leads to {0}, and only public addresses are permitted")]
    Address(Refusal),
    #[error("no connection: {0}")]
    Connect(std::io::Error),
    #[error("TLS: {0}")]
    Tls(std::io::Error),
    #[error("the system's certificates cannot be read: {0}")]
    Certificates(Arc<std::io::Error>),
    #[error("no valid response: {0}")]
    Http(#[from] hyper::Error),
    #[error("the request cannot be formed: {0}")]
    Request(#[from] hyper::http::Error),
    #[error("no response within {} seconds", ATTEMPT_TIMEOUT.as_secs())]
    Timeout,
    #[error("the lookup of the host name was stopped")]
    Stopped,
}

/// The result of an attempt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AttemptResult {
    /// The HTTP status; none if there was no response.
    pub status: Option<u16>,
    /// Why it failed; none if it was accepted.
    pub error: Option<String>,
    pub duration_ms: i64,
}

impl AttemptResult {
    /// Whether the receiver asks that nothing more is sent.
    pub fn is_gone(&self) -> bool {
        self.status == Some(StatusCode::GONE.as_u16())
    }
}

pub struct Sender {
    guard: Guard,
    allow_http: bool,
    lookups: Arc<Semaphore>,
    /// Reads the system's certificates when the first message is sent over TLS.
    tls: OnceLock<Result<TlsConnector, Arc<std::io::Error>>>,
}

impl Sender {
    pub fn new(settings: &WebhookSettings) -> Result<Sender, ConfigError> {
        Ok(Sender {
            guard: Guard { allowed: settings.networks()? },
            allow_http: settings.allow_http,
            lookups: Arc::new(Semaphore::new(MAX_LOOKUPS)),
            tls: OnceLock::new(),
        })
    }

    pub fn parse_url(&self, url: &str) -> Result<WebhookUrl, UrlError> {
        WebhookUrl::parse(url, self.allow_http, &self.guard)
    }

    /// Sends a message. Every failure is a result: a redirect, a status other than 2xx, no response in time.
    pub async fn send(&self, url: &str, message: &Message) -> AttemptResult {
        let started = Instant::now();
        let exchange = tokio::time::timeout(ATTEMPT_TIMEOUT, self.exchange(url, message)).await;
        let duration_ms = i64::try_from(started.elapsed().as_millis()).unwrap_or(i64::MAX);
        let (status, error) = match exchange.unwrap_or(Err(SendError::Timeout)) {
            Err(error) => (None, Some(error.to_string().chars().take(MAX_ERROR).collect())),
            Ok(status) => (Some(status.as_u16()), failure_of(status)),
        };
        AttemptResult { status, error, duration_ms }
    }

    async fn exchange(&self, url: &str, message: &Message) -> Result<StatusCode, SendError> {
        // Checked again: the settings may have changed since the webhook was created.
        let url = self.parse_url(url)?;
        let addresses = self.resolve(&url).await?;
        let stream = connect(&addresses).await?;
        if !url.tls {
            return post(stream, &url, message).await;
        }
        let name = ServerName::try_from(url.host.clone()).map_err(|_| SendError::HostName)?;
        let stream = self.tls()?.connect(name, stream).await;
        post(stream.map_err(SendError::Tls)?, &url, message).await
    }

    /// The addresses of the host. If one of them is not permitted, none is: a name that leads into a private
    /// network is not meant to receive messages.
    async fn resolve(&self, url: &WebhookUrl) -> Result<Vec<SocketAddr>, SendError> {
        let permit = self.lookups.clone().acquire_owned().await;
        let permit = permit.map_err(|_| SendError::Stopped)?;
        let (host, port) = (url.host.clone(), url.port);
        let look_up = tokio::task::spawn_blocking(move || {
            let addresses = (host.as_str(), port).to_socket_addrs().map(Vec::from_iter);
            // The thread is occupied until here, even if the attempt has timed out.
            drop(permit);
            addresses
        });
        let addresses = look_up.await.map_err(|_| SendError::Stopped)?;
        let addresses = addresses.map_err(SendError::Resolve)?;
        for address in &addresses {
            self.guard.check(address.ip()).map_err(SendError::Address)?;
        }
        Ok(addresses)
    }

    fn tls(&self) -> Result<&TlsConnector, SendError> {
        let connector = self.tls.get_or_init(|| {
            let provider = Arc::new(ring::default_provider());
            let config = ClientConfig::builder_with_provider(provider)
                .with_safe_default_protocol_versions()
                .expect("ring has what these versions of TLS need")
                .with_native_roots()
                .map_err(Arc::new)?
                .with_no_client_auth();
            Ok(TlsConnector::from(Arc::new(config)))
        });
        connector.as_ref().map_err(|error| SendError::Certificates(error.clone()))
    }
}

/// Why a status is a failure; none for 2xx.
fn failure_of(status: StatusCode) -> Option<String> {
    if status.is_success() {
        return None;
    }
    Some(match status {
        status if status.is_redirection() => "a redirect, which is not followed".to_owned(),
        status => format!("the status is {}", status.as_u16()),
    })
}

async fn connect(addresses: &[SocketAddr]) -> Result<TcpStream, SendError> {
    let mut failure = SendError::NoAddress;
    for address in addresses.iter().take(MAX_ADDRESSES) {
        match TcpStream::connect(address).await {
            Ok(stream) => return Ok(stream),
            Err(error) => failure = SendError::Connect(error),
        }
    }
    Err(failure)
}

async fn post(
    stream: impl AsyncRead + AsyncWrite + Send + Unpin + 'static,
    url: &WebhookUrl,
    message: &Message,
) -> Result<StatusCode, SendError> {
    let mut client = http1::Builder::new();
    client.max_buf_size(MAX_HEAD_BYTES);
    let handshake = client.handshake::<_, Full<Bytes>>(TokioIo::new(stream)).await;
    let (mut sender, connection) = handshake?;
    // Ends with this set: whatever the receiver still sends is not read.
    let mut connections = JoinSet::new();
    connections.spawn(connection);
    let request = Request::post(&url.path)
        .header(header::HOST, &url.authority)
        .header(header::CONNECTION, "close")
        .header(header::CONTENT_TYPE, "application/json")
        .header(header::USER_AGENT, concat!("Panji/", env!("CARGO_PKG_VERSION")))
        .header("webhook-id", &message.id)
        .header("webhook-timestamp", message.timestamp)
        .header("webhook-signature", &message.signature)
        .body(Full::new(message.body.clone()))?;
    let response = sender.send_request(request).await?;
    let status = response.status();
    let mut body = response.into_body();
    let skip = async {
        let mut received = 0;
        while received < MAX_BODY_BYTES
            && let Some(Ok(frame)) = body.frame().await
        {
            received += frame.data_ref().map_or(0, Bytes::len);
        }
    };
    let _ = tokio::time::timeout(BODY_TIMEOUT, skip).await;
    Ok(status)
}
