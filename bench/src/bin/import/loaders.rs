//! The engines to import into, and their own loaders: the sqlite3 program and PostgreSQL's COPY.

use std::path::Path;

use panji_bench::bare_table::{load_postgres, load_sqlite, psql};
use panji_bench::program::Taken;

/// The bare table that the loaders fill.
const TABLE: &str = "bare";

/// An engine to load into.
pub enum Engine {
    Sqlite,
    Postgres(String),
}

impl Engine {
    /// Its name in the table.
    pub fn name(&self) -> &'static str {
        match self {
            Engine::Sqlite => "SQLite",
            Engine::Postgres(_) => "PostgreSQL",
        }
    }

    /// Its own loader's name in the table.
    pub fn loader(&self) -> &'static str {
        match self {
            Engine::Sqlite => "`sqlite3 .import`",
            Engine::Postgres(_) => "`COPY`",
        }
    }

    /// What `panji` is told to use it.
    pub fn flags(&self) -> Vec<&str> {
        match self {
            Engine::Sqlite => Vec::new(),
            Engine::Postgres(url) => vec!["--database-url", url],
        }
    }

    /// Removes what an import left in the database.
    pub fn empty(&self) -> Result<(), String> {
        match self {
            Engine::Sqlite => Ok(()),
            Engine::Postgres(url) => {
                psql(url, "drop schema if exists panji_register cascade; drop table if exists bare")
            }
        }
    }
}

/// Loads the files into a bare table that has the register's key.
pub fn load_bare(engine: &Engine, files: &Path, work: &Path) -> Result<Taken, String> {
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
