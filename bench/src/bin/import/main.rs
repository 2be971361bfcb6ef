//! Measures the import of a national company master, compared with the databases' own loaders, and
//! the latency of calls meanwhile.

mod loaders;
mod probe;
mod table;

use std::path::{Path, PathBuf};
use std::process::Command;

use clap::Parser;
use panji_bench::bare_table::sync_commits;
use panji_bench::program::{ResourceUsage, median, panji, remove, run};
use panji_bench::register::{MASTER, generate};
use panji_bench::report;

use loaders::{Engine, load_with_database_tools};

/// Measures imports and writes the table into docs/benchmarks.md.
#[derive(Parser)]
struct Arguments {
    /// How many companies
    #[arg(long, default_value_t = 3_000_000)]
    companies: u64,
    /// Rounds; the median counts
    #[arg(long, default_value_t = 1)]
    rounds: usize,
    /// The directory for the generated files and the databases
    #[arg(long, default_value = "target/bench")]
    work: PathBuf,
    /// The URL of PostgreSQL; `./test` provides one
    #[arg(long, env = "PANJI_TEST_POSTGRES")]
    postgres: Option<String>,
    /// The page for the table
    #[arg(long, default_value = "docs/benchmarks.md")]
    page: PathBuf,
}

/// The measurements on one engine, one entry per round.
#[derive(Default)]
pub struct Measured {
    /// The engine's own loader.
    pub bare: Vec<ResourceUsage>,
    /// Panji, into an empty register.
    pub first: Vec<ResourceUsage>,
    /// The same files again, recognized by their content.
    pub known: Vec<ResourceUsage>,
    /// The same files again, with every row compared.
    pub recheck: Vec<ResourceUsage>,
}

impl Measured {
    fn seconds(taken: &[ResourceUsage]) -> f64 {
        median(taken.iter().map(|taken| taken.time).collect()).as_secs_f64()
    }
}

fn main() -> std::process::ExitCode {
    match measure(&Arguments::parse()) {
        Ok(()) => std::process::ExitCode::SUCCESS,
        Err(error) => {
            report::print_progress(&format!("bench import: {error:#}"));
            std::process::ExitCode::FAILURE
        }
    }
}

fn measure(arguments: &Arguments) -> anyhow::Result<()> {
    std::fs::create_dir_all(&arguments.work)?;
    let files = generate(&arguments.work, arguments.companies)?.join(MASTER);
    let mut engines = vec![Engine::Sqlite];
    if let Some(url) = &arguments.postgres {
        sync_commits(url)?;
        engines.push(Engine::Postgres(url.clone()));
    }
    let mut results: Vec<Measured> = engines.iter().map(|_| Measured::default()).collect();
    for round in 1..=arguments.rounds {
        for (engine, measured) in engines.iter().zip(&mut results) {
            report::print_progress(&format!(
                "round {round} of {} on {}",
                arguments.rounds,
                engine.name()
            ));
            measure_round(engine, &files, &arguments.work, measured)?;
        }
    }
    report::print_progress("callers during an import");
    let noticed = probe::during_import(&files, &arguments.work)?;
    let text = table::text(arguments.companies, &engines, &results, &noticed);
    report::print_progress(&text);
    report::replace_section(&arguments.page, "import", &text)
}

fn measure_round(
    engine: &Engine,
    files: &Path,
    work: &Path,
    measured: &mut Measured,
) -> anyhow::Result<()> {
    measured.bare.push(load_with_database_tools(engine, files, work)?);
    let data = work.join("data");
    remove(&data);
    engine.empty()?;
    let import = |extra: &[&str]| {
        let mut command = Command::new(panji()?);
        command.arg("--data-dir").arg(&data).args(engine.flags());
        command.args(["import", "--as-of", "2026-06-30"]).args(extra).arg(files);
        run(&mut command)
    };
    measured.first.push(import(&[])?);
    measured.known.push(import(&[])?);
    measured.recheck.push(import(&["--recheck"])?);
    remove(&data);
    engine.empty()
}
