//! Tests that a bulk job survives its node: after a kill at any time, it is finished and charged
//! once.

use std::time::Duration;

use serde_json::Value;

use crate::accounts::Account;
use crate::console::{EMAIL, Person};
use crate::http::Client;
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
fn a_job_of_the_api_survives_kills_and_a_repeat_of_its_creation() {
    on_each_engine(|program| {
        let mut node = program.serve();
        let account = Account::create(program, "lists@example.in");
        account.grant(CREDITS);
        let key = account.key("live");
        let list: String = (0..ROWS).map(|row| format!("\"{:08}\"\n", 99_000_000 + row)).collect();
        let path = format!("/v1/jobs?operation=bulkVerify&auto_approve=true&max_credits={ROWS}");
        let headers =
            [("Content-Type", "application/x-ndjson"), ("Idempotency-Key", "the list of May")];
        let create = |address| {
            let mut client = Client::new(address, Some(&key));
            client.send("POST", &path, &headers, list.as_bytes()).unwrap()
        };
        let first = create(node.address);
        let id = first.json()["data"]["id"].as_str().unwrap().to_owned();
        let fetch = |address| {
            let mut client = Client::new(address, Some(&key));
            client.get(&format!("/v1/jobs/{id}")).unwrap().json()["data"].clone()
        };
        for _ in 0..KILLS {
            let rows_done = |address| fetch(address)["rows_done"].as_i64().unwrap();
            let (before, address) = (rows_done(node.address), node.address);
            wait_for("the job continues", || rows_done(address) > before);
            std::thread::sleep(Duration::from_micros(random_below(200_000)));
            node.kill();
            node = program.serve();
            assert_eq!(create(node.address).body, first.body, "no second job");
        }
        let address = node.address;
        wait_for("the job ends", || fetch(address)["status"] != "running");
        let job = fetch(address);
        assert_eq!((&job["status"], &job["rows_done"]), (&"done".into(), &ROWS.into()), "{job}");
        let counts = job["counts"].as_object().unwrap();
        assert_eq!(counts.values().filter_map(Value::as_i64).sum::<i64>(), ROWS, "{job}");
        assert_eq!(account.charges().values().sum::<i64>(), ROWS, "each row is charged once");
        assert_eq!(account.balance("live"), CREDITS - ROWS);
        account.audit();
        let mut client = Client::new(address, Some(&key));
        let file = client.get(&format!("/v1/jobs/{id}/results?format=xlsx")).unwrap();
        assert!(file.status == 200 && file.body.starts_with(b"PK"), "an XLSX file is a ZIP file");
    });
}

#[test]
fn two_nodes_share_the_jobs_and_one_finishes_what_the_other_left() {
    on_postgres(|program| {
        let first = program.serve();
        let (person, account) = buyer(program, first.address);
        let second = program.another("second").serve();
        let job = start_job(&person, first.address);
        let progress = || person.json(second.address, &format!("{job}/progress"));
        wait_for("the job continues", || done(&progress()) > 0);
        first.kill();
        wait_for("the job ends", || progress()["state"] != "running");
        check_end(&account, &progress());
    });
}
