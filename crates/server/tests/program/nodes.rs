//! Tests across several nodes: revocation, suspension and the free quota.

use crate::accounts::{Account, CIN};
use crate::node::Node;
use crate::program::{Program, on_each_engine, on_postgres, wait_for};

const PATH: &str = "/v1/verify/din/99000501";
const FREE_CALLS: usize = 100;
const CALLS: usize = 120;

/// Two nodes on PostgreSQL; the embedded engine has one.
fn nodes(program: &Program) -> Vec<Node> {
    let mut nodes = vec![program.serve()];
    if !program.embedded() {
        nodes.push(program.another("second").serve());
    }
    nodes
}

fn codes(nodes: &[Node], key: &str) -> Vec<String> {
    nodes.iter().map(|node| node.get(key, PATH).code()).collect()
}

#[test]
fn a_key_revoked_on_the_command_line_is_refused_by_every_node() {
    on_each_engine(|program| {
        let account = Account::with_credits(program, 100_000);
        let nodes = nodes(program);
        let (other, key) = (account.key("live"), account.key("live"));
        // Each node has just cached the key, the longest case.
        assert!(codes(&nodes, &key).iter().all(String::is_empty));
        program.ok(&["key", "revoke", &account.newest_key_id()]);
        wait_for("every node refuses it", || {
            codes(&nodes, &key).iter().all(|code| code == "revoked_api_key")
        });
        let reply = nodes[0].get(&key, PATH);
        assert_eq!((reply.status, reply.header("www-authenticate")), (401, Some("Bearer")));
        assert!(codes(&nodes, &other).iter().all(String::is_empty), "the other key still works");
    });
}

#[test]
fn a_suspended_account_is_refused_by_every_node_until_it_is_resumed() {
    on_each_engine(|program| {
        let account = Account::with_credits(program, 100_000);
        let nodes = nodes(program);
        let key = account.key("live");
        assert!(codes(&nodes, &key).iter().all(String::is_empty));
        program.ok(&["account", "suspend", &account.email]);
        wait_for("every node refuses it", || {
            codes(&nodes, &key).iter().all(|code| code == "account_suspended")
        });
        program.ok(&["account", "resume", &account.email]);
        wait_for("every node accepts it again", || {
            codes(&nodes, &key).iter().all(String::is_empty)
        });
    });
}

#[test]
fn two_nodes_share_a_hundred_free_calls_and_charge_the_rest() {
    on_postgres(|program| {
        let account = Account::with_credits(program, 1_000);
        let nodes = nodes(program);
        let key = account.key("live");
        let path = format!("/v1/companies/{CIN}");
        // (The price, what is left of the quota.)
        let responses: Vec<(i64, i64)> = std::thread::scope(|scope| {
            let caller = |number: usize| {
                let (path, mut client) = (&path, nodes[number % 2].client(&key));
                scope.spawn(move || {
                    let call = |_| {
                        let reply = client.get(path).unwrap();
                        assert_eq!(reply.status, 200, "{}", reply.text());
                        let left = reply.header("panji-free-remaining").unwrap().parse().unwrap();
                        (reply.charged(), left)
                    };
                    (0..CALLS / 4).map(call).collect::<Vec<_>>()
                })
            };
            let callers: Vec<_> = (0..4).map(caller).collect();
            callers.into_iter().flat_map(|caller| caller.join().unwrap()).collect()
        });
        let mut free: Vec<i64> =
            responses.iter().filter(|(credits, _)| *credits == 0).map(|(_, left)| *left).collect();
        free.sort_unstable();
        assert_eq!(
            free,
            (0..FREE_CALLS as i64).collect::<Vec<_>>(),
            "each free call was counted once"
        );
        let paid: Vec<_> = responses.iter().filter(|(credits, _)| *credits > 0).collect();
        assert!(
            paid.len() == CALLS - FREE_CALLS && paid.iter().all(|response| **response == (1, 0))
        );
        assert_eq!(account.balance("live"), 1_000 - paid.len() as i64);
        assert_eq!(account.free_calls_used("live"), FREE_CALLS as i64);
        account.audit();
    });
}
