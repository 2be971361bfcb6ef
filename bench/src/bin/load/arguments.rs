//! What the command line asks for.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, Parser, Subcommand, ValueEnum};

/// Measures Panji under load, beside its peers, and writes the figures into docs/benchmarks.md.
#[derive(Parser)]
pub struct Arguments {
    /// Companies of the largest register; a third and a thirtieth of it are measured too
    #[arg(long, default_value_t = 3_000_000, value_parser = clap::value_parser!(u64).range(300..))]
    pub companies: u64,
    /// How often everything is measured; the middle counts
    #[arg(long, default_value_t = 3, value_parser = clap::value_parser!(u64).range(1..))]
    pub rounds: u64,
    /// Seconds of one measurement; half of it where many are compared
    #[arg(long, default_value_t = 8, value_parser = clap::value_parser!(u64).range(1..))]
    pub seconds: u64,
    /// Minutes of the run with an import going on
    #[arg(long, default_value_t = 10.0)]
    pub minutes: f64,
    /// Only these parts
    #[arg(long, value_delimiter = ',')]
    pub only: Vec<Part>,
    /// Only these endpoints, by operation id
    #[arg(long, value_delimiter = ',')]
    pub endpoints: Vec<String>,
    /// Where registers, databases and logs go, and are found again by the next run
    #[arg(long, default_value = "target/bench")]
    pub work: PathBuf,
    /// Where Panji's log goes instead of a file in the work directory
    #[arg(long)]
    pub log: Option<PathBuf>,
    /// The Python environment with Datasette, ROAPI and FastAPI; `bench/run` makes it
    #[arg(long, default_value = "target/bench/peers")]
    pub peers: PathBuf,
    /// PostgreSQL's address; `./test` gives one
    #[arg(long, env = "PANJI_TEST_POSTGRES")]
    pub postgres: Option<String>,
    /// The page that the tables go into; the charts go into images/ beside it
    #[arg(long, default_value = "docs/benchmarks.md")]
    pub page: PathBuf,
    #[command(subcommand)]
    pub command: Option<Command>,
}

/// What can be measured on its own.
#[derive(Clone, Copy, Debug, Eq, PartialEq, ValueEnum)]
pub enum Part {
    /// Every endpoint on the embedded engine, and the two limits
    Endpoints,
    /// Datasette, ROAPI, and FastAPI with asyncpg, and the two limits
    Peers,
    /// Allocations per request
    Allocations,
    /// From 1 to 1,024 connections
    Connections,
    /// Three sizes of the register
    Sizes,
    /// PostgreSQL with one, two and three nodes
    Nodes,
    /// The run with an import going on
    Import,
}

/// The limits, as this program starts them beside itself.
#[derive(Subcommand)]
pub enum Command {
    /// axum that answers a constant
    #[command(hide = true)]
    Constant(Limit),
    /// axum with the same read, without key, charge or envelope
    #[command(hide = true)]
    Read(Limit),
}

/// How a limit serves.
#[derive(Args)]
pub struct Limit {
    #[arg(long)]
    pub listen: String,
    /// Bytes of the constant answer
    #[arg(long, default_value_t = 0)]
    pub bytes: usize,
    /// Where register.db is
    #[arg(long)]
    pub data_dir: Option<PathBuf>,
}

impl Arguments {
    /// Whether a part is wanted.
    pub fn wants(&self, part: Part) -> bool {
        self.only.is_empty() || self.only.contains(&part)
    }

    /// Whether some parts are left out: such a run leaves the page's summary as it is.
    pub fn is_partial(&self) -> bool {
        !self.only.is_empty() || !self.endpoints.is_empty()
    }

    /// The time of one measurement.
    pub fn time(&self) -> Duration {
        Duration::from_secs(self.seconds)
    }

    /// The time of one measurement of many that are compared with each other.
    pub fn short_time(&self) -> Duration {
        self.time() / 2
    }

    /// The registers' sizes, the largest last.
    pub fn sizes(&self) -> [u64; 3] {
        [self.companies / 30, self.companies / 3, self.companies]
    }
}
