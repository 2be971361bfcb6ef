//! Tests of kills: the node is killed repeatedly under load, on the same data. Every response that a
//! client received is in the ledger, once.

use std::net::SocketAddr;
use std::time::Duration;

use crate::accounts::Account;
use crate::load::Load;
use crate::node::Node;
use crate::program::{Program, embedded, on_postgres, random_below, wait_for};

const KILLS: usize = 20;
/// Fewer, because the calls end in the same code.
const KILLS_OVER_MCP: usize = 8;
const CALLERS: usize = 16;
/// At every fifth kill, the node is killed while it is starting.
const EARLY: usize = 5;
const CREDITS: i64 = 10_000_000;

#[test]
fn twenty_kills_under_load_neither_lose_nor_double_a_charge_on_the_embedded_engine() {
    embedded(|program| kill_repeatedly(program, KILLS, Load::start));
}

#[test]
fn twenty_kills_under_load_neither_lose_nor_double_a_charge_on_postgres() {
    on_postgres(|program| kill_repeatedly(program, KILLS, Load::start));
}

#[test]
fn kills_under_load_over_mcp_neither_lose_nor_double_a_charge_on_the_embedded_engine() {
    embedded(|program| kill_repeatedly(program, KILLS_OVER_MCP, Load::over_mcp));
}

#[test]
fn kills_under_load_over_mcp_neither_lose_nor_double_a_charge_on_postgres() {
    on_postgres(|program| kill_repeatedly(program, KILLS_OVER_MCP, Load::over_mcp));
}

type StartLoad = fn(&[SocketAddr], &[String], usize) -> Load;

fn kill_repeatedly(program: &Program, kills: usize, start: StartLoad) {
    let account = Account::with_credits(program, CREDITS);
    let keys: Vec<String> = (0..4).map(|_| account.key("live")).collect();
    let mut receipts = Vec::new();
    for round in 1..=kills {
        if round % EARLY == 0 {
            kill_while_starting(program);
        }
        let node = program.serve();
        // After the restart, everything that clients received is in the ledger.
        account.check_receipts(&receipts);
        let load = start(&[node.address], &keys, CALLERS);
        let enough = 20 + random_below(100) as usize;
        wait_for("responses arrive", || load.received() >= enough);
        std::thread::sleep(Duration::from_micros(random_below(20_000)));
        node.kill();
        let outcome = load.stop();
        assert!(outcome.errors.is_empty() && outcome.wrong.is_empty(), "{:?}", outcome.errors);
        receipts.extend(outcome.receipts);
    }
    let node = program.serve();
    let undelivered = account.check_receipts(&receipts);
    // At most one call of each caller was in progress when the node was killed.
    assert!(
        undelivered.len() <= kills * CALLERS,
        "{} charges without a response",
        undelivered.len()
    );
    let spent: i64 = account.charges().values().sum();
    assert_eq!(account.balance("live"), CREDITS - spent);
    account.audit();
    assert_eq!(node.get(&keys[0], "/v1/verify/din/99000501").status, 200);
}

fn kill_while_starting(program: &Program) {
    let node = Node::launch(&|address| program.command(&["--listen", &address.to_string()]));
    std::thread::sleep(Duration::from_millis(random_below(400)));
    node.kill();
}
