//! Callers that go on until they are told to stop, and keep what they were told.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use crate::accounts::{CIN, DIN};
use crate::http::{Client, Reply};

/// Load never lasts longer than this.
const LONGEST: Duration = Duration::from_secs(3_600);
/// How long a caller waits after a connection broke.
const PAUSE: Duration = Duration::from_millis(5);

/// An answer that a client received whole.
#[derive(Clone, Debug)]
pub struct Receipt {
    pub request_id: String,
    pub credits: i64,
}

/// What all callers were told.
#[derive(Default)]
pub struct Told {
    pub receipts: Vec<Receipt>,
    /// How often an error was answered, by its status, code and whether it said when to come back.
    pub errors: BTreeMap<(u16, String, bool), usize>,
    /// Errors that carried data or a charge.
    pub wrong: Vec<String>,
}

/// Callers at work.
pub struct Load {
    told: Arc<Mutex<Told>>,
    stop: Arc<AtomicBool>,
    callers: Vec<JoinHandle<()>>,
}

impl Load {
    /// Starts callers, each with one of the keys, against one of the nodes.
    pub fn start(addresses: &[SocketAddr], keys: &[String], callers: usize) -> Load {
        let told = Arc::new(Mutex::new(Told::default()));
        let stop = Arc::new(AtomicBool::new(false));
        let caller = |number: usize| {
            let address = addresses[number % addresses.len()];
            let client = Client::new(address, Some(&keys[number % keys.len()]));
            let (told, stop) = (told.clone(), stop.clone());
            std::thread::spawn(move || call_on(client, number, &told, &stop))
        };
        let callers = (0..callers).map(caller).collect();
        Load { told, stop, callers }
    }

    pub fn received(&self) -> usize {
        self.told.lock().unwrap().receipts.len()
    }

    pub fn errors(&self) -> usize {
        self.told.lock().unwrap().errors.values().sum()
    }

    /// Stops the callers and gives what they were told.
    pub fn stop(mut self) -> Told {
        self.stop.store(true, Ordering::Relaxed);
        for caller in self.callers.drain(..) {
            caller.join().unwrap();
        }
        std::mem::take(&mut *self.told.lock().unwrap())
    }
}

impl Drop for Load {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
    }
}

fn call_on(mut client: Client, number: usize, told: &Mutex<Told>, stop: &AtomicBool) {
    let started = Instant::now();
    let mut turn = number;
    while !stop.load(Ordering::Relaxed) && started.elapsed() < LONGEST {
        turn += 1;
        match ask(&mut client, turn) {
            Ok(reply) => told.lock().unwrap().note(&reply),
            // An answer that did not arrive whole was not received.
            Err(_) => std::thread::sleep(PAUSE),
        }
    }
}

/// Calls of different prices, in turn: one credit, two, and several in one entry.
fn ask(client: &mut Client, turn: usize) -> std::io::Result<Reply> {
    match turn % 3 {
        0 => client.get(&format!("/v1/verify/cin/{CIN}")),
        1 => client.get(&format!("/v1/directors/{DIN}")),
        _ => client.send("POST", "/v1/bulk/verify", &[], bulk_body(3).as_bytes()),
    }
}

/// A bulk call's body that costs so many credits.
pub fn bulk_body(items: usize) -> String {
    // Equal items would be charged once.
    let item = |number: usize| format!(r#"{{"type":"din","value":"{}"}}"#, 99_000_101 + number);
    format!(r#"{{"items":[{}]}}"#, (0..items).map(item).collect::<Vec<_>>().join(","))
}

impl Told {
    fn note(&mut self, reply: &Reply) {
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
