//! The command line of the load benchmark.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, Parser, Subcommand, ValueEnum};

/// Measures Panji under load, compared with other systems, and writes the results into
/// docs/benchmarks.md.
#[derive(Parser)]
pub struct Arguments {
    /// Companies of the largest register; a third and a thirtieth are measured too
    #[arg(long, default_value_t = 3_000_000, value_parser = clap::value_parser!(u64).range(300..))]
    pub companies: u64,
    /// Rounds; the median counts
    #[arg(long, default_value_t = 3, value_parser = clap::value_parser!(u64).range(1..))]
    pub rounds: u64,
    /// Seconds of one measurement; half of it where many are compared
    #[arg(long, default_value_t = 8, value_parser = clap::value_parser!(u64).range(1..))]
    pub seconds: u64,
    /// Minutes of the run during an import
    #[arg(long, default_value_t = 10.0)]
    pub minutes: f64,
    /// Only these parts
    #[arg(long, value_delimiter = ',')]
    pub only: Vec<Part>,
    /// Only these endpoints, by operation id
    #[arg(long, value_delimiter = ',')]
    pub endpoints: Vec<String>,
    /// The directory for registers, databases and logs, which the next run reuses
    #[arg(long, default_value = "target/bench")]
    pub work: PathBuf,
    /// The file for Panji's log, instead of one in the work directory
    #[arg(long)]
    pub log: Option<PathBuf>,
    /// The Python environment with Datasette, ROAPI and FastAPI; `bench/run` creates it
    #[arg(long, default_value = "target/bench/alternatives")]
    pub alternatives: PathBuf,
    /// The URL of PostgreSQL; `./test` provides one
    #[arg(long, env = "PANJI_TEST_POSTGRES")]
    pub postgres: Option<String>,
    /// The page for the tables; the charts go into images/ next to it
    #[arg(long, default_value = "docs/benchmarks.md")]
    pub page: PathBuf,
    #[command(subcommand)]
    pub command: Option<Command>,
}

/// The parts that can be measured separately.
#[derive(Clone, Copy, Debug, Eq, PartialEq, ValueEnum)]
pub enum Part {
    /// Every endpoint on the embedded engine, and the two baselines
    Endpoints,
    /// Datasette, ROAPI, and FastAPI with asyncpg, and the two baselines
    Alternatives,
    /// Allocations per request
    Allocations,
    /// From 1 to 1,024 connections
    Connections,
    /// Three sizes of the register
    Sizes,
    /// PostgreSQL with one, two and three nodes
    Nodes,
    /// The run during an import
    Import,
}

/// The baseline servers, which this program starts as subprocesses of itself.
#[derive(Subcommand)]
pub enum Command {
    /// axum that returns a constant
    #[command(hide = true)]
    Constant(Baseline),
    /// axum with the same read, without key, charge or envelope
    #[command(hide = true)]
    Read(Baseline),
}

/// The options of a baseline server.
#[derive(Args)]
pub struct Baseline {
    #[arg(long)]
    pub listen: String,
    /// Bytes of the constant response
    #[arg(long, default_value_t = 0)]
    pub bytes: usize,
    /// The directory of register.db
    #[arg(long)]
    pub data_dir: Option<PathBuf>,
}

impl Arguments {
    /// Whether a part is measured.
    pub fn wants(&self, part: Part) -> bool {
        self.only.is_empty() || self.only.contains(&part)
    }

    /// Whether some parts are skipped: then the summary of the page stays unchanged.
    pub fn is_partial(&self) -> bool {
        !self.only.is_empty() || !self.endpoints.is_empty()
    }

    /// The time of one measurement.
    pub fn time(&self) -> Duration {
        Duration::from_secs(self.seconds)
    }

    /// The time of one measurement among many that are compared.
    pub fn short_time(&self) -> Duration {
        self.time() / 2
    }

    /// The registers' sizes, the largest last.
    pub fn sizes(&self) -> [u64; 3] {
        [self.companies / 30, self.companies / 3, self.companies]
    }
}
