//! Tests of request smuggling: requests whose end is ambiguous, and headers that try to control a
//! proxy. Each is refused or gets one response, and a hidden second request is never executed.

use crate::http::{Reply, read_reply};
use crate::raw::{Target, attack};

/// The hidden request: a valid call that would be charged.
const HIDDEN_PATH: &str = "/v1/directors/99000102";

impl Target {
    /// A call with the given headers and body.
    fn post(&self, headers: &str, body: &str) -> String {
        format!(
            "POST /v1/bulk/verify HTTP/1.1\r\nHost: panji\r\nAuthorization: Bearer {}\r\n\
             Content-Type: application/json\r\n{headers}\r\n{body}",
            self.key
        )
    }

    /// A complete request hidden after another.
    fn hidden_request(&self) -> String {
        format!(
            "GET {HIDDEN_PATH} HTTP/1.1\r\nHost: panji\r\nAuthorization: Bearer {}\r\n\r\n",
            self.key
        )
    }

    /// All responses on one connection until it is closed.
    fn replies(&self, bytes: &[u8]) -> Vec<Reply> {
        let mut connection = self.send(bytes);
        std::iter::from_fn(|| read_reply(&mut connection).ok()).collect()
    }

    /// Expects at most one response, and then only refusals; the hidden request gets none.
    fn expect_one_response(&self, what: &str, bytes: &str) -> Option<Reply> {
        let replies = self.replies(bytes.as_bytes());
        assert!(replies.iter().skip(1).all(|reply| reply.status == 400), "{what}");
        let has_response = replies.iter().any(|reply| reply.text().contains("99000102"));
        assert!(!has_response, "{what}: the hidden request got a response");
        self.still_serves();
        replies.into_iter().next()
    }
}

/// A body in chunks.
fn chunked(body: &str) -> String {
    format!("{:x}\r\n{body}\r\n0\r\n\r\n", body.len())
}

const BODY: &str = r#"{"items":[{"value":"F99101"}]}"#;

#[test]
fn a_length_with_chunks_does_not_smuggle_a_request() {
    attack(|target| {
        let hidden_request = target.hidden_request();
        let body = format!("0\r\n\r\n{hidden_request}");
        let length = format!("Content-Length: {}\r\n", body.len());
        let chunks = "Transfer-Encoding: chunked\r\n";
        for headers in [format!("{length}{chunks}"), format!("{chunks}{length}")] {
            target.expect_one_response(&headers, &target.post(&headers, &body));
        }
        // The other way round: the length ends before the chunks do.
        let headers = "Content-Length: 4\r\nTransfer-Encoding: chunked\r\n";
        let body = format!("{}{hidden_request}", chunked(BODY));
        target.expect_one_response(headers, &target.post(headers, &body));
    });
}

#[test]
fn unusual_transfer_codings_do_not_smuggle_a_request() {
    attack(|target| {
        let body = format!("{}{}", chunked(BODY), target.hidden_request());
        for coding in [
            "Transfer-Encoding: xchunked",
            "Transfer-Encoding: chunked, identity",
            "Transfer-Encoding: chunked\r\nTransfer-Encoding: x",
            "Transfer-Encoding: x\r\nTransfer-Encoding: chunked",
            "Transfer-Encoding: identity, chunked",
            "Transfer-Encoding: \x0bchunked",
            "Transfer-Encoding:\tchunked",
            "Transfer-Encoding: chunked ",
            "Transfer-Encoding: \"chunked\"",
            "Transfer-Encoding: chunked;q=1",
            "Transfer-Encoding : chunked",
            " Transfer-Encoding: chunked",
            "X: y\r\n Transfer-Encoding: chunked",
            "Transfer-Encoding:\r\n chunked",
            "Transfer_Encoding: chunked",
            "tRANSFER-eNCODING: cHuNkEd",
        ] {
            let reply =
                target.expect_one_response(coding, &target.post(&format!("{coding}\r\n"), &body));
            if let Some(reply) = reply.filter(|reply| reply.status == 200) {
                assert_eq!(reply.json()["data"]["total"], 1, "{coding}");
                assert_eq!(reply.header("connection"), Some("close"), "{coding}");
            }
        }
    });
}

#[test]
fn malformed_or_different_lengths_are_refused() {
    attack(|target| {
        for length in
            ["5, 5", "5,6", "+5", "0x5", "5a", "", "5 5", "99999999999999999999999", "1e1"]
        {
            let headers = format!("Content-Length: {length}\r\n");
            let request = target.post(&headers, &format!("{BODY}{}", target.hidden_request()));
            if let Some(reply) = target.expect_one_response(length, &request) {
                assert!((400..500).contains(&reply.status), "{length:?}: {}", reply.status);
            }
        }
        let two = "Content-Length: 5\r\nContent-Length: 6\r\n";
        target.refused("two lengths", target.post(two, BODY).as_bytes());
        // The same length twice is unambiguous.
        let same = format!("Content-Length: {0}\r\nContent-Length: {0}\r\n", BODY.len());
        if let Some(reply) =
            target.expect_one_response("one length twice", &target.post(&same, BODY))
        {
            assert!(reply.status == 400 || reply.json()["data"]["total"] == 1, "{}", reply.text());
        }
    });
}

#[test]
fn requests_with_malformed_chunks_are_never_executed() {
    attack(|target| {
        let hidden_request = target.hidden_request();
        let length = BODY.len();
        for (what, body) in [
            (
                "a size beyond all bounds",
                format!("fffffffffffffffff\r\n{BODY}\r\n0\r\n\r\n{hidden_request}"),
            ),
            ("a negative size", format!("-1\r\n{BODY}\r\n0\r\n\r\n{hidden_request}")),
            (
                "a size with a prefix",
                format!("0x{length:x}\r\n{BODY}\r\n0\r\n\r\n{hidden_request}"),
            ),
            ("a size of no hex", format!("{length:x}z\r\n{BODY}\r\n0\r\n\r\n{hidden_request}")),
            (
                "a bare LF after the size",
                format!("{length:x}\n{BODY}\r\n0\r\n\r\n{hidden_request}"),
            ),
            (
                "an LF in an extension",
                format!("{length:x};a\nb\r\n{BODY}\r\n0\r\n\r\n{hidden_request}"),
            ),
            ("no end of the chunk", format!("{length:x}\r\n{BODY}0\r\n\r\n{hidden_request}")),
            ("no last chunk", format!("{length:x}\r\n{BODY}\r\n")),
        ] {
            let request = target.post("Transfer-Encoding: chunked\r\n", &body);
            if let Some(reply) = target.expect_one_response(what, &request) {
                assert_ne!(reply.status, 200, "{what}");
            }
        }
    });
}

#[test]
fn heads_with_malformed_lines_are_refused_or_get_one_response() {
    attack(|target| {
        let head = target.head("");
        for (what, request) in [
            ("a folded line", format!("{head}X-A: 1\r\n 2\r\n\r\n")),
            ("a folded line with a tab", format!("{head}X-A: 1\r\n\t2\r\n\r\n")),
            ("a bare CR", format!("{head}X-A: 1\rX-B: 2\r\n\r\n")),
            ("a line without a name", format!("{head}: 1\r\n\r\n")),
            ("a name with a space", format!("{head}X A: 1\r\n\r\n")),
            ("a NUL", format!("{head}X-A: 1\02\r\n\r\n")),
            ("two targets", target.head("\r\n").replacen(" HTTP", " /x HTTP", 1)),
            ("a target with a NUL", target.head("\r\n").replacen("/v1", "/\0v1", 1)),
        ] {
            target.refused(what, request.as_bytes());
        }
        let many: String = (0..1_000).map(|number| format!("X-{number}: 1\r\n")).collect();
        target.refused("a thousand headers", target.head(&format!("{many}\r\n")).as_bytes());
        let large = target.head(&format!("X: {}\r\n\r\n", "a".repeat(100_000)));
        target.refused("a header of 100,000 bytes", large.as_bytes());
        // Lines may end in LF alone; it is still one request.
        let bare = target.head("X-A: 1\r\n\r\n").replace("\r\n", "\n");
        if let Some(reply) = target.expect_one_response("bare LFs", &bare) {
            assert!(reply.status == 200 || reply.status == 400, "{}", reply.status);
        }
    });
}

#[test]
fn exactly_one_host_header_is_required_and_its_value_is_not_trusted() {
    attack(|target| {
        for hosts in ["", "Host: panji\r\nHost: evil.example\r\n"] {
            let request = target.head("\r\n").replace("Host: panji\r\n", hosts);
            let reply = target.expect_one_response(hosts, &request).unwrap();
            assert_eq!((reply.status, reply.code().as_str()), (400, "invalid_parameter"));
        }
        let steering = "X-Forwarded-Host: evil.example\r\nX-Original-URL: /console\r\n\
             X-Rewrite-URL: /console\r\nX-HTTP-Method-Override: DELETE\r\nX-Forwarded-Proto: evil\r\n";
        let wrong =
            target.head(&format!("{steering}\r\n")).replace("Host: panji", "Host: evil.example");
        let absolute = target.head("\r\n").replacen("/v1", "http://evil.example/v1", 1);
        for request in [&wrong, &absolute] {
            let reply = target.expect_one_response("another host", request).unwrap();
            assert_eq!((reply.status, &reply.json()["data"]["din"]), (200, &"99000101".into()));
            let failed = request.replace("99000101", "nobody");
            let reply = target.expect_one_response("another host", &failed).unwrap();
            assert_eq!(reply.code(), "invalid_identifier");
            let shown = format!("{:?}{}", reply.headers, reply.text());
            assert!(!shown.contains("evil"), "{shown}");
        }
    });
}

#[test]
fn an_upgrade_is_ignored_and_the_connection_stays_open() {
    attack(|target| {
        for upgrade in [
            "Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQAAP__\r\n",
            "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n\
             Sec-WebSocket-Key: bmFtdW5hbmFtdW5hbmFtdQ==\r\n",
            "Connection: Authorization, Host\r\n",
        ] {
            let request =
                format!("{}{}", target.head(&format!("{upgrade}\r\n")), target.hidden_request());
            let statuses: Vec<u16> =
                target.replies(request.as_bytes()).iter().map(|reply| reply.status).collect();
            assert_eq!(statuses, [200, 200], "{upgrade}");
        }
        for (method, path) in
            [("CONNECT", "evil.example:443"), ("TRACE", "/v1/directors/1"), ("OPTIONS", "*")]
        {
            let request = format!(
                "{method} {path} HTTP/1.1\r\nHost: panji\r\nCookie: secret\r\nConnection: close\r\n\r\n"
            );
            if let Some(reply) = target.expect_one_response(method, &request) {
                assert!((400..500).contains(&reply.status), "{method}: {}", reply.status);
                assert!(!reply.text().contains("secret"), "{method} echoes the request");
            }
        }
    });
}

#[test]
fn a_malformed_request_after_a_valid_one_closes_the_connection() {
    attack(|target| {
        let good = target.head("\r\n");
        for bad in ["GARBAGE\r\n\r\n", "GET / HTTP/1.1\r\nHost : x\r\n\r\n", "\0\0\0\0"] {
            let request = format!("{good}{bad}{}", target.hidden_request());
            let replies = target.replies(request.as_bytes());
            assert_eq!(replies.first().map(|reply| reply.status), Some(200), "{bad:?}");
            let after: Vec<u16> = replies[1..].iter().map(|reply| reply.status).collect();
            assert!(after.is_empty() || after == [400], "{bad:?}: {after:?}");
            target.still_serves();
        }
        // An unexpected body is not a request either.
        let hidden_request = target.hidden_request();
        let request = target
            .head(&format!("Content-Length: {}\r\n\r\n{hidden_request}", hidden_request.len()));
        target.expect_one_response("a request in a body", &request);
    });
}
