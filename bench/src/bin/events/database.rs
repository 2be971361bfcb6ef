//! The databases of the measurement, and statements that the program itself has no need of.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use anyhow::Context;
use panji_bench::bare_table::psql;
use panji_bench::program::{output, remove, run};
use panji_store::calendar::now_ms;
use panji_store::engine::{PostgresOptions, Workload};
use panji_store::ledger::Secret;
use panji_store::{Engine, Ledger, Register};
use rustix::time::{ClockId, clock_gettime};

const REGISTER: &str = "bench_register";
const LEDGER: &str = "bench_ledger";
/// The unit of processor times in /proc, the same on every Linux.
const TICKS_PER_SECOND: u64 = 100;

pub enum Database {
    Sqlite(PathBuf),
    Postgres(String),
}

impl Database {
    pub fn sqlite(work: &Path) -> Database {
        Database::Sqlite(work.join("data"))
    }

    pub fn postgres(url: &str) -> Database {
        Database::Postgres(url.to_owned())
    }

    pub fn name(&self) -> &'static str {
        match self {
            Database::Sqlite(_) => "SQLite",
            Database::Postgres(_) => "PostgreSQL",
        }
    }

    /// Removes everything.
    pub fn empty(&self) -> anyhow::Result<()> {
        match self {
            Database::Sqlite(directory) => {
                remove(directory);
                Ok(std::fs::create_dir_all(directory)?)
            }
            Database::Postgres(url) => {
                let schemas = [REGISTER, LEDGER];
                schemas.iter().try_for_each(|schema| {
                    psql(url, &format!("drop schema if exists {schema} cascade"))
                })
            }
        }
    }

    pub async fn register(&self) -> anyhow::Result<Register> {
        Ok(Register::open(self.open(REGISTER, Workload::Import).await?, now_ms()).await?)
    }

    pub async fn ledger(&self) -> anyhow::Result<Ledger> {
        let secret = Secret::new(*b"a secret of the benchmarks alone");
        Ok(Ledger::open(self.open(LEDGER, Workload::Ledger).await?, secret, now_ms()).await?)
    }

    async fn open(&self, schema: &'static str, workload: Workload) -> anyhow::Result<Engine> {
        Ok(match self {
            Database::Sqlite(directory) => {
                Engine::open_sqlite(&directory.join(format!("{schema}.db")), workload)?
            }
            Database::Postgres(url) => {
                Engine::open_postgres(PostgresOptions { url: url.clone(), schema }).await?
            }
        })
    }

    /// The processor time so far of this process, and of PostgreSQL if it is on this machine.
    pub fn processor_time(&self) -> anyhow::Result<Duration> {
        let time = clock_gettime(ClockId::ProcessCPUTime);
        let own = Duration::new(time.tv_sec.unsigned_abs(), u32::try_from(time.tv_nsec)?);
        match self {
            Database::Sqlite(_) => Ok(own),
            Database::Postgres(url) => Ok(own + server_time(url)?),
        }
    }

    /// Runs statements on the ledger's tables.
    pub fn run_on_ledger(&self, sqlite: &str, postgres: &str) -> anyhow::Result<()> {
        match self {
            Database::Sqlite(directory) => {
                let path = directory.join(format!("{LEDGER}.db"));
                run(Command::new("sqlite3").args(["-bail"]).arg(path).arg(sqlite)).map(drop)
            }
            Database::Postgres(url) => {
                psql(url, &format!("set search_path = {LEDGER}; {postgres}"))
            }
        }
    }
}

/// The processor time of the processes of a PostgreSQL server, also of those that have ended.
fn server_time(url: &str) -> anyhow::Result<Duration> {
    let show = "show data_directory";
    let directory = output(Command::new("psql").args(["-X", "-A", "-t", url, "-c", show]))?;
    let file = Path::new(&directory).join("postmaster.pid");
    let file = std::fs::read_to_string(&file).with_context(|| file.display().to_string())?;
    let server: u64 = file.lines().next().unwrap_or_default().trim().parse()?;
    let mut ticks = 0;
    for entry in std::fs::read_dir("/proc")?.flatten() {
        let Ok(stat) = std::fs::read_to_string(entry.path().join("stat")) else { continue };
        // The name of the program, which may contain spaces, ends with the last bracket.
        let fields: Vec<u64> = stat
            .rsplit(')')
            .next()
            .unwrap_or_default()
            .split_whitespace()
            .map(|field| field.parse().unwrap_or(0))
            .collect();
        let is_server = entry.file_name().to_string_lossy() == server.to_string();
        if is_server || fields.get(1) == Some(&server) {
            // utime, stime, and those of ended children.
            ticks += fields.iter().skip(11).take(4).sum::<u64>();
        }
    }
    Ok(Duration::from_millis(ticks * 1_000 / TICKS_PER_SECOND))
}
