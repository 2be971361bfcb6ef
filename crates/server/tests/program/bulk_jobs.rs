//! Tests that a bulk job survives its node: after a kill at any time, it is finished and charged
//! once.

use std::time::Duration;

use serde_json::Value;

use crate::accounts::Account;
use crate::console::{EMAIL, Person};
use crate::program::{Program, on_each_engine, on_postgres, random_below, wait_for};

const ROWS: i64 = 10_000;
const KILLS: usize = 3;
const CREDITS: i64 = 50_000;

/// An account with credits, created by signing up at a node.
fn buyer(program: &Program, address: std::net::SocketAddr) -> (Person, Account) {
    let person = Person::sign_up(address);
    let account = Account::of(program, EMAIL);
    account.grant(CREDITS);
    person.post(address, "/console/mode", &[("mode", "live"), ("next", "/console/bulk")]);
    (person, account)
}

/// Uploads a list and accepts its price; returns the path of the job.
fn start_job(person: &Person, address: std::net::SocketAddr) -> String {
    let list: String = (0..ROWS).map(|row| format!("{:08}\n", 99_000_000 + row)).collect();
    let job = person.upload(address, &list);
    person.post(address, &format!("{job}/start"), &[]);
    job
}

fn done(progress: &Value) -> i64 {
    progress["done"].as_i64().unwrap()
}

fn check_end(account: &Account, progress: &Value) {
    assert_eq!(progress["state"], "done", "{progress}");
    assert_eq!(done(progress), ROWS);
    assert_eq!(account.charges().values().sum::<i64>(), ROWS, "each row is charged once");
    assert_eq!(account.balance("live"), CREDITS - ROWS);
    account.audit();
}

#[test]
fn a_job_whose_node_is_killed_repeatedly_is_finished_and_charged_once() {
    on_each_engine(|program| {
        let mut node = program.serve();
        let (person, account) = buyer(program, node.address);
        let job = start_job(&person, node.address);
        let progress = |address| person.json(address, &format!("{job}/progress"));
        for _ in 0..KILLS {
            let before = done(&progress(node.address));
            let address = node.address;
            wait_for("the job continues", || done(&progress(address)) > before);
            std::thread::sleep(Duration::from_micros(random_below(200_000)));
            node.kill();
            node = program.serve();
        }
        let address = node.address;
        wait_for("the job ends", || progress(address)["state"] != "running");
        check_end(&account, &progress(address));
        let file = person.get(address, &format!("{job}/results.xlsx"));
        assert_eq!(file.status, 200);
    });
}

#[test]
fn two_nodes_share_the_jobs_and_one_finishes_what_the_other_left() {
    on_postgres(|program| {
        let first = program.serve();
        let (person, account) = buyer(program, first.address);
        let second = program.beside("second").serve();
        let job = start_job(&person, first.address);
        let progress = || person.json(second.address, &format!("{job}/progress"));
        wait_for("the job continues", || done(&progress()) > 0);
        first.kill();
        wait_for("the job ends", || progress()["state"] != "running");
        check_end(&account, &progress());
    });
}
