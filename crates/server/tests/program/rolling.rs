//! Tests of a rolling restart under load: callers notice at most a refused connection.

use std::io::ErrorKind;
use std::net::SocketAddr;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;

use crate::accounts::{Account, DIN};
use crate::http::Client;
use crate::load::Receipt;
use crate::node::Node;
use crate::program::{Program, on_postgres, wait_for};

const NODES: usize = 3;
/// Half of them open a connection for each call, half reuse theirs.
const CALLERS: usize = 12;
const ROUNDS: usize = 2;
const CREDITS: i64 = 10_000_000;

/// The state shared by all callers.
struct Shared {
    addresses: Mutex<Vec<SocketAddr>>,
    receipts: Mutex<Vec<Receipt>>,
    /// Failures that a caller would have noticed.
    failures: Mutex<Vec<String>>,
    refused: AtomicUsize,
    stop: AtomicBool,
}

impl Shared {
    fn received(&self) -> usize {
        self.receipts.lock().unwrap().len()
    }

    fn address(&self, turn: usize) -> SocketAddr {
        self.addresses.lock().unwrap()[turn % NODES]
    }

    /// Calls until stopped; uses the next node if one refuses the connection.
    fn call(&self, number: usize, key: &str) {
        let keeps = number.is_multiple_of(2);
        let headers: &[(&str, &str)] = if keeps { &[] } else { &[("Connection", "close")] };
        let path = format!("/v1/directors/{DIN}");
        let mut turn = number;
        let mut client = Client::new(self.address(turn), Some(key));
        while !self.stop.load(Ordering::Relaxed) {
            let used_before = client.is_connected();
            match client.send("GET", &path, headers, b"") {
                Ok(reply) if reply.status == 200 => {
                    let (request_id, credits) = (reply.request_id(), reply.charged());
                    self.receipts.lock().unwrap().push(Receipt { request_id, credits });
                }
                Ok(reply) => self.failures.lock().unwrap().push(reply.text()),
                Err(error) if error.kind() == ErrorKind::ConnectionRefused => {
                    self.refused.fetch_add(1, Ordering::Relaxed);
                    turn += 1;
                    client = Client::new(self.address(turn), Some(key));
                }
                // A reused connection may be closed while it is idle; then nothing was charged. A
                // truncated response is handled below.
                Err(_) if used_before => {}
                Err(error) => self.failures.lock().unwrap().push(error.to_string()),
            }
        }
    }
}

fn start_callers(shared: &Arc<Shared>, keys: &[String]) -> Vec<JoinHandle<()>> {
    let caller = |number: usize| {
        let (shared, key) = (shared.clone(), keys[number % keys.len()].clone());
        std::thread::spawn(move || shared.call(number, &key))
    };
    (0..CALLERS).map(caller).collect()
}

fn nodes(program: &Program) -> Vec<(Program, Node)> {
    let first = (program.clone(), program.serve());
    let others = (1..NODES).map(|number| {
        let program = program.another(&format!("node-{number}"));
        let node = program.serve();
        (program, node)
    });
    std::iter::once(first).chain(others).collect()
}

#[test]
fn nodes_restarted_one_after_the_other_under_load_fail_no_request() {
    on_postgres(|program| {
        let account = Account::with_credits(program, CREDITS);
        let keys: Vec<String> = (0..4).map(|_| account.key("live")).collect();
        let mut nodes = nodes(program);
        let shared = Arc::new(Shared {
            addresses: Mutex::new(nodes.iter().map(|(_, node)| node.address).collect()),
            receipts: Mutex::default(),
            failures: Mutex::default(),
            refused: AtomicUsize::new(0),
            stop: AtomicBool::new(false),
        });
        let callers = start_callers(&shared, &keys);
        for number in (0..NODES).cycle().take(NODES * ROUNDS) {
            let received = shared.received();
            wait_for("responses arrive", || shared.received() > received + 20 * CALLERS);
            let (program, node) = nodes.remove(number);
            node.stop();
            let node = program.serve();
            shared.addresses.lock().unwrap()[number] = node.address;
            nodes.insert(number, (program, node));
        }
        let received = shared.received();
        wait_for("responses arrive until the end", || shared.received() > received + CALLERS);
        shared.stop.store(true, Ordering::Relaxed);
        for caller in callers {
            caller.join().unwrap();
        }
        assert_eq!(*shared.failures.lock().unwrap(), Vec::<String>::new());
        assert!(shared.refused.load(Ordering::Relaxed) > 0, "no caller tried a stopped node");
        let undelivered = account.check_receipts(&shared.receipts.lock().unwrap());
        assert_eq!(undelivered, Vec::<String>::new(), "charged, and the response did not arrive");
        account.audit();
    });
}
