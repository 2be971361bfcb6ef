//! The verification of passkeys (Web Authentication, 7.1 and 7.2). Attestation is not requested, so a registration is not
//! signed: the public key is what the browser reads from it. ring verifies the signatures.
//!
//! A library would be better. Of those without OpenSSL, the maintained ones need the crate `rsa`, which has an open
//! advisory; the others are not made for production.

use base64::Engine;
use base64::prelude::{BASE64_STANDARD, BASE64_URL_SAFE_NO_PAD};
use ring::signature::{
    ECDSA_P256_SHA256_ASN1, ED25519, RSA_PKCS1_2048_8192_SHA256, RsaPublicKeyComponents,
    UnparsedPublicKey,
};
use serde::Deserialize;
use sha2::{Digest, Sha256};
use x509_cert::der::asn1::{ObjectIdentifier, UintRef};
use x509_cert::der::{Decode, Reader, SliceReader};
use x509_cert::spki::SubjectPublicKeyInfoRef;

/// The algorithms that are offered to authenticators, by their COSE numbers: ES256, EdDSA, RS256.
pub const ALGORITHMS: [i32; 3] = [-7, -8, -257];

/// Bytes of what the browser sends; the specification has no limits for some of it.
const MAX_CLIENT_DATA: usize = 4 * 1024;
const MAX_AUTHENTICATOR_DATA: usize = 8 * 1024;
const MAX_PUBLIC_KEY: usize = 2 * 1024;
/// Bytes of a credential's id.
const MAX_ID: usize = 1_023;

const HASH: usize = 32;
/// The hash, the flags and the count.
const HEAD: usize = HASH + 1 + 4;
const AAGUID: usize = 16;
const USER_PRESENT: u8 = 0x01;
const USER_VERIFIED: u8 = 0x04;
const BACKUP_ELIGIBLE: u8 = 0x08;
const BACKED_UP: u8 = 0x10;
const HAS_CREDENTIAL: u8 = 0x40;

const OID_EC: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.2.840.10045.2.1");
const OID_P256: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.2.840.10045.3.1.7");
const OID_ED25519: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.3.101.112");
const OID_RSA: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.2.840.113549.1.1.1");
/// An uncompressed point of P-256.
const P256_POINT: usize = 65;

#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct PasskeyError(&'static str);

/// Where passkeys are valid.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RelyingParty {
    /// The host's name.
    pub id: String,
    origin: String,
}

impl RelyingParty {
    /// None if browsers allow no passkeys at this address: without TLS, except on `localhost`, and where the host is an
    /// IP address.
    pub fn of(public_url: &str) -> Option<RelyingParty> {
        let uri: axum::http::Uri = public_url.parse().ok()?;
        let (scheme, host) = (uri.scheme_str()?, uri.host()?.to_lowercase());
        let is_address = host.starts_with('[') || host.parse::<std::net::IpAddr>().is_ok();
        if is_address || !(scheme == "https" || host == "localhost") {
            return None;
        }
        let default = if scheme == "https" { 443 } else { 80 };
        let origin = match uri.port_u16().filter(|port| *port != default) {
            Some(port) => format!("{scheme}://{host}:{port}"),
            None => format!("{scheme}://{host}"),
        };
        Some(RelyingParty { id: host, origin })
    }
}

/// What the browser sends for a new passkey; each part in base64url.
#[derive(Debug, Deserialize)]
pub struct Registration {
    pub client_data: String,
    pub authenticator_data: String,
    /// In the form of a certificate (SPKI).
    pub public_key: String,
}

/// A verified new passkey.
#[derive(Debug, PartialEq, Eq)]
pub struct NewCredential {
    /// In base64url.
    pub id: String,
    /// In base64.
    pub public_key: String,
    pub sign_count: i64,
}

/// What the browser sends for a log-in; each part in base64url.
#[derive(Debug, Deserialize)]
pub struct Assertion {
    pub client_data: String,
    pub authenticator_data: String,
    pub signature: String,
}

/// What the browser has signed or passes on.
#[derive(Deserialize)]
struct ClientData {
    #[serde(rename = "type")]
    kind: String,
    challenge: String,
    origin: String,
    #[serde(default, rename = "crossOrigin")]
    cross_origin: bool,
}

pub fn verify_registration(
    party: &RelyingParty,
    challenge: &[u8],
    registration: &Registration,
) -> Result<NewCredential, PasskeyError> {
    let client_data = decode(&registration.client_data, MAX_CLIENT_DATA)?;
    check_client_data(party, "webauthn.create", challenge, &client_data)?;
    let data = decode(&registration.authenticator_data, MAX_AUTHENTICATOR_DATA)?;
    let (flags, sign_count) = check_head(party, &data)?;
    if flags & HAS_CREDENTIAL == 0 {
        return Err(PasskeyError("the authenticator sent no credential"));
    }
    let id = credential_id(&data).ok_or(PasskeyError("the credential is incomplete"))?;
    let public_key = decode(&registration.public_key, MAX_PUBLIC_KEY)?;
    Key::read(&public_key)?;
    Ok(NewCredential {
        id: BASE64_URL_SAFE_NO_PAD.encode(id),
        public_key: BASE64_STANDARD.encode(public_key),
        sign_count,
    })
}

/// Verifies a log-in with a stored public key; returns the authenticator's count of signatures.
pub fn verify_assertion(
    party: &RelyingParty,
    challenge: &[u8],
    public_key: &str,
    assertion: &Assertion,
) -> Result<i64, PasskeyError> {
    let client_data = decode(&assertion.client_data, MAX_CLIENT_DATA)?;
    check_client_data(party, "webauthn.get", challenge, &client_data)?;
    let mut signed = decode(&assertion.authenticator_data, MAX_AUTHENTICATOR_DATA)?;
    let (_, sign_count) = check_head(party, &signed)?;
    signed.extend(Sha256::digest(&client_data));
    let signature = decode(&assertion.signature, MAX_PUBLIC_KEY)?;
    let public_key = BASE64_STANDARD.decode(public_key);
    let public_key = public_key.map_err(|_| PasskeyError("the stored key is damaged"))?;
    Key::read(&public_key)?.verify(&signed, &signature)?;
    Ok(sign_count)
}

fn check_client_data(
    party: &RelyingParty,
    kind: &str,
    challenge: &[u8],
    bytes: &[u8],
) -> Result<(), PasskeyError> {
    let data: ClientData = serde_json::from_slice(bytes)
        .map_err(|_| PasskeyError("the browser's data cannot be read"))?;
    let same_challenge =
        BASE64_URL_SAFE_NO_PAD.decode(&data.challenge).is_ok_and(|given| given == challenge);
    if data.kind != kind {
        return Err(PasskeyError("the browser's data is for another purpose"));
    }
    if !same_challenge {
        return Err(PasskeyError("the challenge does not match"));
    }
    if data.origin != party.origin || data.cross_origin {
        return Err(PasskeyError("the address of the page differs from public_url"));
    }
    Ok(())
}

/// Checks the beginning of the authenticator's data: for this service, with the person present and verified. Returns the
/// flags and the count.
fn check_head(party: &RelyingParty, data: &[u8]) -> Result<(u8, i64), PasskeyError> {
    let (Some(hash), Some(flags), Some(count)) =
        (data.get(..HASH), data.get(HASH), data.get(HASH + 1..HEAD))
    else {
        return Err(PasskeyError("the authenticator's data is incomplete"));
    };
    if *hash != *Sha256::digest(&party.id) {
        return Err(PasskeyError("the passkey is for another service"));
    }
    if flags & USER_PRESENT == 0 || flags & USER_VERIFIED == 0 {
        return Err(PasskeyError("the authenticator did not verify the person"));
    }
    if flags & BACKED_UP != 0 && flags & BACKUP_ELIGIBLE == 0 {
        return Err(PasskeyError("the authenticator's backup flags contradict each other"));
    }
    let count = count.iter().fold(0, |count, byte| (count << 8) | i64::from(*byte));
    Ok((*flags, count))
}

fn credential_id(data: &[u8]) -> Option<&[u8]> {
    let rest = data.get(HEAD + AAGUID..)?;
    let length = usize::from(u16::from_be_bytes([*rest.first()?, *rest.get(1)?]));
    let id = rest.get(2..2 + length)?;
    (1..=MAX_ID).contains(&length).then_some(id)
}

enum Key {
    P256(Vec<u8>),
    Ed25519(Vec<u8>),
    Rsa { n: Vec<u8>, e: Vec<u8> },
}

impl Key {
    fn read(bytes: &[u8]) -> Result<Key, PasskeyError> {
        let unknown = PasskeyError("the key type of this passkey is not supported");
        let info = SubjectPublicKeyInfoRef::from_der(bytes).map_err(|_| unknown)?;
        let curve = info.algorithm.parameters_oid().ok();
        let key = info.subject_public_key.as_bytes().ok_or(unknown)?;
        match info.algorithm.oid {
            OID_EC if curve == Some(OID_P256) && key.len() == P256_POINT => {
                Ok(Key::P256(key.to_vec()))
            }
            OID_ED25519 => Ok(Key::Ed25519(key.to_vec())),
            OID_RSA => read_rsa(key).map_err(|_| unknown),
            _ => Err(unknown),
        }
    }

    fn verify(&self, message: &[u8], signature: &[u8]) -> Result<(), PasskeyError> {
        let verified = match self {
            Key::P256(point) => {
                UnparsedPublicKey::new(&ECDSA_P256_SHA256_ASN1, point).verify(message, signature)
            }
            Key::Ed25519(key) => UnparsedPublicKey::new(&ED25519, key).verify(message, signature),
            Key::Rsa { n, e } => RsaPublicKeyComponents { n, e }.verify(
                &RSA_PKCS1_2048_8192_SHA256,
                message,
                signature,
            ),
        };
        verified.map_err(|_| PasskeyError("the signature is wrong"))
    }
}

/// Reads the modulus and the exponent of an RSA key.
fn read_rsa(bytes: &[u8]) -> x509_cert::der::Result<Key> {
    let mut reader = SliceReader::new(bytes)?;
    let (n, e) =
        reader.sequence(|fields| Ok((UintRef::decode(fields)?, UintRef::decode(fields)?)))?;
    reader.finish(Key::Rsa { n: n.as_bytes().to_vec(), e: e.as_bytes().to_vec() })
}

fn decode(text: &str, max_bytes: usize) -> Result<Vec<u8>, PasskeyError> {
    let bytes = BASE64_URL_SAFE_NO_PAD.decode(text);
    bytes
        .ok()
        .filter(|bytes| bytes.len() <= max_bytes)
        .ok_or(PasskeyError("a part is too long or not in base64url"))
}

#[cfg(test)]
mod tests;
