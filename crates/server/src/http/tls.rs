//! HTTPS: the certificate that is shown, and taking up a new one while serving.

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

/// What is offered over TLS, the better one first.
const PROTOCOLS: [&[u8]; 2] = [b"h2", b"http/1.1"];
/// Handshakes under way at a time; further clients are hung up on at once, so that those who are
/// served already keep their room.
const MAX_HANDSHAKES: usize = 4_096;

/// The server's side of TLS.
pub struct Tls {
    files: CertificateFiles,
    shown: RwLock<Shown>,
    room: Semaphore,
    handshake_time: Duration,
}

/// From when until when a certificate is good, in seconds since 1970.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Validity {
    /// The first second.
    pub from: i64,
    /// The last second.
    pub until: i64,
}

struct Shown {
    acceptor: TlsAcceptor,
    validity: Validity,
}

impl Tls {
    /// Reads the certificate that the settings name; none where they name none.
    pub fn open(config: &Config, now_seconds: i64) -> Result<Option<Tls>, String> {
        let Some(files) = CertificateFiles::of(config)? else { return Ok(None) };
        let shown = files.read()?;
        if let Err(reason) = shown.validity.check(now_seconds) {
            // Callers will say so too; a restart at night must not make it worse.
            tracing::warn!("the certificate {} {reason}", files.chain.display());
        }
        Ok(Some(Tls {
            files,
            shown: RwLock::new(shown),
            room: Semaphore::new(MAX_HANDSHAKES),
            handshake_time: Duration::from_secs(config.limits.head_seconds),
        }))
    }

    /// Takes up the certificate that is in the files now. One that cannot be used changes nothing.
    pub fn reload(&self, now_seconds: i64) -> Result<Validity, String> {
        let fresh = self.files.read()?;
        let validity = fresh.validity;
        validity
            .check(now_seconds)
            .map_err(|reason| format!("{} {reason}", self.files.chain.display()))?;
        *self.shown.write().unwrap_or_else(PoisonError::into_inner) = fresh;
        Ok(validity)
    }

    /// From when until when the shown certificate is good.
    pub fn validity(&self) -> Validity {
        self.shown.read().unwrap_or_else(PoisonError::into_inner).validity
    }

    /// Shakes hands within bounds; the reason is for the log.
    pub async fn handshake(&self, stream: TcpStream) -> Result<TlsStream<TcpStream>, String> {
        let _place = self.room.try_acquire().map_err(|_| "too many at once".to_owned())?;
        let acceptor = self.shown.read().unwrap_or_else(PoisonError::into_inner).acceptor.clone();
        match tokio::time::timeout(self.handshake_time, acceptor.accept(stream)).await {
            Ok(shaken) => shaken.map_err(|error| error.to_string()),
            Err(_) => Err("it took too long".to_owned()),
        }
    }
}

impl CertificateFiles {
    /// The validity of a certificate whose chain can be read and whose key fits.
    pub fn validity(&self) -> Result<Validity, String> {
        Ok(self.read()?.validity)
    }

    fn read(&self) -> Result<Shown, String> {
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
        // Returning clients save a round trip, and no memory is kept for them.
        config.ticketer = ring::Ticketer::new()
            .map_err(|error| format!("no keys for session tickets: {error}"))?;
        Ok(Shown { acceptor: TlsAcceptor::from(Arc::new(config)), validity })
    }
}

impl Validity {
    /// Whether the certificate is good at an instant; the reason reads on from its name.
    pub fn check(self, now_seconds: i64) -> Result<(), String> {
        let day = |seconds: i64| panji_store::calendar::rfc3339(seconds.saturating_mul(1000));
        if now_seconds < self.from {
            return Err(format!("is not good before {}", day(self.from)));
        }
        if now_seconds > self.until {
            return Err(format!("was good until {} only", day(self.until)));
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
