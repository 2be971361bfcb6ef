//! Sharding: distributes the tables over several servers if the database has the Citus extension
//! and workers.
//!
//! Large tables are sharded over the workers by the owner of their rows; small tables stay on the
//! coordinator. These are registered in Citus, so that a transaction on both kinds of tables uses
//! two-phase commit and a crash of the coordinator loses neither part.

use crate::engine::{Engine, EngineKind, Transaction};
use crate::error::{Result, StoreError};

struct Sharded {
    table: &'static str,
    /// The distribution column.
    by: &'static str,
    /// The table with the same distribution: rows of the same value are on the same worker.
    colocated_with: Option<&'static str>,
}

const fn sharded(
    table: &'static str,
    by: &'static str,
    colocated_with: Option<&'static str>,
) -> Sharded {
    Sharded { table, by, colocated_with }
}

/// All sharded tables, in the order of their creation in Citus: a table comes after the one it is
/// colocated with.
const SHARDED: &[Sharded] = &[
    sharded("companies", "cin", None),
    sharded("company_aliases", "former_cin", Some("companies")),
    sharded("company_joins", "former_cin", Some("companies")),
    sharded("company_pans", "cin", Some("companies")),
    sharded("appointments", "cin", Some("companies")),
    sharded("charges", "cin", Some("companies")),
    sharded("financial_years", "cin", Some("companies")),
    sharded("filings", "cin", Some("companies")),
    sharded("documents", "cin", Some("companies")),
    sharded("credit_ratings", "cin", Some("companies")),
    sharded("epfo_establishments", "cin", Some("companies")),
    sharded("company_leis", "cin", Some("companies")),
    sharded("lei_parents", "lei", None),
    sharded("lei_entities", "lei", Some("lei_parents")),
    sharded("directors", "din", None),
    sharded("gst_registrations", "gstin", None),
    sharded("gst_filings", "gstin", Some("gst_registrations")),
    sharded("changes", "seq", None),
    sharded("balances", "account_id", None),
    sharded("entries", "account_id", Some("balances")),
    sharded("usage", "account_id", Some("balances")),
    sharded("usage_by_day", "account_id", Some("balances")),
    sharded("key_spending", "account_id", Some("balances")),
    sharded("idempotency", "account_id", Some("balances")),
    sharded("unresolved_charges", "account_id", Some("balances")),
    sharded("view_answers", "account_id", Some("balances")),
    sharded("bulk_jobs", "account_id", Some("balances")),
    sharded("bulk_chunks", "account_id", Some("balances")),
    sharded("match_rows", "account_id", Some("balances")),
    sharded("match_decisions", "account_id", Some("balances")),
    sharded("watchlists", "account_id", Some("balances")),
    sharded("watch_members", "account_id", Some("balances")),
    sharded("watched_events", "account_id", Some("balances")),
    sharded("watch_states", "account_id", Some("balances")),
    sharded("webhooks", "account_id", Some("balances")),
    sharded("webhook_deliveries", "account_id", Some("balances")),
    sharded("webhook_attempts", "account_id", Some("balances")),
];

/// The migrations' own table. It is never written together with others.
const HISTORY: &str = "schema_history";

const HAS_CITUS: &str = "select count(*) from pg_extension where extname = 'citus'";

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sharding {
    /// Servers that store shards.
    pub workers: i64,
    /// Empty if there is no worker yet.
    pub tables: Vec<ShardedTable>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ShardedTable {
    pub schema: String,
    pub table: String,
    /// The distribution column.
    pub by: String,
    /// Number of shards.
    pub shards: i64,
}

/// Shards the tables that are not sharded yet. Does nothing without the extension or without
/// workers.
pub(crate) async fn shard(transaction: &mut Transaction) -> Result<()> {
    if transaction.kind() == EngineKind::Sqlite || count(transaction, HAS_CITUS).await? == 0 {
        return Ok(());
    }
    let workers = count(transaction, WORKERS).await?;
    if workers == 0 {
        return Ok(());
    }
    if count(transaction, COORDINATORS).await? == 0 {
        return Err(StoreError::Unavailable(format!(
            "the database has the Citus extension and {workers} workers, but does not know its own \
             address: run select citus_set_coordinator_host('its address', its port) in it, and \
             start again"
        )));
    }
    let waiting = transaction.query(UNKNOWN_TO_CITUS, &[HISTORY.into()], |row| row.get(0)).await?;
    let waiting: Vec<String> = waiting;
    if waiting.is_empty() {
        return Ok(());
    }
    for Sharded { table, by, colocated_with } in SHARDED {
        if waiting.iter().any(|waiting_table| waiting_table == table) {
            let colocated_with = colocated_with.unwrap_or("none");
            let script = format!(
                "select create_distributed_table('{table}', '{by}', colocate_with => '{colocated_with}'); \
                 select truncate_local_data_after_distributing_table('{table}')"
            );
            transaction.run_script(&script).await?;
        }
    }
    for table in
        waiting.iter().filter(|table| SHARDED.iter().all(|sharded| sharded.table != *table))
    {
        let script = format!("select citus_add_local_table_to_metadata('{table}')");
        transaction.run_script(&script).await?;
    }
    Ok(())
}

const WORKERS: &str = "select count(*) from pg_dist_node \
                       where groupid <> 0 and isactive and shouldhaveshards";
const COORDINATORS: &str = "select count(*) from pg_dist_node where groupid = 0";
const UNKNOWN_TO_CITUS: &str = "select cast(tablename as text) from pg_tables \
                                where schemaname = current_schema() and tablename <> $1 \
                                and to_regclass(quote_ident(tablename)) \
                                not in (select logicalrelid from pg_dist_partition)";

async fn count(transaction: &mut Transaction, sql: &'static str) -> Result<i64> {
    Ok(transaction.query_opt(sql, &[], |row| row.get(0)).await?.unwrap_or(0))
}

/// `None` if the database does not use Citus.
pub(crate) async fn find_sharding(engine: &Engine) -> Result<Option<Sharding>> {
    if !has_citus(engine).await? {
        return Ok(None);
    }
    let workers = engine.query_opt(WORKERS, &[], |row| row.get(0)).await?.unwrap_or(0);
    let tables = engine
        .query(
            "select cast(nspname as text), cast(relname as text), \
             cast(column_to_column_name(logicalrelid, partkey) as text), \
             (select count(*) from pg_dist_shard where pg_dist_shard.logicalrelid = pg_class.oid) \
             from pg_dist_partition join pg_class on pg_class.oid = logicalrelid \
             join pg_namespace on pg_namespace.oid = relnamespace \
             where partmethod = 'h' order by nspname, relname",
            &[],
            |row| {
                Ok(ShardedTable {
                    schema: row.get(0)?,
                    table: row.get(1)?,
                    by: row.get(2)?,
                    shards: row.get(3)?,
                })
            },
        )
        .await?;
    Ok(Some(Sharding { workers, tables }))
}

/// Disk space of the tables on all servers; `None` if no table is in Citus.
pub(crate) async fn sharded_bytes(engine: &Engine) -> Result<Option<i64>> {
    if !has_citus(engine).await? {
        return Ok(None);
    }
    let bytes = engine
        .query_opt(
            "select cast(sum(citus_total_relation_size(logicalrelid)) as bigint) \
             from pg_dist_partition join pg_class on pg_class.oid = logicalrelid \
             where relnamespace = current_schema()::regnamespace",
            &[],
            |row| row.get(0),
        )
        .await?;
    Ok(bytes.flatten())
}

pub(crate) async fn is_sharded(engine: &Engine) -> Result<bool> {
    Ok(find_sharding(engine).await?.is_some_and(|sharded| !sharded.tables.is_empty()))
}

pub(crate) async fn has_citus(engine: &Engine) -> Result<bool> {
    if engine.kind() == EngineKind::Sqlite {
        return Ok(false);
    }
    let found: Option<i64> = engine.query_opt(HAS_CITUS, &[], |row| row.get(0)).await?;
    Ok(found.unwrap_or(0) > 0)
}
