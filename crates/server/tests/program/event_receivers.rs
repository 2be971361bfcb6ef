//! Receivers of webhooks: small HTTP servers that record every message before they respond, and refuse
//! some of the messages once.

use std::collections::BTreeSet;
use std::io::{BufRead, BufReader, Error, ErrorKind, Read, Result, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::Duration;

use serde_json::Value;

use crate::program::random_below;

/// One message in `REFUSED` is refused, but none twice: after the second refusal the pause is minutes.
const REFUSED: usize = 31;
/// A receiver works for at most this many milliseconds before it responds, so that senders are killed meanwhile.
const MAX_WORK_MS: u64 = 200;
/// How long a sender may take.
const TIMEOUT: Duration = Duration::from_secs(60);

/// A message that arrived.
#[derive(Clone, Debug)]
pub struct Delivery {
    pub id: String,
    pub body: String,
    pub accepted: bool,
}

impl Delivery {
    pub fn event(&self) -> Value {
        serde_json::from_str::<Value>(&self.body).unwrap()["data"].clone()
    }
}

#[derive(Default)]
struct Record {
    deliveries: Vec<Delivery>,
    accepted: BTreeSet<String>,
    refused_subjects: BTreeSet<String>,
}

pub struct EventReceiver {
    pub address: SocketAddr,
    record: Arc<Mutex<Record>>,
    stop: Arc<AtomicBool>,
    thread: JoinHandle<()>,
}

impl EventReceiver {
    pub fn start() -> EventReceiver {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        let address = listener.local_addr().unwrap();
        let record = Arc::<Mutex<Record>>::default();
        let stop = Arc::<AtomicBool>::default();
        let (own_record, own_stop) = (record.clone(), stop.clone());
        let thread = std::thread::spawn(move || {
            for connection in listener.incoming() {
                if own_stop.load(Ordering::Relaxed) {
                    break;
                }
                let record = own_record.clone();
                // A sender that was killed breaks its connection.
                std::thread::spawn(move || connection.and_then(|stream| receive(stream, &record)));
            }
        });
        EventReceiver { address, record, stop, thread }
    }

    /// How many events it has accepted.
    pub fn accepted(&self) -> usize {
        self.record.lock().unwrap().accepted.len()
    }

    /// How many messages have arrived.
    pub fn arrived(&self) -> usize {
        self.record.lock().unwrap().deliveries.len()
    }

    pub fn finish(self) -> Vec<Delivery> {
        self.stop.store(true, Ordering::Relaxed);
        drop(TcpStream::connect(self.address));
        self.thread.join().unwrap();
        std::mem::take(&mut self.record.lock().unwrap().deliveries)
    }
}

fn receive(stream: TcpStream, record: &Mutex<Record>) -> Result<()> {
    stream.set_read_timeout(Some(TIMEOUT))?;
    let mut stream = BufReader::new(stream);
    let (mut id, mut length) = (String::new(), 0);
    loop {
        let mut line = String::new();
        if stream.read_line(&mut line)? == 0 {
            return Err(Error::from(ErrorKind::UnexpectedEof));
        }
        match line.trim_end().split_once(": ") {
            Some(("webhook-id", value)) => id = value.to_owned(),
            Some(("content-length", value)) => length = value.parse().unwrap(),
            Some(_) => {}
            None if line == "\r\n" => break,
            None => {}
        }
    }
    let mut body = vec![0; length];
    stream.read_exact(&mut body)?;
    let accepted = record.lock().unwrap().add(id, String::from_utf8(body).unwrap());
    std::thread::sleep(Duration::from_millis(random_below(MAX_WORK_MS)));
    let status = if accepted { "204 No Content" } else { "500 Internal Server Error" };
    let response = format!("HTTP/1.1 {status}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n");
    stream.get_mut().write_all(response.as_bytes())
}

impl Record {
    /// Keeps a message, and decides whether it is accepted.
    fn add(&mut self, id: String, body: String) -> bool {
        let event: Value = serde_json::from_str(&body).unwrap();
        let subject = event["data"]["subject"]["id"].as_str().unwrap().to_owned();
        let known = self.deliveries.iter().any(|delivery| delivery.id == id);
        let refused = !known
            && self.deliveries.len() % REFUSED == REFUSED - 1
            && self.refused_subjects.insert(subject);
        if !refused {
            self.accepted.insert(id.clone());
        }
        self.deliveries.push(Delivery { id, body, accepted: !refused });
        !refused
    }
}
