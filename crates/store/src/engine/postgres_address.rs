//! A PostgreSQL address: its servers, and the TLS settings of its connections.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use percent_encoding::percent_decode_str;
use rustls::client::WebPkiServerVerifier;
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::{CryptoProvider, ring, verify_tls12_signature, verify_tls13_signature};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::{
    CertificateError, ClientConfig, DigitallySignedStruct, Error, RootCertStore, SignatureScheme,
};
use tokio_postgres::config::{SslMode, TargetSessionAttrs};
use tokio_postgres_rustls::MakeRustlsConnect;

use crate::error::{Result, StoreError};

pub struct Address {
    /// The part that the driver parses.
    pub config: tokio_postgres::Config,
    pub tls: MakeRustlsConnect,
    /// The `sslmode` of the address, as in libpq.
    pub ssl_mode: TlsMode,
    /// The `sslrootcert` file, if the address has one.
    pub authorities: Option<PathBuf>,
    /// Whether a server of another kind is used if none of the requested kind is available.
    pub or_any: bool,
}

/// The values of `sslmode`, as in libpq.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TlsMode {
    /// No TLS.
    Disable,
    /// TLS if the server supports it, without verification.
    Prefer,
    /// TLS without verification.
    Require,
    /// TLS; an authority must have signed the certificate.
    VerifyCa,
    /// Like `VerifyCa`, and the certificate must contain the server's name.
    VerifyFull,
}

impl TlsMode {
    const ALL: [TlsMode; 5] = [
        TlsMode::Disable,
        TlsMode::Prefer,
        TlsMode::Require,
        TlsMode::VerifyCa,
        TlsMode::VerifyFull,
    ];

    pub fn as_str(self) -> &'static str {
        match self {
            TlsMode::Disable => "disable",
            TlsMode::Prefer => "prefer",
            TlsMode::Require => "require",
            TlsMode::VerifyCa => "verify-ca",
            TlsMode::VerifyFull => "verify-full",
        }
    }
}

impl Address {
    pub fn parse(url: &str) -> Result<Address> {
        let taken = ["sslmode", "sslrootcert", "target_session_attrs"];
        let (rest, [mode, authorities, session]) = take_parameters(url, &taken);
        let mut config: tokio_postgres::Config =
            rest.parse().map_err(|error| invalid_address(&format!("{error}")))?;
        let mut ssl_mode = match mode {
            None => TlsMode::Prefer,
            Some(word) => {
                let known = TlsMode::ALL.into_iter().find(|known| known.as_str() == word);
                let words = TlsMode::ALL.map(TlsMode::as_str).join(", ");
                known.ok_or_else(|| invalid_address(&format!("sslmode must be one of {words}")))?
            }
        };
        let authorities = authorities.map(PathBuf::from);
        // As in libpq: a named authority is always verified.
        if ssl_mode == TlsMode::Require && authorities.is_some() {
            ssl_mode = TlsMode::VerifyCa;
        }
        config.ssl_mode(match ssl_mode {
            TlsMode::Disable => SslMode::Disable,
            TlsMode::Prefer => SslMode::Prefer,
            TlsMode::Require | TlsMode::VerifyCa | TlsMode::VerifyFull => SslMode::Require,
        });
        let (attributes, or_any) = target_servers(session.as_deref())?;
        config.target_session_attrs(attributes);
        let tls = MakeRustlsConnect::new(client_config(ssl_mode, authorities.as_deref())?);
        Ok(Address { config, tls, ssl_mode, authorities, or_any })
    }
}

/// Number of servers in an address.
pub(crate) fn count_servers(url: &str) -> Result<usize> {
    Ok(servers_of(&Address::parse(url)?.config))
}

pub(super) fn servers_of(config: &tokio_postgres::Config) -> usize {
    config.get_hosts().len().max(config.get_hostaddrs().len()).max(1)
}

/// The value of `target_session_attrs` for the driver, and whether another kind of server is
/// accepted. The driver does not know all values.
fn target_servers(word: Option<&str>) -> Result<(TargetSessionAttrs, bool)> {
    match word {
        None | Some("any") => Ok((TargetSessionAttrs::Any, false)),
        Some("read-write" | "primary") => Ok((TargetSessionAttrs::ReadWrite, false)),
        Some("read-only" | "standby") => Ok((TargetSessionAttrs::ReadOnly, false)),
        Some("prefer-standby") => Ok((TargetSessionAttrs::ReadOnly, true)),
        Some(_) => Err(invalid_address(
            "target_session_attrs must be one of any, read-write, primary, read-only, standby, \
             prefer-standby",
        )),
    }
}

fn invalid_address(reason: &str) -> StoreError {
    StoreError::Unavailable(format!("the database address is invalid: {reason}"))
}

/// Removes some parameters from an address; the driver does not know all of their values.
fn take_parameters<const N: usize>(url: &str, names: &[&str; N]) -> (String, [Option<String>; N]) {
    let mut taken = [const { None }; N];
    let Some((base, query)) = url.split_once('?') else { return (url.to_owned(), taken) };
    let mut remaining = Vec::new();
    for pair in query.split('&') {
        let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
        match names.iter().position(|known| *known == name) {
            Some(index) => {
                taken[index] = Some(percent_decode_str(value).decode_utf8_lossy().into_owned());
            }
            None => remaining.push(pair),
        }
    }
    let rest =
        if remaining.is_empty() { base.to_owned() } else { [base, &remaining.join("&")].join("?") };
    (rest, taken)
}

fn client_config(ssl_mode: TlsMode, authorities: Option<&Path>) -> Result<ClientConfig> {
    let provider = Arc::new(ring::default_provider());
    let trusted = match ssl_mode {
        TlsMode::Disable | TlsMode::Prefer | TlsMode::Require => None,
        TlsMode::VerifyCa | TlsMode::VerifyFull => {
            let roots = Arc::new(read_authorities(authorities)?);
            let verifier = WebPkiServerVerifier::builder_with_provider(roots, provider.clone());
            Some(verifier.build().map_err(|error| {
                StoreError::Unavailable(format!("the authorities cannot be used: {error}"))
            })?)
        }
    };
    let verifier =
        Verifier { trusted, by_name: ssl_mode == TlsMode::VerifyFull, provider: provider.clone() };
    let config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(|error| StoreError::Bug(error.to_string()))?;
    let config = config.dangerous().with_custom_certificate_verifier(Arc::new(verifier));
    Ok(config.with_no_client_auth())
}

/// The authorities in a file, or those of this machine.
fn read_authorities(file: Option<&Path>) -> Result<RootCertStore> {
    let mut roots = RootCertStore::empty();
    let (source, certificates) = match file.filter(|file| *file != Path::new("system")) {
        Some(file) => {
            let read = CertificateDer::pem_file_iter(file).and_then(Iterator::collect);
            let read: Vec<CertificateDer<'static>> = read.map_err(|error| {
                StoreError::Unavailable(format!("sslrootcert {}: {error}", file.display()))
            })?;
            (format!("sslrootcert {}", file.display()), read)
        }
        None => ("this machine".to_owned(), rustls_native_certs::load_native_certs().certs),
    };
    roots.add_parsable_certificates(certificates);
    if roots.is_empty() {
        return Err(StoreError::Unavailable(format!("{source} has no authorities to trust")));
    }
    Ok(roots)
}

/// Verifies a server's certificate as far as `sslmode` requires, and always its signatures.
#[derive(Debug)]
struct Verifier {
    trusted: Option<Arc<WebPkiServerVerifier>>,
    by_name: bool,
    provider: Arc<CryptoProvider>,
}

impl ServerCertVerifier for Verifier {
    fn verify_server_cert(
        &self,
        end_entity: &CertificateDer<'_>,
        intermediates: &[CertificateDer<'_>],
        name: &ServerName<'_>,
        ocsp: &[u8],
        now: UnixTime,
    ) -> std::result::Result<ServerCertVerified, Error> {
        let Some(trusted) = &self.trusted else { return Ok(ServerCertVerified::assertion()) };
        match trusted.verify_server_cert(end_entity, intermediates, name, ocsp, now) {
            // The name is checked last, after the chain was found valid.
            Err(Error::InvalidCertificate(
                CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. },
            )) if !self.by_name => Ok(ServerCertVerified::assertion()),
            verdict => verdict,
        }
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> std::result::Result<HandshakeSignatureValid, Error> {
        let algorithms = &self.provider.signature_verification_algorithms;
        verify_tls12_signature(message, certificate, signed, algorithms)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> std::result::Result<HandshakeSignatureValid, Error> {
        let algorithms = &self.provider.signature_verification_algorithms;
        verify_tls13_signature(message, certificate, signed, algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.provider.signature_verification_algorithms.supported_schemes()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn target_session_attrs_accepts_the_values_of_libpq() {
        let wanted = |word: &str| {
            let url = format!("postgres://panji@db1,db2/panji?target_session_attrs={word}");
            Address::parse(&url)
                .map(|found| (found.config.get_target_session_attrs(), found.or_any))
        };
        for (word, expected) in [
            ("any", (TargetSessionAttrs::Any, false)),
            ("primary", (TargetSessionAttrs::ReadWrite, false)),
            ("read-write", (TargetSessionAttrs::ReadWrite, false)),
            ("standby", (TargetSessionAttrs::ReadOnly, false)),
            ("read-only", (TargetSessionAttrs::ReadOnly, false)),
            ("prefer-standby", (TargetSessionAttrs::ReadOnly, true)),
        ] {
            assert_eq!(wanted(word).ok(), Some(expected), "{word}");
        }
        let refused = wanted("secondary").map(drop).map_err(|error| error.to_string());
        assert!(refused.is_err_and(|reason| reason.contains("prefer-standby")));
    }
}
