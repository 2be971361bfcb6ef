//! Signatures of Standard Webhooks 1.0: `v1` with a shared secret and `v1a` with a pair of keys.

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use hmac::{Hmac, KeyInit, Mac};
use ring::signature::{Ed25519KeyPair, KeyPair};
use sha2::Sha256;

/// The keys of a webhook that are valid at one time.
pub struct SigningKeys {
    secret: Vec<u8>,
    pair: Ed25519KeyPair,
}

impl SigningKeys {
    pub fn new(secret: &[u8], seed: &[u8; 32]) -> SigningKeys {
        let pair = Ed25519KeyPair::from_seed_unchecked(seed).expect("a seed has 32 bytes");
        SigningKeys { secret: secret.to_vec(), pair }
    }

    /// The shared secret as it is shown to the receiver.
    pub fn secret_text(&self) -> String {
        format!("whsec_{}", BASE64_STANDARD.encode(&self.secret))
    }

    /// The public key as it is shown to the receiver.
    pub fn public_text(&self) -> String {
        format!("whpk_{}", BASE64_STANDARD.encode(self.pair.public_key()))
    }

    fn sign(&self, content: &[u8]) -> [String; 2] {
        let mut mac =
            Hmac::<Sha256>::new_from_slice(&self.secret).expect("HMAC takes a key of any length");
        mac.update(content);
        let symmetric = BASE64_STANDARD.encode(mac.finalize().into_bytes());
        let asymmetric = BASE64_STANDARD.encode(self.pair.sign(content));
        [format!("v1,{symmetric}"), format!("v1a,{asymmetric}")]
    }
}

/// The header `webhook-signature`: both kinds of signature with each of the valid keys.
pub fn sign(keys: &[SigningKeys], id: &str, timestamp: i64, body: &[u8]) -> String {
    let mut content = format!("{id}.{timestamp}.").into_bytes();
    content.extend_from_slice(body);
    let signatures: Vec<String> = keys.iter().flat_map(|keys| keys.sign(&content)).collect();
    signatures.join(" ")
}

#[cfg(test)]
mod tests {
    use ring::signature::{ED25519, UnparsedPublicKey};

    use super::*;

    const ID: &str = "msg_p5jXN8AQM9LWM0D4loKWxJek";
    const TIMESTAMP: i64 = 1_614_265_330;
    const BODY: &[u8] = br#"{"test": 2432232314}"#;

    fn keys(secret: &str) -> SigningKeys {
        let secret = BASE64_STANDARD.decode(secret).expect("base64");
        SigningKeys::new(&secret, &[7; 32])
    }

    #[test]
    fn the_symmetric_signature_is_that_of_the_specification() {
        let signed = sign(&[keys("MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw")], ID, TIMESTAMP, BODY);
        let first = signed.split(' ').next();
        assert_eq!(first, Some("v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="));
    }

    #[test]
    fn the_asymmetric_signature_is_verified_with_the_public_key() {
        let keys = keys("MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw");
        let public = keys.public_text();
        let public = public.strip_prefix("whpk_").expect("the prefix");
        let public = BASE64_STANDARD.decode(public).expect("base64");
        let signed = sign(&[keys], ID, TIMESTAMP, BODY);
        let signature = signed.split(' ').find_map(|part| part.strip_prefix("v1a,"));
        let signature = BASE64_STANDARD.decode(signature.expect("a signature")).expect("base64");
        let content = [format!("{ID}.{TIMESTAMP}.").as_bytes(), BODY].concat();
        let public = UnparsedPublicKey::new(&ED25519, public);
        assert!(public.verify(&content, &signature).is_ok());
        assert!(public.verify(b"other", &signature).is_err());
    }

    #[test]
    fn during_a_rotation_both_secrets_sign() {
        let keys = [keys("MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"), keys("b3RoZXI=")];
        let signed = sign(&keys, ID, TIMESTAMP, BODY);
        let kinds: Vec<&str> =
            signed.split(' ').filter_map(|part| part.split(',').next()).collect();
        assert_eq!(kinds, ["v1", "v1a", "v1", "v1a"]);
    }
}
