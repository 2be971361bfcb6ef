//! Tests of idempotency keys across nodes and kills: one charge and one response.

use std::sync::Barrier;

use crate::accounts::Account;
use crate::http::Reply;
use crate::load::bulk_body;
use crate::node::Node;
use crate::program::{on_each_engine, on_postgres};

const PATH: &str = "/v1/bulk/verify";
const REPLAYED: &str = "idempotent-replayed";
const ITEMS: usize = 1_000;
const CALLERS: usize = 16;
/// Rounds in which callers meet, at most.
const ROUNDS: usize = 5;

fn post(node: &Node, key: &str, name: &str, body: &str) -> Reply {
    node.post(key, PATH, &[("Idempotency-Key", name)], body)
}

#[test]
fn a_repeat_on_another_node_gets_the_first_response_byte_for_byte_without_a_charge() {
    on_postgres(|program| {
        let account = Account::with_credits(program, 100);
        let (key, other_key) = (account.key("live"), account.key("live"));
        let nodes = [program.serve(), program.another("second").serve()];
        let first = post(&nodes[0], &key, "order 1", &bulk_body(7));
        assert_eq!((first.status, first.header(REPLAYED)), (200, None), "{}", first.text());
        for node in &nodes {
            let again = post(node, &other_key, "order 1", &bulk_body(7));
            assert_eq!((again.status, again.header(REPLAYED)), (200, Some("true")));
            assert_eq!(again.body, first.body);
            let mismatch = post(node, &key, "order 1", &bulk_body(6));
            assert_eq!((mismatch.status, mismatch.code().as_str()), (422, "idempotency_mismatch"));
        }
        assert_eq!(account.charges().into_iter().collect::<Vec<_>>(), [(first.request_id(), 7)]);
        assert_eq!(account.balance("live"), 93);
        account.audit();
    });
}

#[test]
fn a_repeat_after_a_kill_and_a_restart_gets_the_first_response_byte_for_byte() {
    on_each_engine(|program| {
        let account = Account::with_credits(program, 100);
        let key = account.key("live");
        let node = program.serve();
        let first = post(&node, &key, "order 2", &bulk_body(9));
        node.kill();
        let node = program.serve();
        let again = post(&node, &key, "order 2", &bulk_body(9));
        assert_eq!((again.status, again.header(REPLAYED)), (200, Some("true")));
        assert_eq!(again.body, first.body);
        assert_eq!(account.charges().into_iter().collect::<Vec<_>>(), [(first.request_id(), 9)]);
        account.audit();
    });
}

#[test]
fn of_many_identical_concurrent_calls_one_is_charged_and_the_others_get_its_response_or_409() {
    on_each_engine(|program| {
        let account = Account::with_credits(program, (ITEMS * ROUNDS) as i64);
        let key = account.key("live");
        let mut nodes = vec![program.serve()];
        if !program.embedded() {
            nodes.push(program.another("second").serve());
        }
        // Whether a call meets another that is still running depends on the machine: the tests of the
        // ledger prove what it is told then. Here every round must end with one charge.
        for round in 1..=ROUNDS {
            send_together(&nodes, &key, &format!("order {round}"));
            assert_eq!(account.charges().len(), round, "one charge a round");
        }
        assert_eq!(account.balance("live"), 0);
        account.audit();
    });
}

/// Sends the same call from all callers at once: one is the first, the others get its response or are told
/// that it still runs.
fn send_together(nodes: &[Node], key: &str, name: &str) {
    let (body, barrier) = (bulk_body(ITEMS), Barrier::new(CALLERS));
    let replies: Vec<Reply> = std::thread::scope(|scope| {
        let caller = |number: usize| {
            let (node, body, barrier) = (&nodes[number % nodes.len()], &body, &barrier);
            scope.spawn(move || {
                barrier.wait();
                post(node, key, name, body)
            })
        };
        let callers: Vec<_> = (0..CALLERS).map(caller).collect();
        callers.into_iter().map(|caller| caller.join().unwrap()).collect()
    });
    let first: Vec<&Reply> = replies
        .iter()
        .filter(|reply| reply.status == 200 && reply.header(REPLAYED).is_none())
        .collect();
    assert_eq!(first.len(), 1, "exactly one call is the first");
    for reply in replies.iter().filter(|reply| reply.header(REPLAYED).is_some()) {
        assert_eq!(reply.body, first[0].body);
    }
    for reply in replies.iter().filter(|reply| reply.status != 200) {
        assert_eq!((reply.status, reply.code().as_str()), (409, "idempotency_in_progress"));
    }
}
