//! Tests of the verification with an authenticator in software.

use ring::rand::SystemRandom;
use ring::signature::{ECDSA_P256_SHA256_ASN1_SIGNING, EcdsaKeyPair, KeyPair};
use serde_json::{Value, json};

use super::*;

const CHALLENGE: &[u8] = b"thirty-two bytes of a challenge!";
/// What precedes the point of a P-256 key in its SPKI form.
const SPKI: &str = "3059301306072a8648ce3d020106082a8648ce3d030107034200";

fn encode(bytes: impl AsRef<[u8]>) -> String {
    BASE64_URL_SAFE_NO_PAD.encode(bytes)
}

fn party() -> RelyingParty {
    RelyingParty::of("https://api.example.in").expect("an address for passkeys")
}

struct Authenticator(EcdsaKeyPair);

impl Authenticator {
    fn new() -> Authenticator {
        let (random, algorithm) = (SystemRandom::new(), &ECDSA_P256_SHA256_ASN1_SIGNING);
        let key = EcdsaKeyPair::generate_pkcs8(algorithm, &random).expect("a key");
        let key = EcdsaKeyPair::from_pkcs8(algorithm, key.as_ref(), &random).expect("a key");
        Authenticator(key)
    }

    fn spki(&self) -> Vec<u8> {
        let digit = |at| u8::from_str_radix(&SPKI[at..at + 2], 16).expect("hexadecimal");
        let prefix = (0..SPKI.len()).step_by(2).map(digit);
        prefix.chain(self.0.public_key().as_ref().iter().copied()).collect()
    }

    fn data(&self, flags: u8, count: u8) -> Vec<u8> {
        let head = Sha256::digest(b"api.example.in").into_iter().chain([flags, 0, 0, 0, count]);
        let id = [0; AAGUID].into_iter().chain([0, 3]).chain(*b"id1");
        head.chain(id).collect()
    }

    fn register(&self, client_data: &Value, flags: u8) -> Result<NewCredential, PasskeyError> {
        let registration = Registration {
            client_data: encode(client_data.to_string()),
            authenticator_data: encode(self.data(flags, 1)),
            public_key: encode(self.spki()),
        };
        verify_registration(&party(), CHALLENGE, &registration)
    }

    fn log_in(&self, client_data: &Value, data: &[u8]) -> Assertion {
        let client_data = client_data.to_string();
        let signed = [data, &Sha256::digest(&client_data)].concat();
        let signature = self.0.sign(&SystemRandom::new(), &signed).expect("a signature");
        Assertion {
            client_data: encode(client_data),
            authenticator_data: encode(data),
            signature: encode(signature),
        }
    }
}

fn client_data(kind: &str) -> Value {
    json!({
        "type": kind, "challenge": encode(CHALLENGE), "origin": "https://api.example.in",
        "crossOrigin": false, "later": "versions add fields",
    })
}

const VERIFIED: u8 = USER_PRESENT | USER_VERIFIED;

#[test]
fn passkeys_exist_where_browsers_allow_them() {
    let origin = |url: &str| RelyingParty::of(url).map(|party| party.origin);
    assert_eq!(origin("https://Api.Example.in/"), Some("https://api.example.in".into()));
    assert_eq!(origin("https://api.example.in:443"), Some("https://api.example.in".into()));
    assert_eq!(origin("http://localhost:8080"), Some("http://localhost:8080".into()));
    for url in ["http://api.example.in", "http://127.0.0.1:8080", "https://[::1]", "here"] {
        assert_eq!(origin(url), None, "{url}");
    }
}

#[test]
fn a_registered_key_logs_in_and_returns_its_count() {
    let authenticator = Authenticator::new();
    let new = authenticator.register(&client_data("webauthn.create"), VERIFIED | HAS_CREDENTIAL);
    let new = new.expect("a credential");
    assert_eq!((new.id.as_str(), new.sign_count), (encode("id1").as_str(), 1));
    let data = authenticator.data(VERIFIED, 7);
    let assertion = authenticator.log_in(&client_data("webauthn.get"), &data);
    let count = verify_assertion(&party(), CHALLENGE, &new.public_key, &assertion);
    assert_eq!(count, Ok(7));
    let other = BASE64_STANDARD.encode(Authenticator::new().spki());
    assert!(verify_assertion(&party(), CHALLENGE, &other, &assertion).is_err());
    assert!(verify_assertion(&party(), b"another", &new.public_key, &assertion).is_err());
}

#[test]
fn anything_else_than_a_verified_person_on_our_own_page_is_refused() {
    let authenticator = Authenticator::new();
    let key = BASE64_STANDARD.encode(authenticator.spki());
    for (name, value) in [
        ("type", json!("webauthn.create")),
        ("challenge", json!(encode("another"))),
        ("origin", json!("https://api.example.in.evil.example")),
        ("origin", json!("http://api.example.in")),
        ("crossOrigin", json!(true)),
    ] {
        let mut client_data = client_data("webauthn.get");
        client_data[name] = value;
        let assertion = authenticator.log_in(&client_data, &authenticator.data(VERIFIED, 1));
        assert!(verify_assertion(&party(), CHALLENGE, &key, &assertion).is_err(), "{name}");
    }
    let client_data = client_data("webauthn.get");
    for flags in [0, USER_PRESENT, USER_VERIFIED, VERIFIED | BACKED_UP] {
        let assertion = authenticator.log_in(&client_data, &authenticator.data(flags, 1));
        assert!(verify_assertion(&party(), CHALLENGE, &key, &assertion).is_err(), "{flags}");
    }
    let elsewhere = RelyingParty { id: "example.in".into(), ..party() };
    let data = authenticator.data(VERIFIED, 1);
    let assertion = authenticator.log_in(&client_data, &data);
    assert!(verify_assertion(&elsewhere, CHALLENGE, &key, &assertion).is_err());
    for length in 0..HEAD {
        let assertion = authenticator.log_in(&client_data, &data[..length]);
        assert!(verify_assertion(&party(), CHALLENGE, &key, &assertion).is_err(), "{length}");
    }
}

#[test]
fn a_registration_without_a_whole_credential_is_refused() {
    let authenticator = Authenticator::new();
    let client_data = client_data("webauthn.create");
    assert!(authenticator.register(&client_data, VERIFIED).is_err());
    let whole = authenticator.data(VERIFIED | HAS_CREDENTIAL, 1);
    for length in 0..whole.len() {
        let registration = Registration {
            client_data: encode(client_data.to_string()),
            authenticator_data: encode(&whole[..length]),
            public_key: encode(authenticator.spki()),
        };
        assert!(verify_registration(&party(), CHALLENGE, &registration).is_err(), "{length}");
    }
    let registration = Registration {
        client_data: encode(client_data.to_string()),
        authenticator_data: encode(&whole),
        public_key: encode("no key"),
    };
    assert!(verify_registration(&party(), CHALLENGE, &registration).is_err());
}
