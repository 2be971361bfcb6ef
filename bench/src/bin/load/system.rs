//! The compared systems: how each is started and called.

use std::fs::File;
use std::io::{self, BufReader};
use std::net::{SocketAddr, TcpListener};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicU16, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Context, bail};
use panji_bench::bare_table::psql;
use panji_bench::load::generator::ask;
use panji_bench::load::requests::{Endpoint, Requests, find_endpoint};

use super::process::{Memory, Process, memory};
use super::workspace::{Site, Workspace, panji_in, reset_ledger};

/// How long a system may take until its first response.
const START_TIMEOUT: Duration = Duration::from_secs(600);
/// The pause between two attempts to get the first response.
const RETRY_INTERVAL: Duration = Duration::from_millis(2);
/// How long a system is idle before its idle memory is read.
const IDLE_TIME: Duration = Duration::from_millis(1_500);
/// The range of ports.
const FIRST_PORT: u16 = 12_000;
const PORTS: u16 = 8_000;
/// Panji's limits are on, but too high to be reached.
const HIGH_LIMITS: [(&str, &str); 4] = [
    ("PANJI_RATE_LIMIT__PER_SECOND", "1000000"),
    ("PANJI_RATE_LIMIT__BURST", "1000000"),
    ("PANJI_BULK_RATE_LIMIT__PER_SECOND", "1000000"),
    ("PANJI_BULK_RATE_LIMIT__BURST", "1000000"),
];
/// The directory of the FastAPI program.
const LOOKUP_PROGRAM: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/alternatives");

#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
pub enum System {
    Constant,
    Read,
    Panji,
    Datasette,
    Roapi,
    FastApi,
}

impl System {
    /// The baseline servers first.
    pub const ALL: [System; 6] = [
        System::Constant,
        System::Read,
        System::Panji,
        System::Datasette,
        System::Roapi,
        System::FastApi,
    ];

    pub fn name(self) -> &'static str {
        match self {
            System::Constant => "baseline: axum, a constant",
            System::Read => "baseline: axum and the read",
            System::Panji => "Panji",
            System::Datasette => "Datasette",
            System::Roapi => "ROAPI",
            System::FastApi => "FastAPI, asyncpg",
        }
    }

    /// Whether it is another project's program.
    pub fn is_alternative(self) -> bool {
        matches!(self, System::Datasette | System::Roapi | System::FastApi)
    }

    /// Lookups of companies, in this system's format.
    pub fn lookups(self, site: &Site) -> Requests {
        let plain = |before, after| Requests::lookups(&site.identifiers, before, after, true);
        match self {
            System::Constant => Requests::lookups(&site.identifiers, "/v1/companies/", "", false),
            System::Read => plain("/v1/companies/", ""),
            System::Panji => get_company().requests(&site.identifiers, &site.key),
            System::Datasette => plain("/companies/companies/", ".json?_shape=objects"),
            System::Roapi => plain("/api/tables/companies?filter[cin]=%27", "%27"),
            System::FastApi => plain("/companies/", ""),
        }
    }

    /// Starts it on a register and waits for its first response.
    pub fn start(self, workspace: &Workspace, site: &Site) -> anyhow::Result<Started> {
        let address = free_address()?;
        self.warm_data(workspace, site)?;
        if self == System::Panji {
            reset_ledger(&site.data)?;
        }
        let mut command = self.command(workspace, site, address)?;
        let mut started = Started::new(&[address]);
        started.launch(&mut command, &self.lookups(site))?;
        if self == System::FastApi {
            started.others.push(workspace.postgres()?.process);
        }
        Ok(started)
    }

    /// Reads the data once, so that the result does not depend on the state of the disk cache.
    fn warm_data(self, workspace: &Workspace, site: &Site) -> anyhow::Result<()> {
        match self {
            System::Constant => Ok(()),
            System::Read | System::Panji => read_through(&site.data.join("register.db")),
            System::Datasette | System::Roapi => read_through(&site.table),
            System::FastApi => {
                // The column is not indexed, so that all rows are read.
                let table = site.postgres_table();
                let whole =
                    format!("select count(industry) from {table}; select count(*) from {table}");
                psql(&workspace.postgres()?.url, &whole).map(drop)
            }
        }
    }

    fn command(
        self,
        workspace: &Workspace,
        site: &Site,
        address: SocketAddr,
    ) -> anyhow::Result<Command> {
        let listen = address.to_string();
        let port = address.port().to_string();
        let alternative =
            |name: &str| Command::new(workspace.arguments.alternatives.join("bin").join(name));
        let mut command = match self {
            System::Panji => return panji_command(workspace, &site.data, address),
            System::Constant => {
                let bytes = constant_bytes(workspace, site)?;
                baseline(&["constant", "--listen", &listen, "--bytes", &bytes.to_string()])?
            }
            System::Read => {
                let mut command = baseline(&["read", "--listen", &listen, "--data-dir"])?;
                command.arg(&site.data);
                command
            }
            System::Datasette => {
                let mut command = alternative("datasette");
                command.args(["serve", "--host", "127.0.0.1", "--port", &port, "--immutable"]);
                command.arg(&site.table);
                command
            }
            System::Roapi => {
                let table = format!("companies=sqlite://{}", site.table.display());
                let mut command = alternative("roapi");
                command.args(["--addr-http", &listen, "--addr-postgres"]);
                command.arg(free_address()?.to_string());
                command.args(["--table", &table]).env("RUST_LOG", "warn");
                command
            }
            System::FastApi => {
                let mut command = alternative("uvicorn");
                command.args(["lookup:app", "--app-dir", LOOKUP_PROGRAM, "--workers", "2"]);
                command.args(["--host", "127.0.0.1", "--port", &port, "--no-access-log"]);
                command.env("LOOKUP_DATABASE", &workspace.postgres()?.url);
                command.env("LOOKUP_TABLE", site.postgres_table());
                command
            }
        };
        // The other systems do not write logs, so that they have no disadvantage.
        command.stdout(Stdio::null()).stderr(Stdio::null());
        Ok(command)
    }
}

fn read_through(path: &Path) -> anyhow::Result<()> {
    let named = || path.display().to_string();
    let mut file = BufReader::with_capacity(1 << 20, File::open(path).with_context(named)?);
    io::copy(&mut file, &mut io::sink()).map(drop).with_context(named)
}

/// The endpoint that all systems share.
pub fn get_company() -> Endpoint {
    find_endpoint("getCompany").expect("the endpoint is in the list")
}

/// A command that serves with everything on: keys, limits, durable charges, a log line per request.
pub fn panji_command(
    workspace: &Workspace,
    data: &Path,
    address: SocketAddr,
) -> anyhow::Result<Command> {
    let own_log = data.join("bench.log");
    let log = workspace.arguments.log.as_ref().unwrap_or(&own_log);
    let file = File::create(log).with_context(|| log.display().to_string())?;
    let mut command = panji_in(data)?;
    command.args(["--listen", &address.to_string()]).envs(HIGH_LIMITS);
    command.stdout(Stdio::null()).stderr(file);
    Ok(command)
}

/// The size of Panji's response to the first request, requested once per register.
fn constant_bytes(workspace: &Workspace, site: &Site) -> anyhow::Result<usize> {
    let cached: PathBuf = site.data.join("bench-response-bytes");
    if let Some(bytes) = std::fs::read_to_string(&cached).ok().and_then(|text| text.parse().ok()) {
        return Ok(bytes);
    }
    let started = System::Panji.start(workspace, site)?;
    let response = ask(started.addresses[0], System::Panji.lookups(site).at(0))?;
    let head = memchr::memmem::find(&response, b"\r\n\r\n").map_or(0, |end| end + 4);
    let bytes = response.len() - head;
    std::fs::write(&cached, bytes.to_string())?;
    Ok(bytes)
}

fn baseline(arguments: &[&str]) -> anyhow::Result<Command> {
    let own = std::env::current_exe()?;
    let mut command = Command::new(own);
    command.args(arguments);
    Ok(command)
}

/// A free local address. It is outside the kernel's range for client ports: a client that connects
/// before the server listens could otherwise connect to itself.
pub fn free_address() -> anyhow::Result<SocketAddr> {
    static NEXT: AtomicU16 = AtomicU16::new(0);
    let own = std::process::id() as u16 % PORTS;
    (0..PORTS)
        .map(|_| FIRST_PORT + (own + NEXT.fetch_add(1, Ordering::Relaxed)) % PORTS)
        .map(|port| SocketAddr::from(([127, 0, 0, 1], port)))
        .find(|address| TcpListener::bind(address).is_ok())
        .context("no port is free")
}

/// A running system; ended on drop.
pub struct Started {
    processes: Vec<Process>,
    pub addresses: Vec<SocketAddr>,
    /// Processes that count although they were not started here.
    pub others: Vec<u32>,
    /// The time from the start of the (last) process to its first response.
    pub start_up: Duration,
    pub at_rest: Memory,
}

impl Started {
    /// Nothing started yet; processes will listen on these addresses.
    pub fn new(addresses: &[SocketAddr]) -> Started {
        Started {
            processes: Vec::new(),
            addresses: addresses.to_vec(),
            others: Vec::new(),
            start_up: Duration::ZERO,
            at_rest: Memory::default(),
        }
    }

    /// Starts the process of the next address and waits for its first response.
    pub fn launch(&mut self, command: &mut Command, requests: &Requests) -> anyhow::Result<()> {
        let address = self.addresses[self.processes.len()];
        let name = command.get_program().to_string_lossy().into_owned();
        let began = Instant::now();
        let mut process = Process::start(command)?;
        loop {
            let reason = match ask(address, requests.at(0)) {
                Ok(_) => break,
                Err(reason) => reason,
            };
            if let Some(status) = process.ended() {
                bail!("{name} ended ({status}) before its first response");
            }
            if began.elapsed() > START_TIMEOUT {
                return Err(reason.context(format!("{name} does not respond")));
            }
            std::thread::sleep(RETRY_INTERVAL);
        }
        self.start_up = began.elapsed();
        self.processes.push(process);
        std::thread::sleep(IDLE_TIME);
        self.at_rest = memory(&self.own_processes());
        Ok(())
    }

    /// The main processes started here.
    pub fn own_processes(&self) -> Vec<u32> {
        self.processes.iter().map(Process::id).collect()
    }

    /// The same, with the other processes that count.
    pub fn all_processes(&self) -> Vec<u32> {
        self.own_processes().into_iter().chain(self.others.iter().copied()).collect()
    }
}
