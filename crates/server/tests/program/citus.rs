//! Tests on Citus with two workers: responses and charges are the same as on one server. Imports and
//! spending on Citus are in `imports` and `spending`.

use std::collections::BTreeSet;
use std::path::Path;

use serde_json::Value;

use crate::accounts::Account;
use crate::node::{Node, free_address};
use crate::outages::{CALLERS, random_delay, under_load};
use crate::own_postgres::OwnPostgres;
use crate::program::{Program, embedded, on_citus, on_postgres, wait_for};

const CREDITS: i64 = 1_000_000;
/// Requested identifiers of each kind.
const REQUESTED: usize = 12;

/// Sample data in source files.
fn generate(program: &Program) -> String {
    let directory = program.working_dir().join("made-up");
    let directory = directory.to_str().unwrap();
    program.ok(&["generate", "--companies", "60", "--seed", "3", "--out", directory]);
    directory.to_owned()
}

fn import(program: &Program, directory: &str) -> String {
    program.ok(&["import", "--as-of", "2026-06-30", directory])
}

/// The values of one field in a file of records, in order.
fn values(file: &Path, name: &str) -> Vec<String> {
    let text = std::fs::read_to_string(file).unwrap();
    let rows = text.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let values: BTreeSet<String> =
        rows.filter_map(|row| Some(row[name].as_str()?.to_owned())).collect();
    values.into_iter().take(REQUESTED).collect()
}

/// One path for each operation, with values that are in the register.
fn paths(directory: &str) -> Vec<String> {
    let file = |name: &str| Path::new(directory).join(name);
    let own = |name: &str| file(&format!("3-panji/{name}-01.jsonl"));
    let mut paths = vec!["/v1/companies/search?q=namuna".to_owned()];
    let mut cins = values(&own("appointments"), "cin");
    cins.extend(
        ["charges", "financial_years", "documents"]
            .iter()
            .flat_map(|name| values(&own(name), "cin")),
    );
    for cin in cins {
        paths.extend(
            [
                "",
                "/pan",
                "/profile",
                "/financials",
                "/directors",
                "/charges",
                "/compliance",
                "/documents",
            ]
            .map(|section| format!("/v1/companies/{cin}{section}")),
        );
        paths.push(format!("/v1/verify/cin/{cin}"));
        paths.push(format!("/v1/companies/search?q={}", &cin[..8]));
    }
    for din in values(&own("directors"), "din") {
        paths.extend(
            ["directors/{}", "directors/{}/companies", "verify/din/{}"]
                .map(|path| format!("/v1/{}", path.replace("{}", &din))),
        );
    }
    for pan in values(&own("pans"), "pan") {
        paths.extend(["verify/pan", "search/pan"].map(|path| format!("/v1/{path}/{pan}")));
    }
    for gstin in values(&file("2-gst/taxpayers-01.jsonl"), "gstin") {
        paths.extend(["verify/gstin", "gst"].map(|path| format!("/v1/{path}/{gstin}")));
    }
    paths
}

/// A node's responses: path, status, credits and data.
fn responses(node: &Node, key: &str, paths: &[String]) -> Vec<(String, u16, Value, Value)> {
    let mut client = node.client(key);
    let ask = |path: &String| {
        let reply = client.get(path).unwrap();
        let json = reply.json();
        (path.clone(), reply.status, json["credits_charged"].clone(), json["data"].clone())
    };
    paths.iter().map(ask).collect()
}

/// A node with the register imported and indexed, and a key with credits.
fn serve(program: &Program, directory: &str) -> (Node, Account, String) {
    import(program, directory);
    let account = Account::create(program, "namuna@example.in");
    account.grant(CREDITS);
    let key = account.key("live");
    let node = program.serve();
    wait_for("the search index is whole", || {
        node.get(&key, "/v1/companies/search?q=private").header("panji-index").is_none()
    });
    (node, account, key)
}

#[test]
fn lookups_searches_and_lists_have_the_same_responses_as_on_one_machine() {
    on_citus(|sharded| {
        let directory = generate(sharded);
        let paths = paths(&directory);
        let (node, account, key) = serve(sharded, &directory);
        let found = responses(&node, &key, &paths);
        let cins = values(&Path::new(&directory).join("3-panji/appointments-01.jsonl"), "cin");
        let body = serde_json::json!({ "cins": cins, "fields": ["company", "directors"] });
        let enriched = node.post(&key, "/v1/bulk/enrich", &[], &body.to_string()).json();
        assert_eq!(enriched["success"], true, "{enriched}");
        account.audit();
        embedded(|alone| {
            let (node, account, key) = serve(alone, &directory);
            for (sharded, alone) in found.iter().zip(responses(&node, &key, &paths)) {
                assert_eq!(*sharded, alone);
            }
            let expected = node.post(&key, "/v1/bulk/enrich", &[], &body.to_string()).json();
            assert_eq!(enriched["data"], expected["data"]);
            assert_eq!(enriched["credits_charged"], expected["credits_charged"]);
            account.audit();
        });
    });
}

#[test]
fn the_status_lists_how_the_tables_are_distributed() {
    on_citus(|program| {
        program.create_register();
        let status = program.ok(&["status"]);
        assert!(status.contains("Sharded by Citus over 2 workers"), "{status}");
        assert!(
            status.contains("panji_register by cin: appointments, charges, companies,"),
            "{status}"
        );
        assert!(status.contains("panji_ledger by account_id: balances, "), "{status}");
        let citus = program.json(&["status"])["citus"].clone();
        assert_eq!(
            (&citus["workers"], citus["tables"].as_array().map(Vec::len)),
            (&2.into(), Some(22))
        );
    });
    on_postgres(|program| {
        program.create_register();
        assert!(program.json(&["status"])["citus"].is_null());
    });
}

#[test]
fn the_doctor_says_whether_all_servers_reach_each_other() {
    on_citus(|program| {
        let examined = program.run(&["doctor", "--json", "--listen", &free_address().to_string()]);
        let findings: Vec<Value> = serde_json::from_str(&examined.stdout).unwrap();
        let citus = findings.iter().find(|finding| finding["check"] == "Citus").unwrap();
        assert_eq!(citus["found"], "2 workers, all can be reached from all");
        assert_eq!(citus["verdict"], "ok");
    });
}

#[test]
fn the_second_import_of_a_register_changes_nothing() {
    on_citus(|program| {
        let directory = generate(program);
        let first = import(program, &directory);
        assert!(first.contains(", rejected 0\n") && first.contains("  gst: 120\n"), "{first}");
        let recheck = ["import", "--recheck", "--as-of", "2026-06-30", &directory];
        let second = program.ok(&recheck);
        assert!(second.contains("new 0, changed 0,"), "{second}");
        let status = program.json(&["status"]);
        assert!(status["size_bytes"].as_i64().unwrap() > 0);
    });
}

#[test]
fn a_backup_by_a_dump_is_refused_with_an_alternative() {
    on_citus(|program| {
        Account::create(program, "namuna@example.in");
        let directory = program.working_dir().join("backup");
        let refused = program.fails(&["backup", directory.to_str().unwrap()]);
        assert!(refused.contains("citus_create_restore_point"), "{refused}");
    });
}

/// A coordinator and its two workers, which the test may stop; none where Citus is not installed.
#[allow(clippy::disallowed_methods, reason = "./test names its servers")]
fn own_servers() -> Option<[OwnPostgres; 3]> {
    std::env::var_os("PANJI_TEST_CITUS")?;
    // The extension would turn on TLS with a self-signed certificate.
    let options = "-c shared_preload_libraries=citus -c citus.shard_count=4 -c ssl=off \
                   -c citus.node_conninfo=sslmode=disable -c citus.recover_2pc_interval=5s";
    let servers = [(); 3].map(|()| OwnPostgres::start_with(|_| options.to_owned()));
    for server in &servers {
        server.run_sql("create extension citus");
    }
    let functions = ["citus_set_coordinator_host", "citus_add_node", "citus_add_node"];
    for (function, server) in functions.iter().zip(&servers) {
        servers[0].run_sql(&format!("select {function}('127.0.0.1', {})", server.port()));
    }
    Some(servers)
}

#[test]
fn service_survives_workers_and_a_coordinator_that_are_lost_under_load() {
    let Some([coordinator, first, second]) = own_servers() else { return };
    under_load(&coordinator.url(), &[], |node, load, _| {
        for lost in [&[&first, &second][..], &[&coordinator]] {
            let received = load.received();
            wait_for("responses arrive", || load.received() > received + 100);
            random_delay();
            lost.iter().for_each(|server| server.stop("immediate"));
            let errors = load.errors();
            wait_for("calls are refused", || load.errors() > errors + CALLERS);
            lost.iter().for_each(|server| server.resume());
            let received = load.received();
            // The coordinator finishes a commit that was interrupted between its two phases.
            wait_for("responses arrive again", || load.received() > received + CALLERS);
            wait_for("the node is ready by itself", || node.ready());
        }
    });
}
