//! Tests that many callers can spend one balance exactly, and not one credit more.

use std::net::SocketAddr;

use crate::accounts::{Account, CIN, DIN};
use crate::http::Client;
use crate::node::Node;
use crate::program::{Program, embedded, on_citus, on_postgres};

const CALLERS: usize = 64;
const KEYS: usize = 8;
const BALANCE: i64 = 1_000;
/// More calls than one caller could pay for.
const MAX_CALLS: i64 = BALANCE * 2;

/// What one caller received.
#[derive(Default)]
struct Spent {
    credits: i64,
    calls: usize,
    refused: usize,
    lowest: i64,
}

#[test]
fn sixty_four_callers_spend_exactly_a_thousand_credits_over_three_nodes() {
    on_postgres(spend_over_three_nodes);
    on_citus(spend_over_three_nodes);
}

fn spend_over_three_nodes(program: &Program) {
    let account = Account::with_credits(program, BALANCE);
    let programs = [program.clone(), program.another("second"), program.another("third")];
    let nodes: Vec<Node> = programs.iter().map(Program::serve).collect();
    spend_everything(&account, &nodes);
    nodes.into_iter().for_each(Node::stop);
    account.audit();
}

#[test]
fn sixty_four_callers_spend_exactly_a_thousand_credits_on_one_embedded_node() {
    embedded(|program| {
        let account = Account::with_credits(program, BALANCE);
        let nodes = [program.serve()];
        spend_everything(&account, &nodes);
        account.audit();
    });
}

/// Spends the whole balance.
fn spend_everything(account: &Account, nodes: &[Node]) {
    let keys: Vec<String> = (0..KEYS).map(|_| account.key("live")).collect();
    let spent: Vec<Spent> = std::thread::scope(|scope| {
        let caller = |number: usize| {
            let (address, key) = (nodes[number % nodes.len()].address, &keys[number % KEYS]);
            scope.spawn(move || spend(address, key, number))
        };
        let callers: Vec<_> = (0..CALLERS).map(caller).collect();
        callers.into_iter().map(|caller| caller.join().unwrap()).collect()
    });
    let total = |part: fn(&Spent) -> i64| spent.iter().map(part).sum::<i64>();
    assert_eq!(total(|spent| spent.credits), BALANCE);
    assert!(spent.iter().all(|spent| spent.refused > 0 && spent.lowest >= 0));
    assert_eq!(account.balance("live"), 0);
    let charges = account.charges();
    assert_eq!(charges.values().sum::<i64>(), BALANCE);
    assert_eq!(charges.len() as i64, total(|spent| spent.calls as i64));
}

/// Alternates calls for one credit and for two, until not even one credit is left.
fn spend(address: SocketAddr, key: &str, number: usize) -> Spent {
    let mut client = Client::new(address, Some(key));
    let mut spent = Spent::default();
    for turn in 0..MAX_CALLS {
        let dear = (turn + number as i64) % 2 == 0;
        let path =
            if dear { format!("/v1/directors/{DIN}") } else { format!("/v1/verify/cin/{CIN}") };
        let reply = client.get(&path).unwrap();
        spent.lowest = spent.lowest.min(reply.remaining().unwrap());
        match reply.status {
            200 => {
                assert_eq!(reply.charged(), if dear { 2 } else { 1 });
                spent.credits += reply.charged();
                spent.calls += 1;
            }
            402 => {
                assert_eq!(reply.code(), "insufficient_credits");
                assert!(reply.json()["data"].is_null() && reply.charged() == 0);
                spent.refused += 1;
                if !dear {
                    return spent;
                }
            }
            other => panic!("{other}: {}", reply.text()),
        }
    }
    panic!("the balance did not end");
}
