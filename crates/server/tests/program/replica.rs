//! Tests of the read replica: reads use a replica while it is close enough, and else the primary.

use crate::accounts::{Account, CIN, NAME};
use crate::doctor::{examine, verdict};
use crate::load::Load;
use crate::metrics::NodeWithMetrics;
use crate::own_postgres::OwnPostgres;
use crate::program::{Finished, Program, embedded, wait_for};

const NEW_NAME: &str = "Udaharan Looms Private Limited";
const CALLERS: usize = 8;
const CREDITS: i64 = 10_000_000;
const READ_URL: &str = "PANJI_READ_DATABASE_URL";
const MAX_LAG: &str = "PANJI_REPLICA_LAG_SECONDS";
const TOO_FAR: &str = "it is too far behind";

/// Whether reads use the replica.
fn uses_replica(watched: &NodeWithMetrics) -> bool {
    watched.value("panji_replica_in_use") == 1.0
}

fn reads_by(watched: &NodeWithMetrics, server: &str) -> f64 {
    watched.value(&format!("panji_replica_reads_total{{server=\"{server}\"}}"))
}

/// The company's name in a node's response.
fn name(watched: &NodeWithMetrics, key: &str) -> String {
    let reply = watched.node.get(key, &format!("/v1/companies/{CIN}"));
    assert_eq!(reply.status, 200, "{}", reply.text());
    reply.json()["data"]["name"].as_str().unwrap().to_owned()
}

fn import_new_name(program: &Program) -> Finished {
    let record = format!(
        r#"{{"record":"company","cin":"{CIN}","name":"{NEW_NAME}","status_text":"Active","as_of":"2026-02-10"}}"#
    );
    program.run_with_input(&["import", "-"], &record)
}

/// The doctor's verdict on the replica, with the finding.
fn diagnosis(program: &Program) -> (String, String) {
    verdict(&examine(program, &[]).1, "replica")
}

#[test]
fn a_replica_is_read_unless_it_is_too_far_behind() {
    let first = OwnPostgres::start();
    let second = first.replica();
    let directory = tempfile::tempdir().unwrap();
    let program = Program::new(&directory.path().join("tolerant"), Some(&first.url()))
        .with(READ_URL, &second.url())
        .with(MAX_LAG, "3600");
    let account = Account::with_credits(&program, 1_000);
    let key = account.key("live");
    let tolerant = NodeWithMetrics::start(&program);
    let strict = NodeWithMetrics::start(&program.another("strict").with(MAX_LAG, "1"));
    for node in [&tolerant, &strict] {
        wait_for("reads use the replica", || uses_replica(node));
        assert_eq!(name(node, &key), NAME);
        assert!(reads_by(node, "replica") >= 1.0);
    }
    assert_eq!(program.json(&["status"])["replica"]["changes_behind"], 0);
    assert_eq!(diagnosis(&program).0, "ok");

    second.pause_replay();
    let logged_before = strict.node.logged().matches(TOO_FAR).count();
    assert_eq!(import_new_name(&program).code, Some(0));
    assert_eq!(name(&tolerant, &key), NAME, "the replica does not know better yet");
    wait_for("the node with the small limit reads the primary", || name(&strict, &key) == NEW_NAME);
    assert!(!uses_replica(&strict) && uses_replica(&tolerant));
    assert_eq!(strict.value("panji_replica_lag_changes"), 1.0);
    assert!(strict.value("panji_replica_lag_seconds") >= 1.0);
    assert_eq!(name(&tolerant, &key), NAME);
    assert_eq!(program.json(&["status"])["replica"]["changes_behind"], 1);
    assert!(program.ok(&["status"]).contains("Replica: 1 change behind"));
    assert_eq!(diagnosis(&program).0, "warning");

    second.run_sql("select pg_wal_replay_resume()");
    wait_for("the replica has the change", || name(&tolerant, &key) == NEW_NAME);
    wait_for("the node with the small limit reads the replica again", || uses_replica(&strict));
    assert_eq!(name(&strict, &key), NEW_NAME);
    assert_eq!(strict.node.logged().matches(TOO_FAR).count(), logged_before + 1, "logged once");
}

#[test]
fn an_unreachable_or_frozen_replica_is_not_used_and_no_call_fails() {
    let first = OwnPostgres::start();
    let second = first.replica();
    second.stop("fast");
    let directory = tempfile::tempdir().unwrap();
    let program = Program::new(&directory.path().join("data"), Some(&first.url()))
        .with(READ_URL, &second.url());
    let account = Account::with_credits(&program, CREDITS);
    let keys: Vec<String> = (0..4).map(|_| account.key("live")).collect();
    let mut watched = NodeWithMetrics::start(&program);
    assert_eq!(diagnosis(&program).0, "warning");
    let load = Load::start(&[watched.node.address], &keys, CALLERS);
    let more_responses = || {
        let received = load.received();
        wait_for("responses arrive", || load.received() > received + 100);
    };
    more_responses();
    assert!(!uses_replica(&watched), "it was never there");
    second.resume();
    wait_for("reads use the replica", || uses_replica(&watched));
    more_responses();
    assert!(reads_by(&watched, "replica") >= 100.0);

    second.stop("immediate");
    wait_for("it is passed over", || !uses_replica(&watched));
    more_responses();
    second.resume();
    wait_for("reads use the replica again", || uses_replica(&watched));
    let before = reads_by(&watched, "replica");
    more_responses();
    assert!(reads_by(&watched, "replica") > before);

    second.freeze();
    wait_for("it is passed over", || !uses_replica(&watched));
    more_responses();
    second.thaw();
    wait_for("reads use the replica again", || uses_replica(&watched));
    let outcome = load.stop();
    assert!(watched.node.ended().is_none(), "the node was never restarted");
    assert!(outcome.errors.is_empty() && outcome.wrong.is_empty(), "{:?}", outcome.errors);
    assert_eq!(account.check_receipts(&outcome.receipts), Vec::<String>::new());
    account.audit();
}

#[test]
fn the_url_of_another_database_is_refused() {
    let (first, other) = (OwnPostgres::start(), OwnPostgres::start());
    let directory = tempfile::tempdir().unwrap();
    let program = Program::new(&directory.path().join("data"), Some(&first.url()));
    first.run_sql("create database elsewhere");
    let elsewhere = format!("postgres://postgres@127.0.0.1:{}/elsewhere", first.port());
    for foreign in [other.url(), elsewhere] {
        let mistaken = program.with(READ_URL, &foreign);
        let line = mistaken.fails(&["serve", "--listen", "127.0.0.1:0"]);
        assert!(line.contains("read_database_url") && line.contains("another database"), "{line}");
        let (verdict, found) = diagnosis(&mistaken);
        assert!(verdict == "failure" && found.contains("another database"), "{verdict}: {found}");
    }
    let unreadable = program.with(READ_URL, "postgres://db1/panji?target_session_attrs=second");
    let line = unreadable.fails(&["serve", "--listen", "127.0.0.1:0"]);
    assert!(line.contains("read_database_url") && line.contains("prefer-standby"), "{line}");
}

#[test]
fn the_embedded_engine_has_no_replicas() {
    embedded(|program| {
        let line = program.with(READ_URL, "postgres://db2.internal/panji").fails(&["status"]);
        assert!(line.contains("read_database_url needs database_url"), "{line}");
    });
}
