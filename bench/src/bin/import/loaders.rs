//! The engines' own loaders: the sqlite3 program and PostgreSQL's COPY, into a bare table.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

use panji_bench::program::{Taken, run, watch};

/// The company master's columns, as text, with the register's primary key.
const COLUMNS: &str = "cin text primary key, name text, roc text, category text, subcategory text, \
    class text, authorised text, paid_up text, registered text, address text, listing text, \
    status text, state text, origin text, nic text, industry text";

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

/// Lets commits reach the disk, as on a server that is meant.
pub fn sync_commits(url: &str) -> Result<(), String> {
    psql(url, "alter system set fsync = on")?;
    psql(url, "alter system set max_wal_size = '4GB'")?;
    psql(url, "select pg_reload_conf()")
}

/// Loads the files into a bare table that has the register's key.
pub fn load_bare(engine: &Engine, files: &Path, work: &Path) -> Result<Taken, String> {
    let files = csv_files(files)?;
    match engine {
        Engine::Sqlite => {
            let database = work.join("bare.db");
            let _ = std::fs::remove_file(&database);
            let mut script = format!("create table bare ({COLUMNS});\n.mode csv\n");
            for file in &files {
                script.push_str(&format!(".import --skip 1 {} bare\n", file.display()));
            }
            let began = Instant::now();
            let mut child = Command::new("sqlite3")
                .arg(&database)
                .stdin(Stdio::piped())
                .stdout(Stdio::null())
                .stderr(Stdio::piped())
                .spawn()
                .map_err(|error| format!("sqlite3: {error}; install the package sqlite3"))?;
            let mut input = child.stdin.take().ok_or("sqlite3 takes no input")?;
            input.write_all(script.as_bytes()).map_err(|error| error.to_string())?;
            drop(input);
            let taken = watch(child, began);
            let _ = std::fs::remove_file(&database);
            taken
        }
        Engine::Postgres(url) => {
            psql(url, &format!("drop table if exists bare; create table bare ({COLUMNS})"))?;
            let mut command = Command::new("psql");
            command.args(["--quiet", "--no-psqlrc", "-v", "ON_ERROR_STOP=1", url]);
            for file in &files {
                let copy = format!("\\copy bare from '{}' csv header", file.display());
                command.args(["-c", &copy]);
            }
            let taken = run(&mut command)?;
            psql(url, "drop table bare")?;
            Ok(taken)
        }
    }
}

fn psql(url: &str, statement: &str) -> Result<(), String> {
    let mut command = Command::new("psql");
    command.args(["--quiet", "--no-psqlrc", "-v", "ON_ERROR_STOP=1", url, "-c", statement]);
    run(&mut command).map(drop)
}

fn csv_files(directory: &Path) -> Result<Vec<PathBuf>, String> {
    let entries = std::fs::read_dir(directory).map_err(|error| error.to_string())?;
    let mut files: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    files.sort();
    Ok(files)
}
