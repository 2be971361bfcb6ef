//! Callers that call until they are stopped and record what they receive.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use serde_json::json;

use crate::accounts::{CIN, DIN};
use crate::http::{Client, Reply};

/// The longest load.
const MAX_TIME: Duration = Duration::from_secs(3_600);
/// How long a caller waits after a broken connection.
const PAUSE: Duration = Duration::from_millis(5);

/// A response that a client received completely.
#[derive(Clone, Debug)]
pub struct Receipt {
    pub request_id: String,
    pub credits: i64,
}

/// Everything that the callers received.
#[derive(Default)]
pub struct LoadOutcome {
    pub receipts: Vec<Receipt>,
    /// The number of errors by status, code and whether they had a Retry-After header.
    pub errors: BTreeMap<(u16, String, bool), usize>,
    /// Errors with data or a charge, which must not happen.
    pub wrong: Vec<String>,
}

/// Running callers.
pub struct Load {
    outcome: Arc<Mutex<LoadOutcome>>,
    stop: Arc<AtomicBool>,
    callers: Vec<JoinHandle<()>>,
}

/// Makes one call; the number of the turn chooses it.
type Ask = fn(&mut Client, usize) -> std::io::Result<Reply>;

impl Load {
    /// Starts callers of the API, each with one of the keys, on one of the nodes.
    pub fn start(addresses: &[SocketAddr], keys: &[String], callers: usize) -> Load {
        Load::with(ask, addresses, keys, callers)
    }

    /// Starts callers of tools at /mcp.
    pub fn over_mcp(addresses: &[SocketAddr], keys: &[String], callers: usize) -> Load {
        Load::with(ask_tool, addresses, keys, callers)
    }

    fn with(ask: Ask, addresses: &[SocketAddr], keys: &[String], callers: usize) -> Load {
        let outcome = Arc::new(Mutex::new(LoadOutcome::default()));
        let stop = Arc::new(AtomicBool::new(false));
        let caller = |number: usize| {
            let address = addresses[number % addresses.len()];
            let client = Client::new(address, Some(&keys[number % keys.len()]));
            let (outcome, stop) = (outcome.clone(), stop.clone());
            std::thread::spawn(move || call_until_stopped(ask, client, number, &outcome, &stop))
        };
        let callers = (0..callers).map(caller).collect();
        Load { outcome, stop, callers }
    }

    pub fn received(&self) -> usize {
        self.outcome.lock().unwrap().receipts.len()
    }

    pub fn errors(&self) -> usize {
        self.outcome.lock().unwrap().errors.values().sum()
    }

    /// Stops the callers and returns what they received.
    pub fn stop(mut self) -> LoadOutcome {
        self.stop.store(true, Ordering::Relaxed);
        for caller in self.callers.drain(..) {
            caller.join().unwrap();
        }
        std::mem::take(&mut *self.outcome.lock().unwrap())
    }
}

impl Drop for Load {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
    }
}

fn call_until_stopped(
    ask: Ask,
    mut client: Client,
    number: usize,
    outcome: &Mutex<LoadOutcome>,
    stop: &AtomicBool,
) {
    let started = Instant::now();
    let mut turn = number;
    while !stop.load(Ordering::Relaxed) && started.elapsed() < MAX_TIME {
        turn += 1;
        match ask(&mut client, turn) {
            Ok(reply) => outcome.lock().unwrap().record(&reply),
            // An incomplete response was not received.
            Err(_) => std::thread::sleep(PAUSE),
        }
    }
}

/// Alternating calls of different prices: one credit, two, and several in one entry.
fn ask(client: &mut Client, turn: usize) -> std::io::Result<Reply> {
    match turn % 3 {
        0 => client.get(&format!("/v1/verify/cin/{CIN}")),
        1 => client.get(&format!("/v1/directors/{DIN}")),
        _ => client.send("POST", "/v1/bulk/verify", &[], bulk_body(3).as_bytes()),
    }
}

/// Tool calls of different prices: one credit, two and ten.
fn ask_tool(client: &mut Client, turn: usize) -> std::io::Result<Reply> {
    let (tool, arguments) = match turn % 3 {
        0 => ("verify", json!({ "value": CIN })),
        1 => ("director", json!({ "din": DIN })),
        _ => ("company_profile", json!({ "cin": CIN })),
    };
    let params = json!({ "name": tool, "arguments": arguments });
    let call = json!({ "jsonrpc": "2.0", "id": turn, "method": "tools/call", "params": params });
    let headers =
        [("Accept", "application/json, text/event-stream"), ("MCP-Protocol-Version", "2025-11-25")];
    let reply = client.send("POST", "/mcp", &headers, call.to_string().as_bytes())?;
    let mut result = reply.json()["result"].take();
    // The structured content has the fields of the envelope; a failed call has none.
    let content = result["structuredContent"].take();
    match content.is_null() {
        true => panic!("{}", reply.text()),
        false => Ok(Reply { body: content.to_string().into_bytes(), ..reply }),
    }
}

/// The body of a bulk call that costs this many credits.
pub fn bulk_body(items: usize) -> String {
    // Equal items would be charged once.
    let item = |number: usize| format!(r#"{{"type":"din","value":"{}"}}"#, 99_000_101 + number);
    format!(r#"{{"items":[{}]}}"#, (0..items).map(item).collect::<Vec<_>>().join(","))
}

impl LoadOutcome {
    fn record(&mut self, reply: &Reply) {
        if reply.status == 200 {
            let (request_id, credits) = (reply.request_id(), reply.charged());
            self.receipts.push(Receipt { request_id, credits });
            return;
        }
        let error = reply.json();
        if !error["data"].is_null() || error["credits_charged"] != 0 {
            self.wrong.push(reply.text());
        }
        let what = (reply.status, reply.code(), reply.retry_after().is_some());
        *self.errors.entry(what).or_default() += 1;
    }
}
