//! The first PostgreSQL server is lost under load and its standby takes over: nothing acknowledged is
//! lost, nothing is doubled, and nobody tells the node.

use crate::accounts::Account;
use crate::load::Load;
use crate::own_postgres::OwnPostgres;
use crate::program::{Program, wait_for};

const CALLERS: usize = 8;
const MOST_CREDITS: i64 = 10_000_000;

#[test]
fn a_node_follows_from_a_lost_server_to_its_promoted_standby() {
    let first = OwnPostgres::start();
    let second = first.standby();
    // From here on a commit is acknowledged only when both have it.
    first.run_sql("alter system set synchronous_standby_names = '*'");
    first.run_sql("select pg_reload_conf()");
    let place = tempfile::tempdir().unwrap();
    // The standby stands first in the address, so that it is passed over from the beginning.
    let url = format!(
        "postgres://postgres@127.0.0.1:{},127.0.0.1:{}/postgres?target_session_attrs=read-write",
        second.port(),
        first.port()
    );
    let program = Program::new(&place.path().join("data"), Some(&url));
    let account = Account::with_credits(&program, MOST_CREDITS);
    let keys: Vec<String> = (0..4).map(|_| account.key("live")).collect();
    let mut node = program.serve();
    let load = Load::start(&[node.address], &keys, CALLERS);
    wait_for("answers come", || load.received() > 100);
    first.stop("immediate");
    wait_for("the node is not ready", || node.readiness() == Some(503));
    second.promote();
    wait_for("the node is ready by itself", || node.ready());
    let received = load.received();
    wait_for("answers come again", || load.received() > received + 100);
    let told = load.stop();
    assert!(node.ended().is_none(), "the node was never restarted");
    assert_eq!(told.wrong, Vec::<String>::new());
    assert!(told.errors.keys().all(|(status, ..)| *status == 503), "{:?}", told.errors);
    account.check_receipts(&told.receipts);
    account.audit();
}
