//! `panji status`: the records in the register, their age, and the latest imports.

use std::collections::BTreeMap;
use std::process::ExitCode;

use clap::Args;
use panji_api::config::Config;
use panji_api::databases::{IfAbsent, open_register_with_replica};
use panji_store::register::{ImportRun, RecordCount, Replica, ReplicaCheck, SourceImport};
use panji_store::{Register, ShardedTable, Sharding, StoreError};
use serde_json::{Value, json};

use super::error::CommandError;
use super::output::{counted, print, print_table};

/// Imports that are listed below the table.
const MAX_IMPORTS_SHOWN: i64 = 5;

#[derive(Args)]
pub struct StatusArguments {
    /// Print JSON
    #[arg(long)]
    json: bool,
}

struct Status {
    engine: &'static str,
    /// How the tables are sharded over several servers.
    citus: Option<Sharding>,
    size_bytes: i64,
    newest_change: i64,
    /// The last check of the replica; none without a replica.
    replica: Option<ReplicaCheck>,
    record_counts: Vec<RecordCount>,
    /// The latest import that had rows of each source.
    latest: Vec<SourceImport>,
    imports: Vec<ImportRun>,
}

pub async fn run(config: &Config, arguments: &StatusArguments) -> Result<ExitCode, CommandError> {
    let register = open_register_with_replica(config, IfAbsent::Refuse).await?;
    let engine = if config.database_url.is_empty() { "sqlite" } else { "postgresql" };
    let status = read(&register, engine).await?;
    if arguments.json {
        print(&as_json(&status).to_string());
    } else {
        show(&status);
    }
    Ok(ExitCode::SUCCESS)
}

async fn read(register: &Register, engine: &'static str) -> Result<Status, StoreError> {
    Ok(Status {
        engine,
        citus: register.find_sharding().await?,
        size_bytes: register.size_bytes().await?,
        newest_change: register.newest_change().await?,
        replica: register.replica().and_then(Replica::last_check),
        record_counts: register.list_record_counts().await?,
        latest: register.list_latest_imports().await?,
        imports: register.list_imports(MAX_IMPORTS_SHOWN).await?,
    })
}

fn show(status: &Status) {
    let mebibytes = status.size_bytes >> 20;
    print(&format!(
        "Register on {}: {mebibytes} MiB, newest change {}",
        status.engine, status.newest_change
    ));
    if let Some(check) = &status.replica {
        print(&format!("Replica: {}", replica_sentence(check)));
    }
    if let Some(citus) = &status.citus {
        show_distribution(citus);
    }
    if status.record_counts.is_empty() {
        print("The register is empty: import data with `panji import FILE…`, see `panji sources`.");
    } else {
        print("");
        let rows: Vec<Vec<String>> = status.record_counts.iter().map(row).collect();
        print_table(&["RESOURCE", "SOURCE", "RECORDS", "NEWEST"], &rows);
    }
    if !status.latest.is_empty() {
        print("");
        let rows: Vec<Vec<String>> = status.latest.iter().map(source_row).collect();
        print_table(&["SOURCE", "LAST IMPORT", "REJECTED"], &rows);
    }
    if !status.imports.is_empty() {
        print("");
        let headings =
            ["IMPORT STARTED", "STATE", "READ", "NEW", "CHANGED", "UNCHANGED", "OLDER", "REJECTED"];
        let rows: Vec<Vec<String>> = status.imports.iter().map(import_row).collect();
        print_table(&headings, &rows);
        for run in status.imports.iter().filter(|run| run.failed_files > 0) {
            print(&incomplete_sentence(run));
        }
    }
}

fn replica_sentence(check: &ReplicaCheck) -> String {
    match (check.reached, &check.fault) {
        (Some(reached), _) if reached >= check.newest => {
            format!("at change {reached}, the newest")
        }
        (Some(reached), _) => {
            let behind = counted(check.newest - reached, "change", "changes");
            format!("{behind} behind, at change {reached}")
        }
        (None, Some(fault)) => format!("not used: {fault}"),
        (None, None) => "unknown".to_owned(),
    }
}

fn replica_json(check: &ReplicaCheck) -> Value {
    json!({
        "reached_change": check.reached,
        "changes_behind": check.reached.map(|reached| (check.newest - reached).max(0)),
        "fault": check.reached.is_none().then(|| check.fault.as_ref().map(ToString::to_string)),
    })
}

fn show_distribution(citus: &Sharding) {
    if citus.workers == 0 {
        print(
            "The database has the Citus extension but no workers, so no table is sharded: add \
             workers with citus_add_node and start Panji again.",
        );
        return;
    }
    print(&format!("Sharded by Citus over {}:", counted(citus.workers, "worker", "workers")));
    let mut tables_by: BTreeMap<(&str, &str), Vec<&str>> = BTreeMap::new();
    for ShardedTable { schema, table, by, .. } in &citus.tables {
        tables_by.entry((schema, by)).or_default().push(table);
    }
    for ((schema, by), tables) in tables_by {
        print(&format!("  {schema} by {by}: {}", tables.join(", ")));
    }
}

fn row(count: &RecordCount) -> Vec<String> {
    vec![
        count.resource.clone(),
        count.source.clone(),
        count.records.to_string(),
        count.newest_as_of.clone().unwrap_or_else(|| "not provided".to_owned()),
    ]
}

fn source_row(latest: &SourceImport) -> Vec<String> {
    let rejected = latest.rejected.map_or_else(|| "unknown".to_owned(), |n| n.to_string());
    vec![latest.source.clone(), time(latest.run.started_at), rejected]
}

fn import_row(run: &ImportRun) -> Vec<String> {
    let counts = [run.read, run.new, run.changed, run.unchanged, run.older, run.rejected];
    let mut row = vec![time(run.started_at), state(run)];
    row.extend(counts.map(|count| count.to_string()));
    row
}

/// An import that was stopped has stored whole batches; running it again finishes it.
fn state(run: &ImportRun) -> String {
    if run.finished && run.failed_files > 0 {
        "incomplete".to_owned()
    } else if run.finished {
        "finished".to_owned()
    } else {
        format!("running or interrupted, last update {}", time(run.updated_at))
    }
}

/// Which file an import could not read, or not to its end.
fn incomplete_sentence(run: &ImportRun) -> String {
    let first = run.first_failure.as_deref().unwrap_or("not known");
    let more = match run.failed_files {
        1 => String::new(),
        files => format!(" (the first of {files} files)"),
    };
    format!("Incomplete, started {}: {first}{more}", time(run.started_at))
}

fn time(at_ms: i64) -> String {
    let instant = jiff::Timestamp::from_millisecond(at_ms).unwrap_or_default();
    instant.strftime("%Y-%m-%d %H:%M:%SZ").to_string()
}

fn as_json(status: &Status) -> Value {
    let latest = |source: &str| status.latest.iter().find(|latest| latest.source == source);
    let records: Vec<Value> = status
        .record_counts
        .iter()
        .map(|count| {
            json!({
                "resource": count.resource,
                "source": count.source,
                "records": count.records,
                "newest_as_of": count.newest_as_of,
                "last_import": latest(&count.source).map(source_json),
            })
        })
        .collect();
    json!({
        "engine": status.engine,
        "citus": status.citus.as_ref().map(distribution_json),
        "size_bytes": status.size_bytes,
        "newest_change": status.newest_change,
        "replica": status.replica.as_ref().map(replica_json),
        "record_counts": records,
        "imports": status.imports.iter().map(import_json).collect::<Vec<_>>(),
    })
}

fn distribution_json(citus: &Sharding) -> Value {
    let tables: Vec<Value> = citus
        .tables
        .iter()
        .map(|ShardedTable { schema, table, by, shards }| {
            json!({ "schema": schema, "table": table, "by": by, "shards": shards })
        })
        .collect();
    json!({ "workers": citus.workers, "tables": tables })
}

/// The latest import of a source, with the rejects of that source alone.
fn source_json(latest: &SourceImport) -> Value {
    json!({
        "id": latest.run.id,
        "started_at": time(latest.run.started_at),
        "updated_at": time(latest.run.updated_at),
        "finished": latest.run.finished,
        "incomplete": latest.run.failed_files > 0,
        "rejected": latest.rejected,
    })
}

fn import_json(run: &ImportRun) -> Value {
    let reasons: Value = serde_json::from_str(&run.reasons).unwrap_or_default();
    json!({
        "id": run.id,
        "started_at": time(run.started_at),
        "updated_at": time(run.updated_at),
        "finished": run.finished,
        "files": run.files,
        "read": run.read,
        "new": run.new,
        "changed": run.changed,
        "unchanged": run.unchanged,
        "older": run.older,
        "rejected": run.rejected,
        "reasons": reasons,
        "failed_files": run.failed_files,
        "first_failure": run.first_failure,
    })
}
