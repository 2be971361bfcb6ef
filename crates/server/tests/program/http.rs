//! A small HTTP client for tests: it sends exactly what the test writes, a response is complete or
//! an error, and nothing is sent twice.

use std::io::{BufRead, BufReader, Error, ErrorKind, Read, Result, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

use serde_json::Value;

/// Longer than any response may take.
const TIMEOUT: Duration = crate::program::TIME_LIMIT;

/// A client on one connection, opened on first use and again after it broke.
pub struct Client {
    address: SocketAddr,
    key: Option<String>,
    connection: Option<BufReader<TcpStream>>,
}

/// A complete response.
#[derive(Clone, Debug)]
pub struct Reply {
    pub status: u16,
    pub headers: Vec<(String, String)>,
    pub body: Vec<u8>,
}

impl Client {
    pub fn new(address: SocketAddr, key: Option<&str>) -> Client {
        Client { address, key: key.map(str::to_owned), connection: None }
    }

    /// Whether the next request uses an existing connection.
    pub fn is_connected(&self) -> bool {
        self.connection.is_some()
    }

    pub fn get(&mut self, path: &str) -> Result<Reply> {
        self.send("GET", path, &[], b"")
    }

    /// Sends a request and reads the whole response.
    pub fn send(
        &mut self,
        method: &str,
        path: &str,
        headers: &[(&str, &str)],
        body: &[u8],
    ) -> Result<Reply> {
        let mut head = format!("{method} {path} HTTP/1.1\r\nHost: {}\r\n", self.address);
        if let Some(key) = &self.key {
            head.push_str(&format!("Authorization: Bearer {key}\r\n"));
        }
        for (name, value) in headers {
            head.push_str(&format!("{name}: {value}\r\n"));
        }
        if method == "POST" {
            if !headers.iter().any(|(name, _)| *name == "Content-Type") {
                head.push_str("Content-Type: application/json\r\n");
            }
            head.push_str(&format!("Content-Length: {}\r\n", body.len()));
        }
        head.push_str("\r\n");
        let message = [head.as_bytes(), body].concat();
        let mut connection = match self.connection.take() {
            Some(connection) => connection,
            None => connect(self.address)?,
        };
        connection.get_mut().write_all(&message)?;
        let reply = read_reply(&mut connection)?;
        if reply.header("connection") != Some("close") {
            self.connection = Some(connection);
        }
        Ok(reply)
    }
}

/// Opens a connection with timeouts.
pub fn connect(address: SocketAddr) -> Result<BufReader<TcpStream>> {
    let stream = TcpStream::connect_timeout(&address, TIMEOUT)?;
    stream.set_read_timeout(Some(TIMEOUT))?;
    stream.set_write_timeout(Some(TIMEOUT))?;
    stream.set_nodelay(true)?;
    Ok(BufReader::new(stream))
}

/// Reads one whole response.
pub fn read_reply(connection: &mut impl BufRead) -> Result<Reply> {
    let mut reply = read_head(connection)?;
    let length = reply.header("content-length").and_then(|text| text.parse().ok());
    reply.body = vec![0; length.ok_or_else(|| broken("no Content-Length"))?];
    connection.read_exact(&mut reply.body)?;
    Ok(reply)
}

/// Reads the status and the headers of a response.
pub fn read_head(connection: &mut impl BufRead) -> Result<Reply> {
    let status_line = read_line(connection)?;
    let status = status_line.split(' ').nth(1).and_then(|word| word.parse().ok());
    let status = status.ok_or_else(|| broken("no status line"))?;
    let mut headers = Vec::new();
    loop {
        let line = read_line(connection)?;
        if line.is_empty() {
            break;
        }
        let (name, value) = line.split_once(':').ok_or_else(|| broken("no header line"))?;
        headers.push((name.to_lowercase(), value.trim().to_owned()));
    }
    Ok(Reply { status, headers, body: Vec::new() })
}

fn read_line(connection: &mut impl BufRead) -> Result<String> {
    let mut line = Vec::new();
    connection.take(1 << 16).read_until(b'\n', &mut line)?;
    let line = String::from_utf8(line).map_err(|_| broken("a head that is not text"))?;
    line.strip_suffix("\r\n").map(str::to_owned).ok_or_else(|| broken("a truncated head"))
}

fn broken(what: &str) -> Error {
    Error::new(ErrorKind::UnexpectedEof, what)
}

impl Reply {
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }

    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body)
            .unwrap_or_else(|error| panic!("{error}: {} {}", self.status, self.text()))
    }

    /// The error's code; empty if there is none.
    pub fn code(&self) -> String {
        self.json()["error"]["code"].as_str().unwrap_or_default().to_owned()
    }

    pub fn request_id(&self) -> String {
        self.json()["request_id"].as_str().unwrap().to_owned()
    }

    pub fn charged(&self) -> i64 {
        self.json()["credits_charged"].as_i64().unwrap()
    }

    pub fn remaining(&self) -> Option<i64> {
        self.json()["credits_remaining"].as_i64()
    }

    pub fn retry_after(&self) -> Option<u64> {
        self.header("retry-after").and_then(|text| text.parse().ok())
    }
}
