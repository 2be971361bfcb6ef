//! Tests of malformed bytes on a socket: the node responds or closes the connection, and keeps
//! serving.

use std::io::{BufReader, Read, Write};
use std::net::{Shutdown, TcpStream};
use std::time::{Duration, Instant};

use crate::accounts::Account;
use crate::http::{Reply, connect, read_reply};
use crate::load::bulk_body;
use crate::node::Node;
use crate::program::{TIME_LIMIT, embedded};

const PATH: &str = "/v1/directors/99000101";

/// A node that drops a slow head after a second, with a test key.
pub struct Target {
    pub node: Node,
    pub key: String,
}

pub fn attack(test: impl FnOnce(&Target)) {
    embedded(|program| {
        let account = Account::create(program, "namuna@example.in");
        let key = account.key("test");
        let program = program
            .with("PANJI_LIMITS__HEADER_SECONDS", "1")
            .with("PANJI_LIMITS__BULK_REQUEST_SECONDS", "2");
        let target = Target { node: program.serve(), key };
        test(&target);
        target.still_serves();
        account.audit();
    });
}

impl Target {
    pub fn send(&self, bytes: &[u8]) -> BufReader<TcpStream> {
        let mut connection = connect(self.node.address).unwrap();
        // The node may close the connection before it has read everything.
        let _ = connection.get_mut().write_all(bytes);
        connection
    }

    /// A valid head, without its last empty line, with more headers.
    pub fn head(&self, headers: &str) -> String {
        format!(
            "GET {PATH} HTTP/1.1\r\nHost: panji\r\nAuthorization: Bearer {}\r\n{headers}",
            self.key
        )
    }

    /// The response to these bytes; none if the node closed the connection without one.
    fn reply(&self, bytes: &[u8]) -> Option<Reply> {
        read_reply(&mut self.send(bytes)).ok()
    }

    /// Sends bytes that must be refused or dropped: nothing is served, nothing is charged.
    pub fn refused(&self, what: &str, bytes: &[u8]) {
        if let Some(reply) = self.reply(bytes) {
            assert!(
                (400..500).contains(&reply.status),
                "{what}: {} {}",
                reply.status,
                reply.text()
            );
        }
        self.still_serves();
    }

    pub fn still_serves(&self) {
        assert_eq!(self.node.get(&self.key, PATH).status, 200);
    }
}

/// Waits until the node closes the connection.
fn wait_for_close(connection: &mut BufReader<TcpStream>) {
    connection.get_mut().set_read_timeout(Some(TIME_LIMIT)).unwrap();
    let mut rest = Vec::new();
    match connection.read_to_end(&mut rest) {
        Ok(_) => {}
        Err(error) => {
            let reset = error.kind() == std::io::ErrorKind::ConnectionReset;
            assert!(reset, "the node did not hang up: {error}");
        }
    }
    assert!(!rest.starts_with(b"HTTP/1.1 200"), "it was served");
}

#[test]
fn no_header_of_a_valid_request_changes_the_status_of_a_charged_response() {
    attack(|target| {
        for header in [
            "Accept-Encoding: identity;q=0",
            "Accept-Encoding: *;q=0",
            "Accept-Encoding: deflate, identity;q=0",
            "Accept-Encoding: gzip, br, zstd",
            "Accept: text/html, */*;q=0",
            "Range: bytes=0-0",
            "If-Range: \"x\"",
            "If-Match: \"x\"",
            "If-None-Match: *",
            "If-Modified-Since: Fri, 31 Dec 9999 23:59:59 GMT",
            "If-Unmodified-Since: Sun, 06 Nov 1994 08:49:37 GMT",
            "Expect: 100-continue",
            "Expect: something",
            "TE: trailers",
            "Connection: close",
            "Connection: keep-alive, x",
            "Connection: upgrade\r\nUpgrade: websocket",
            "Connection: upgrade, http2-settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABk",
            "Cache-Control: only-if-cached",
            "Prefer: return=minimal",
        ] {
            let reply = target.reply(target.head(&format!("{header}\r\n\r\n")).as_bytes());
            let reply = reply.unwrap_or_else(|| panic!("no response to {header}"));
            assert_eq!(reply.status, 200, "{header}: {}", reply.text());
            assert_eq!(reply.json()["credits_charged"], 2, "{header}");
        }
    });
}

#[test]
fn a_head_that_comes_too_slowly_is_dropped() {
    attack(|target| {
        let beginnings = ["", "P", "PRI * HT", "GET /v1/dir", "GET / HTTP/1.1\r\nHost: pan"];
        for beginning in beginnings {
            wait_for_close(&mut target.send(beginning.as_bytes()));
        }
        // One byte at a time, of a head that would never be complete within the test.
        let mut connection = target.send(b"");
        let head = target.head(&format!("X-Slow: {}\r\n\r\n", "a".repeat(10_000)));
        let (started, mut sent) = (Instant::now(), 0);
        while started.elapsed() < TIME_LIMIT {
            if connection.get_mut().write_all(&head.as_bytes()[sent..=sent]).is_err() {
                break;
            }
            sent += 1;
            std::thread::sleep(Duration::from_millis(100));
        }
        assert!(started.elapsed() < TIME_LIMIT, "the node went on reading");
        wait_for_close(&mut connection);
    });
}

#[test]
fn a_connection_that_was_used_and_then_stays_silent_is_dropped() {
    attack(|target| {
        let mut connection = target.send(target.head("\r\n").as_bytes());
        assert_eq!(read_reply(&mut connection).unwrap().status, 200);
        wait_for_close(&mut connection);
    });
}

#[test]
fn headers_within_the_limit_are_accepted_and_larger_ones_get_an_error() {
    attack(|target| {
        let large = target.head(&format!("X-Large: {}\r\n\r\n", "a".repeat(10_000)));
        assert_eq!(target.reply(large.as_bytes()).unwrap().status, 200);
        let several: String =
            (0..20).map(|n| format!("X-Large-{n}: {}\r\n", "a".repeat(1_000))).collect();
        let one = format!("X-Large: {}\r\n", "a".repeat(20_000));
        for headers in [several, one] {
            let reply = target.reply(target.head(&format!("{headers}\r\n")).as_bytes()).unwrap();
            assert_eq!((reply.status, reply.code().as_str()), (400, "invalid_parameter"));
            assert_eq!(reply.json()["error"]["param"], "headers");
            assert_eq!(reply.header("content-type"), Some("application/json"));
        }
        let bearer = format!(
            "GET {PATH} HTTP/1.1\r\nHost: panji\r\nAuthorization: Bearer {}\r\n\r\n",
            "a".repeat(10_000)
        );
        assert_eq!(target.reply(bearer.as_bytes()).unwrap().code(), "invalid_api_key");
        let huge = target.head(&format!("X-Large: {}\r\n\r\n", "a".repeat(1 << 20)));
        target.refused("a megabyte of header", huge.as_bytes());
        let many: String = (0..5_000).map(|n| format!("X-{n}: 1\r\n")).collect();
        target.refused("five thousand headers", target.head(&format!("{many}\r\n")).as_bytes());
    });
}

#[test]
fn malformed_requests_get_an_error_with_the_envelope() {
    attack(|target| {
        let head = target.head("");
        let many: String = (0..150).map(|n| format!("X-{n}: 1\r\n")).collect();
        let quote = "GET /v1/companies/search?q=\"a\" HTTP/1.1\r\nHost: panji\r\n\r\n".to_owned();
        for (request, param) in [
            (quote, "request"),
            (format!("{head}X-A : 1\r\n\r\n"), "request"),
            (format!("{head}{many}\r\n"), "headers"),
            ("HELLO\r\n\r\n".to_owned(), "request"),
        ] {
            let reply = target.reply(request.as_bytes()).expect("a response");
            assert_eq!((reply.status, reply.code().as_str()), (400, "invalid_parameter"));
            assert_eq!(reply.json()["error"]["param"], param, "{request}");
            assert_eq!(reply.header("content-type"), Some("application/json"));
            assert_eq!(reply.header("connection"), Some("close"));
            assert_eq!(reply.header("request-id"), reply.json()["request_id"].as_str());
            assert!(reply.header("ratelimit").is_some() && reply.header("date").is_some());
        }
        // A valid request before it gets its response first.
        let mut connection = target.send(format!("{head}\r\nGET /\"? HTTP/9\r\n\r\n").as_bytes());
        assert_eq!(read_reply(&mut connection).unwrap().status, 200);
        assert_eq!(read_reply(&mut connection).unwrap().code(), "invalid_parameter");
    });
}

#[test]
fn bytes_that_are_not_a_request_are_refused_or_dropped() {
    attack(|target| {
        let head = target.head("");
        target.refused("a NUL in a value", format!("{head}X-Nul: a\0b\r\n\r\n").as_bytes());
        target.refused("a NUL in a name", format!("{head}X-\0: a\r\n\r\n").as_bytes());
        let nul_key =
            format!("GET {PATH} HTTP/1.1\r\nAuthorization: Bearer {}\0\r\n\r\n", target.key);
        target.refused("a NUL in the key", nul_key.as_bytes());
        target.refused("NULs only", &[0; 4_096]);
        target.refused("a space before the colon", format!("{head}X-A : 1\r\n\r\n").as_bytes());
        target.refused("a line of no header", format!("{head}hello\r\n\r\n").as_bytes());
        let mut garbage = vec![0; 8_192];
        getrandom::fill(&mut garbage).unwrap();
        target.refused("random bytes", &garbage);
        target.refused("a TLS ClientHello", b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03");
        target.refused("no version", format!("GET {PATH}\r\n\r\n").as_bytes());
        target
            .refused("a version of the future", format!("GET {PATH} HTTP/9.9\r\n\r\n").as_bytes());
        let lengths = format!("{head}Content-Length: 1\r\nContent-Length: 2\r\n\r\nab");
        target.refused("two different lengths", lengths.as_bytes());
        let both = "Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n";
        target.refused("two codings", format!("{head}{both}\r\n0\r\n\r\n").as_bytes());
        target.refused("a negative length", format!("{head}Content-Length: -1\r\n\r\n").as_bytes());
    });
}

#[test]
fn a_request_with_a_truncated_body_is_never_executed() {
    attack(|target| {
        let body = bulk_body(2);
        let request = format!(
            "POST /v1/bulk/verify HTTP/1.1\r\nHost: panji\r\nAuthorization: Bearer {}\r\n\
             Content-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
            target.key,
            body.len() + 10
        );
        // The client closes its side …
        let mut connection = target.send(request.as_bytes());
        connection.get_mut().shutdown(Shutdown::Write).unwrap();
        if let Ok(reply) = read_reply(&mut connection) {
            assert_eq!((reply.status, reply.code().as_str()), (400, "invalid_body"));
        }
        // … or just waits.
        let mut connection = target.send(request.as_bytes());
        let reply = read_reply(&mut connection).unwrap();
        assert_eq!((reply.status, reply.code().as_str()), (503, "unavailable"));
        assert_eq!(reply.charged(), 0);
    });
}

#[test]
fn pipelined_requests_get_their_responses_in_order() {
    attack(|target| {
        let request = |din: &str| target.head("\r\n").replace("99000101", din);
        let dins = ["99000101", "99000102", "99000103"];
        let mut connection = target.send(dins.map(request).concat().as_bytes());
        for din in dins {
            let reply = read_reply(&mut connection).unwrap();
            assert_eq!((reply.status, reply.json()["data"]["din"].as_str()), (200, Some(din)));
        }
    });
}

#[test]
fn http_1_0_gets_a_response_and_the_connection_is_closed() {
    attack(|target| {
        let request = target.head("\r\n").replace("HTTP/1.1", "HTTP/1.0");
        let mut connection = target.send(request.as_bytes());
        let mut response = String::new();
        connection.read_to_string(&mut response).unwrap();
        assert!(response.starts_with("HTTP/1.0 200"), "{response}");
        assert!(response.ends_with('}'), "{response}");
    });
}
