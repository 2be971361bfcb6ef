//! What can be told of the databases without changing them.

use std::path::Path;

use crate::engine::{Workload, check_sqlite, count_servers, read_postgres, read_sqlite};
use crate::error::Result;

/// The newest schema of a database, and whose secret it was made with.
const SCHEMA: &str = "select cast(max(number) as text) from schema_history";
const FINGERPRINT: &str = "select value from settings where name = 'secret_fingerprint'";

/// A file of the embedded engine.
#[derive(Clone, Debug, Default)]
pub struct FileProbe {
    /// The number of its schema; none where it was never used.
    pub schema: Option<i64>,
    /// The fingerprint of the ledger's secret, in a ledger.
    pub fingerprint: Option<String>,
    /// What is wrong with its structure, where that was looked at.
    pub damage: Option<String>,
}

/// A PostgreSQL server with its two schemas.
#[derive(Clone, Debug)]
pub struct ServerProbe {
    /// How many servers its address names.
    pub servers: usize,
    /// Its version, as 150004 for 15.4.
    pub version: i64,
    /// Settings that matter, by name.
    pub settings: Vec<(&'static str, String)>,
    /// Whether it is a standby.
    pub in_recovery: bool,
    /// What its clock says.
    pub clock_ms: i64,
    /// The numbers of the schemas in the order asked; none where there is none yet.
    pub schemas: Vec<Option<i64>>,
    /// The fingerprint of the ledger's secret; none before the first start.
    pub fingerprint: Option<String>,
    /// The servers that Citus knows; none without the extension.
    pub citus: Option<CitusProbe>,
}

/// The servers over which Citus spreads a database.
#[derive(Clone, Copy, Debug, Default)]
pub struct CitusProbe {
    /// Those that hold parts of the tables.
    pub workers: i64,
    /// Whether the coordinator is among those that are known.
    pub coordinator_is_known: bool,
    /// Ways from one of them to another, or to itself, that do not work.
    pub broken_ways: i64,
}

/// Looks at a file. A thorough look reads all of it.
pub fn probe_file(path: &Path, workload: Workload, thorough: bool) -> Result<FileProbe> {
    let damage = if thorough { check_sqlite(path, workload)? } else { None };
    if damage.is_some() {
        return Ok(FileProbe { damage, ..FileProbe::default() });
    }
    let schema = read_sqlite(path, workload, SCHEMA)?.and_then(|text| text.parse().ok());
    let fingerprint = match workload {
        Workload::Ledger => read_sqlite(path, workload, FINGERPRINT)?,
        Workload::Register | Workload::Import => None,
    };
    Ok(FileProbe { schema, fingerprint, damage })
}

/// Looks at a server. The ledger's schema comes first.
pub async fn probe_server(url: &str, schemas: &[&str]) -> Result<ServerProbe> {
    let ask = async |sql: &str| Ok(read_postgres(url, sql, &[]).await?.unwrap_or_default());
    let mut settings = Vec::new();
    for (name, sql) in [
        ("fsync", "show fsync"),
        ("synchronous_commit", "show synchronous_commit"),
        ("synchronous_standby_names", "show synchronous_standby_names"),
        ("full_page_writes", "show full_page_writes"),
        ("data_checksums", "show data_checksums"),
        ("max_connections", "show max_connections"),
        ("server_encoding", "show server_encoding"),
    ] {
        settings.push((name, ask(sql).await?));
    }
    let clock = "select cast(cast(extract(epoch from clock_timestamp()) * 1000 as bigint) as text)";
    let number = |text: String| text.parse().unwrap_or(0);
    let mut numbers = Vec::new();
    for schema in schemas {
        numbers.push(schema_number(url, schema).await?);
    }
    let ledger = schemas.first().copied().unwrap_or_default();
    let made = numbers.first().copied().flatten().is_some();
    let fingerprint =
        format!("select value from {ledger}.settings where name = 'secret_fingerprint'");
    Ok(ServerProbe {
        servers: count_servers(url)?,
        version: number(ask("show server_version_num").await?),
        in_recovery: ask("select cast(pg_is_in_recovery() as text)").await? == "true",
        clock_ms: number(ask(clock).await?),
        fingerprint: if made { read_postgres(url, &fingerprint, &[]).await? } else { None },
        settings,
        schemas: numbers,
        citus: probe_citus(url).await?,
    })
}

async fn probe_citus(url: &str) -> Result<Option<CitusProbe>> {
    let count = async |sql: &str| -> Result<i64> {
        let text = read_postgres(url, sql, &[]).await?;
        Ok(text.and_then(|text| text.parse().ok()).unwrap_or(0))
    };
    if count("select cast(count(*) as text) from pg_extension where extname = 'citus'").await? == 0
    {
        return Ok(None);
    }
    let known = "select cast(count(*) as text) from pg_dist_node where groupid = 0";
    let workers = "select cast(count(*) as text) from pg_dist_node \
                   where groupid <> 0 and isactive and shouldhaveshards";
    let broken = "select cast(count(*) as text) from citus_check_cluster_node_health() \
                  where result is distinct from true";
    Ok(Some(CitusProbe {
        workers: count(workers).await?,
        coordinator_is_known: count(known).await? > 0,
        broken_ways: count(broken).await?,
    }))
}

/// The number of a schema; none where it is not there or holds nothing.
async fn schema_number(url: &str, schema: &str) -> Result<Option<i64>> {
    let there = "select cast(table_name as text) from information_schema.tables \
                 where table_schema = $1 and table_name = 'schema_history'";
    if read_postgres(url, there, &[schema]).await?.is_none() {
        return Ok(None);
    }
    let sql = format!("select cast(max(number) as text) from {schema}.schema_history");
    Ok(read_postgres(url, &sql, &[]).await?.and_then(|text| text.parse().ok()))
}
