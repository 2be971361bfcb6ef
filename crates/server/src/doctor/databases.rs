//! Checks the databases, what is derived from the register, and the replica.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use panji_api::app::{DerivedState, director_index_dir, graph_dir, index_dir};
use panji_api::config::Config;
use panji_api::databases::backup::{LEDGER, REGISTER, SECRET};
use panji_api::databases::store_sentence;
use panji_api::databases::{
    IfAbsent, LEDGER_SCHEMA, REGISTER_SCHEMA, open_register, open_register_with_replica,
};
use panji_graph::Graph;
use panji_search::{IndexKind, Search};
use panji_store::engine::Workload;
use panji_store::ledger::{Secret, equal_in_constant_time};
use panji_store::probe::{CitusProbe, ServerProbe, probe_file, probe_server};
use panji_store::register::{Replica, ReplicaFault};
use panji_store::{Ledger, Register};

use super::{CheckStatus, Finding};

/// The check of the server itself.
const SERVER: &str = "PostgreSQL";
/// The oldest PostgreSQL version that the tests run with.
const TESTED_VERSION: i64 = 150_000;
/// The connections that one node may need.
const CONNECTIONS_OF_A_NODE: i64 = 30;
/// The allowed difference between the server's clock and ours.
const CLOCK_SLACK_MS: i64 = 5_000;
/// How long a replica may take to receive the primary's latest change.
const CATCH_UP_TIME: Duration = Duration::from_secs(5);
const CHECK_INTERVAL: Duration = Duration::from_millis(200);

pub async fn examine(config: &Config, thorough: bool, now_ms: i64) -> Vec<Finding> {
    let mut findings = if config.database_url.is_empty() {
        check_files(&config.data_dir, thorough)
    } else {
        check_server(config, now_ms).await
    };
    // A warning about the server does not mean that its data is unusable.
    let is_usable = |finding: &Finding| match finding.verdict {
        CheckStatus::Ok => true,
        CheckStatus::Warning => finding.check == SERVER,
        CheckStatus::Failure => false,
    };
    let usable = findings.iter().all(is_usable);
    findings.extend(derived(config, usable).await);
    if usable && !config.read_database_url.is_empty() {
        findings.push(replica(config).await);
    }
    findings
}

fn check_files(data_dir: &Path, thorough: bool) -> Vec<Finding> {
    let files = [("ledger", LEDGER, Ledger::SCHEMA), ("register", REGISTER, Register::SCHEMA)];
    files.map(|(check, name, newest)| file(data_dir, check, name, newest, thorough)).to_vec()
}

fn file(data_dir: &Path, check: &'static str, name: &str, newest: i64, thorough: bool) -> Finding {
    let path = data_dir.join(name);
    let path_text = path.display();
    if !path.exists() {
        let found = format!("{path_text} does not exist");
        return Finding::warning(check, found, "no action is needed: the first start creates it");
    }
    let (workload, advice) = if name == LEDGER {
        (
            Workload::Ledger,
            "stop Panji, keep a copy of the damaged file, and restore the last backup",
        )
    } else {
        (
            Workload::Register,
            "move the file away and import again, or restore the last backup; if another program \
             wrote to it, run 'panji register accept'",
        )
    };
    let probe = match probe_file(&path, workload, thorough) {
        Ok(probe) => probe,
        Err(error) => return Finding::failure(check, store_sentence(&error), advice),
    };
    if let Some(damage) = probe.damage {
        return Finding::failure(check, format!("{path_text} is damaged: {damage}"), advice);
    }
    if let Some(foreign) = foreign_secret(check, data_dir, probe.fingerprint.as_deref()) {
        return foreign;
    }
    let structure = if thorough { "integrity check passed" } else { "integrity check skipped" };
    schema(check, probe.schema, newest, &format!("{path_text}, {structure}"))
}

/// A failure if the ledger was created with another secret: none of its keys would be recognized.
fn foreign_secret(
    check: &'static str,
    data_dir: &Path,
    made_with: Option<&str>,
) -> Option<Finding> {
    let bytes: [u8; 32] = std::fs::read(data_dir.join(SECRET)).ok()?.try_into().ok()?;
    if equal_in_constant_time(&Secret::new(bytes).fingerprint(), made_with?) {
        return None;
    }
    let advice = "copy secret.key from the node that created the ledger into the data directory";
    Some(Finding::failure(check, "the ledger was created with another secret", advice))
}

fn schema(check: &'static str, found: Option<i64>, newest: i64, what: &str) -> Finding {
    match found {
        Some(number) if number > newest => Finding::failure(
            check,
            format!("schema {number} is newer than this program, which supports up to {newest}"),
            "use the version of Panji that wrote it, or a later version",
        ),
        Some(number) if number < newest => Finding::warning(
            check,
            format!("{what}; schema {number}, and this program uses schema {newest}"),
            "make a backup: the next start migrates the schema, and then older versions cannot \
             open it",
        ),
        Some(number) => Finding::ok(check, format!("{what}; schema {number}")),
        None => Finding::warning(
            check,
            "the database is empty",
            "no action is needed: the first start creates the tables",
        ),
    }
}

async fn check_server(config: &Config, now_ms: i64) -> Vec<Finding> {
    let schemas = [LEDGER_SCHEMA, REGISTER_SCHEMA];
    let probe = match probe_server(&config.database_url, &schemas).await {
        Ok(probe) => probe,
        Err(error) => {
            let advice = "correct database_url, or start PostgreSQL";
            return vec![Finding::failure(SERVER, store_sentence(&error), advice)];
        }
    };
    let mut findings = server_settings(&probe);
    findings.extend(probe.citus.map(citus));
    let difference = (probe.clock_ms - now_ms).abs();
    if difference > CLOCK_SLACK_MS {
        let found = format!(
            "the clocks of PostgreSQL and of this machine differ by {} seconds",
            difference / 1000
        );
        findings.push(Finding::failure("clocks", found, "synchronize both with NTP"));
    }
    let foreign = foreign_secret("ledger", &config.data_dir, probe.fingerprint.as_deref());
    let number = |index: usize| probe.schemas.get(index).copied().flatten();
    findings.push(
        foreign.unwrap_or_else(|| schema("ledger", number(0), Ledger::SCHEMA, LEDGER_SCHEMA)),
    );
    findings.push(schema("register", number(1), Register::SCHEMA, REGISTER_SCHEMA));
    findings
}

fn server_settings(probe: &ServerProbe) -> Vec<Finding> {
    const CHECK: &str = SERVER;
    let value = |name: &str| {
        let found = probe.settings.iter().find(|(known, _)| *known == name);
        found.map_or("", |(_, value)| value.as_str())
    };
    let mut findings = Vec::new();
    let durable = ["fsync", "synchronous_commit", "full_page_writes"];
    for name in durable.into_iter().filter(|name| value(name) == "off") {
        let advice = "turn it on: a charge must be on disk before its response is sent";
        findings.push(Finding::failure(CHECK, format!("{name} is off"), advice));
    }
    let asynchronous =
        value("synchronous_standby_names").is_empty() || value("synchronous_commit") == "local";
    if probe.servers > 1 && asynchronous {
        let found = "there are several servers, but a commit waits only for the primary";
        let advice = "set synchronous_standby_names (with Patroni: synchronous_mode); without it, \
                      the loss of the primary may lose charges whose responses were sent";
        findings.push(Finding::warning(CHECK, found, advice));
    }
    if value("data_checksums") == "off" {
        let advice =
            "stop PostgreSQL and run pg_checksums --enable, so that disk corruption is detected";
        findings.push(Finding::warning(CHECK, "data_checksums is off", advice));
    }
    if value("server_encoding") != "UTF8" {
        let found = format!("the database's encoding is {}", value("server_encoding"));
        findings.push(Finding::failure(CHECK, found, "create a database with encoding UTF8"));
    }
    if probe.in_recovery {
        let advice =
            "name the primary in database_url, or all servers with target_session_attrs=read-write";
        findings.push(Finding::failure(
            CHECK,
            "the server is a replica and accepts no writes",
            advice,
        ));
    }
    let (major, minor) = (probe.version / 10_000, probe.version % 10_000);
    if probe.version < TESTED_VERSION {
        let found = format!("version {major}.{minor} is older than the tested versions");
        findings.push(Finding::warning(CHECK, found, "use version 15 or later"));
    }
    let connections = value("max_connections").parse().unwrap_or(0);
    if connections < CONNECTIONS_OF_A_NODE {
        let found = format!("max_connections is {connections}");
        findings.push(Finding::warning(
            CHECK,
            found,
            "set max_connections to at least 30 for each node",
        ));
    }
    if findings.is_empty() {
        let found = format!("version {major}.{minor}, up to {connections} connections");
        findings.push(Finding::ok(CHECK, found));
    }
    findings
}

fn citus(probe: CitusProbe) -> Finding {
    const CHECK: &str = "Citus";
    let workers = probe.workers;
    if workers == 0 {
        let advice = "add workers with citus_add_node and start Panji again, or drop the extension";
        return Finding::warning(CHECK, "there are no workers, so no table is sharded", advice);
    }
    if !probe.coordinator_is_known {
        let advice = "run select citus_set_coordinator_host('its address', its port)";
        return Finding::failure(CHECK, "the address of the coordinator is not set", advice);
    }
    if probe.failed_connections > 0 {
        let found =
            format!("{} connections between its servers do not work", probe.failed_connections);
        let advice = "see select * from citus_check_cluster_node_health()";
        return Finding::failure(CHECK, found, advice);
    }
    Finding::ok(CHECK, format!("{workers} workers, all connected with each other"))
}

/// The indexes and the graph can be rebuilt, so no problem with them is a failure.
async fn derived(config: &Config, databases_are_usable: bool) -> Vec<Finding> {
    let paths = [
        ("search index", index_dir(config)),
        ("director index", director_index_dir(config)),
        ("graph", graph_dir(config)),
    ];
    // Opening a register may migrate its schema, so it is opened only if there is nothing to
    // migrate.
    let newest = match databases_are_usable {
        true => newest_change(config).await,
        false => None,
    };
    let finding = |(check, path): (&'static str, PathBuf)| {
        if !path.exists() {
            let found = format!("{} does not exist", path.display());
            return Some(Finding::warning(
                check,
                found,
                "no action is needed: the next start builds it",
            ));
        }
        let state = match check {
            "graph" => Graph::open(&path).ok().map(|graph| DerivedState::of(&graph)),
            "director index" => Search::open(IndexKind::Directors, &path)
                .ok()
                .map(|search| DerivedState::of(&search)),
            _ => Search::open(IndexKind::Companies, &path)
                .ok()
                .map(|search| DerivedState::of(&search)),
        };
        Some(derived_finding(check, &path, state, newest?))
    };
    paths.into_iter().filter_map(finding).collect()
}

async fn newest_change(config: &Config) -> Option<i64> {
    let register = open_register(config, Workload::Register, IfAbsent::Refuse).await.ok()?;
    register.newest_change().await.ok()
}

fn derived_finding(
    check: &'static str,
    path: &Path,
    state: Option<DerivedState>,
    newest: i64,
) -> Finding {
    let path = path.display();
    let indexed_change = state.as_ref().and_then(|state| state.indexed_change);
    let generation = state.and_then(|state| state.generation).map_or_else(String::new, |current| {
        let built = panji_store::calendar::rfc3339(current.built_at_ms);
        format!("; {}, {} KiB, built at {built}", current.name, current.bytes >> 10)
    });
    match indexed_change {
        Some(indexed) if indexed == newest => Finding::ok(
            check,
            format!("{path} contains everything up to change {newest}{generation}"),
        ),
        Some(indexed) => Finding::warning(
            check,
            format!("{path} is at change {indexed}, the register at {newest}{generation}"),
            "no action is needed while Panji runs: it is updated automatically",
        ),
        None => Finding::warning(
            check,
            format!("{path} is not built yet, or cannot be read"),
            "no action is needed while Panji runs: it is rebuilt automatically",
        ),
    }
}

/// An unreachable replica is not used, so only a replica of another database is a failure.
async fn replica(config: &Config) -> Finding {
    const CHECK: &str = "replica";
    let register = match open_register_with_replica(config, IfAbsent::Refuse).await {
        Ok(register) => register,
        Err(error) => {
            return Finding::failure(CHECK, error.to_string(), "correct read_database_url");
        }
    };
    let Some(mut check) = register.replica().and_then(Replica::last_check) else {
        return Finding::warning(CHECK, "the replica was not checked", "run panji doctor again");
    };
    // The replica should soon have what the primary had at the first check.
    let (wanted, started) = (check.newest, Instant::now());
    while check.reached.is_some_and(|reached| reached < wanted) && started.elapsed() < CATCH_UP_TIME
    {
        tokio::time::sleep(CHECK_INTERVAL).await;
        if let Ok(Some(next)) = register.check_replica().await {
            check = next;
        }
    }
    match (check.reached, check.fault) {
        (Some(reached), _) if reached >= wanted => {
            Finding::ok(CHECK, format!("the replica contains everything up to change {wanted}"))
        }
        (Some(reached), _) => {
            let seconds = CATCH_UP_TIME.as_secs();
            let found = format!(
                "after {seconds} seconds the replica was at change {reached}, the primary at {wanted}"
            );
            let advice = "check the replica's log and load: the register is read from the primary \
                          while the replica is more than replica_lag_seconds behind";
            Finding::warning(CHECK, found, advice)
        }
        (None, Some(fault @ ReplicaFault::OtherDatabase(_))) => {
            let advice = "set read_database_url to replicas of the server in database_url, with \
                          the same database";
            Finding::failure(CHECK, fault.to_string(), advice)
        }
        (None, fault) => {
            let found = fault.map_or_else(String::new, |fault| fault.to_string());
            let advice = "correct read_database_url, or start the replica: until then the register \
                          is read from the primary";
            Finding::warning(CHECK, found, advice)
        }
    }
}
