//! The ledger's secret, and what is made with it: key hashes and the seals of entries.

use hmac::{Hmac, KeyInit, Mac};
use sha2::{Digest, Sha256};
use subtle::ConstantTimeEq;

/// Thirty-two random bytes that belong to a ledger and are kept apart from it.
#[derive(Clone)]
pub struct Secret {
    bytes: [u8; 32],
    /// The keyed hash before its first byte, so that the key is worked in once.
    keyed: Hmac<Sha256>,
}

impl Secret {
    /// Takes the bytes into use.
    pub fn new(bytes: [u8; 32]) -> Secret {
        let keyed = Hmac::new_from_slice(&bytes).expect("HMAC takes a key of any length");
        Secret { bytes, keyed }
    }

    /// A name for the secret that does not give it away.
    pub fn fingerprint(&self) -> String {
        hex(&Sha256::new().chain_update(b"panji fingerprint").chain_update(self.bytes).finalize()
            [..16])
    }

    /// The keyed hash of an API key.
    pub fn hash_key(&self, key: &str) -> String {
        hex(&self.mac(b"key", &[key.as_bytes()]))
    }

    /// The seal over the parts of an entry.
    pub fn seal(&self, parts: &[&[u8]]) -> String {
        hex(&self.mac(b"entry", parts)[..16])
    }

    /// The keyed hash of a text that somebody holds, for one purpose.
    pub fn token(&self, purpose: &[u8], text: &str) -> String {
        hex(&self.mac(purpose, &[text.as_bytes()]))
    }

    /// Bytes for one purpose that only the holder of the secret can make.
    pub fn derive(&self, purpose: &[u8], parts: &[&[u8]]) -> [u8; 32] {
        self.mac(purpose, parts)
    }

    /// The seal over the parts of a line of the audit log.
    pub fn seal_audit_event(&self, parts: &[&[u8]]) -> String {
        hex(&self.mac(b"deed", parts)[..16])
    }

    // Each part goes in behind its length, so that no two lists of parts look alike.
    fn mac(&self, purpose: &[u8], parts: &[&[u8]]) -> [u8; 32] {
        let mut mac = self.keyed.clone();
        for part in std::iter::once(&purpose).chain(parts) {
            mac.update(&(part.len() as u64).to_le_bytes());
            mac.update(part);
        }
        mac.finalize().into_bytes().into()
    }
}

/// Whether two texts are equal, found out in a time that does not depend on where they differ. Every MAC and
/// every hash of a secret is compared by it.
pub fn equal_in_constant_time(left: &str, right: &str) -> bool {
    bool::from(left.as_bytes().ct_eq(right.as_bytes()))
}

fn hex(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    let mut text = String::with_capacity(bytes.len() * 2);
    for byte in bytes {
        text.push(char::from(DIGITS[usize::from(byte >> 4)]));
        text.push(char::from(DIGITS[usize::from(byte & 15)]));
    }
    text
}
