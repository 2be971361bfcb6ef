//! The databases of the measurement, and statements that the program itself has no need of.

use std::path::{Path, PathBuf};

use panji_bench::bare_table::psql;
use panji_bench::program::remove;
use panji_store::calendar::now_ms;
use panji_store::engine::{PostgresOptions, Workload};
use panji_store::ledger::Secret;
use panji_store::{Engine, Ledger, Register};

const REGISTER: &str = "bench_register";
const LEDGER: &str = "bench_ledger";

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

    /// Runs statements on the ledger's tables.
    pub fn run_on_ledger(&self, sqlite: &str, postgres: &str) -> anyhow::Result<()> {
        match self {
            Database::Sqlite(directory) => {
                let path = directory.join(format!("{LEDGER}.db"));
                Ok(rusqlite::Connection::open(path)?.execute_batch(sqlite)?)
            }
            Database::Postgres(url) => {
                psql(url, &format!("set search_path = {LEDGER}; {postgres}"))
            }
        }
    }
}
