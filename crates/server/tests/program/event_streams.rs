//! Readers of the stream of events, which connect again after the last event that they received, and
//! record everything.

use std::io::{BufRead, Result, Write};
use std::net::SocketAddr;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::Duration;

use serde_json::Value;

use crate::http::{connect, read_head};
use crate::program::random_below;

/// How long a reader waits after a connection that failed.
const PAUSE: Duration = Duration::from_millis(20);
/// A reader hangs up by itself after at most as many events as this.
const MAX_EVENTS_OF_CONNECTION: u64 = 400;

/// The nodes that serve now.
pub type Addresses = Arc<Mutex<Vec<SocketAddr>>>;

/// An event as it arrived.
#[derive(Clone, Debug)]
pub struct Streamed {
    pub id: i64,
    pub data: Value,
}

#[derive(Default)]
struct Record {
    events: Vec<Streamed>,
    connections: usize,
    /// Responses that no client should get.
    wrong: Vec<String>,
}

/// A reader in a thread of its own.
pub struct Reader {
    record: Arc<Mutex<Record>>,
    stop: Arc<AtomicBool>,
    thread: JoinHandle<()>,
}

impl Reader {
    pub fn start(addresses: &Addresses, key: &str) -> Reader {
        let record = Arc::<Mutex<Record>>::default();
        let stop = Arc::<AtomicBool>::default();
        let (addresses, key) = (addresses.clone(), key.to_owned());
        let (own_record, own_stop) = (record.clone(), stop.clone());
        let thread = std::thread::spawn(move || {
            while !own_stop.load(Ordering::Relaxed) {
                let address = pick(&addresses);
                let read = address.map(|address| read_stream(address, &key, &own_record));
                if !matches!(read, Some(Ok(()))) {
                    std::thread::sleep(PAUSE);
                }
            }
        });
        Reader { record, stop, thread }
    }

    pub fn received(&self) -> usize {
        self.record.lock().unwrap().events.len()
    }

    /// Ends the reader, when the nodes have ended. Returns what it received and how often it connected.
    pub fn finish(self) -> (Vec<Streamed>, usize) {
        self.stop.store(true, Ordering::Relaxed);
        self.thread.join().unwrap();
        let record = std::mem::take(&mut *self.record.lock().unwrap());
        assert!(record.wrong.is_empty(), "{:?}", record.wrong);
        (record.events, record.connections)
    }
}

fn pick(addresses: &Addresses) -> Option<SocketAddr> {
    let addresses = addresses.lock().unwrap();
    let bound = u64::try_from(addresses.len()).ok().filter(|count| *count > 0)?;
    addresses.get(random_below(bound) as usize).copied()
}

/// Reads until the connection breaks, or until the reader has had enough of it.
fn read_stream(address: SocketAddr, key: &str, record: &Mutex<Record>) -> Result<()> {
    let last = record.lock().unwrap().events.last().map(|event| event.id);
    let mut connection = connect(address)?;
    let resume = last.map_or(String::new(), |last| format!("Last-Event-ID: {last}\r\n"));
    let request = format!(
        "GET /v1/events/stream?after=0 HTTP/1.1\r\nHost: {address}\r\n\
         Authorization: Bearer {key}\r\n{resume}\r\n"
    );
    connection.get_mut().write_all(request.as_bytes())?;
    let head = read_head(&mut connection)?;
    if head.status != 200 {
        // While a node starts or ends it returns 503.
        if head.status != 503 {
            record.lock().unwrap().wrong.push(format!("{head:?}"));
        }
        return Err(std::io::ErrorKind::ConnectionRefused.into());
    }
    record.lock().unwrap().connections += 1;
    let enough = 1 + random_below(MAX_EVENTS_OF_CONNECTION);
    let (mut received, mut text) = (0, Vec::new());
    while received < enough {
        read_chunk(&mut connection, &mut text)?;
        while let Some(end) = text.windows(2).position(|pair| pair == b"\n\n") {
            let message: Vec<u8> = text.drain(..end + 2).collect();
            if let Some(event) = event_of(&String::from_utf8(message).unwrap()) {
                record.lock().unwrap().events.push(event);
                received += 1;
            }
        }
    }
    Ok(())
}

/// Appends a chunk of the body; its end is an error.
fn read_chunk(connection: &mut impl BufRead, text: &mut Vec<u8>) -> Result<()> {
    let mut line = String::new();
    connection.read_line(&mut line)?;
    let size = usize::from_str_radix(line.trim(), 16).ok().filter(|size| *size > 0);
    let size = size.ok_or(std::io::ErrorKind::UnexpectedEof)?;
    let mut chunk = vec![0; size + 2];
    connection.read_exact(&mut chunk)?;
    text.extend_from_slice(&chunk[..size]);
    Ok(())
}

/// The event of a message; none in a comment, and none in an id alone.
fn event_of(message: &str) -> Option<Streamed> {
    let field = |name: &str| message.lines().find_map(|line| line.strip_prefix(name));
    let data = serde_json::from_str(field("data: ")?).unwrap();
    Some(Streamed { id: field("id: ").unwrap().parse().unwrap(), data })
}
