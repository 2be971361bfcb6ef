//! Tests that content-negotiation headers never change the status of a charged response.

use serde_json::json;

use crate::ask::{Ask, post};
use crate::responses_live::{ask_of, one_of_each, priced_operations};
use crate::server::serve_embedded;

/// Headers for which some layer could respond differently.
const HEADERS: &[(&str, &[&str])] = &[
    (
        "accept-encoding",
        &[
            "",
            "identity",
            "identity;q=0",
            "*;q=0",
            "identity;q=0, *;q=0",
            "identity;q=0, gzip;q=0, br;q=0, zstd;q=0",
            "deflate",
            "deflate, identity;q=0",
            "gzip",
            "br",
            "zstd",
            "gzip;q=0",
            "gzip;q=2",
            "gzip;q=",
            "*",
            "x",
            ",,;",
        ],
    ),
    ("accept", &["", "*/*", "text/html", "application/json;q=0", "image/png, */*;q=0", "x"]),
    ("accept-charset", &["utf-16", "*;q=0"]),
    ("accept-language", &["hi", "*;q=0"]),
    ("range", &["bytes=0-0", "bytes=999999-", "lines=1", "bytes=x"]),
    ("if-range", &["\"x\"", "Sun, 06 Nov 1994 08:49:37 GMT"]),
    ("if-match", &["*", "\"x\""]),
    ("if-none-match", &["*", "\"x\"", "W/\"x\""]),
    ("if-modified-since", &["Fri, 31 Dec 9999 23:59:59 GMT", "x"]),
    ("if-unmodified-since", &["Sun, 06 Nov 1994 08:49:37 GMT"]),
    ("expect", &["100-continue", "x"]),
    ("te", &["trailers", "gzip, trailers;q=0", "x"]),
    ("connection", &["close", "keep-alive", "upgrade", "x"]),
    ("upgrade", &["h2c", "websocket"]),
    ("cache-control", &["only-if-cached", "no-cache"]),
    ("prefer", &["return=minimal", "respond-async"]),
    ("max-forwards", &["0"]),
    ("want-content-digest", &["sha-256=1"]),
];

/// Requests with short responses, and one whose response is long enough to be compressed.
fn asks() -> Vec<Ask> {
    let many = json!({ "items": vec![json!({ "value": "ZZACK4368A" }); 20] });
    // There are no events to pay for. A file has one media type: a header that excludes it is refused.
    let charged = priced_operations().filter(|operation| {
        !matches!(operation.id(), "listEvents" | "listCompanyEvents")
            && operation.file_type().is_none()
    });
    let mut asks: Vec<Ask> = charged.map(|operation| ask_of(*operation)).collect();
    asks.push(post("/v1/bulk/verify", &many));
    asks
}

#[test]
fn a_charged_response_is_200_with_its_body_whatever_the_headers() {
    serve_embedded(&[("free_quota.calls_per_day", "0")], async |server| {
        server.import(&one_of_each()).await;
        let key = server.live_key(1_000_000).await;
        for plain in asks() {
            let (path, mut balance) = (plain.path.clone(), server.balance(&key).await);
            let price = server.send(plain.clone().key(&key)).await.charged();
            balance -= price;
            assert!(price > 0, "{path}");
            for (name, values) in HEADERS {
                for value in *values {
                    let what = format!("{path} with {name}: {value}");
                    let ask = plain.clone().key(&key).header(name, value);
                    let response = server.send_unchecked(ask).await;
                    assert_eq!(response.status, 200, "{what}");
                    balance -= price;
                    match response.header("content-encoding") {
                        None => assert_eq!(response.remaining(), balance, "{what}"),
                        Some(coding) => {
                            assert!(*name == "accept-encoding" && !value.is_empty(), "{what}");
                            assert!(["gzip", "br", "zstd"].contains(&coding), "{what}");
                            assert!(response.bytes.len() > 100, "{what}");
                        }
                    }
                }
            }
            assert_eq!(server.balance(&key).await, balance, "{path}");
        }
    });
}

#[test]
fn a_client_that_accepts_no_coding_gets_an_uncompressed_response() {
    serve_embedded(&[], async |server| {
        let key = server.test_key().await;
        let many = json!({ "items": vec![json!({ "value": "ZZACK4368A" }); 20] });
        let ask =
            |value: &str| post("/v1/bulk/verify", &many).key(&key).header("accept-encoding", value);
        for value in ["identity;q=0", "*;q=0", "deflate;q=1, *;q=0"] {
            let response = server.send(ask(value)).await;
            assert_eq!((response.status, response.charged()), (200, 1), "{value}");
            assert_eq!(response.header("content-encoding"), None, "{value}");
        }
        for coding in ["gzip", "br", "zstd"] {
            let response = server.send(ask(&format!("identity;q=0, {coding}, *;q=0"))).await;
            assert_eq!(response.header("content-encoding"), Some(coding));
        }
    });
}
