//! The databases and the search index.

use std::path::Path;
use std::time::{Duration, Instant};

use panji_search::Search;
use panji_store::engine::Workload;
use panji_store::ledger::{Secret, equal_in_constant_time};
use panji_store::probe::{CitusProbe, ServerProbe, probe_file, probe_server};
use panji_store::register::{Replica, ReplicaFault};
use panji_store::{Ledger, Register};

use super::{Finding, Verdict};
use crate::config::Config;
use crate::databases::backup::{LEDGER, REGISTER, SECRET};
use crate::databases::store_sentence;
use crate::databases::{
    IfAbsent, LEDGER_SCHEMA, REGISTER_SCHEMA, open_register, open_register_with_replica,
};

/// What findings on the server itself are called.
const SERVER: &str = "PostgreSQL";
/// The oldest version of PostgreSQL that the tests run with.
const TESTED_VERSION: i64 = 150_000;
/// Connections that one node may need.
const CONNECTIONS_OF_A_NODE: i64 = 30;
/// How far the server's clock and ours may be apart.
const CLOCK_SLACK_MS: i64 = 5_000;
/// How long a replica may take to get what the first server had, and how often it is asked meanwhile.
const CATCHING_UP: Duration = Duration::from_secs(5);
const PAUSE: Duration = Duration::from_millis(200);

pub async fn examine(config: &Config, thorough: bool, now_ms: i64) -> Vec<Finding> {
    let mut findings = if config.database_url.is_empty() {
        embedded(&config.data_dir, thorough)
    } else {
        server(config, now_ms).await
    };
    // What could be better about the server says nothing of what it holds.
    let is_sound = |finding: &Finding| match finding.verdict {
        Verdict::Ok => true,
        Verdict::Warning => finding.check == SERVER,
        Verdict::Failure => false,
    };
    let sound = findings.iter().all(is_sound);
    findings.extend(index(config, sound).await);
    if sound && !config.read_database_url.is_empty() {
        findings.push(replica(config).await);
    }
    findings
}

fn embedded(data_dir: &Path, thorough: bool) -> Vec<Finding> {
    let files = [("ledger", LEDGER, Ledger::SCHEMA), ("register", REGISTER, Register::SCHEMA)];
    files.map(|(check, name, newest)| file(data_dir, check, name, newest, thorough)).to_vec()
}

fn file(data_dir: &Path, check: &'static str, name: &str, newest: i64, thorough: bool) -> Finding {
    let path = data_dir.join(name);
    let shown = path.display();
    if !path.exists() {
        let found = format!("{shown} is not there");
        return Finding::warning(check, found, "nothing, before the first start: it makes it");
    }
    let (workload, mend) = if name == LEDGER {
        (Workload::Ledger, "stop Panji, keep the file as it is, and restore the last backup")
    } else {
        (Workload::Register, "move the file away and import again, or restore the last backup")
    };
    let probe = match probe_file(&path, workload, thorough) {
        Ok(probe) => probe,
        Err(error) => return Finding::failure(check, store_sentence(&error), mend),
    };
    if let Some(damage) = probe.damage {
        return Finding::failure(check, format!("{shown} is damaged: {damage}"), mend);
    }
    if let Some(foreign) = foreign_secret(check, data_dir, probe.fingerprint.as_deref()) {
        return foreign;
    }
    let looked =
        if thorough { "its structure is sound" } else { "its structure was not looked at" };
    schema(check, probe.schema, newest, &format!("{shown}, {looked}"))
}

/// A ledger that was made with another secret knows none of its keys.
fn foreign_secret(
    check: &'static str,
    data_dir: &Path,
    made_with: Option<&str>,
) -> Option<Finding> {
    let bytes: [u8; 32] = std::fs::read(data_dir.join(SECRET)).ok()?.try_into().ok()?;
    if equal_in_constant_time(&Secret::new(bytes).fingerprint(), made_with?) {
        return None;
    }
    let advice = "put the secret.key of the node that made it into the data directory";
    Some(Finding::failure(check, "it was made with another secret", advice))
}

fn schema(check: &'static str, found: Option<i64>, newest: i64, what: &str) -> Finding {
    match found {
        Some(number) if number > newest => Finding::failure(
            check,
            format!("schema {number} is newer than this program, which knows {newest}"),
            "use the program that wrote it, or a later one",
        ),
        Some(number) if number < newest => Finding::warning(
            check,
            format!("{what}; schema {number} is older than this program's {newest}"),
            "back up: the next start brings it up to date, and older programs refuse it then",
        ),
        Some(number) => Finding::ok(check, format!("{what}; schema {number}")),
        None => Finding::warning(check, "it is empty", "nothing: the first start fills it"),
    }
}

async fn server(config: &Config, now_ms: i64) -> Vec<Finding> {
    let schemas = [LEDGER_SCHEMA, REGISTER_SCHEMA];
    let probe = match probe_server(&config.database_url, &schemas).await {
        Ok(probe) => probe,
        Err(error) => {
            let advice = "mend database_url, or start the server";
            return vec![Finding::failure(SERVER, store_sentence(&error), advice)];
        }
    };
    let mut findings = server_settings(&probe);
    findings.extend(probe.citus.map(citus));
    let apart = (probe.clock_ms - now_ms).abs();
    if apart > CLOCK_SLACK_MS {
        let found = format!("the server's clock and this one are {} seconds apart", apart / 1000);
        findings.push(Finding::failure("clocks", found, "set both, and keep them set"));
    }
    let fits = foreign_secret("ledger", &config.data_dir, probe.fingerprint.as_deref());
    let number = |place: usize| probe.schemas.get(place).copied().flatten();
    findings
        .push(fits.unwrap_or_else(|| schema("ledger", number(0), Ledger::SCHEMA, LEDGER_SCHEMA)));
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
        let advice = "turn it on: a charge must be on disk before its answer leaves";
        findings.push(Finding::failure(CHECK, format!("{name} is off"), advice));
    }
    let alone =
        value("synchronous_standby_names").is_empty() || value("synchronous_commit") == "local";
    if probe.servers > 1 && alone {
        let found = "several servers are named, and a commit waits for none but the first";
        let advice = "set synchronous_standby_names, with Patroni synchronous_mode: the loss of the \
                      first server may lose charges that were answered";
        findings.push(Finding::warning(CHECK, found, advice));
    }
    if value("data_checksums") == "off" {
        let advice = "stop the server and run pg_checksums --enable: a bit that flips on its disk is \
                      noticed then";
        findings.push(Finding::warning(CHECK, "data_checksums is off", advice));
    }
    if value("server_encoding") != "UTF8" {
        let found = format!("the database's encoding is {}", value("server_encoding"));
        findings.push(Finding::failure(CHECK, found, "make a database with encoding UTF8"));
    }
    if probe.in_recovery {
        let advice = "name the first server, or all with target_session_attrs=read-write";
        findings.push(Finding::failure(CHECK, "it is a standby and takes no writes", advice));
    }
    let (major, minor) = (probe.version / 10_000, probe.version % 10_000);
    if probe.version < TESTED_VERSION {
        let found = format!("version {major}.{minor} is older than what was tested");
        findings.push(Finding::warning(CHECK, found, "use version 15 or later"));
    }
    let connections = value("max_connections").parse().unwrap_or(0);
    if connections < CONNECTIONS_OF_A_NODE {
        let found = format!("max_connections is {connections}");
        findings.push(Finding::warning(CHECK, found, "allow about 30 for each node"));
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
        let advice = "add workers with citus_add_node and start again, or drop the extension";
        return Finding::warning(CHECK, "there are no workers: nothing is spread", advice);
    }
    if !probe.coordinator_is_known {
        let advice = "run select citus_set_coordinator_host('its address', its port)";
        return Finding::failure(CHECK, "the coordinator's own address is not set", advice);
    }
    if probe.broken_ways > 0 {
        let found = format!("{} ways between its servers do not work", probe.broken_ways);
        let advice = "see select * from citus_check_cluster_node_health()";
        return Finding::failure(CHECK, found, advice);
    }
    Finding::ok(CHECK, format!("{workers} workers, all can be reached from all"))
}

/// The index is derived, so nothing about it is a failure.
async fn index(config: &Config, databases_are_sound: bool) -> Option<Finding> {
    const CHECK: &str = "search index";
    let path = config.data_dir.join("index");
    let shown = path.display();
    if !path.exists() {
        let found = format!("{shown} is not there");
        return Some(Finding::warning(CHECK, found, "nothing: the next start builds it"));
    }
    // Opening a register may bring its schema up to date: only where there is nothing to bring.
    if !databases_are_sound {
        return None;
    }
    let newest = match open_register(config, Workload::Register, IfAbsent::Refuse).await {
        Ok(register) => register.newest_change().await.ok()?,
        Err(_) => return None,
    };
    let indexed = Search::open(&path).ok().and_then(|search| search.reaches_up_to());
    Some(match indexed {
        Some(reached) if reached == newest => {
            Finding::ok(CHECK, format!("{shown} holds everything up to change {newest}"))
        }
        Some(reached) => Finding::warning(
            CHECK,
            format!("{shown} reaches to change {reached}, the register to {newest}"),
            "nothing while Panji serves: it catches up by itself",
        ),
        None => Finding::warning(
            CHECK,
            format!("{shown} is not filled yet, or cannot be read"),
            "nothing while Panji serves: it is built by itself",
        ),
    })
}

/// A replica that is away is passed over, so only one of another database is a failure.
async fn replica(config: &Config) -> Finding {
    const CHECK: &str = "replica";
    let register = match open_register_with_replica(config, IfAbsent::Refuse).await {
        Ok(register) => register,
        Err(reason) => return Finding::failure(CHECK, reason, "mend read_database_url"),
    };
    let Some(mut look) = register.replica().and_then(Replica::last_look) else {
        return Finding::warning(CHECK, "it was not looked at", "look again");
    };
    // What the first server had at the first look, the replica should have soon.
    let (wanted, started) = (look.newest, Instant::now());
    while look.reached.is_some_and(|reached| reached < wanted) && started.elapsed() < CATCHING_UP {
        tokio::time::sleep(PAUSE).await;
        if let Ok(Some(next)) = register.look_at_replica().await {
            look = next;
        }
    }
    match (look.reached, look.fault) {
        (Some(reached), _) if reached >= wanted => {
            Finding::ok(CHECK, format!("it holds everything up to change {wanted}"))
        }
        (Some(reached), _) => {
            let seconds = CATCHING_UP.as_secs();
            let found =
                format!("it reached change {reached} and not {wanted} in {seconds} seconds");
            let advice = "look at the standby's log and load: look-ups go to the first server when \
                          it is behind for longer than replica_lag_seconds";
            Finding::warning(CHECK, found, advice)
        }
        (None, Some(fault @ ReplicaFault::Foreign(_))) => {
            let advice = "name standbys of the server in database_url, with the same database";
            Finding::failure(CHECK, fault.to_string(), advice)
        }
        (None, fault) => {
            let found = fault.map_or_else(String::new, |fault| fault.to_string());
            let advice = "mend read_database_url, or start the standby: until then look-ups go to \
                          the first server";
            Finding::warning(CHECK, found, advice)
        }
    }
}
