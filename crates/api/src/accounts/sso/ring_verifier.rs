//! Lets the library for tokens verify signatures with ring, which also does TLS here. It signs nothing.

use jsonwebtoken::crypto::{CryptoProvider, JwtSigner, JwtVerifier, KeyUtils};
use jsonwebtoken::errors::{Error, ErrorKind};
use jsonwebtoken::signature::{Error as SignatureError, Verifier};
use jsonwebtoken::{Algorithm, DecodingKey, DecodingKeyKind, EncodingKey};
use ring::signature::{
    ECDSA_P256_SHA256_FIXED, ECDSA_P384_SHA384_FIXED, ED25519, RSA_PKCS1_2048_8192_SHA256,
    RSA_PKCS1_2048_8192_SHA384, RSA_PKCS1_2048_8192_SHA512, RSA_PSS_2048_8192_SHA256,
    RSA_PSS_2048_8192_SHA384, RSA_PSS_2048_8192_SHA512, RsaParameters, RsaPublicKeyComponents,
    UnparsedPublicKey, VerificationAlgorithm,
};

static PROVIDER: CryptoProvider = CryptoProvider {
    signer_factory: refuse_to_sign,
    verifier_factory: make_verifier,
    key_utils: KeyUtils::new_unimplemented(),
};

/// Repeated calls change nothing.
pub(super) fn install() {
    let _ = PROVIDER.install_default();
}

fn refuse_to_sign(_: &Algorithm, _: &EncodingKey) -> Result<Box<dyn JwtSigner>, Error> {
    Err(ErrorKind::UnsupportedAlgorithm.into())
}

fn make_verifier(algorithm: &Algorithm, key: &DecodingKey) -> Result<Box<dyn JwtVerifier>, Error> {
    let method = Method::of(*algorithm).ok_or(ErrorKind::UnsupportedAlgorithm)?;
    if key.family() != algorithm.family() {
        return Err(ErrorKind::InvalidKeyFormat.into());
    }
    Ok(Box::new(RingVerifier { algorithm: *algorithm, method, key: key.clone() }))
}

#[derive(Clone, Copy)]
enum Method {
    Rsa(&'static RsaParameters),
    Curve(&'static dyn VerificationAlgorithm),
}

impl Method {
    fn of(algorithm: Algorithm) -> Option<Method> {
        Some(match algorithm {
            Algorithm::RS256 => Method::Rsa(&RSA_PKCS1_2048_8192_SHA256),
            Algorithm::RS384 => Method::Rsa(&RSA_PKCS1_2048_8192_SHA384),
            Algorithm::RS512 => Method::Rsa(&RSA_PKCS1_2048_8192_SHA512),
            Algorithm::PS256 => Method::Rsa(&RSA_PSS_2048_8192_SHA256),
            Algorithm::PS384 => Method::Rsa(&RSA_PSS_2048_8192_SHA384),
            Algorithm::PS512 => Method::Rsa(&RSA_PSS_2048_8192_SHA512),
            Algorithm::ES256 => Method::Curve(&ECDSA_P256_SHA256_FIXED),
            Algorithm::ES384 => Method::Curve(&ECDSA_P384_SHA384_FIXED),
            Algorithm::EdDSA => Method::Curve(&ED25519),
            _ => return None,
        })
    }
}

struct RingVerifier {
    algorithm: Algorithm,
    method: Method,
    key: DecodingKey,
}

impl Verifier<Vec<u8>> for RingVerifier {
    fn verify(&self, message: &[u8], signature: &Vec<u8>) -> Result<(), SignatureError> {
        let verified = match (self.method, self.key.kind()) {
            (Method::Rsa(parameters), DecodingKeyKind::RsaModulusExponent { n, e }) => {
                RsaPublicKeyComponents { n, e }.verify(parameters, message, signature)
            }
            (Method::Curve(algorithm), DecodingKeyKind::SecretOrDer(bytes)) => {
                UnparsedPublicKey::new(algorithm, bytes).verify(message, signature)
            }
            _ => return Err(SignatureError::new()),
        };
        verified.map_err(|_| SignatureError::new())
    }
}

impl JwtVerifier for RingVerifier {
    fn algorithm(&self) -> Algorithm {
        self.algorithm
    }
}
