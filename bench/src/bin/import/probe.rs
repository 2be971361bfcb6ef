//! Measures the latency of a read and of a charge before and during an import.

use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use anyhow::{anyhow, bail, ensure};
use panji_bench::program::{panji, peak_of, remove};

/// The pause between two calls of one caller: a light load, so that waiting is visible.
const CALL_INTERVAL: Duration = Duration::from_millis(2);
/// How long calls are measured before the import.
const BEFORE: Duration = Duration::from_secs(10);
/// An unknown number: a lookup reads the register and charges nothing.
const UNKNOWN_CIN: &str = "U17110MH2001PTC990777";
const COMPANY: &str = "U17110MH2001PTC990501";
const RECORD: &str = r#"{"record":"company","cin":"U17110MH2001PTC990501","name":"Udaharan Private Limited","as_of":"2026-06-30"}"#;

/// The latencies of one caller, sorted.
pub struct Latencies(Vec<Duration>);

impl Latencies {
    /// The latency in milliseconds below which this share of the calls is.
    pub fn percentile(&self, share: f64) -> f64 {
        let index = ((self.0.len() as f64 * share) as usize).min(self.0.len().saturating_sub(1));
        self.0.get(index).map_or(0.0, |time| time.as_secs_f64() * 1e3)
    }

    /// The number of calls.
    pub fn count(&self) -> usize {
        self.0.len()
    }
}

/// The latencies before and during the import.
pub struct ProbeLatencies {
    pub read_before: Latencies,
    pub charge_before: Latencies,
    pub read_during: Latencies,
    pub charge_during: Latencies,
    pub import_seconds: f64,
    pub import_peak_mb: u64,
}

/// Serves a register and imports the files into it while callers call.
pub fn during_import(files: &Path, work: &Path) -> anyhow::Result<ProbeLatencies> {
    let data = work.join("data");
    remove(&data);
    let panji_in = |arguments: &[&str]| -> anyhow::Result<String> {
        let output =
            Command::new(panji()?).arg("--data-dir").arg(&data).args(arguments).output()?;
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).trim().to_owned();
        ensure!(output.status.success(), "{}", text(&output.stderr));
        Ok(text(&output.stdout))
    };
    let record = work.join("one-company.jsonl");
    std::fs::write(&record, RECORD)?;
    panji_in(&["import", &record.display().to_string()])?;
    panji_in(&["account", "create", "--email", "bench@example.in", "--name", "Bench"])?;
    panji_in(&["credits", "grant", "--account", "bench@example.in", "--amount", "100000000"])?;
    let key = panji_in(&["key", "create", "--account", "bench@example.in", "--mode", "live"])?;
    let node = Node::start(&data)?;
    let before = call_for(&node.address, &key, |began| began.elapsed() < BEFORE)?;
    let began = Instant::now();
    let mut import = Command::new(panji()?)
        .arg("--data-dir")
        .arg(&data)
        .args(["import", "--as-of", "2026-06-30"])
        .arg(files)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()?;
    let running = AtomicBool::new(true);
    let (during, import_peak_mb) = std::thread::scope(|scope| {
        let calls =
            scope.spawn(|| call_for(&node.address, &key, |_| running.load(Ordering::Relaxed)));
        let mut peak_mb = 0;
        while let Ok(None) = import.try_wait() {
            peak_mb = peak_mb.max(peak_of(import.id()));
            std::thread::sleep(Duration::from_millis(50));
        }
        running.store(false, Ordering::Relaxed);
        (calls.join(), peak_mb)
    });
    let import_seconds = began.elapsed().as_secs_f64();
    let during = during.map_err(|_| anyhow!("a caller fell over"))??;
    node.stop();
    remove(&data);
    let ([read_before, charge_before], [read_during, charge_during]) = (before, during);
    Ok(ProbeLatencies {
        read_before,
        charge_before,
        read_during,
        charge_during,
        import_seconds,
        import_peak_mb,
    })
}

/// Two concurrent callers, one that only reads and one that is charged.
fn call_for(
    address: &str,
    key: &str,
    go_on: impl Fn(Instant) -> bool + Sync,
) -> anyhow::Result<[Latencies; 2]> {
    let one = |cin: &str, status: &str| call(address, key, cin, status, &go_on);
    let (reads, charges) = std::thread::scope(|scope| {
        let reads = scope.spawn(|| one(UNKNOWN_CIN, "404"));
        let charges = scope.spawn(|| one(COMPANY, "200"));
        (reads.join(), charges.join())
    });
    let fell_over = |_| anyhow!("a caller fell over");
    Ok([reads.map_err(fell_over)??, charges.map_err(fell_over)??])
}

/// One caller on one connection.
fn call(
    address: &str,
    key: &str,
    cin: &str,
    status: &str,
    go_on: impl Fn(Instant) -> bool,
) -> std::io::Result<Latencies> {
    let stream = TcpStream::connect(address)?;
    stream.set_nodelay(true)?;
    let mut reader = BufReader::new(stream.try_clone()?);
    let mut writer = stream;
    let request = format!(
        "GET /v1/companies/{cin} HTTP/1.1\r\nHost: bench\r\nAuthorization: Bearer {key}\r\n\r\n"
    );
    let mut times = Vec::new();
    let began = Instant::now();
    while go_on(began) {
        let sent = Instant::now();
        writer.write_all(request.as_bytes())?;
        let received = read_response(&mut reader)?;
        times.push(sent.elapsed());
        if received != status {
            return Err(std::io::Error::other(format!("{cin} returned {received}")));
        }
        std::thread::sleep(CALL_INTERVAL);
    }
    times.sort();
    Ok(Latencies(times))
}

/// Reads one response to its end; returns its status.
fn read_response(reader: &mut impl BufRead) -> std::io::Result<String> {
    let mut line = String::new();
    reader.read_line(&mut line)?;
    let status = line.split(' ').nth(1).unwrap_or_default().to_owned();
    let mut length = 0;
    loop {
        line.clear();
        reader.read_line(&mut line)?;
        let header = line.trim().to_ascii_lowercase();
        if let Some(value) = header.strip_prefix("content-length:") {
            length = value.trim().parse().map_err(std::io::Error::other)?;
        }
        if header.is_empty() {
            break;
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body)?;
    Ok(status)
}

/// A serving node on a free port.
struct Node {
    child: Child,
    address: String,
}

impl Node {
    fn start(data: &Path) -> anyhow::Result<Node> {
        let free = TcpListener::bind("127.0.0.1:0").and_then(|listener| listener.local_addr());
        let address = free?.to_string();
        let child = Command::new(panji()?)
            .arg("--data-dir")
            .arg(data)
            .args(["--listen", &address])
            .env("PANJI_RATE_LIMIT__PER_SECOND", "100000")
            .env("PANJI_RATE_LIMIT__BURST", "100000")
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()?;
        let node = Node { child, address };
        let started = Instant::now();
        while TcpStream::connect(&node.address).is_err() {
            if started.elapsed() > Duration::from_secs(30) {
                node.stop();
                bail!("the node did not respond");
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        Ok(node)
    }

    fn stop(mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
