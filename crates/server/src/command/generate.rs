//! `panji generate`: writes a synthetic national register in the source formats.

use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Mutex;

use clap::Args;
use panji_generate::{
    AS_OF, EXPECTED_FILE, MAX_COMPANIES, MAX_FAULTS_PER_MILLION, Plan, write_register,
};

use super::error::CommandError;
use super::output::{Progress, counted, print};
use super::values::{ValueError, whole_number};

#[derive(Args)]
pub struct GenerateArguments {
    /// How many companies, 1 to 10 million; every three have four directors and six GSTINs
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    #[arg(value_parser = whole_number(1, MAX_COMPANIES as i64))]
    companies: i64,
    /// Any whole number; the same seed gives identical files
    #[arg(long, value_name = "S", default_value_t = 1, allow_negative_numbers = true)]
    #[arg(value_parser = parse_seed)]
    seed: u64,
    /// A directory that is new or empty
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    /// The share of rows with a fault, as in the real files, from 0 to 0.1
    #[arg(long, value_name = "RATE", default_value = "0.001", allow_negative_numbers = true)]
    #[arg(value_parser = parse_rate)]
    fault_rate: FaultRate,
}

fn parse_seed(text: &str) -> Result<u64, ValueError> {
    text.parse().map_err(|_| ValueError::AtLeast { least: 0 })
}

/// Rows per million.
#[derive(Clone, Copy)]
struct FaultRate(u64);

fn parse_rate(text: &str) -> Result<FaultRate, ValueError> {
    let per_million = text.parse::<f64>().ok().map(|rate| rate * 1e6);
    let highest = MAX_FAULTS_PER_MILLION as f64;
    let per_million = per_million.filter(|rate| (0.0..=highest).contains(rate));
    per_million
        .map(|rate| FaultRate(rate.round() as u64))
        .ok_or(ValueError::Expected("a number from 0 to 0.1"))
}

pub fn run(arguments: &GenerateArguments) -> Result<ExitCode, CommandError> {
    let plan = Plan {
        companies: arguments.companies.unsigned_abs(),
        seed: arguments.seed,
        faults_per_million: arguments.fault_rate.0,
        threads: std::thread::available_parallelism().map_or(1, NonZeroUsize::get),
    };
    let progress = Mutex::new(Progress::new());
    let observer = |done: u64, of: u64| {
        if let Ok(mut progress) = progress.try_lock() {
            progress.show(done, Some(of), "written");
        }
    };
    let written = write_register(plan, &arguments.out, &observer);
    if let Ok(mut progress) = progress.lock() {
        progress.finish();
    }
    let tally = written?;
    let directory = arguments.out.display();
    print(&format!(
        "{} with {} MB in {directory}, all synthetic",
        counted(tally.files as i64, "file", "files"),
        tally.bytes.div_ceil(1_000_000)
    ));
    for (kind, count) in &tally.records {
        print(&format!("  {kind}: {count}"));
    }
    print(&format!("  rows that an import must reject: {}", tally.rejects));
    print(&format!("The expected result of an import is in {EXPECTED_FILE}. Import it with"));
    print(&format!("  panji import --as-of {AS_OF} {directory}"));
    Ok(ExitCode::SUCCESS)
}
