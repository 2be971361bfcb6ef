//! Tests failover: the primary of a PostgreSQL cluster is killed repeatedly under load. The nodes
//! find the new one by themselves, and no acknowledged charge is lost or doubled.

use std::time::Duration;

use crate::accounts::Account;
use crate::load::Load;
use crate::metrics::NodeWithMetrics;
use crate::patroni::Cluster;
use crate::program::{Program, random_below, wait_for};

const KILLS: usize = 3;
const CALLERS: usize = 12;
const CREDITS: i64 = 10_000_000;

#[test]
fn nodes_follow_the_primary_after_repeated_kills_and_no_charge_is_lost_or_doubled() {
    let cluster = Cluster::start();
    let directory = tempfile::tempdir().unwrap();
    let program = Program::new(&directory.path().join("data"), Some(cluster.database_url()))
        .with("PANJI_READ_DATABASE_URL", cluster.read_database_url());
    let account = Account::with_credits(&program, CREDITS);
    // Probing calls are paid from another account.
    let onlooker = Account::create(&program, "darshak@example.in");
    onlooker.grant(CREDITS);
    let onlooker = onlooker.key("live");
    let keys: Vec<String> = (0..4).map(|_| account.key("live")).collect();
    let mut nodes = [
        NodeWithMetrics::start(&program),
        NodeWithMetrics::start(&program.another("second")),
        NodeWithMetrics::start(&program.another("third")),
    ];
    let addresses: Vec<_> = nodes.iter().map(|watched| watched.node.address).collect();
    let load = Load::start(&addresses, &keys, CALLERS);
    for _ in 0..KILLS {
        let received = load.received();
        wait_for("responses arrive", || load.received() > received + 100);
        wait_for("all members follow", || cluster.is_complete());
        std::thread::sleep(Duration::from_micros(random_below(100_000)));
        let lost = cluster.wait_for_primary(|_| true);
        cluster.kill(lost);
        cluster.wait_for_primary(|found| found != lost);
        wait_for("every node responds", || all_respond(&nodes, &onlooker));
        cluster.restart(lost);
    }
    let outcome = load.stop();
    for watched in &mut nodes {
        assert!(watched.node.ended().is_none(), "a node was restarted");
    }
    let only_unavailable =
        |what: &(u16, String, bool)| (what.0, what.1.as_str()) == (503, "unavailable");
    assert!(outcome.errors.keys().all(only_unavailable), "{:?}", outcome.errors);
    assert_eq!(outcome.wrong, Vec::<String>::new());
    account.check_paid(CREDITS, &outcome.receipts);
    account.audit();
    wait_for("every node responds", || all_respond(&nodes, &onlooker));
    let uses_replica = |watched: &NodeWithMetrics| watched.value("panji_replica_in_use") == 1.0;
    wait_for("every node reads from a replica", || nodes.iter().all(uses_replica));
}

fn all_respond(nodes: &[NodeWithMetrics], key: &str) -> bool {
    nodes.iter().all(|watched| watched.node.get(key, "/v1/verify/din/99000501").status == 200)
}
