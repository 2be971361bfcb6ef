//! The database engines, and their own loaders: the sqlite3 program and PostgreSQL's COPY.

use std::path::Path;

use panji_bench::bare_table::{load_postgres, load_sqlite, psql};
use panji_bench::program::ResourceUsage;

/// The bare table for the loaders.
const TABLE: &str = "bare";

pub enum Engine {
    Sqlite,
    Postgres(String),
}

impl Engine {
    pub fn name(&self) -> &'static str {
        match self {
            Engine::Sqlite => "SQLite",
            Engine::Postgres(_) => "PostgreSQL",
        }
    }

    pub fn loader(&self) -> &'static str {
        match self {
            Engine::Sqlite => "`sqlite3 .import`",
            Engine::Postgres(_) => "`COPY`",
        }
    }

    /// The flags of `panji` for this engine.
    pub fn flags(&self) -> Vec<&str> {
        match self {
            Engine::Sqlite => Vec::new(),
            Engine::Postgres(url) => vec!["--database-url", url],
        }
    }

    /// Removes the data of an import from the database.
    pub fn empty(&self) -> anyhow::Result<()> {
        match self {
            Engine::Sqlite => Ok(()),
            Engine::Postgres(url) => {
                psql(url, "drop schema if exists panji_register cascade; drop table if exists bare")
            }
        }
    }
}

/// Loads the files with the tools of the database into a bare table with the register's key.
pub fn load_with_database_tools(
    engine: &Engine,
    files: &Path,
    work: &Path,
) -> anyhow::Result<ResourceUsage> {
    match engine {
        Engine::Sqlite => {
            let database = work.join("bare.db");
            let taken = load_sqlite(&database, TABLE, files);
            let _ = std::fs::remove_file(&database);
            taken
        }
        Engine::Postgres(url) => {
            let taken = load_postgres(url, TABLE, files)?;
            psql(url, "drop table bare")?;
            Ok(taken)
        }
    }
}
