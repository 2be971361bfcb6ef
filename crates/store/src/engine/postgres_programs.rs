//! Dump and restore with PostgreSQL's own programs, pg_dump and pg_restore.

use std::ffi::OsString;
use std::path::Path;
use std::process::{Command, Stdio};

use tokio_postgres::config::{Host, TargetSessionAttrs};

use super::postgres::read_postgres;
use super::postgres_address::Address;
use crate::error::{Result, StoreError};

/// Dumps schemas of a database, in one snapshot, into a file.
pub async fn dump_postgres(url: &str, schemas: &[&str], to: &Path) -> Result<()> {
    if is_sharded(url).await? {
        return Err(StoreError::Unavailable(
            "the database is sharded by Citus, and its servers have no common snapshot for a dump: \
             archive the WAL of each server, and mark restore points with \
             citus_create_restore_point"
                .into(),
        ));
    }
    let mut command = program("pg_dump", url)?;
    command.args(["--format=custom", "--no-owner", "--no-privileges", "--no-password"]);
    command.args(schemas.iter().map(|schema| format!("--schema={schema}")));
    command.arg(joined("--file=", to));
    run(command, "pg_dump")
}

/// Restores a dump in one transaction. The schemas must have no tables.
pub fn restore_postgres(url: &str, from: &Path) -> Result<()> {
    let mut command = program("pg_restore", url)?;
    let database = Address::parse(url)?.config.get_dbname().unwrap_or("postgres").to_owned();
    command.args(["--single-transaction", "--exit-on-error", "--no-owner", "--no-privileges"]);
    // Existing empty schemas are created again.
    command.args(["--clean", "--if-exists", "--no-password"]);
    command.arg(format!("--dbname={database}"));
    command.arg(from);
    run(command, "pg_restore")
}

pub async fn has_tables(url: &str, schema: &str) -> Result<bool> {
    let sql =
        "select table_name::text from information_schema.tables where table_schema = $1 limit 1";
    Ok(read_postgres(url, sql, &[schema]).await?.is_some())
}

async fn is_sharded(url: &str) -> Result<bool> {
    let find_extension = "select extname::text from pg_extension where extname = 'citus'";
    if read_postgres(url, find_extension, &[]).await?.is_none() {
        return Ok(false);
    }
    let find_table = "select logicalrelid::text from pg_dist_partition limit 1";
    Ok(read_postgres(url, find_table, &[]).await?.is_some())
}

fn joined(option: &str, path: &Path) -> OsString {
    let mut joined = OsString::from(option);
    joined.push(path);
    joined
}

/// A program that gets the address in its environment, where other users cannot read it.
fn program(name: &str, url: &str) -> Result<Command> {
    let Address { config, ssl_mode, authorities, .. } = Address::parse(url)?;
    let mut command = Command::new(name);
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
    let hosts: Vec<String> = config
        .get_hosts()
        .iter()
        .map(|host| match host {
            Host::Tcp(name) => name.clone(),
            Host::Unix(path) => path.display().to_string(),
        })
        .collect();
    let ports: Vec<String> = config.get_ports().iter().map(u16::to_string).collect();
    let text = |text: &str| (!text.is_empty()).then(|| text.to_owned());
    let password = config.get_password().and_then(|bytes| String::from_utf8(bytes.to_vec()).ok());
    let session = match config.get_target_session_attrs() {
        TargetSessionAttrs::ReadWrite => "read-write",
        _ => "any",
    };
    let settings = [
        ("PGHOST", text(&hosts.join(","))),
        ("PGPORT", text(&ports.join(","))),
        ("PGUSER", config.get_user().map(str::to_owned)),
        ("PGPASSWORD", password),
        ("PGDATABASE", config.get_dbname().map(str::to_owned)),
        ("PGSSLMODE", Some(ssl_mode.as_str().to_owned())),
        ("PGSSLROOTCERT", authorities.map(|file| file.display().to_string())),
        ("PGTARGETSESSIONATTRS", Some(session.to_owned())),
    ];
    command.envs(settings.into_iter().filter_map(|(name, value)| Some((name, value?))));
    Ok(command)
}

fn run(mut command: Command, name: &str) -> Result<()> {
    let output = command.output().map_err(|error| {
        StoreError::Unavailable(if error.kind() == std::io::ErrorKind::NotFound {
            format!(
                "the program {name} was not found: install PostgreSQL's client programs, of the \
                 server's version or later (Debian: postgresql-client)"
            )
        } else {
            format!("{name}: {error}")
        })
    })?;
    if output.status.success() {
        return Ok(());
    }
    let message = String::from_utf8_lossy(&output.stderr);
    let message = message.lines().find(|line| line.contains("error:")).or(message.lines().next());
    Err(StoreError::Unavailable(message.unwrap_or(name).to_owned()))
}
