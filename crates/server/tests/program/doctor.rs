//! Tests of the doctor: a healthy installation passes, each problem is reported with advice, and
//! nothing is changed.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;

use serde_json::Value;

use crate::accounts::Account;
use crate::https::make_certificate;
use crate::node::free_address;
use crate::own_postgres::OwnPostgres;
use crate::program::{Program, embedded, wait_for};

/// The doctor's exit status and findings.
pub fn examine(program: &Program, arguments: &[&str]) -> (Option<i32>, Vec<Value>) {
    let address = free_address().to_string();
    let all = [&["doctor", "--json", "--listen", &address], arguments].concat();
    let finished = program.run(&all);
    let findings = serde_json::from_str(&finished.stdout)
        .unwrap_or_else(|error| panic!("{error}: {finished:?}"));
    (finished.code, findings)
}

/// The verdict of one check, with the finding and the advice.
pub fn verdict(findings: &[Value], check: &str) -> (String, String) {
    let of = |finding: &Value| {
        let text = |name: &str| finding[name].as_str().unwrap_or_default().to_owned();
        (text("verdict"), format!("{} → {}", text("found"), text("advice")))
    };
    let matching = findings.iter().filter(|finding| finding["check"] == check);
    // The worst of several findings.
    let found = matching.map(of).max_by_key(|(verdict, _)| {
        ["ok", "warning", "failure"].iter().position(|known| known == verdict)
    });
    found.unwrap_or_else(|| panic!("no finding on {check}: {findings:?}"))
}

/// The doctor must find this, with these words.
fn finds(program: &Program, arguments: &[&str], check: &str, expected: &str, words: &str) {
    let (code, findings) = examine(program, arguments);
    let (verdict, text) = verdict(&findings, check);
    assert_eq!(verdict, expected, "{check}: {text}");
    assert!(text.contains(words), "{check}: {text}");
    if expected == "failure" {
        assert_eq!(code, Some(1), "{findings:?}");
    }
}

fn chmod(path: &Path, mode: u32) {
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
}

fn all_ok(findings: &[Value]) -> bool {
    findings.iter().all(|finding| finding["verdict"] == "ok")
}

#[test]
fn a_new_directory_is_checked_and_not_created() {
    embedded(|program| {
        let (code, findings) = examine(program, &[]);
        assert_eq!(code, Some(0), "{findings:?}");
        assert_eq!(verdict(&findings, "data directory").0, "warning");
        assert!(!program.data_dir().exists());
    });
}

#[test]
fn a_healthy_installation_passes_while_it_serves() {
    embedded(|program| {
        Account::with_credits(program, 10);
        let node = program.serve();
        let address = node.address.to_string();
        wait_for("the index is filled", || all_ok(&examine(program, &["--fast"]).1));
        let finished = program.run(&["doctor", "--listen", &address]);
        assert_eq!(finished.code, Some(0), "{finished:?}");
        for line in ["integrity check passed", "is served", "contains everything up to change 2"] {
            assert!(finished.stdout.contains(line), "{}", finished.stdout);
        }
        assert_eq!(node.get("", "/healthz").status, 200);
    });
}

#[test]
fn each_problem_of_the_files_is_reported_with_advice() {
    embedded(|program| {
        Account::with_credits(program, 10);
        let data_dir = program.data_dir();
        let secret = data_dir.join("secret.key");
        chmod(data_dir, 0o755);
        finds(program, &[], "data directory", "warning", "chmod 700");
        chmod(data_dir, 0o700);
        chmod(&secret, 0o644);
        finds(program, &[], "secret", "failure", "chmod 600");
        chmod(&secret, 0o600);
        let right = fs::read(&secret).unwrap();
        fs::write(&secret, [7; 32]).unwrap();
        finds(program, &[], "ledger", "failure", "another secret");
        fs::write(&secret, "short").unwrap();
        finds(program, &[], "secret", "failure", "must have 32");
        fs::write(&secret, right).unwrap();

        let ledger = data_dir.join("ledger.db");
        let touched = Command::new("touch").args(["-d", "2100-01-01"]).arg(&ledger).status();
        assert!(touched.unwrap().success());
        finds(program, &[], "clock", "failure", "the ledger was written at 2");
        let bytes = fs::read(&ledger).unwrap();
        let mut damaged = bytes.clone();
        damaged[8_192..].fill(0x55);
        fs::write(&ledger, damaged).unwrap();
        finds(program, &[], "ledger", "failure", "restore the last backup");
        fs::write(&ledger, "garbage").unwrap();
        finds(program, &["--fast"], "ledger", "failure", "not a database");
        fs::write(&ledger, bytes).unwrap();
        assert_eq!(examine(program, &[]).0, Some(0), "everything is repaired");

        fs::write(data_dir.join("restore-unfinished"), "").unwrap();
        finds(program, &[], "data directory", "failure", "restore again");
    });
}

#[test]
fn addresses_and_certificates_are_checked() {
    embedded(|program| {
        Account::with_credits(program, 10);
        let other = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let taken = other.local_addr().unwrap().to_string();
        let finished = program.run(&["doctor", "--listen", &taken]);
        assert_eq!(finished.code, Some(1));
        assert!(finished.stdout.contains("used by another program"), "{}", finished.stdout);
        let far = program.run(&["doctor", "--listen", "192.0.2.1:80"]);
        assert!(far.stdout.contains("an address of this machine"), "{}", far.stdout);
        let open = program.run(&["doctor", "--listen", "0.0.0.0:0"]);
        assert!(open.stdout.contains("without TLS"), "{}", open.stdout);
        finds(program, &["--behind-proxy"], "exposure", "warning", "public_url");

        let directory = program.working_dir();
        let files = ["cert.pem", "key.pem"].map(|name| directory.join(name));
        let [cert, key] = files.each_ref().map(|path| path.to_str().unwrap());
        let both = ["--tls-cert", cert, "--tls-key", key];
        finds(program, &both, "certificate", "failure", "cert.pem");
        make_certificate(directory, |_| {});
        chmod(&files[1], 0o600);
        finds(program, &both, "certificate", "ok", "valid until");
        chmod(&files[1], 0o644);
        finds(program, &both, "certificate", "failure", "every user has access to its private key");
        make_certificate(directory, |params| params.not_after = rcgen::date_time_ymd(2020, 1, 1));
        finds(program, &both, "certificate", "failure", "renew it");
    });
}

#[test]
fn the_durability_settings_of_a_server_are_checked() {
    let server = OwnPostgres::start();
    let directory = tempfile::tempdir().unwrap();
    let program = Program::new(&directory.path().join("data"), Some(&server.url()));
    let (code, findings) = examine(&program, &[]);
    assert_eq!(code, Some(0), "a fresh database is no failure: {findings:?}");
    Account::with_credits(&program, 10);
    finds(&program, &[], "PostgreSQL", "ok", "connections");
    finds(&program, &[], "ledger", "ok", "schema");
    server.drop_checksums();
    finds(&program, &[], "PostgreSQL", "warning", "data_checksums is off");
    // Two servers in the URL, although both are the same.
    let here = format!("127.0.0.1:{}", server.port());
    let several = server.url().replace(&here, &format!("{here},{here}"));
    let several = Program::new(program.data_dir(), Some(&several));
    let findings = examine(&several, &[]).1;
    assert!(
        findings.iter().any(|finding| finding.to_string().contains("synchronous_standby_names"))
    );
    server.run_sql("alter system set synchronous_commit = off");
    server.run_sql("select pg_reload_conf()");
    wait_for("the setting takes effect", || {
        verdict(&examine(&program, &[]).1, "PostgreSQL").0 == "failure"
    });
    finds(&program, &[], "PostgreSQL", "failure", "synchronous_commit is off");
    let foreign = Program::new(&directory.path().join("foreign"), Some(&server.url()));
    fs::create_dir(foreign.data_dir()).unwrap();
    fs::write(foreign.data_dir().join("secret.key"), [7; 32]).unwrap();
    finds(&foreign, &[], "ledger", "failure", "another secret");
    server.stop("fast");
    finds(&program, &[], "PostgreSQL", "failure", "database_url");
}
