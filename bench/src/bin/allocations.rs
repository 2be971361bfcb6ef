//! Counts the allocations of each endpoint: the server runs inside this program, under a counting
//! allocator, and is called over its own sockets.

use std::alloc::System;
use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use clap::Parser;
use panji_bench::load::generator::{Load, ask};
use panji_bench::load::identifiers::Identifiers;
use panji_bench::load::requests::{ENDPOINTS, Endpoint};
use panji_bench::report::print_progress;
use serde_json::{Value, json};
use stats_alloc::{INSTRUMENTED_SYSTEM, Region, StatsAlloc};

#[global_allocator]
static COUNTING: &StatsAlloc<System> = &INSTRUMENTED_SYSTEM;

const CONNECTIONS: usize = 64;
/// How long each endpoint is called before counting, and while counting.
const WARM_UP: Duration = Duration::from_millis(500);
const TIME: Duration = Duration::from_secs(2);
/// How long the server may take until its first response.
const START_TIMEOUT: Duration = Duration::from_secs(60);
/// More than any load reaches.
const HIGH_LIMIT: u32 = 1_000_000;

/// Prints the allocations of one request of each endpoint, as JSON
#[derive(Parser)]
struct Arguments {
    #[arg(long)]
    data_dir: PathBuf,
    /// The generated files from which the data was imported
    #[arg(long)]
    register: PathBuf,
    #[arg(long)]
    companies: u64,
    /// A live key
    #[arg(long)]
    key: String,
    #[arg(long)]
    listen: SocketAddr,
}

fn main() -> ExitCode {
    match count(&Arguments::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            print_progress(&format!("allocations: {error:#}"));
            ExitCode::FAILURE
        }
    }
}

#[expect(clippy::print_stdout, reason = "read by the program that started this one")]
fn count(arguments: &Arguments) -> anyhow::Result<()> {
    let identifiers = Identifiers::choose(&arguments.register, arguments.companies)?;
    serve_here(arguments)?;
    let mut counted: BTreeMap<&str, Value> = BTreeMap::new();
    for endpoint in ENDPOINTS {
        counted.insert(endpoint.operation, count_one(&endpoint, &identifiers, arguments)?);
    }
    println!("{}", json!(counted));
    Ok(())
}

/// Serves in a thread, with the settings of the load benchmark, until this program ends.
fn serve_here(arguments: &Arguments) -> anyhow::Result<()> {
    let limits = format!("per_second = {HIGH_LIMIT}\nburst = {HIGH_LIMIT}\n");
    let config = arguments.data_dir.join("bench-allocations.toml");
    std::fs::write(&config, format!("[rate_limit]\n{limits}[bulk_rate_limit]\n{limits}"))?;
    let words = [
        "panji".into(),
        "--data-dir".into(),
        arguments.data_dir.clone().into_os_string(),
        "--listen".into(),
        arguments.listen.to_string().into(),
        "--config".into(),
        config.into_os_string(),
    ];
    std::thread::spawn(move || panji_server::command::run(words.into_iter()));
    Ok(())
}

fn count_one(
    endpoint: &Endpoint,
    identifiers: &Identifiers,
    arguments: &Arguments,
) -> anyhow::Result<Value> {
    let requests = endpoint.requests(identifiers, &arguments.key);
    let began = Instant::now();
    while let Err(error) = ask(arguments.listen, requests.at(0)) {
        if began.elapsed() > START_TIMEOUT {
            return Err(error);
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    let addresses = [arguments.listen];
    let load = |time| Load {
        addresses: &addresses,
        connections: CONNECTIONS,
        requests: &requests,
        first: 0,
        warm_up: Duration::ZERO,
        time,
    };
    load(WARM_UP).run()?;
    let region = Region::new(COUNTING);
    let responses = load(TIME).run()?.all_responses as f64;
    let change = region.change();
    Ok(json!({
        "allocations": (change.allocations + change.reallocations) as f64 / responses,
        "bytes": change.bytes_allocated as f64 / responses,
    }))
}
