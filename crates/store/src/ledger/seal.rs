//! The ledger's secret, and what it protects: key hashes and the seals of entries.

use ring::{digest, hmac};
use subtle::ConstantTimeEq;

/// Thirty-two random bytes of a ledger, stored outside it.
#[derive(Clone)]
pub struct Secret {
    bytes: [u8; 32],
    /// Has the HMAC's state after the key, so that the key is processed only once.
    hmac: hmac::Key,
}

impl Secret {
    pub fn new(bytes: [u8; 32]) -> Secret {
        Secret { bytes, hmac: hmac::Key::new(hmac::HMAC_SHA256, &bytes) }
    }

    /// Identifies the secret without disclosing it.
    pub fn fingerprint(&self) -> String {
        let mut context = digest::Context::new(&digest::SHA256);
        context.update(b"panji fingerprint");
        context.update(&self.bytes);
        hex(&context.finish().as_ref()[..16])
    }

    pub fn hash_key(&self, key: &str) -> String {
        hex(&self.mac(b"key", &[key.as_bytes()]))
    }

    pub fn seal(&self, parts: &[&[u8]]) -> String {
        hex(&self.mac(b"entry", parts)[..16])
    }

    /// The keyed hash of a text, for one purpose.
    pub fn token(&self, purpose: &[u8], text: &str) -> String {
        hex(&self.mac(purpose, &[text.as_bytes()]))
    }

    /// Bytes for one purpose that only the owner of the secret can compute.
    pub fn derive(&self, purpose: &[u8], parts: &[&[u8]]) -> [u8; 32] {
        self.mac(purpose, parts)
    }

    pub fn seal_audit_event(&self, parts: &[&[u8]]) -> String {
        // The purpose has this name since the first version; another would not match stored seals.
        hex(&self.mac(b"deed", parts)[..16])
    }

    // Each part is preceded by its length, so that different lists of parts cannot collide.
    fn mac(&self, purpose: &[u8], parts: &[&[u8]]) -> [u8; 32] {
        let mut message = hmac::Context::with_key(&self.hmac);
        for part in std::iter::once(&purpose).chain(parts) {
            message.update(&(part.len() as u64).to_le_bytes());
            message.update(part);
        }
        message.sign().as_ref().try_into().expect("an HMAC with SHA-256 has 32 bytes")
    }
}

/// Compares two texts in a time that does not depend on where they differ. Used for every MAC and
/// every hash of a secret.
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
