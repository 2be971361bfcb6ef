//! HTTPS: the server's certificate, and reloading it without a restart.

use std::path::Path;
use std::sync::{Arc, PoisonError, RwLock};
use std::time::Duration;

use tokio::net::TcpStream;
use tokio::sync::Semaphore;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::pem::PemObject;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer};
use tokio_rustls::rustls::{ServerConfig, version};
use tokio_rustls::server::TlsStream;
use x509_parser::parse_x509_certificate;

use crate::config::Config;
use crate::config::certificate::CertificateFiles;

/// The protocols offered in ALPN, the preferred one first.
const PROTOCOLS: [&[u8]; 2] = [b"h2", b"http/1.1"];
/// Handshakes in progress; above this, new connections are closed at once, so that handshakes do
/// not starve established connections.
const MAX_HANDSHAKES: usize = 4_096;

/// The TLS acceptor and its certificate.
pub struct Tls {
    files: CertificateFiles,
    current: RwLock<LoadedCertificate>,
    handshake_permits: Semaphore,
    handshake_time: Duration,
}

/// The validity period of a certificate, in seconds since 1970, both ends included.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Validity {
    pub from: i64,
    pub until: i64,
}

struct LoadedCertificate {
    acceptor: TlsAcceptor,
    validity: Validity,
}

impl Tls {
    /// Reads the certificate named in the settings; none if they name none.
    pub fn open(config: &Config, now_seconds: i64) -> Result<Option<Tls>, String> {
        let Some(files) = CertificateFiles::of(config)? else { return Ok(None) };
        let current = files.read()?;
        if let Err(reason) = current.validity.check(now_seconds) {
            // A warning only: refusing to start would turn an expired certificate into an outage.
            tracing::warn!("the certificate {} {reason}", files.chain.display());
        }
        Ok(Some(Tls {
            files,
            current: RwLock::new(current),
            handshake_permits: Semaphore::new(MAX_HANDSHAKES),
            handshake_time: Duration::from_secs(config.limits.head_seconds),
        }))
    }

    /// Loads the certificate from the files again. If it cannot be used, the current one stays.
    pub fn reload(&self, now_seconds: i64) -> Result<Validity, String> {
        let fresh = self.files.read()?;
        let validity = fresh.validity;
        validity
            .check(now_seconds)
            .map_err(|reason| format!("{} {reason}", self.files.chain.display()))?;
        *self.current.write().unwrap_or_else(PoisonError::into_inner) = fresh;
        Ok(validity)
    }

    /// The validity period of the current certificate.
    pub fn validity(&self) -> Validity {
        self.current.read().unwrap_or_else(PoisonError::into_inner).validity
    }

    /// Runs the handshake with a timeout; the error is for the log.
    pub async fn handshake(&self, stream: TcpStream) -> Result<TlsStream<TcpStream>, String> {
        let _permit = self
            .handshake_permits
            .try_acquire()
            .map_err(|_| "too many handshakes at once".to_owned())?;
        let acceptor = self.current.read().unwrap_or_else(PoisonError::into_inner).acceptor.clone();
        match tokio::time::timeout(self.handshake_time, acceptor.accept(stream)).await {
            Ok(result) => result.map_err(|error| error.to_string()),
            Err(_) => Err("the handshake timed out".to_owned()),
        }
    }
}

impl CertificateFiles {
    /// The validity period, after checking that the chain can be read and matches the key.
    pub fn validity(&self) -> Result<Validity, String> {
        Ok(self.read()?.validity)
    }

    fn read(&self) -> Result<LoadedCertificate, String> {
        let chain = read_chain(&self.chain)?;
        let key = PrivateKeyDer::from_pem_file(&self.key)
            .map_err(|error| format!("the private key {}: {error}", self.key.display()))?;
        let unusable = |reason: &str| format!("the certificate {}: {reason}", self.chain.display());
        let validity = validity_of(&chain[0]).ok_or_else(|| unusable("it cannot be read"))?;
        let mut config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
            .with_protocol_versions(&[&version::TLS13, &version::TLS12])
            .map_err(|error| unusable(&error.to_string()))?
            .with_no_client_auth()
            .with_single_cert(chain, key)
            .map_err(|error| unusable(&format!("it cannot be used with its key: {error}")))?;
        config.alpn_protocols = PROTOCOLS.map(<[u8]>::to_vec).to_vec();
        // Session tickets save returning clients a round trip and need no memory on the server.
        config.ticketer = ring::Ticketer::new()
            .map_err(|error| format!("session tickets cannot be set up: {error}"))?;
        Ok(LoadedCertificate { acceptor: TlsAcceptor::from(Arc::new(config)), validity })
    }
}

impl Validity {
    /// Checks that the certificate is valid at this time. The error continues a sentence that
    /// starts with the file name.
    pub fn check(self, now_seconds: i64) -> Result<(), String> {
        let day = |seconds: i64| panji_store::calendar::rfc3339(seconds.saturating_mul(1000));
        if now_seconds < self.from {
            return Err(format!("is not valid before {}", day(self.from)));
        }
        if now_seconds > self.until {
            return Err(format!("expired at {}", day(self.until)));
        }
        Ok(())
    }
}

fn read_chain(path: &Path) -> Result<Vec<CertificateDer<'static>>, String> {
    let sentence = |reason: String| format!("the certificate {}: {reason}", path.display());
    let chain: Vec<_> = CertificateDer::pem_file_iter(path)
        .and_then(Iterator::collect)
        .map_err(|error| sentence(error.to_string()))?;
    if chain.is_empty() {
        return Err(sentence("there is no certificate in it".to_owned()));
    }
    Ok(chain)
}

fn validity_of(certificate: &CertificateDer<'_>) -> Option<Validity> {
    let (_, parsed) = parse_x509_certificate(certificate).ok()?;
    let validity = parsed.validity();
    Some(Validity { from: validity.not_before.timestamp(), until: validity.not_after.timestamp() })
}
