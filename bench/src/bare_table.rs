//! Loads the company master into a bare table with the databases' own loaders.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

use anyhow::Context;

use crate::program::{ResourceUsage, run, watch};

/// The columns of the company master as text, with the register's primary key.
const COLUMNS: &str = "cin text primary key, name text, roc text, category text, subcategory text, \
    class text, authorised text, paid_up text, registered text, address text, listing text, \
    status text, state text, origin text, nic text, industry text";

/// Loads the CSV files of a directory into a new SQLite database.
pub fn load_sqlite(database: &Path, table: &str, files: &Path) -> anyhow::Result<ResourceUsage> {
    let _ = std::fs::remove_file(database);
    let mut script = format!("create table {table} ({COLUMNS});\n.mode csv\n");
    for file in csv_files(files)? {
        script.push_str(&format!(".import --skip 1 {} {table}\n", file.display()));
    }
    let began = Instant::now();
    let mut child = Command::new("sqlite3")
        .arg(database)
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .context("sqlite3 (install the package sqlite3)")?;
    let mut input = child.stdin.take().context("sqlite3 has no standard input")?;
    input.write_all(script.as_bytes())?;
    drop(input);
    watch(child, began)
}

/// Loads the CSV files of a directory into a new table of PostgreSQL.
pub fn load_postgres(url: &str, table: &str, files: &Path) -> anyhow::Result<ResourceUsage> {
    psql(url, &format!("drop table if exists {table}; create table {table} ({COLUMNS})"))?;
    let mut command = Command::new("psql");
    command.args(["--quiet", "--no-psqlrc", "-v", "ON_ERROR_STOP=1", url]);
    for file in csv_files(files)? {
        let copy = format!("\\copy {table} from '{}' csv header", file.display());
        command.args(["-c", &copy]);
    }
    run(&mut command)
}

/// Makes PostgreSQL sync its commits to disk, as in production.
pub fn sync_commits(url: &str) -> anyhow::Result<()> {
    psql(url, "alter system set fsync = on")?;
    psql(url, "alter system set max_wal_size = '4GB'")?;
    psql(url, "select pg_reload_conf()")
}

/// Runs a statement on PostgreSQL.
pub fn psql(url: &str, statement: &str) -> anyhow::Result<()> {
    let mut command = Command::new("psql");
    command.args(["--quiet", "--no-psqlrc", "-v", "ON_ERROR_STOP=1", url, "-c", statement]);
    run(&mut command).map(drop)
}

/// The files of a directory, by name.
pub fn csv_files(directory: &Path) -> anyhow::Result<Vec<PathBuf>> {
    let entries = std::fs::read_dir(directory).with_context(|| directory.display().to_string())?;
    let mut files: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    files.sort();
    Ok(files)
}
