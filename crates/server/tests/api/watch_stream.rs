//! Tests of the stream of events.

use std::time::Duration;

use axum::body::BodyDataStream;
use axum::http::Method;
use futures_util::StreamExt;
use panji_store::calendar::now_ms;
use panji_testkit::records::CIN;

use crate::ask::{Ask, ask, get};
use crate::server::{Key, Server, serve, serve_embedded};
use crate::watch::{begin, change_status, watch};

/// The time limit of a test's wait.
const TIMEOUT: Duration = Duration::from_secs(60);

/// An open stream and what has arrived.
struct Stream {
    body: BodyDataStream,
    text: String,
}

impl Stream {
    async fn open(server: &Server, ask: Ask) -> Stream {
        let response = server.respond(ask).await;
        assert_eq!(response.status().as_u16(), 200);
        let kind = response.headers().get("content-type").unwrap();
        assert_eq!(kind, "text/event-stream");
        assert!(!response.headers().contains_key("content-encoding"));
        Stream { body: response.into_body().into_data_stream(), text: String::new() }
    }

    /// Reads on; false at the end of the stream.
    async fn read(&mut self) -> bool {
        let part = tokio::time::timeout(TIMEOUT, self.body.next()).await.expect("it continues");
        let Some(part) = part else { return false };
        self.text.push_str(std::str::from_utf8(&part.unwrap()).unwrap());
        true
    }

    /// The ids of the events, once there are as many as this.
    async fn ids(&mut self, count: usize) -> Vec<i64> {
        loop {
            let blocks = self.text.split_inclusive("\n\n").filter(|block| block.ends_with("\n\n"));
            let events = blocks.filter(|block| block.contains("\ndata: "));
            let ids: Vec<i64> = events.filter_map(id_of).collect();
            if ids.len() >= count {
                return ids;
            }
            assert!(self.read().await, "the stream ended: {}", self.text);
        }
    }
}

fn id_of(block: &str) -> Option<i64> {
    block.lines().find_map(|line| line.strip_prefix("id: ")).map(|id| id.parse().unwrap())
}

fn stream(key: &Key) -> Ask {
    get("/v1/events/stream").key(key).header("accept-encoding", "gzip")
}

#[test]
fn a_stream_sends_events_as_they_come_and_resumes_without_gap_or_repeat() {
    serve(&[], async |server| {
        begin(server).await;
        let key = server.live_key(100).await;
        watch(server, &key, &[CIN]).await;
        change_status(server, "struck_off").await;
        let mut all = Stream::open(server, stream(&key).query("after=0")).await;
        let mut later = Stream::open(server, stream(&key)).await;
        let first = all.ids(1).await;
        assert!(later.read().await);
        assert_eq!(id_of(&later.text), Some(first[0]), "a client without an event knows its place");
        change_status(server, "active").await;
        let both = all.ids(2).await;
        assert_eq!(later.ids(1).await, both[1..]);
        assert!(all.text.contains("event: company.status_changed\ndata: {\"id\":\"evt_"));
        drop((all, later));
        change_status(server, "amalgamated").await;
        let resumed = stream(&key).query("after=0").header("last-event-id", both[0].to_string());
        let mut resumed = Stream::open(server, resumed).await;
        let rest = resumed.ids(2).await;
        assert_eq!((rest.len(), rest[0]), (2, both[1]));
        assert_eq!(server.balance(&key).await, 97, "each of three events once");
    });
}

#[test]
fn a_stream_waits_for_credits_and_goes_on() {
    serve(&[], async |server| {
        begin(server).await;
        let key = server.live_key(1).await;
        watch(server, &key, &[CIN]).await;
        change_status(server, "struck_off").await;
        change_status(server, "active").await;
        let mut events = Stream::open(server, stream(&key).query("after=0")).await;
        assert_eq!(events.ids(1).await.len(), 1);
        assert_eq!(server.balance(&key).await, 0);
        server.grant(&key.account_id, 5).await;
        assert_eq!(events.ids(2).await.len(), 2);
        assert_eq!(server.balance(&key).await, 4);
    });
}

#[test]
fn a_stream_ends_when_its_key_is_revoked_and_when_the_process_stops() {
    serve_embedded(&[], async |server| {
        let (revoked, other) = (server.test_key().await, server.test_key().await);
        let mut first = Stream::open(server, stream(&revoked)).await;
        let mut second = Stream::open(server, stream(&other)).await;
        assert!(first.read().await && second.read().await);
        assert!(server.app.ledger.revoke_key(&revoked.id, now_ms()).await.unwrap());
        while first.read().await {}
        server.app.accepting.store(false, std::sync::atomic::Ordering::Relaxed);
        server.app.new_events.send_modify(|count| *count += 1);
        while second.read().await {}
        drop((first, second));
        assert_eq!(server.app.streams.count(), 0);
    });
}

#[test]
fn streams_are_limited_and_requests_are_checked() {
    serve_embedded(&[("watch.max_streams", "1")], async |server| {
        let key = server.test_key().await;
        let open = Stream::open(server, stream(&key)).await;
        let refused = server.send_unchecked(stream(&key)).await;
        assert_eq!((refused.status, refused.code()), (429, "rate_limited"));
        drop(open);
        drop(Stream::open(server, stream(&key)).await);
        for (ask, code) in [
            (stream(&key).header("last-event-id", "x"), "invalid_parameter"),
            (stream(&key).query("limit=3"), "invalid_parameter"),
            (stream(&key).query("watchlist=wl_none"), "watchlist_not_found"),
            (get("/v1/events/stream"), "missing_api_key"),
            (ask(Method::POST, "/v1/events/stream").key(&key), "method_not_allowed"),
        ] {
            assert_eq!(server.send_unchecked(ask).await.code(), code);
        }
        let preflight = server.send_unchecked(ask(Method::OPTIONS, "/v1/events/stream")).await;
        let headers = preflight.header("access-control-allow-headers").unwrap();
        assert!(headers.contains("last-event-id"));
    });
}
