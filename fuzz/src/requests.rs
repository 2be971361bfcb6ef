//! A server in this process, and requests with arbitrary bodies, keys and paths.

use std::sync::{Arc, OnceLock};

use axum::body::Body;
use axum::http::{HeaderValue, Method, Request};
use http_body_util::BodyExt;
use panji_api::api::middleware::Middleware;
use panji_api::app::{App, open_sandbox};
use panji_api::config::{Config, Overrides};
use panji_api::http::compression::Compressed;
use panji_api::http::service::HttpService;
use panji_server::serve::site::site;
use panji_store::ledger::{KeyKind, KeyText, Mode, NewKey};
use tokio::runtime::Runtime;

struct Server {
    runtime: Runtime,
    site: Compressed<Middleware>,
    key: String,
}

/// Rate limits that no run reaches.
const NO_LIMITS: [&str; 6] = [
    "rate_limit.per_second",
    "rate_limit.burst",
    "bulk_rate_limit.per_second",
    "bulk_rate_limit.burst",
    "guess_limit.per_minute",
    "guess_limit.burst",
];

fn server() -> &'static Server {
    static SERVER: OnceLock<Server> = OnceLock::new();
    SERVER.get_or_init(|| {
        let directory = tempfile::tempdir().expect("a directory can be created").keep();
        let directory = directory.to_str().expect("its name is text").to_owned();
        let mut settings = vec![("data_dir".to_owned(), directory)];
        settings.extend(NO_LIMITS.map(|name| (name.to_owned(), "1000000".to_owned())));
        let overrides = Overrides { file: None, settings };
        let config = Config::load(&overrides, std::iter::empty()).expect("the settings are valid");
        let runtime = crate::runtime();
        let (app, key) = runtime.block_on(async {
            let sandbox = open_sandbox().await.expect("the sandbox opens");
            let app = App::open(config, sandbox).await.expect("an empty data directory opens");
            let account = app.ledger.create_account("fuzz@example.in", "Namuna", 0).await;
            let key = KeyText::generate(KeyKind::Api, Mode::Test, |bytes| bytes.fill(7));
            let account = account.expect("an account is created").id;
            let created = app.ledger.create_key(&account, &key, NewKey::default(), 0).await;
            created.expect("a key is created");
            (app, key.as_str().to_owned())
        });
        Server { runtime, site: site(Arc::new(app)), key }
    })
}

/// Sends a request and checks that the response is not an internal error. The first byte selects
/// what the rest is: a body, a key or a path.
pub fn send(bytes: &[u8]) {
    let Some((kind, rest)) = bytes.split_first() else { return };
    let server = server();
    let good_key = format!("Bearer {}", server.key).into_bytes();
    let (method, path, authorization, body) = match kind % 4 {
        0 => (Method::POST, "/v1/bulk/verify".to_owned(), good_key, rest),
        1 => (Method::POST, "/v1/bulk/enrich".to_owned(), good_key, rest),
        2 => (Method::GET, "/v1/verify/din/1".to_owned(), rest.to_vec(), &[][..]),
        _ => {
            let path = String::from_utf8_lossy(rest);
            let plain = |character: &char| character.is_ascii_graphic();
            let path: String = path.chars().filter(plain).collect();
            (Method::GET, format!("/v1/{path}"), good_key, &[][..])
        }
    };
    let Ok(authorization) = HeaderValue::from_bytes(&authorization) else { return };
    let request = Request::builder()
        .method(method)
        .uri(path)
        .header("authorization", authorization)
        .header("content-type", "application/json")
        .body(Body::from(body.to_vec()));
    let Ok(request) = request else { return };
    server.runtime.block_on(async {
        let response = server.site.respond(request).await;
        let status = response.status().as_u16();
        let body = response.into_body().collect().await.expect("a response has an end").to_bytes();
        let text = String::from_utf8_lossy(&body);
        // Some values of the sandbox simulate errors, and their message says so.
        assert!(status < 500 || text.contains("\"message\":\"Simulated: "), "{status}: {text}");
        if !body.is_empty() {
            let envelope: serde_json::Value = serde_json::from_slice(&body).expect("JSON");
            assert!(envelope.is_object(), "{text}");
        }
    });
}
