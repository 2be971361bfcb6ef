//! The node is killed under load, again and again, on the same data: what a client was told is in
//! the ledger, once.

use std::time::Duration;

use crate::accounts::Account;
use crate::load::Load;
use crate::node::Node;
use crate::program::{Program, embedded, on_postgres, random_below, wait_for};

const KILLS: usize = 20;
const CALLERS: usize = 16;
/// One in so many kills comes while the node is still starting.
const EARLY: usize = 5;
const MOST_CREDITS: i64 = 10_000_000;

#[test]
fn twenty_kills_under_load_lose_and_double_nothing_on_the_embedded_engine() {
    embedded(kill_again_and_again);
}

#[test]
fn twenty_kills_under_load_lose_and_double_nothing_on_postgres() {
    on_postgres(kill_again_and_again);
}

fn kill_again_and_again(program: &Program) {
    let account = Account::with_credits(program, MOST_CREDITS);
    let keys: Vec<String> = (0..4).map(|_| account.key("live")).collect();
    let mut receipts = Vec::new();
    for round in 1..=KILLS {
        if round % EARLY == 0 {
            kill_while_starting(program);
        }
        let node = program.serve();
        // The restart has found everything that clients had been told.
        account.check_receipts(&receipts);
        let load = Load::start(&[node.address], &keys, CALLERS);
        let enough = 20 + random_below(100) as usize;
        wait_for("answers come", || load.received() >= enough);
        std::thread::sleep(Duration::from_micros(random_below(20_000)));
        node.kill();
        let told = load.stop();
        assert!(told.errors.is_empty() && told.wrong.is_empty(), "{:?}", told.errors);
        receipts.extend(told.receipts);
    }
    let node = program.serve();
    let unheard = account.check_receipts(&receipts);
    // At most one call of each caller was under way when the node was killed.
    assert!(unheard.len() <= KILLS * CALLERS, "{} charges without an answer", unheard.len());
    let spent: i64 = account.charges().values().sum();
    assert_eq!(account.balance("live"), MOST_CREDITS - spent);
    account.audit();
    assert_eq!(node.get(&keys[0], "/v1/verify/din/99000501").status, 200);
}

fn kill_while_starting(program: &Program) {
    let node = Node::launch(&|address| program.command(&["--listen", &address.to_string()]));
    std::thread::sleep(Duration::from_millis(random_below(400)));
    node.kill();
}
