//! The certificate files for HTTPS.

use std::path::PathBuf;

use super::Config;

#[derive(Clone, Debug)]
pub struct CertificateFiles {
    /// The certificate and its intermediate certificates, in PEM.
    pub chain: PathBuf,
    /// The private key, in PEM.
    pub key: PathBuf,
}

impl CertificateFiles {
    /// The files in the settings; none if neither is set, an error if only one is.
    pub fn of(config: &Config) -> Result<Option<CertificateFiles>, String> {
        match (config.tls_cert.as_str(), config.tls_key.as_str()) {
            ("", "") => Ok(None),
            (_, "") => Err("tls_cert is set and tls_key is not: HTTPS needs both".to_owned()),
            ("", _) => Err("tls_key is set and tls_cert is not: HTTPS needs both".to_owned()),
            (chain, key) => Ok(Some(CertificateFiles { chain: chain.into(), key: key.into() })),
        }
    }
}
