//! A PostgreSQL address: its servers, and how the connection to them is made private.

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

/// An address with its TLS.
pub struct Address {
    /// What the driver understands of it.
    pub config: tokio_postgres::Config,
    /// How a connection is made private.
    pub tls: MakeRustlsConnect,
    /// The words of the address, as PostgreSQL's own programs know them.
    pub ssl_mode: SslWord,
    /// The file of authorities, where one is named.
    pub authorities: Option<PathBuf>,
    /// Whether any server will do where there is none of the kind that is asked for.
    pub or_any: bool,
}

/// How private and how sure a connection must be; the words are those of PostgreSQL.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SslWord {
    /// Plain.
    Disable,
    /// Private where the server can, for nobody in particular.
    Prefer,
    /// Private, for nobody in particular.
    Require,
    /// Private, with a server whose certificate an authority has signed.
    VerifyCa,
    /// The same, and the certificate must carry the server's name.
    VerifyFull,
}

impl SslWord {
    const ALL: [SslWord; 5] = [
        SslWord::Disable,
        SslWord::Prefer,
        SslWord::Require,
        SslWord::VerifyCa,
        SslWord::VerifyFull,
    ];

    /// The word itself.
    pub fn as_str(self) -> &'static str {
        match self {
            SslWord::Disable => "disable",
            SslWord::Prefer => "prefer",
            SslWord::Require => "require",
            SslWord::VerifyCa => "verify-ca",
            SslWord::VerifyFull => "verify-full",
        }
    }
}

impl Address {
    /// Reads an address.
    pub fn parse(url: &str) -> Result<Address> {
        let taken = ["sslmode", "sslrootcert", "target_session_attrs"];
        let (rest, [mode, authorities, session]) = take_parameters(url, &taken);
        let mut config: tokio_postgres::Config =
            rest.parse().map_err(|error| unreadable(&format!("{error}")))?;
        let mut ssl_mode = match mode {
            None => SslWord::Prefer,
            Some(word) => {
                let known = SslWord::ALL.into_iter().find(|known| known.as_str() == word);
                let words = SslWord::ALL.map(SslWord::as_str).join(", ");
                known.ok_or_else(|| unreadable(&format!("sslmode must be one of {words}")))?
            }
        };
        let authorities = authorities.map(PathBuf::from);
        // As PostgreSQL's own programs do: who names authorities wants them asked.
        if ssl_mode == SslWord::Require && authorities.is_some() {
            ssl_mode = SslWord::VerifyCa;
        }
        config.ssl_mode(match ssl_mode {
            SslWord::Disable => SslMode::Disable,
            SslWord::Prefer => SslMode::Prefer,
            SslWord::Require | SslWord::VerifyCa | SslWord::VerifyFull => SslMode::Require,
        });
        let (attributes, or_any) = wanted_servers(session.as_deref())?;
        config.target_session_attrs(attributes);
        let tls = MakeRustlsConnect::new(client_config(ssl_mode, authorities.as_deref())?);
        Ok(Address { config, tls, ssl_mode, authorities, or_any })
    }
}

/// How many servers an address names.
pub(crate) fn count_servers(url: &str) -> Result<usize> {
    Ok(servers_of(&Address::parse(url)?.config))
}

pub(super) fn servers_of(config: &tokio_postgres::Config) -> usize {
    config.get_hosts().len().max(config.get_hostaddrs().len()).max(1)
}

/// Which of several servers is meant, in PostgreSQL's words, and whether another will do. The driver
/// does not know all of the words.
fn wanted_servers(word: Option<&str>) -> Result<(TargetSessionAttrs, bool)> {
    match word {
        None | Some("any") => Ok((TargetSessionAttrs::Any, false)),
        Some("read-write" | "primary") => Ok((TargetSessionAttrs::ReadWrite, false)),
        Some("read-only" | "standby") => Ok((TargetSessionAttrs::ReadOnly, false)),
        Some("prefer-standby") => Ok((TargetSessionAttrs::ReadOnly, true)),
        Some(_) => Err(unreadable(
            "target_session_attrs must be one of any, read-write, primary, read-only, standby, \
             prefer-standby",
        )),
    }
}

fn unreadable(reason: &str) -> StoreError {
    StoreError::Unavailable(format!("the database address cannot be read: {reason}"))
}

/// Takes some parameters out of an address; the driver does not know all of their values.
fn take_parameters<const N: usize>(url: &str, names: &[&str; N]) -> (String, [Option<String>; N]) {
    let mut taken = [const { None }; N];
    let Some((place, query)) = url.split_once('?') else { return (url.to_owned(), taken) };
    let mut kept = Vec::new();
    for pair in query.split('&') {
        let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
        match names.iter().position(|known| *known == name) {
            Some(place) => {
                taken[place] = Some(percent_decode_str(value).decode_utf8_lossy().into_owned());
            }
            None => kept.push(pair),
        }
    }
    let rest = if kept.is_empty() { place.to_owned() } else { [place, &kept.join("&")].join("?") };
    (rest, taken)
}

fn client_config(ssl_mode: SslWord, authorities: Option<&Path>) -> Result<ClientConfig> {
    let provider = Arc::new(ring::default_provider());
    let trusted = match ssl_mode {
        SslWord::Disable | SslWord::Prefer | SslWord::Require => None,
        SslWord::VerifyCa | SslWord::VerifyFull => {
            let roots = Arc::new(read_authorities(authorities)?);
            let verifier = WebPkiServerVerifier::builder_with_provider(roots, provider.clone());
            Some(verifier.build().map_err(|error| {
                StoreError::Unavailable(format!("the authorities cannot be used: {error}"))
            })?)
        }
    };
    let verifier =
        Verifier { trusted, by_name: ssl_mode == SslWord::VerifyFull, provider: provider.clone() };
    let config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(|error| StoreError::Bug(error.to_string()))?;
    let config = config.dangerous().with_custom_certificate_verifier(Arc::new(verifier));
    Ok(config.with_no_client_auth())
}

/// The authorities in a file, or else those of this machine.
fn read_authorities(file: Option<&Path>) -> Result<RootCertStore> {
    let mut roots = RootCertStore::empty();
    let (place, certificates) = match file.filter(|file| *file != Path::new("system")) {
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
        return Err(StoreError::Unavailable(format!("{place} has no authorities to trust")));
    }
    Ok(roots)
}

/// Asks as much of a server's certificate as its address says, and no less of its signatures.
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
            // The name is looked at last, when the chain was found good.
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
    fn an_address_says_which_of_its_servers_is_meant_in_the_words_of_postgres() {
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
