//! HTTPS: the server's certificate, and reloading it without a restart.

use std::path::{Path, PathBuf};
use std::sync::{Arc, PoisonError, RwLock};
use std::time::Duration;

use panji_store::calendar::rfc3339;
use tokio::net::TcpStream;
use tokio::sync::Semaphore;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::pem::{self, PemObject};
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer};
use tokio_rustls::rustls::{self, ServerConfig, version};
use tokio_rustls::server::TlsStream;
use x509_cert::Certificate;
use x509_cert::der::Decode;
use x509_cert::time::Time;

use crate::config::Config;
use crate::config::certificate::CertificateFiles;
use crate::config::error::ConfigError;

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

/// Why a certificate cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum CertificateError {
    #[error(transparent)]
    Settings(#[from] ConfigError),
    #[error("the certificate {}: {cause}", .path.display())]
    Chain {
        path: PathBuf,
        #[source]
        cause: pem::Error,
    },
    #[error("the certificate {}: there is no certificate in it", .path.display())]
    Empty { path: PathBuf },
    #[error("the certificate {}: it cannot be read", .path.display())]
    Malformed { path: PathBuf },
    #[error("the private key {}: {cause}", .path.display())]
    Key {
        path: PathBuf,
        #[source]
        cause: pem::Error,
    },
    #[error("the certificate {}: {cause}", .path.display())]
    Versions {
        path: PathBuf,
        #[source]
        cause: rustls::Error,
    },
    #[error("the certificate {}: it cannot be used with its key: {cause}", .path.display())]
    Pair {
        path: PathBuf,
        #[source]
        cause: rustls::Error,
    },
    #[error("session tickets cannot be set up: {0}")]
    Tickets(#[source] rustls::Error),
    #[error("{} {cause}", .path.display())]
    Invalid {
        path: PathBuf,
        #[source]
        cause: ValidityError,
    },
}

/// Why a certificate is not valid now. It continues a sentence that starts with the file name.
#[derive(Debug, thiserror::Error)]
pub enum ValidityError {
    #[error("is not valid before {}", day(*.from))]
    NotYet { from: i64 },
    #[error("expired at {}", day(*.until))]
    Expired { until: i64 },
}

/// Why a connection could not be secured.
#[derive(Debug, thiserror::Error)]
pub enum HandshakeError {
    #[error("too many handshakes at once")]
    TooMany,
    #[error("the handshake timed out")]
    TimedOut,
    #[error("{0}")]
    Failed(#[source] std::io::Error),
}

fn day(seconds: i64) -> String {
    rfc3339(seconds.saturating_mul(1000))
}

struct LoadedCertificate {
    acceptor: TlsAcceptor,
    validity: Validity,
}

impl Tls {
    /// Reads the certificate named in the settings; none if they name none.
    pub fn open(config: &Config, now_seconds: i64) -> Result<Option<Tls>, CertificateError> {
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
            handshake_time: Duration::from_secs(config.limits.header_seconds.get()),
        }))
    }

    /// Loads the certificate from the files again. If it cannot be used, the current one stays.
    pub fn reload(&self, now_seconds: i64) -> Result<Validity, CertificateError> {
        let fresh = self.files.read()?;
        let validity = fresh.validity;
        validity
            .check(now_seconds)
            .map_err(|cause| CertificateError::Invalid { path: self.files.chain.clone(), cause })?;
        *self.current.write().unwrap_or_else(PoisonError::into_inner) = fresh;
        Ok(validity)
    }

    /// The validity period of the current certificate.
    pub fn validity(&self) -> Validity {
        self.current.read().unwrap_or_else(PoisonError::into_inner).validity
    }

    /// Runs the handshake with a timeout; the error is for the log.
    pub async fn handshake(
        &self,
        stream: TcpStream,
    ) -> Result<TlsStream<TcpStream>, HandshakeError> {
        let _permit = self.handshake_permits.try_acquire().map_err(|_| HandshakeError::TooMany)?;
        let acceptor = self.current.read().unwrap_or_else(PoisonError::into_inner).acceptor.clone();
        match tokio::time::timeout(self.handshake_time, acceptor.accept(stream)).await {
            Ok(result) => result.map_err(HandshakeError::Failed),
            Err(_) => Err(HandshakeError::TimedOut),
        }
    }
}

impl CertificateFiles {
    /// The validity period, after checking that the chain can be read and matches the key.
    pub fn validity(&self) -> Result<Validity, CertificateError> {
        Ok(self.read()?.validity)
    }

    fn read(&self) -> Result<LoadedCertificate, CertificateError> {
        let chain = read_chain(&self.chain)?;
        let key = PrivateKeyDer::from_pem_file(&self.key)
            .map_err(|cause| CertificateError::Key { path: self.key.clone(), cause })?;
        let path = || self.chain.clone();
        let validity =
            validity_of(&chain[0]).ok_or_else(|| CertificateError::Malformed { path: path() })?;
        let mut config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
            .with_protocol_versions(&[&version::TLS13, &version::TLS12])
            .map_err(|cause| CertificateError::Versions { path: path(), cause })?
            .with_no_client_auth()
            .with_single_cert(chain, key)
            .map_err(|cause| CertificateError::Pair { path: path(), cause })?;
        config.alpn_protocols = PROTOCOLS.map(<[u8]>::to_vec).to_vec();
        // Session tickets save returning clients a round trip and need no memory on the server.
        config.ticketer = ring::Ticketer::new().map_err(CertificateError::Tickets)?;
        Ok(LoadedCertificate { acceptor: TlsAcceptor::from(Arc::new(config)), validity })
    }
}

impl Validity {
    /// Checks that the certificate is valid at this time.
    pub fn check(self, now_seconds: i64) -> Result<(), ValidityError> {
        if now_seconds < self.from {
            return Err(ValidityError::NotYet { from: self.from });
        }
        if now_seconds > self.until {
            return Err(ValidityError::Expired { until: self.until });
        }
        Ok(())
    }
}

fn read_chain(path: &Path) -> Result<Vec<CertificateDer<'static>>, CertificateError> {
    let chain: Vec<_> = CertificateDer::pem_file_iter(path)
        .and_then(Iterator::collect)
        .map_err(|cause| CertificateError::Chain { path: path.to_owned(), cause })?;
    if chain.is_empty() {
        return Err(CertificateError::Empty { path: path.to_owned() });
    }
    Ok(chain)
}

fn validity_of(certificate: &CertificateDer<'_>) -> Option<Validity> {
    let validity = Certificate::from_der(certificate).ok()?.tbs_certificate.validity;
    let seconds = |time: Time| i64::try_from(time.to_unix_duration().as_secs()).ok();
    Some(Validity { from: seconds(validity.not_before)?, until: seconds(validity.not_after)? })
}
