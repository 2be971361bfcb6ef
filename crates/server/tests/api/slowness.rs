//! Tests of time: the slow company, and requests that never end, with a simulated clock.

use std::time::Duration;

use axum::body::Body;
use axum::http::Request;
use panji_api::http::service::HttpService;
use panji_server::serve::site::site;
use serde_json::json;
use tokio::time::Instant;

use crate::ask::{Response, get};
use crate::console::browser::Browser;
use crate::mcp::client::{RECENT, tool_call};
use crate::server::Server;

/// Runs a test with a paused clock, which jumps forward when nothing else can run.
fn with_paused_clock(test: impl AsyncFnOnce(&Server)) {
    let directory = tempfile::tempdir().unwrap();
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .start_paused(true)
        .build()
        .unwrap();
    runtime.block_on(async {
        let server = Server::open(directory.path(), None, &[]).await;
        test(&server).await;
        server.close().await;
    });
}

#[test]
fn a_call_for_the_slow_company_takes_ten_seconds() {
    with_paused_clock(async |server| {
        let key = server.test_key().await;
        for path in ["/v1/companies/U99999XX2000PTC000010", "/v1/verify/cin/U99999XX2000PTC000010"]
        {
            let started = Instant::now();
            let response = server.send(get(path).key(&key)).await;
            assert_eq!(response.status, 200, "{}", response.json);
            assert!(started.elapsed().as_secs() >= 10, "{path}");
        }
    });
}

#[test]
fn a_tool_call_whose_client_disconnects_costs_nothing_and_holds_nothing() {
    with_paused_clock(async |server| {
        let key = server.test_key().await;
        let slow = || {
            let arguments = json!({ "value": "U99999XX2000PTC000010" });
            server.send_unchecked(tool_call(RECENT, "verify", arguments).key(&key))
        };
        let waited = tokio::time::timeout(Duration::from_secs(5), slow()).await;
        assert!(waited.is_err(), "it takes ten seconds");
        assert_eq!(server.app.in_flight.count(), 0);
        // The first call would have been charged in the meantime.
        let response = slow().await;
        assert_eq!(response.json["result"]["structuredContent"]["credits_charged"], 1);
        assert_eq!((server.balance(&key).await, server.app.in_flight.count()), (9_999, 0));
    });
}

#[test]
fn the_company_page_requests_its_sections_concurrently() {
    with_paused_clock(async |server| {
        let mut browser = Browser::signed_up(server, "asha@firm.example").await;
        let started = Instant::now();
        let page = browser.open("/console/companies/U99999XX2000PTC000010").await;
        for operation in [
            "getCompanyProfile",
            "getCompanyNetwork",
            "getCompanyFinancials",
            "getCompanyCompliance",
            "listCompanyDocuments",
        ] {
            page.expect(operation);
        }
        let seconds = started.elapsed().as_secs();
        assert!((10..50).contains(&seconds), "five calls of 10 seconds each took {seconds}");
        let count = server.app.in_flight.count();
        assert_eq!(count, 0, "no request is in progress any more");
    });
}

#[test]
fn a_body_that_never_ends_times_out_and_costs_nothing() {
    for path in ["/v1/bulk/verify", "/v1/bulk/enrich"] {
        with_paused_clock(async |server| {
            let key = server.test_key().await;
            let endless =
                futures_util::stream::pending::<Result<axum::body::Bytes, std::io::Error>>();
            let request = Request::post(path)
                .header("authorization", format!("Bearer {}", key.text))
                .header("content-type", "application/json")
                .body(Body::from_stream(endless))
                .unwrap();
            let site = site(server.app.clone());
            let started = Instant::now();
            let response = Response::read(site.respond(request).await).await;
            crate::shape::check(&axum::http::Method::POST, path, &response);
            assert_eq!(response.code(), "unavailable");
            // The timeout uses the real clock, which is ahead of the paused one.
            assert!(started.elapsed().as_secs() >= 60);
            assert_eq!(server.balance(&key).await, 10_000);
        });
    }
}

#[test]
fn a_body_that_breaks_off_is_refused() {
    with_paused_clock(async |server| {
        let key = server.test_key().await;
        let parts: [Result<&[u8], std::io::Error>; 2] =
            [Ok(b"{\"items\":["), Err(std::io::Error::other("the connection broke"))];
        let request = Request::post("/v1/bulk/verify")
            .header("authorization", format!("Bearer {}", key.text))
            .header("content-type", "application/json")
            .body(Body::from_stream(futures_util::stream::iter(parts)))
            .unwrap();
        let response = Response::read(site(server.app.clone()).respond(request).await).await;
        assert_eq!(response.code(), "invalid_body");
        assert!(!response.json.to_string().contains("connection broke"));
    });
}
