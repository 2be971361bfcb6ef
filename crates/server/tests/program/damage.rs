//! Tests of a damaged or foreign ledger or secret: a clear message, and no response without a charge.

use std::fs;

use crate::accounts::{Account, DIN};
use crate::node::Node;
use crate::program::{Program, embedded, on_postgres};

/// The ledger's page size.
const PAGE: usize = 4_096;
const LISTEN: [&str; 2] = ["--listen", "127.0.0.1:0"];

/// Creates a ledger of many pages and closes it; returns a key of an account with credits.
fn fill(program: &Program) -> String {
    let account = Account::with_credits(program, 100_000);
    let key = account.key("live");
    let node = program.serve();
    let mut client = node.client(&key);
    for _ in 0..300 {
        assert_eq!(client.get(&format!("/v1/directors/{DIN}")).unwrap().status, 200);
    }
    node.stop();
    key
}

#[test]
fn a_ledger_file_of_garbage_gives_one_clear_line_and_is_left_unchanged() {
    embedded(|program| {
        fill(program);
        let path = program.data_dir().join("ledger.db");
        let mut garbage = vec![0; 64 * PAGE];
        getrandom::fill(&mut garbage).unwrap();
        fs::write(&path, &garbage).unwrap();
        for arguments in [&["serve"][..], &["ledger", "audit"], &["account", "list"]] {
            let complaint = program.fails(&[arguments, &LISTEN].concat());
            assert!(complaint.contains("ledger.db"), "{complaint}");
            assert!(complaint.contains("not a database"), "{complaint}");
        }
        assert!(fs::read(&path).unwrap() == garbage, "the file is evidence");
    });
}

#[test]
fn a_ledger_with_damaged_pages_gives_no_data_and_the_audit_says_so() {
    // Where the damage begins, as a part of the file.
    for part in [2, 4, 8] {
        embedded(|program| {
            let key = fill(program);
            let path = program.data_dir().join("ledger.db");
            let mut bytes = fs::read(&path).unwrap();
            assert!(bytes.len() > 20 * PAGE, "the ledger has {} bytes", bytes.len());
            let begin = (bytes.len() / part / PAGE).max(2) * PAGE;
            getrandom::fill(&mut bytes[begin..]).unwrap();
            fs::write(&path, &bytes).unwrap();
            let complaint = program.fails(&["ledger", "audit"]);
            assert!(complaint.contains("malformed"), "{complaint}");
            let Some(node) = serve_or_report(program) else { return };
            let mut client = node.client(&key);
            for _ in 0..50 {
                let reply = client.get(&format!("/v1/directors/{DIN}")).unwrap();
                assert_ne!(reply.status, 200, "{}", reply.text());
                assert!(reply.json()["data"].is_null());
            }
        });
    }
}

/// A node with a damaged ledger, if it starts; else it must print one line with the reason.
fn serve_or_report(program: &Program) -> Option<Node> {
    let node = Node::launch(&|address| program.command(&["--listen", &address.to_string()]));
    let mut node = node;
    crate::program::wait_for("it starts or reports why not", || {
        node.ended().is_some() || node.readiness().is_some()
    });
    let status = node.ended()?;
    assert_eq!(status.code(), Some(1));
    node.wait();
    assert_eq!(node.logged().lines().count(), 1, "{}", node.logged());
    None
}

#[test]
fn a_damaged_secret_gives_one_clear_line() {
    embedded(|program| {
        fill(program);
        let path = program.data_dir().join("secret.key");
        let original = fs::read(&path).unwrap();
        for damaged in [&[][..], &original[..31], &[&original[..], b"\n"].concat()] {
            fs::write(&path, damaged).unwrap();
            for arguments in [&["serve"][..], &["ledger", "audit"]] {
                let complaint = program.fails(&[arguments, &LISTEN].concat());
                assert!(complaint.contains("secret.key"), "{complaint}");
                assert!(complaint.contains("damaged"), "{complaint}");
            }
        }
        fs::write(&path, original).unwrap();
        program.ok(&["ledger", "audit"]);
    });
}

#[test]
fn a_ledger_is_not_opened_with_another_secret() {
    embedded(|program| {
        fill(program);
        let path = program.data_dir().join("secret.key");
        let original = fs::read(&path).unwrap();
        fs::remove_file(&path).unwrap();
        let complaint = program.fails(&["ledger", "audit"]);
        assert!(complaint.contains("secret.key is missing"), "{complaint}");
        let complaint = program.fails(&[&["serve"][..], &LISTEN].concat());
        assert!(complaint.contains("another secret"), "{complaint}");
        fs::write(&path, original).unwrap();
        program.ok(&["ledger", "audit"]);
    });
}

#[test]
fn a_node_with_another_secret_cannot_open_a_shared_ledger() {
    on_postgres(|program| {
        program.serve().stop();
        let other_node = program.over(&program.working_dir().join("other"));
        let complaint = other_node.fails(&LISTEN);
        assert!(complaint.contains("another secret"), "{complaint}");
    });
}
