//! The load generator: one thread, many keep-alive connections, each sending the next request as
//! soon as it has its response.
//!
//! It shares the machine with the measured system, so it uses as little CPU as possible: requests
//! are serialized in advance, one `epoll` wait serves all connections, and nothing is allocated per
//! response.

use std::io::{ErrorKind, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::{Duration, Instant};

use anyhow::{Context, bail};
use rustix::buffer::spare_capacity;
use rustix::event::{Timespec, epoll};
use rustix::fd::OwnedFd;
use rustix::io::Errno;

use super::requests::{Request, Requests};
use super::response::{PartialResponse, is_ok};
use super::tally::{Outcome, Tally};

/// The initial buffer of a connection.
const BUFFER: usize = 16_384;
/// How long outstanding responses are waited for at the end.
const DRAIN: Duration = Duration::from_secs(60);
/// The longest wait for responses, so that the end is noticed.
const WAIT: Timespec = Timespec { tv_sec: 0, tv_nsec: 50_000_000 };

/// The load to send.
pub struct Load<'a> {
    /// The connections are distributed evenly over these addresses.
    pub addresses: &'a [SocketAddr],
    /// The number of connections.
    pub connections: usize,
    pub requests: &'a Requests,
    /// The index in the order of requests to start at.
    pub first: usize,
    /// The warm-up time, which is not counted.
    pub warm_up: Duration,
    /// The counted time.
    pub time: Duration,
}

struct Connection {
    stream: TcpStream,
    buffer: Vec<u8>,
    filled: usize,
    arriving: PartialResponse,
    request: usize,
    written: usize,
    sent: Instant,
    waiting: bool,
}

/// The result of one wake-up of a connection.
enum Step {
    More,
    WantsToWrite,
    Responded,
}

impl Load<'_> {
    /// Sends the load. Any response other than 200 is an error.
    pub fn run(&self) -> anyhow::Result<Outcome> {
        const GENERATOR: &str = "the load generator";
        let epoll = epoll::create(epoll::CreateFlags::CLOEXEC).context(GENERATOR)?;
        let mut next = self.first;
        let mut connections = Vec::with_capacity(self.connections);
        for number in 0..self.connections {
            let address = self.addresses[number % self.addresses.len()];
            connections.push(Connection::open(address).context(GENERATOR)?);
        }
        let began = Instant::now();
        for (number, connection) in connections.iter_mut().enumerate() {
            watch(&epoll, connection, number, false).context(GENERATOR)?;
            self.send(&epoll, connection, number, &mut next, Instant::now()).context(GENERATOR)?;
        }
        let mut tally = Tally::new(began + self.warm_up, began + self.warm_up + self.time)?;
        let mut events = Vec::with_capacity(self.connections.min(1_024));
        let mut open = self.connections;
        while open > 0 {
            events.clear();
            match epoll::wait(&epoll, spare_capacity(&mut events), Some(&WAIT)) {
                Ok(_) | Err(Errno::INTR) => {}
                Err(error) => return Err(error).context(GENERATOR),
            }
            for event in &events {
                let number = event.data.u64() as usize;
                let connection = &mut connections[number];
                match connection.step(self.requests)? {
                    Step::More => {}
                    Step::WantsToWrite => {
                        self.go_on(&epoll, connection, number).context(GENERATOR)?;
                    }
                    Step::Responded => {
                        let now = Instant::now();
                        tally.count(now, connection.sent, connection.filled);
                        if now < tally.until {
                            self.send(&epoll, connection, number, &mut next, now)
                                .context(GENERATOR)?;
                        } else {
                            connection.waiting = false;
                            open -= 1;
                        }
                    }
                }
            }
            let now = Instant::now();
            if now > tally.until + DRAIN {
                bail!("{open} responses did not arrive within a minute after the end");
            }
        }
        Ok(tally.outcome(self.time))
    }

    fn send(
        &self,
        epoll: &OwnedFd,
        connection: &mut Connection,
        number: usize,
        next: &mut usize,
        now: Instant,
    ) -> std::io::Result<()> {
        connection.request = *next;
        *next += 1;
        connection.begin(now);
        if !connection.write(&self.requests.at(connection.request).bytes)? {
            watch_again(epoll, connection, number, true)?;
        }
        Ok(())
    }

    fn go_on(
        &self,
        epoll: &OwnedFd,
        connection: &mut Connection,
        number: usize,
    ) -> std::io::Result<()> {
        if connection.write(&self.requests.at(connection.request).bytes)? {
            watch_again(epoll, connection, number, false)?;
        }
        Ok(())
    }
}

fn interest(writing: bool) -> epoll::EventFlags {
    if writing { epoll::EventFlags::IN | epoll::EventFlags::OUT } else { epoll::EventFlags::IN }
}

fn watch(
    epoll: &OwnedFd,
    connection: &Connection,
    number: usize,
    writing: bool,
) -> std::io::Result<()> {
    let data = epoll::EventData::new_u64(number as u64);
    Ok(epoll::add(epoll, &connection.stream, data, interest(writing))?)
}

fn watch_again(
    epoll: &OwnedFd,
    connection: &Connection,
    number: usize,
    writing: bool,
) -> std::io::Result<()> {
    let data = epoll::EventData::new_u64(number as u64);
    Ok(epoll::modify(epoll, &connection.stream, data, interest(writing))?)
}

impl Connection {
    fn open(address: SocketAddr) -> std::io::Result<Connection> {
        let stream = TcpStream::connect(address)?;
        stream.set_nodelay(true)?;
        stream.set_nonblocking(true)?;
        Ok(Connection {
            stream,
            buffer: vec![0; BUFFER],
            filled: 0,
            arriving: PartialResponse::default(),
            request: 0,
            written: 0,
            sent: Instant::now(),
            waiting: false,
        })
    }

    fn begin(&mut self, now: Instant) {
        self.filled = 0;
        self.arriving = PartialResponse::default();
        self.written = 0;
        self.sent = now;
        self.waiting = true;
    }

    /// Writes the rest of the request, as far as the kernel accepts it; true when all is written.
    fn write(&mut self, request: &[u8]) -> std::io::Result<bool> {
        while self.written < request.len() {
            match self.stream.write(&request[self.written..]) {
                Ok(bytes) => self.written += bytes,
                Err(error) if error.kind() == ErrorKind::WouldBlock => return Ok(false),
                Err(error) => return Err(error),
            }
        }
        Ok(true)
    }

    /// Reads the available bytes.
    fn step(&mut self, requests: &Requests) -> anyhow::Result<Step> {
        if !self.waiting {
            return Ok(Step::More);
        }
        if self.filled == self.buffer.len() {
            self.buffer.resize(self.buffer.len() * 2, 0);
        }
        match self.stream.read(&mut self.buffer[self.filled..]) {
            Ok(0) => bail!("a connection was closed by the server"),
            Ok(bytes) => {
                self.filled += bytes;
                let response = &self.buffer[..self.filled];
                if !self.arriving.complete(response)? {
                    return Ok(Step::More);
                }
                if !is_ok(response) {
                    bail!(refusal(requests.at(self.request), response));
                }
                Ok(Step::Responded)
            }
            Err(error) if error.kind() == ErrorKind::WouldBlock => {
                let all = requests.at(self.request).bytes.len();
                Ok(if self.written < all { Step::WantsToWrite } else { Step::More })
            }
            Err(error) => Err(error).context("reading a response"),
        }
    }
}

/// The request and the unexpected response, for the error.
fn refusal(request: &Request, response: &[u8]) -> String {
    let beginning =
        |bytes: &[u8]| String::from_utf8_lossy(&bytes[..bytes.len().min(600)]).into_owned();
    let sent = beginning(&request.bytes);
    let line = sent.lines().next().unwrap_or_default();
    format!("{line} returned: {}", beginning(response))
}

/// Sends one request on a new connection; returns the whole response.
pub fn ask(address: SocketAddr, request: &Request) -> anyhow::Result<Vec<u8>> {
    let failed = || address.to_string();
    let mut stream = TcpStream::connect(address).with_context(failed)?;
    stream.set_read_timeout(Some(DRAIN)).with_context(failed)?;
    stream.write_all(&request.bytes).with_context(failed)?;
    let (mut response, mut arriving) = (Vec::new(), PartialResponse::default());
    let mut bytes = [0; BUFFER];
    while !arriving.complete(&response)? {
        match stream.read(&mut bytes).with_context(failed)? {
            0 => bail!("{address} closed the connection"),
            read => response.extend_from_slice(&bytes[..read]),
        }
    }
    if is_ok(&response) { Ok(response) } else { bail!(refusal(request, &response)) }
}

/// Sends some requests and checks the responses: a fast but wrong response must not count.
pub fn check_responses(
    address: SocketAddr,
    requests: &Requests,
    number: usize,
) -> anyhow::Result<()> {
    for position in 0..number {
        let request = requests.at(position);
        let response = ask(address, request)?;
        if memchr::memmem::find(&response, request.expects.as_bytes()).is_none() {
            bail!("{} is missing: {}", request.expects, refusal(request, &response));
        }
    }
    Ok(())
}
