//! Read-only inspection of the databases.

use std::path::Path;

use crate::engine::{Workload, check_sqlite, count_servers, read_postgres, read_sqlite};
use crate::error::Result;

/// The schema version of a database, and the fingerprint of its secret.
const SCHEMA: &str = "select cast(max(number) as text) from schema_history";
const FINGERPRINT: &str = "select value from settings where name = 'secret_fingerprint'";

/// State of a SQLite file.
#[derive(Clone, Debug, Default)]
pub struct FileProbe {
    /// The schema version; `None` for a new file.
    pub schema: Option<i64>,
    /// The fingerprint of the secret; only for a ledger.
    pub fingerprint: Option<String>,
    /// Damage to its structure; checked only by a thorough probe.
    pub damage: Option<String>,
}

/// State of a PostgreSQL server with its two schemas.
#[derive(Clone, Debug)]
pub struct ServerProbe {
    /// Number of servers in the address.
    pub servers: usize,
    /// For example 150004 for 15.4.
    pub version: i64,
    /// Relevant settings, by name.
    pub settings: Vec<(&'static str, String)>,
    /// Whether it is a replica.
    pub in_recovery: bool,
    /// The server's clock.
    pub clock_ms: i64,
    /// The schema versions in the requested order; `None` if a schema does not exist yet.
    pub schemas: Vec<Option<i64>>,
    /// The fingerprint of the ledger's secret; `None` before the first start.
    pub fingerprint: Option<String>,
    /// `None` without the Citus extension.
    pub citus: Option<CitusProbe>,
}

/// State of a Citus cluster.
#[derive(Clone, Copy, Debug, Default)]
pub struct CitusProbe {
    /// Servers that store shards.
    pub workers: i64,
    /// Whether the coordinator is registered in the cluster metadata.
    pub coordinator_is_known: bool,
    /// Connections between two nodes, or of a node to itself, that do not work.
    pub failed_connections: i64,
}

/// Inspects a file. A thorough probe reads the whole file.
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

/// Inspects a server. The ledger's schema comes first.
pub async fn probe_server(url: &str, schemas: &[&str]) -> Result<ServerProbe> {
    let read = async |sql: &str| Ok(read_postgres(url, sql, &[]).await?.unwrap_or_default());
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
        settings.push((name, read(sql).await?));
    }
    let clock = "select cast(cast(extract(epoch from clock_timestamp()) * 1000 as bigint) as text)";
    let number = |text: String| text.parse().unwrap_or(0);
    let mut numbers = Vec::new();
    for schema in schemas {
        numbers.push(schema_number(url, schema).await?);
    }
    let ledger = schemas.first().copied().unwrap_or_default();
    let ledger_exists = numbers.first().copied().flatten().is_some();
    let fingerprint =
        format!("select value from {ledger}.settings where name = 'secret_fingerprint'");
    Ok(ServerProbe {
        servers: count_servers(url)?,
        version: number(read("show server_version_num").await?),
        in_recovery: read("select cast(pg_is_in_recovery() as text)").await? == "true",
        clock_ms: number(read(clock).await?),
        fingerprint: if ledger_exists {
            read_postgres(url, &fingerprint, &[]).await?
        } else {
            None
        },
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
        failed_connections: count(broken).await?,
    }))
}

/// The version of a schema; `None` if it does not exist or is empty.
async fn schema_number(url: &str, schema: &str) -> Result<Option<i64>> {
    let find_history = "select cast(table_name as text) from information_schema.tables \
                 where table_schema = $1 and table_name = 'schema_history'";
    if read_postgres(url, find_history, &[schema]).await?.is_none() {
        return Ok(None);
    }
    let sql = format!("select cast(max(number) as text) from {schema}.schema_history");
    Ok(read_postgres(url, &sql, &[]).await?.and_then(|text| text.parse().ok()))
}
