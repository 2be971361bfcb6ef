//! The certificate files for HTTPS.

use std::path::PathBuf;

use super::Config;
use super::error::ConfigError;

#[derive(Clone, Debug)]
pub struct CertificateFiles {
    /// The certificate and its intermediate certificates, in PEM.
    pub chain: PathBuf,
    /// The private key, in PEM.
    pub key: PathBuf,
}

impl CertificateFiles {
    /// The files in the settings; none if neither is set, an error if only one is.
    pub fn of(config: &Config) -> Result<Option<CertificateFiles>, ConfigError> {
        match (config.tls_cert.as_str(), config.tls_key.as_str()) {
            ("", "") => Ok(None),
            (_, "") => {
                Err(ConfigError::HalfOfCertificate { given: "tls_cert", missing: "tls_key" })
            }
            ("", _) => {
                Err(ConfigError::HalfOfCertificate { given: "tls_key", missing: "tls_cert" })
            }
            (chain, key) => Ok(Some(CertificateFiles { chain: chain.into(), key: key.into() })),
        }
    }
}
