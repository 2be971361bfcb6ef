//! Tests of browsers and transport: live keys are refused in pages, CORS for test keys,
//! compression.

use std::io::Read;

use axum::http::Method;
use panji_api::config::operation::Operation;

use crate::ask::{Ask, Response, ask, get};
use crate::responses_live::ask_of;
use crate::server::{serve, serve_embedded};

const COMPANY: &str = "/v1/companies/L17111MH1994PLC990011";
const PAGE: &str = "https://page.example";

#[test]
fn a_live_key_from_a_page_is_refused() {
    serve(&[], async |server| {
        let key = server.live_key(100).await;
        let search = || get("/v1/companies/search?q=kalpanik").key(&key);
        for (name, value) in
            [("origin", PAGE), ("origin", "null"), ("sec-fetch-site", "same-origin")]
        {
            let response = server.send(search().header(name, value)).await;
            assert_eq!(response.code(), "live_key_in_browser", "{name}: {value}");
        }
        let server_side = search().header("sec-fetch-mode", "cors");
        assert_eq!(server.send(server_side).await.status, 200, "Node sends this too");
        let test = server.test_key().await;
        let from_page =
            get(COMPANY).key(&test).header("origin", PAGE).header("sec-fetch-site", "cross-site");
        assert_eq!(server.send(from_page).await.status, 200);
    });
}

fn readable_from_pages(response: &Response) -> bool {
    response.header("access-control-allow-origin") == Some("*")
}

fn names_cors(response: &Response) -> bool {
    response.headers.keys().any(|name| name.as_str().starts_with("access-control-"))
}

#[test]
fn responses_to_test_keys_can_be_read_by_pages_and_those_to_live_keys_cannot() {
    serve(&[], async |server| {
        let (test, live) = (server.test_key().await, server.live_key(10).await);
        let good = server.send(get(COMPANY).key(&test).header("origin", PAGE)).await;
        assert!(readable_from_pages(&good));
        let exposed = good.header("access-control-expose-headers").unwrap();
        for name in ["Request-Id", "Panji-Free-Remaining", "Link", "RateLimit", "Retry-After"] {
            assert!(exposed.contains(name), "{name}");
        }
        for path in [COMPANY, "/v1/companies/nonsense", "/nowhere"] {
            let response = server.send(get(path).key(&test)).await;
            assert!(readable_from_pages(&response), "{path}");
            let response = server.send(get(path).key(&live)).await;
            assert!(!names_cors(&response), "{path}");
            let response = server.send(get(path).key(&live).header("origin", PAGE)).await;
            assert!(!names_cors(&response), "{path}");
        }
        let unknown = get(COMPANY).header("authorization", "Bearer pk_live_mistyped");
        assert!(!names_cors(&server.send(unknown).await));
    });
}

#[test]
fn every_operation_responds_to_a_preflight() {
    serve_embedded(&[], async |server| {
        for operation in Operation::ALL {
            let method = operation.method();
            let preflight = ask(Method::OPTIONS, ask_of(*operation).path)
                .header("origin", PAGE)
                .header("access-control-request-method", method.as_str())
                .header("access-control-request-headers", "authorization");
            let response = server.send(preflight).await;
            assert_eq!((response.status, response.bytes.len()), (204, 0), "{}", operation.id());
            assert!(readable_from_pages(&response), "{}", operation.id());
            let methods = response.header("access-control-allow-methods").unwrap();
            assert!(methods.contains(method.as_str()), "{}", operation.id());
            let headers = response.header("access-control-allow-headers").unwrap();
            for name in ["authorization", "content-type", "idempotency-key", "panji-max-credits"] {
                assert!(headers.contains(name), "{name}");
            }
            assert!(response.headers.contains_key("access-control-max-age"));
        }
    });
}

fn decompressed(response: &Response) -> Vec<u8> {
    let mut plain = Vec::new();
    let compressed = response.bytes.as_ref();
    match response.header("content-encoding").unwrap() {
        "gzip" => flate2::read::GzDecoder::new(compressed).read_to_end(&mut plain),
        "br" => brotli::Decompressor::new(compressed, 4_096).read_to_end(&mut plain),
        "zstd" => zstd::Decoder::new(compressed).unwrap().read_to_end(&mut plain),
        other => panic!("an encoding that was not requested: {other}"),
    }
    .unwrap();
    plain
}

#[test]
fn a_response_is_compressed_on_request() {
    serve_embedded(&[], async |server| {
        let key = server.test_key().await;
        let path = format!("{COMPANY}/profile");
        let profile =
            |encoding: &str| -> Ask { get(&path).key(&key).header("accept-encoding", encoding) };
        let plain = server.send(get(&path).key(&key)).await;
        assert_eq!(plain.header("content-encoding"), None);
        for encoding in ["gzip", "br", "zstd"] {
            let response = server.send(profile(encoding)).await;
            assert_eq!(response.header("content-encoding"), Some(encoding));
            assert!(response.bytes.len() < plain.bytes.len() / 2, "{encoding}");
            let json: serde_json::Value = serde_json::from_slice(&decompressed(&response)).unwrap();
            assert_eq!(&json["data"], plain.data(), "{encoding}");
        }
        for encoding in ["identity", "compress", "gzip;q=0"] {
            let response = server.send(profile(encoding)).await;
            assert_eq!(response.header("content-encoding"), None, "{encoding}");
        }
        let small = get("/v1/companies/nonsense").key(&key).header("accept-encoding", "gzip");
        assert_eq!(server.send(small).await.header("content-encoding"), None);
    });
}
