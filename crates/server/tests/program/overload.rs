//! More requests than places: what is free is refused first, what is paid for later, health never.

use std::io::{BufRead, BufReader, Write};
use std::net::TcpStream;

use crate::accounts::{Account, CIN, DIN};
use crate::http::{Client, Reply, connect, read_reply};
use crate::load::bulk_body;
use crate::node::Node;
use crate::program::on_each_engine;

/// Places in all, and those of them that cheap requests may take.
const PLACES: usize = 8;
const CHEAP_PLACES: usize = 6;

/// A paid call that stays under way: it was let in, and its body is held back.
fn hold(node: &Node, key: &str) -> BufReader<TcpStream> {
    let mut connection = connect(node.address).unwrap();
    let head = format!(
        "POST /v1/bulk/verify HTTP/1.1\r\nHost: panji\r\nAuthorization: Bearer {key}\r\n\
         Content-Type: application/json\r\nExpect: 100-continue\r\nContent-Length: {}\r\n\r\n",
        bulk_body(1).len()
    );
    connection.get_mut().write_all(head.as_bytes()).unwrap();
    // Whoever was let in is asked for the body.
    let mut asked = String::new();
    while !asked.ends_with("\r\n\r\n") {
        assert!(connection.read_line(&mut asked).unwrap() > 0, "{asked}");
    }
    assert!(asked.starts_with("HTTP/1.1 100 "), "{asked}");
    connection
}

fn finish(mut held: BufReader<TcpStream>) -> Reply {
    held.get_mut().write_all(bulk_body(1).as_bytes()).unwrap();
    read_reply(&mut held).unwrap()
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
fn what_is_free_is_refused_before_what_is_paid_for_and_health_is_always_answered() {
    on_each_engine(|program| {
        let account = Account::with_credits(program, 1_000);
        let key = account.key("live");
        let node = program.with("PANJI_LIMITS__IN_FLIGHT", &PLACES.to_string()).serve();
        let open = |path: &str| Client::new(node.address, None).get(path).unwrap();
        let (free, paid) = (format!("/v1/companies/{CIN}"), format!("/v1/directors/{DIN}"));
        assert_eq!(node.get(&key, &free).status, 200);

        let mut held: Vec<_> = (0..CHEAP_PLACES).map(|_| hold(&node, &key)).collect();
        assert!(is_overloaded(&node.get(&key, &free)));
        assert!(is_overloaded(&node.get(&key, "/v1/companies/search?q=udaharan")));
        for path in ["/docs", "/v1/openapi.json", "/console", &paid] {
            assert!(is_overloaded(&open(path)), "{path} without a key");
        }
        assert_eq!(node.get(&key, &paid).status, 200, "what is paid for is served");
        assert_eq!((open("/healthz").status, open("/readyz").status), (200, 200));

        held.extend((CHEAP_PLACES..PLACES).map(|_| hold(&node, &key)));
        assert!(is_overloaded(&node.get(&key, &paid)));
        assert_eq!((open("/healthz").status, open("/readyz").status), (200, 200));

        for held in held {
            let reply = finish(held);
            assert_eq!(reply.status, 200, "who was let in is served: {}", reply.text());
        }
        for path in [&free, &paid] {
            assert_eq!(node.get(&key, path).status, 200);
        }
        assert_eq!(open("/docs/errors").status, 200);
        account.audit();
    });
}
