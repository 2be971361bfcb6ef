//! Tests of overload: free requests are refused first, paid ones later, health checks never.

use std::io::{BufRead, BufReader, Write};
use std::net::TcpStream;

use crate::accounts::{Account, CIN, DIN};
use crate::http::{Client, Reply, connect, read_reply};
use crate::load::bulk_body;
use crate::node::Node;
use crate::program::on_each_engine;

/// All permits, and those that cheap requests may use.
const PERMITS: usize = 8;
const CHEAP_PERMITS: usize = 6;

/// A paid call that stays in progress: it was admitted, and its body is not sent yet.
fn start_call(node: &Node, key: &str) -> BufReader<TcpStream> {
    let mut connection = connect(node.address).unwrap();
    let head = format!(
        "POST /v1/bulk/verify HTTP/1.1\r\nHost: panji\r\nAuthorization: Bearer {key}\r\n\
         Content-Type: application/json\r\nExpect: 100-continue\r\nContent-Length: {}\r\n\r\n",
        bulk_body(1).len()
    );
    connection.get_mut().write_all(head.as_bytes()).unwrap();
    // An admitted client is asked for the body (100 Continue).
    let mut interim = String::new();
    while !interim.ends_with("\r\n\r\n") {
        assert!(connection.read_line(&mut interim).unwrap() > 0, "{interim}");
    }
    assert!(interim.starts_with("HTTP/1.1 100 "), "{interim}");
    connection
}

fn finish(mut open_call: BufReader<TcpStream>) -> Reply {
    open_call.get_mut().write_all(bulk_body(1).as_bytes()).unwrap();
    read_reply(&mut open_call).unwrap()
}

fn is_overloaded(reply: &Reply) -> bool {
    if reply.status != 503 {
        return false;
    }
    assert_eq!(reply.code(), "overloaded", "{}", reply.text());
    assert!(reply.retry_after().is_some() && reply.charged() == 0);
    assert!(reply.json()["data"].is_null());
    true
}

#[test]
fn free_requests_are_refused_before_paid_ones_and_health_checks_always_get_a_response() {
    on_each_engine(|program| {
        let account = Account::with_credits(program, 1_000);
        let key = account.key("live");
        let node = program.with("PANJI_LIMITS__IN_FLIGHT", &PERMITS.to_string()).serve();
        let open = |path: &str| Client::new(node.address, None).get(path).unwrap();
        let (free, paid) = (format!("/v1/companies/{CIN}"), format!("/v1/directors/{DIN}"));
        assert_eq!(node.get(&key, &free).status, 200);

        let mut open_calls: Vec<_> = (0..CHEAP_PERMITS).map(|_| start_call(&node, &key)).collect();
        assert!(is_overloaded(&node.get(&key, &free)));
        assert!(is_overloaded(&node.get(&key, "/v1/companies/search?q=udaharan")));
        for path in ["/docs", "/v1/openapi.json", "/console", &paid] {
            assert!(is_overloaded(&open(path)), "{path} without a key");
        }
        assert_eq!(node.get(&key, &paid).status, 200, "what is paid for is served");
        assert_eq!((open("/healthz").status, open("/readyz").status), (200, 200));

        open_calls.extend((CHEAP_PERMITS..PERMITS).map(|_| start_call(&node, &key)));
        assert!(is_overloaded(&node.get(&key, &paid)));
        assert_eq!((open("/healthz").status, open("/readyz").status), (200, 200));

        for open_call in open_calls {
            let reply = finish(open_call);
            assert_eq!(reply.status, 200, "an admitted call is served: {}", reply.text());
        }
        for path in [&free, &paid] {
            assert_eq!(node.get(&key, path).status, 200);
        }
        assert_eq!(open("/docs/errors").status, 200);
        account.audit();
    });
}
