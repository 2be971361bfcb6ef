//! Tests of outages: PostgreSQL stops under load and comes back; nothing is lost or doubled, and
//! nobody intervenes.

use std::collections::BTreeSet;
use std::time::Duration;

use crate::accounts::Account;
use crate::load::Load;
use crate::node::Node;
use crate::own_postgres::{COMMIT_DELAY, OwnPostgres};
use crate::program::{Program, random_below, wait_for};

pub const CALLERS: usize = 16;
const OUTAGES: usize = 3;
const CREDITS: i64 = 10_000_000;

#[test]
fn service_survives_a_fast_stop_of_postgres_under_load() {
    survive("fast");
}

#[test]
fn service_survives_an_immediate_stop_of_postgres_under_load() {
    survive("immediate");
}

#[test]
fn service_survives_a_postgres_that_hangs_under_load() {
    let limits =
        [("PANJI_LIMITS__REQUEST_SECONDS", "5"), ("PANJI_LIMITS__BULK_REQUEST_SECONDS", "5")];
    let postgres = OwnPostgres::start();
    under_load(&postgres.url(), &limits, |node, load, _| {
        let received = load.received();
        wait_for("responses arrive", || load.received() > received + 100);
        random_delay();
        postgres.freeze();
        // Bounded by timeouts, since nothing tells the node that no response will come.
        wait_for("calls are refused", || load.errors() >= CALLERS);
        assert_eq!(node.readiness(), Some(503));
        postgres.thaw();
        wait_for("the node is ready by itself", || node.ready());
        let received = load.received();
        wait_for("responses arrive again", || load.received() > received + CALLERS);
    });
}

fn survive(mode: &str) {
    let postgres = OwnPostgres::start();
    under_load(&postgres.url(), &[], |node, load, key| {
        for _ in 0..OUTAGES {
            stop_and_start(&postgres, mode, node, load, key);
        }
    });
}

fn stop_and_start(postgres: &OwnPostgres, mode: &str, node: &Node, load: &Load, key: &str) {
    let enough = load.received() + 50 + random_below(100) as usize;
    wait_for("responses arrive", || load.received() >= enough);
    random_delay();
    postgres.stop(mode);
    wait_for("the node is not ready", || node.readiness() == Some(503));
    let errors = load.errors();
    wait_for("calls are refused", || load.errors() > errors + CALLERS);
    let reply = node.get(key, "/v1/verify/din/99000501");
    assert_eq!((reply.status, reply.code().as_str()), (503, "unavailable"));
    assert!(reply.retry_after().is_some() && reply.json()["data"].is_null());
    let received = load.received();
    wait_for("time passes in refusals", || load.errors() > errors + 3 * CALLERS);
    assert_eq!(load.received(), received, "no response can be paid for while it is down");
    postgres.resume();
    wait_for("the node is ready by itself", || node.ready());
    wait_for("responses arrive again", || load.received() > received + CALLERS);
}

/// Waits a random time: an outage should not coincide with the end of a commit.
pub fn random_delay() {
    std::thread::sleep(Duration::from_micros(random_below(u64::from(2 * COMMIT_DELAY))));
}

/// Runs an outage under load, and then holds the ledger against what callers were told.
pub fn under_load(url: &str, limits: &[(&str, &str)], outage: impl FnOnce(&Node, &Load, &str)) {
    let directory = tempfile::tempdir().unwrap();
    let program = Program::new(&directory.path().join("data"), Some(url));
    let program = limits.iter().fold(program, |program, (name, value)| program.with(name, value));
    let account = Account::with_credits(&program, CREDITS);
    let keys: Vec<String> = (0..4).map(|_| account.key("live")).collect();
    let mut node = program.serve();
    let load = Load::start(&[node.address], &keys, CALLERS);
    outage(&node, &load, &keys[0]);
    let outcome = load.stop();
    assert!(node.ended().is_none(), "the node was never restarted");
    let refused: BTreeSet<_> = outcome.errors.keys().cloned().collect();
    assert_eq!(refused, BTreeSet::from([(503, "unavailable".to_owned(), true)]));
    assert!(outcome.wrong.is_empty(), "{:?}", outcome.wrong);

    account.check_paid(CREDITS, &outcome.receipts);
    account.audit();
}
