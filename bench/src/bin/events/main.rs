//! Measures events: what they cost in an import of a changed company master, how their watchers are found
//! among many watch lists, and how long a deletion of old ones holds up an import.

mod database;
mod feed_deletion;
mod imports;
mod watchers;

use std::path::PathBuf;

use clap::Parser;
use panji_bench::bare_table::sync_commits;
use panji_bench::register::{MASTER, generate, write_changed_master};
use panji_bench::report::{machine, print_progress, replace_section};

use database::Database;

/// Measures events and writes the table into docs/benchmarks.md.
#[derive(Parser)]
struct Arguments {
    /// How many companies
    #[arg(long, env = "COMPANIES", default_value_t = 30_000)]
    companies: u64,
    /// Pairs of imports, with events and without; the median counts
    #[arg(long, default_value_t = 2)]
    rounds: usize,
    /// Watch lists, of 1,000 members each
    #[arg(long, default_value_t = 10_000)]
    lists: u64,
    /// Measure one part only
    #[arg(long)]
    only: Option<Part>,
    /// The directory for the generated files and the databases
    #[arg(long, default_value = "target/bench")]
    work: PathBuf,
    /// The URL of PostgreSQL; `./test` provides one
    #[arg(long, env = "PANJI_TEST_POSTGRES")]
    postgres: Option<String>,
    /// The page for the table; printed only, if it is left out
    #[arg(long)]
    report: Option<PathBuf>,
}

#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Part {
    Imports,
    Watchers,
}

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    let arguments = Arguments::parse();
    let work = arguments.work.join("events");
    std::fs::create_dir_all(&work)?;
    let register = generate(&arguments.work, arguments.companies)?;
    let copy = arguments.work.join(format!("changed-{}", arguments.companies));
    let (rows, changed) = write_changed_master(&register, &copy)?;
    let files = [register.join(MASTER), copy];
    let mut databases = vec![Database::sqlite(&work)];
    if let Some(url) = &arguments.postgres {
        sync_commits(url)?;
        databases.push(Database::postgres(url));
    }
    let mut text = format!(
        "{rows} companies, of which {changed} have another address in the second file; {}. {}.\n\n",
        machine(),
        build(),
    );
    if arguments.only != Some(Part::Watchers) {
        text.push_str(imports::HEAD);
        for database in &databases {
            print_progress(&format!("imports on {}", database.name()));
            database.empty()?;
            text.push_str(&imports::measure(database, &files, arguments.rounds).await?);
            text.push_str(&feed_deletion::measure(database).await?);
            database.empty()?;
        }
    }
    if arguments.only != Some(Part::Imports) {
        text.push_str(watchers::HEAD);
        for database in &databases {
            print_progress(&format!("watch lists on {}", database.name()));
            for lists in [arguments.lists.div_ceil(100), arguments.lists] {
                database.empty()?;
                text.push_str(&watchers::measure(database, lists).await?);
            }
            database.empty()?;
        }
    }
    print_progress(&text);
    match &arguments.report {
        Some(page) => replace_section(page, "events", &text),
        None => Ok(()),
    }
}

/// How this program was built, as far as it matters.
fn build() -> &'static str {
    if cfg!(debug_assertions) { "Built without optimization" } else { "Built with optimization" }
}
