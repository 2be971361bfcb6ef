//! Tests of a promoted replica: the primary is lost under load and its replica takes over. Nothing
//! acknowledged is lost, nothing is doubled, and the node needs no change.

use crate::accounts::Account;
use crate::load::Load;
use crate::own_postgres::OwnPostgres;
use crate::program::{Program, wait_for};

const CALLERS: usize = 8;
const CREDITS: i64 = 10_000_000;

#[test]
fn a_node_follows_from_a_lost_server_to_its_promoted_replica() {
    let first = OwnPostgres::start();
    let second = first.replica();
    // From now on a commit is acknowledged only when both servers have it.
    first.run_sql("alter system set synchronous_standby_names = '*'");
    first.run_sql("select pg_reload_conf()");
    let directory = tempfile::tempdir().unwrap();
    // The replica is first in the URL, so that it is skipped from the beginning.
    let url = format!(
        "postgres://postgres@127.0.0.1:{},127.0.0.1:{}/postgres?target_session_attrs=read-write",
        second.port(),
        first.port()
    );
    let program = Program::new(&directory.path().join("data"), Some(&url));
    let account = Account::with_credits(&program, CREDITS);
    let keys: Vec<String> = (0..4).map(|_| account.key("live")).collect();
    let mut node = program.serve();
    let load = Load::start(&[node.address], &keys, CALLERS);
    wait_for("responses arrive", || load.received() > 100);
    first.stop("immediate");
    wait_for("the node is not ready", || node.readiness() == Some(503));
    second.promote();
    wait_for("the node is ready by itself", || node.ready());
    let received = load.received();
    wait_for("responses arrive again", || load.received() > received + 100);
    let outcome = load.stop();
    assert!(node.ended().is_none(), "the node was never restarted");
    assert_eq!(outcome.wrong, Vec::<String>::new());
    assert!(outcome.errors.keys().all(|(status, ..)| *status == 503), "{:?}", outcome.errors);
    account.check_receipts(&outcome.receipts);
    account.audit();
}
