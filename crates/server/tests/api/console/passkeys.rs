//! Tests of passkeys with an authenticator in software: challenges work once, and each passkey for its person only.

use axum::http::Method;
use base64::Engine;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use ring::rand::SystemRandom;
use ring::signature::{ECDSA_P256_SHA256_ASN1_SIGNING, EcdsaKeyPair, KeyPair};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use super::browser::{Browser, PASSWORD, Page, form};
use crate::server::{Server, serve, serve_embedded};

const ADDRESS: &str = "http://localhost:8080";
const SETTINGS: [(&str, &str); 1] = [("public_url", ADDRESS)];
const ASHA: &str = "asha@firm.example";
/// What precedes the point of a P-256 key in its SPKI form.
const SPKI: [u8; 26] = [
    0x30, 0x59, 0x30, 0x13, 0x06, 0x07, 0x2a, 0x86, 0x48, 0xce, 0x3d, 0x02, 0x01, 0x06, 0x08, 0x2a,
    0x86, 0x48, 0xce, 0x3d, 0x03, 0x01, 0x07, 0x03, 0x42, 0x00,
];

fn encode(bytes: impl AsRef<[u8]>) -> String {
    BASE64_URL_SAFE_NO_PAD.encode(bytes)
}

struct Authenticator {
    key: EcdsaKeyPair,
    id: &'static str,
}

impl Authenticator {
    fn new(id: &'static str) -> Authenticator {
        let (random, algorithm) = (SystemRandom::new(), &ECDSA_P256_SHA256_ASN1_SIGNING);
        let key = EcdsaKeyPair::generate_pkcs8(algorithm, &random).unwrap();
        let key = EcdsaKeyPair::from_pkcs8(algorithm, key.as_ref(), &random).unwrap();
        Authenticator { key, id }
    }

    fn head(flags: u8, count: u8) -> Vec<u8> {
        [&Sha256::digest(b"localhost")[..], &[flags, 0, 0, 0, count]].concat()
    }

    fn client_data(kind: &str, options: &Value) -> String {
        let challenge = encode(options["challenge"].as_str().unwrap());
        json!({"type": kind, "challenge": challenge, "origin": ADDRESS}).to_string()
    }

    fn register(&self, options: &Value) -> Vec<(&'static str, String)> {
        let length = u8::try_from(self.id.len()).unwrap();
        let data = [&Self::head(0x45, 1)[..], &[0; 16], &[0, length], self.id.as_bytes()].concat();
        let key = [&SPKI[..], self.key.public_key().as_ref()].concat();
        vec![
            ("name", "Laptop".to_owned()),
            ("client_data", encode(Self::client_data("webauthn.create", options))),
            ("authenticator_data", encode(data)),
            ("public_key", encode(key)),
        ]
    }

    fn sign(&self, options: &Value, person: &str, count: u8) -> Vec<(&'static str, String)> {
        let client_data = Self::client_data("webauthn.get", options);
        let data = Self::head(0x05, count);
        let signed = [&data[..], &Sha256::digest(&client_data)].concat();
        let signature = self.key.sign(&SystemRandom::new(), &signed).unwrap();
        vec![
            ("id", encode(self.id)),
            ("person", person.to_owned()),
            ("client_data", encode(client_data)),
            ("authenticator_data", encode(data)),
            ("signature", encode(signature)),
        ]
    }
}

async fn start(browser: &mut Browser<'_>, path: &str, password: &str) -> (u16, Value) {
    let token = browser.form_token.clone();
    let response = browser.ask(form(path, &[("form_token", &token), ("password", password)])).await;
    (response.status, serde_json::from_slice(&response.bytes).unwrap_or_default())
}

async fn send(browser: &mut Browser<'_>, path: &str, fields: &[(&'static str, String)]) -> Page {
    let fields: Vec<_> = fields.iter().map(|(name, value)| (*name, value.as_str())).collect();
    browser.send(path, &fields).await
}

async fn add(browser: &mut Browser<'_>, authenticator: &Authenticator) -> Page {
    browser.open("/console/account").await;
    let (status, options) = start(browser, "/console/account/passkeys/start", PASSWORD).await;
    assert_eq!(status, 200, "{options}");
    send(browser, "/console/account/passkeys", &authenticator.register(&options)).await
}

async fn log_in<'a>(
    server: &'a Server,
    authenticator: &Authenticator,
    person: &str,
    count: u8,
) -> (Browser<'a>, Page) {
    let mut browser = Browser::new(server);
    let (status, options) = start(&mut browser, "/console/log-in/passkey/start", "").await;
    assert_eq!(status, 200, "{options}");
    let fields = authenticator.sign(&options, person, count);
    let page = send(&mut browser, "/console/log-in/passkey", &fields).await;
    (browser, page)
}

async fn person_id(server: &Server, email: &str) -> String {
    server.app.ledger.find_person(email).await.unwrap().unwrap().id
}

#[test]
fn a_passkey_logs_in_its_person_without_the_second_factor() {
    serve(&SETTINGS, async |server| {
        let mut browser = Browser::signed_up(server, ASHA).await;
        let authenticator = Authenticator::new("laptop");
        add(&mut browser, &authenticator).await.expect("The passkey was added").expect("Laptop");
        let asha = person_id(server, ASHA).await;
        server.app.ledger.set_totp(&asha, Some("a nonce"), Some(1)).await.unwrap();
        let (_, page) = log_in(server, &authenticator, &asha, 2).await;
        assert_eq!((page.status, page.path.as_str()), (200, "/console"), "{}", page.text);
        let events = server.app.ledger.list_audit_events(0, 100).await.unwrap();
        let found = |action: &str, part: &str| {
            events.iter().any(|event| event.action == action && event.details.contains(part))
        };
        assert!(found("passkey.add", "Laptop"));
        assert!(found("log_in", r#""second_factor":true,"method":"passkey""#), "{events:?}");
    });
}

#[test]
fn a_new_passkey_needs_the_password_and_its_own_challenge() {
    serve_embedded(&SETTINGS, async |server| {
        let mut browser = Browser::signed_up(server, ASHA).await;
        browser.open("/console/account").await;
        let path = "/console/account/passkeys/start";
        let (status, response) = start(&mut browser, path, "not her password").await;
        assert_eq!((status, response["error"].as_str()), (422, Some("The password is wrong.")));
        let authenticator = Authenticator::new("laptop");
        // A challenge for a log-in, which everybody gets.
        let (_, options) = start(&mut browser, "/console/log-in/passkey/start", "").await;
        let fields = authenticator.register(&options);
        let page = send(&mut browser, "/console/account/passkeys", &fields).await;
        assert_eq!(page.status, 403);
        page.expect("has expired or was already used");
        add(&mut browser, &authenticator).await.expect("The passkey was added");
        let again = add(&mut browser, &authenticator).await;
        assert_eq!(again.status, 409, "{}", again.text);
        // The form of another session has no challenge for this person.
        let mut ravi = Browser::signed_up(server, "ravi@firm.example").await;
        ravi.open("/console/account").await;
        let (_, options) = start(&mut browser, path, PASSWORD).await;
        ravi.cookies.insert("panji_challenge".into(), browser.cookies["panji_challenge"].clone());
        let fields = Authenticator::new("other").register(&options);
        assert_eq!(send(&mut ravi, "/console/account/passkeys", &fields).await.status, 403);
    });
}

#[test]
fn a_challenge_works_once_and_only_in_its_browser() {
    serve(&SETTINGS, async |server| {
        let mut browser = Browser::signed_up(server, ASHA).await;
        let authenticator = Authenticator::new("laptop");
        add(&mut browser, &authenticator).await.expect("The passkey was added");
        let asha = person_id(server, ASHA).await;
        let mut first = Browser::new(server);
        let (_, options) = start(&mut first, "/console/log-in/passkey/start", "").await;
        let fields = authenticator.sign(&options, &asha, 2);
        let mut elsewhere = Browser::new(server);
        let page = send(&mut elsewhere, "/console/log-in/passkey", &fields).await;
        assert_eq!(page.status, 403);
        let cookie = first.cookies["panji_challenge"].clone();
        assert_eq!(send(&mut first, "/console/log-in/passkey", &fields).await.status, 200);
        let mut thief = Browser::new(server);
        thief.cookies.insert("panji_challenge".into(), cookie);
        let page = send(&mut thief, "/console/log-in/passkey", &fields).await;
        assert_eq!(page.status, 403);
        page.expect("has expired or was already used");
    });
}

#[test]
fn a_copied_removed_or_foreign_passkey_is_refused() {
    serve_embedded(&SETTINGS, async |server| {
        let mut browser = Browser::signed_up(server, ASHA).await;
        Browser::signed_up(server, "ravi@firm.example").await;
        let authenticator = Authenticator::new("laptop");
        add(&mut browser, &authenticator).await.expect("The passkey was added");
        let (asha, ravi) =
            (person_id(server, ASHA).await, person_id(server, "ravi@firm.example").await);
        assert_eq!(log_in(server, &authenticator, &asha, 5).await.1.status, 200);
        let (_, copied) = log_in(server, &authenticator, &asha, 5).await;
        assert_eq!(copied.status, 403);
        copied.expect("may have been copied");
        let (_, foreign) = log_in(server, &authenticator, &ravi, 6).await;
        assert_eq!(foreign.status, 403);
        foreign.expect("is not known to this service");
        let (_, forged) = log_in(server, &Authenticator::new("laptop"), &asha, 6).await;
        assert_eq!(forged.status, 403);
        forged.expect("the signature is wrong");
        browser.open("/console/account").await;
        let id = encode("laptop");
        let page = browser.send("/console/account/passkeys/remove", &[("id", &id)]).await;
        page.expect("The passkey was removed");
        assert_eq!(log_in(server, &authenticator, &asha, 7).await.1.status, 403);
    });
}

#[test]
fn without_a_host_name_there_are_no_passkeys() {
    serve_embedded(&[], async |server| {
        let mut browser = Browser::signed_up(server, ASHA).await;
        browser.open("/console/account").await.expect("Passkeys need an address with a host name");
        let (status, _) = start(&mut browser, "/console/log-in/passkey/start", "").await;
        assert_eq!(status, 403);
        let page = browser.open("/console/log-in").await;
        assert!(!page.text.contains("passkey"), "{}", page.text);
        let response = browser.ask(crate::ask::ask(Method::GET, "/console/log-in/passkey")).await;
        assert_eq!(response.status, 405);
    });
}
