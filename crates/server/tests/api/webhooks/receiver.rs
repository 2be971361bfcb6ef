//! A receiver on this machine that responds by the path, and keeps what it gets.

use std::sync::{Arc, Mutex};

use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::{Path, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use axum::routing::post;
use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use futures_util::stream;
use hmac::{Hmac, KeyInit, Mac};
use ring::signature::{ED25519, UnparsedPublicKey};
use serde_json::Value;
use sha2::Sha256;
use tokio::net::TcpListener;
use tokio::task::JoinHandle;

#[derive(Clone, Debug)]
pub struct Received {
    pub path: String,
    pub headers: HeaderMap,
    pub body: Bytes,
}

impl Received {
    pub fn header(&self, name: &str) -> &str {
        self.headers.get(name).unwrap().to_str().unwrap()
    }

    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap()
    }

    fn content(&self) -> Vec<u8> {
        let head = format!("{}.{}.", self.header("webhook-id"), self.header("webhook-timestamp"));
        [head.as_bytes(), &self.body].concat()
    }

    fn signatures(&self, kind: &str) -> Vec<Vec<u8>> {
        let parts = self.header("webhook-signature").split(' ');
        let own = parts.filter_map(|part| part.split_once(',').filter(|(of, _)| *of == kind));
        own.map(|(_, signature)| BASE64_STANDARD.decode(signature).unwrap()).collect()
    }

    /// Whether one of the signatures is that of this secret.
    pub fn is_signed_with(&self, secret: &str) -> bool {
        let secret = BASE64_STANDARD.decode(secret.strip_prefix("whsec_").unwrap()).unwrap();
        let mut mac = Hmac::<Sha256>::new_from_slice(&secret).unwrap();
        mac.update(&self.content());
        let expected = mac.finalize().into_bytes();
        self.signatures("v1").iter().any(|signature| signature[..] == expected[..])
    }

    /// Whether one of the signatures is verified with this public key.
    pub fn is_signed_by(&self, public_key: &str) -> bool {
        let key = BASE64_STANDARD.decode(public_key.strip_prefix("whpk_").unwrap()).unwrap();
        let key = UnparsedPublicKey::new(&ED25519, key);
        let signatures = self.signatures("v1a");
        signatures.iter().any(|signature| key.verify(&self.content(), signature).is_ok())
    }
}

#[derive(Clone, Default)]
struct Kept(Arc<Mutex<Vec<Received>>>);

pub struct Receiver {
    pub url: String,
    pub port: u16,
    kept: Kept,
    task: JoinHandle<()>,
}

impl Drop for Receiver {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl Receiver {
    pub async fn open() -> Receiver {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let kept = Kept::default();
        let router = Router::new().route("/{behavior}", post(receive)).with_state(kept.clone());
        let task = tokio::spawn(async move { axum::serve(listener, router).await.unwrap() });
        Receiver { url: format!("http://127.0.0.1:{port}"), port, kept, task }
    }

    /// The URL at which the receiver behaves like this.
    pub fn at(&self, behavior: &str) -> String {
        format!("{}/{behavior}", self.url)
    }

    /// What has arrived, in order.
    pub fn received(&self) -> Vec<Received> {
        self.kept.0.lock().unwrap().clone()
    }

    /// The numbers of the events that have arrived at a path, in order.
    pub fn seqs(&self, behavior: &str) -> Vec<i64> {
        let received = self.received().into_iter().filter(|one| one.path == behavior);
        received.map(|one| one.json()["data"]["seq"].as_i64().unwrap()).collect()
    }
}

async fn receive(
    State(kept): State<Kept>,
    Path(behavior): Path<String>,
    headers: HeaderMap,
    body: Bytes,
) -> Response {
    kept.0.lock().unwrap().push(Received { path: behavior.clone(), headers, body });
    match behavior.as_str() {
        "hang" => std::future::pending().await,
        "redirect" => (StatusCode::FOUND, [("location", "/redirected")]).into_response(),
        "huge" => {
            let chunk = Bytes::from(vec![b'x'; 64 * 1024]);
            let endless = stream::repeat_with(move || Ok::<_, std::io::Error>(chunk.clone()));
            Body::from_stream(endless).into_response()
        }
        status => {
            let status = status.parse().ok().and_then(|code| StatusCode::from_u16(code).ok());
            status.unwrap_or(StatusCode::NO_CONTENT).into_response()
        }
    }
}
