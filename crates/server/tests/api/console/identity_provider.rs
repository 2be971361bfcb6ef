//! A stand-in for an identity provider on loopback, which can issue wrong tokens. A real one is tested by `clients/run`.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use axum::routing::{get, post};
use axum::{Json, Router};
use base64::Engine;
use base64::prelude::{BASE64_STANDARD, BASE64_URL_SAFE_NO_PAD};
use hmac::{Hmac, KeyInit, Mac};
use ring::rand::SystemRandom;
use ring::signature::{ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair, KeyPair};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use super::fake_server::FakeServer;

pub const CLIENT_ID: &str = "panji";
pub const CLIENT_SECRET: &str = "a secret: of the stand-in";

/// How a token is signed.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Signing {
    Es256,
    /// Without a signature.
    None,
    /// With the public key as the shared secret.
    PublicKeyAsSecret,
    /// With a key that is not published.
    UnknownKey,
}

struct FakeState {
    url: String,
    key: EcdsaKeyPair,
    kid: String,
    /// What the next code is exchanged for, and the PKCE challenge that it belongs to.
    token: String,
    challenge: String,
    userinfo: Value,
    key_requests: usize,
    away: bool,
}

type Shared = Arc<Mutex<FakeState>>;

pub struct IdentityProvider {
    pub url: String,
    state: Shared,
}

fn new_key() -> EcdsaKeyPair {
    let random = SystemRandom::new();
    let document = EcdsaKeyPair::generate_pkcs8(&ECDSA_P256_SHA256_FIXED_SIGNING, &random).unwrap();
    EcdsaKeyPair::from_pkcs8(&ECDSA_P256_SHA256_FIXED_SIGNING, document.as_ref(), &random).unwrap()
}

fn encode(bytes: impl AsRef<[u8]>) -> String {
    BASE64_URL_SAFE_NO_PAD.encode(bytes)
}

impl IdentityProvider {
    /// Starts it on its own thread; it ends with the test's process.
    pub fn start() -> IdentityProvider {
        let server = FakeServer::bind();
        let state = Arc::new(Mutex::new(FakeState {
            url: server.url.clone(),
            key: new_key(),
            kid: "first".to_owned(),
            token: String::new(),
            challenge: String::new(),
            userinfo: json!({}),
            key_requests: 0,
            away: false,
        }));
        let routes = Router::new()
            .route("/.well-known/openid-configuration", get(describe))
            .route("/keys", get(list_keys))
            .route("/token", post(exchange))
            .route("/userinfo", get(describe_person))
            .with_state(state.clone());
        IdentityProvider { url: server.serve(routes), state }
    }

    /// The settings of a service that uses it.
    pub fn settings(&self) -> Vec<(&'static str, &str)> {
        vec![
            ("sso.issuer", &self.url),
            ("sso.client_id", CLIENT_ID),
            ("sso.client_secret", CLIENT_SECRET),
            ("sso.name", "Namuna Bank"),
            ("sso.account", "bank@firm.example"),
            ("sso.owner_groups", "admins"),
            ("sso.developer_groups", "developers"),
        ]
    }

    /// The claims of a person with everything that is needed, for an attempt with this nonce.
    pub fn claims(&self, subject: &str, groups: &[&str], nonce: &str) -> Value {
        let now = panji_store::calendar::now_ms() / 1000;
        json!({
            "iss": self.url, "aud": CLIENT_ID, "sub": subject, "nonce": nonce, "iat": now, "exp": now + 300,
            "email": format!("{subject}@firm.example"), "email_verified": true, "name": subject, "groups": groups,
        })
    }

    /// Exchanges the next code for a token with these claims.
    pub fn issue(&self, claims: &Value, signing: Signing, challenge: &str) {
        let mut state = self.state.lock().unwrap();
        let algorithm = match signing {
            Signing::None => "none",
            Signing::PublicKeyAsSecret => "HS256",
            Signing::Es256 | Signing::UnknownKey => "ES256",
        };
        let kid = if signing == Signing::UnknownKey { "nobody's" } else { &state.kid };
        let header = json!({"alg": algorithm, "kid": kid, "typ": "JWT"});
        let message = format!("{}.{}", encode(header.to_string()), encode(claims.to_string()));
        let signature = match signing {
            Signing::None => Vec::new(),
            Signing::PublicKeyAsSecret => {
                let key = state.key.public_key().as_ref();
                let mut mac: Hmac<Sha256> = Hmac::new_from_slice(key).unwrap();
                mac.update(message.as_bytes());
                mac.finalize().into_bytes().to_vec()
            }
            Signing::Es256 | Signing::UnknownKey => {
                let signature = state.key.sign(&SystemRandom::new(), message.as_bytes());
                signature.unwrap().as_ref().to_vec()
            }
        };
        state.token = format!("{message}.{}", encode(signature));
        state.challenge = challenge.to_owned();
    }

    pub fn set_userinfo(&self, userinfo: Value) {
        self.state.lock().unwrap().userinfo = userinfo;
    }

    pub fn change_key(&self, kid: &str) {
        let mut state = self.state.lock().unwrap();
        state.key = new_key();
        state.kid = kid.to_owned();
    }

    /// How often the keys were read.
    pub fn key_requests(&self) -> usize {
        self.state.lock().unwrap().key_requests
    }

    pub fn set_away(&self, away: bool) {
        self.state.lock().unwrap().away = away;
    }
}

async fn describe(State(state): State<Shared>) -> Json<Value> {
    let url = state.lock().unwrap().url.clone();
    Json(json!({
        "issuer": url,
        "authorization_endpoint": format!("{url}/authorize?tenant=1"),
        "token_endpoint": format!("{url}/token"),
        "jwks_uri": format!("{url}/keys"),
        "userinfo_endpoint": format!("{url}/userinfo"),
    }))
}

async fn list_keys(State(state): State<Shared>) -> Json<Value> {
    let mut state = state.lock().unwrap();
    state.key_requests += 1;
    let point = state.key.public_key().as_ref();
    Json(json!({"keys": [
        {"kty": "unheard-of", "kid": "other"},
        {
            "kty": "EC", "crv": "P-256", "use": "sig", "alg": "ES256", "kid": state.kid,
            "x": encode(&point[1..33]), "y": encode(&point[33..]),
        },
    ]}))
}

async fn exchange(
    State(state): State<Shared>,
    headers: HeaderMap,
    body: String,
) -> Result<Json<Value>, StatusCode> {
    let state = state.lock().unwrap();
    let form: HashMap<String, String> = serde_html_form::from_str(&body).unwrap();
    // RFC 6749, 2.3.1: id and secret are encoded before they are joined.
    let basic = BASE64_STANDARD.encode("panji:a%20secret%3A%20of%20the%20stand%2Din");
    let challenge = encode(Sha256::digest(form["code_verifier"].as_bytes()));
    let valid = headers["authorization"] == format!("Basic {basic}")
        && challenge == state.challenge
        && form["grant_type"] == "authorization_code"
        && form["redirect_uri"].ends_with("/console/log-in/sso/callback");
    match (state.away, valid) {
        (true, _) => Err(StatusCode::SERVICE_UNAVAILABLE),
        (false, false) => Err(StatusCode::BAD_REQUEST),
        (false, true) => Ok(Json(json!({
            "id_token": state.token, "access_token": "an access token", "token_type": "Bearer",
        }))),
    }
}

async fn describe_person(State(state): State<Shared>, headers: HeaderMap) -> Json<Value> {
    assert_eq!(headers["authorization"], "Bearer an access token");
    Json(state.lock().unwrap().userinfo.clone())
}
