//! Tests of backup and restore: a copy made under load gives the same responses on another machine,
//! and an incomplete backup is refused.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::accounts::{Account, CIN, DIN};
use crate::node::Node;
use crate::own_postgres::OwnPostgres;
use crate::program::{Program, embedded, on_each_engine, on_postgres, random_below};

/// A kind of damage: its name, how to cause it, and what the error must contain.
type Damage<'a> = (&'a str, &'a dyn Fn(&Path), &'a str);

/// Another machine: an empty directory, and for PostgreSQL another database.
struct Elsewhere {
    program: Program,
    _server: Option<OwnPostgres>,
}

impl Elsewhere {
    fn beside(program: &Program, name: &str) -> Elsewhere {
        let data_dir = program.working_dir().join(name);
        let server = (!program.embedded()).then(OwnPostgres::start);
        let url = server.as_ref().map(OwnPostgres::url);
        Elsewhere { program: Program::new(&data_dir, url.as_deref()), _server: server }
    }
}

fn backup_path(program: &Program, name: &str) -> PathBuf {
    program.working_dir().join(name)
}

fn back_up(program: &Program, name: &str) -> PathBuf {
    let path = backup_path(program, name);
    program.ok(&["backup", path.to_str().unwrap()]);
    path
}

fn restore(program: &Program, backup: &Path) -> String {
    program.ok(&["restore", backup.to_str().unwrap()])
}

fn restore_fails(program: &Program, backup: &Path) -> String {
    program.fails(&["restore", backup.to_str().unwrap()])
}

/// The data of some responses.
fn responses(node: &Node, key: &str) -> Vec<Value> {
    let paths = [format!("/v1/companies/{CIN}"), format!("/v1/directors/{DIN}")];
    paths.iter().map(|path| node.get(key, path).json()["data"].take()).collect()
}

#[test]
fn a_backup_under_load_restored_elsewhere_gives_the_same_responses_and_passes_the_audit() {
    on_each_engine(|program| {
        let account = Account::with_credits(program, 1_000_000);
        let key = account.key("live");
        let node = program.serve();
        let before = responses(&node, &key);
        let stop = AtomicBool::new(false);
        let (backup, paid_before) = std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    let mut client = node.client(&key);
                    while !stop.load(Ordering::Relaxed) {
                        assert_eq!(
                            client.get(&format!("/v1/directors/{DIN}")).unwrap().status,
                            200
                        );
                    }
                });
            }
            let mut client = node.client(&key);
            let paid: Vec<String> = (0..50)
                .map(|_| client.get(&format!("/v1/directors/{DIN}")).unwrap().request_id())
                .collect();
            let backup = back_up(program, "backup");
            stop.store(true, Ordering::Relaxed);
            (backup, paid)
        });
        let elsewhere = Elsewhere::beside(program, "elsewhere");
        let said = restore(&elsewhere.program, &backup);
        assert!(said.contains("The ledger is consistent"), "{said}");
        let restored = elsewhere.program.serve();
        assert_eq!(responses(&restored, &key), before, "the key works and finds the same");
        let history = elsewhere.program.json(&[
            "credits",
            "history",
            "--limit",
            "100000",
            "--account",
            &account.email,
        ]);
        let restored: Vec<&str> = history
            .as_array()
            .unwrap()
            .iter()
            .filter_map(|entry| entry["reference"].as_str())
            .collect();
        for request in &paid_before {
            assert!(
                restored.contains(&request.as_str()),
                "{request} got its response before the backup"
            );
        }
        elsewhere.program.ok(&["ledger", "audit"]);
        account.audit();
    });
}

#[test]
fn a_backup_has_a_manifest_and_only_its_owner_can_read_it() {
    use std::os::unix::fs::PermissionsExt;
    embedded(|program| {
        Account::with_credits(program, 10);
        let backup = back_up(program, "backup");
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!(mode(&backup), 0o700);
        assert_eq!(mode(&backup.join("secret.key")), 0o600);
        let manifest: Value =
            serde_json::from_slice(&fs::read(backup.join("manifest.json")).unwrap()).unwrap();
        assert_eq!(manifest["engine"], "sqlite");
        for file in manifest["files"].as_array().unwrap() {
            let size = fs::metadata(backup.join(file["name"].as_str().unwrap())).unwrap().len();
            assert_eq!(file["bytes"].as_u64(), Some(size), "{file}");
            assert_eq!(file["sha256"].as_str().unwrap().len(), 64);
        }
        let left: Vec<_> = fs::read_dir(&backup).unwrap().map(|e| e.unwrap().file_name()).collect();
        assert_eq!(left.len(), 4, "{left:?}");
    });
}

#[test]
fn a_restore_never_overwrites_anything() {
    on_each_engine(|program| {
        let account = Account::with_credits(program, 10);
        let backup = back_up(program, "backup");
        account.grant(5);
        let complaint = restore_fails(program, &backup);
        let reason = if program.embedded() { "is not empty" } else { "has tables in the schema" };
        assert!(complaint.contains(reason), "{complaint}");
        assert_eq!(account.balance("live"), 15);
        let again = program.fails(&["backup", backup.to_str().unwrap()]);
        assert!(again.contains("is not empty"), "{again}");
    });
}

#[test]
fn a_damaged_or_unfinished_backup_is_refused() {
    embedded(|program| {
        Account::with_credits(program, 10);
        let elsewhere = program.over(&program.working_dir().join("elsewhere"));
        let damages: [Damage<'_>; 5] = [
            (
                "no manifest",
                &|backup| fs::remove_file(backup.join("manifest.json")).unwrap(),
                "no manifest.json",
            ),
            (
                "a truncated ledger",
                &|backup| fs::write(backup.join("ledger.db"), b"cut").unwrap(),
                "ledger.db",
            ),
            (
                "a flipped bit",
                &|backup| {
                    let path = backup.join("register.db");
                    let mut bytes = fs::read(&path).unwrap();
                    let middle = bytes.len() / 2;
                    bytes[middle] ^= 1;
                    fs::write(&path, bytes).unwrap();
                },
                "register.db",
            ),
            (
                "a missing secret",
                &|backup| fs::remove_file(backup.join("secret.key")).unwrap(),
                "secret.key",
            ),
            (
                "a name with a path",
                &|backup| {
                    let path = backup.join("manifest.json");
                    let text = fs::read_to_string(&path).unwrap();
                    fs::write(&path, text.replace("secret.key", "../secret.key")).unwrap();
                },
                "secret.key",
            ),
        ];
        for (number, (what, damage, part)) in damages.into_iter().enumerate() {
            let backup = back_up(program, &format!("backup-{number}"));
            damage(&backup);
            let complaint = restore_fails(&elsewhere, &backup);
            assert!(complaint.contains(part), "{what}: {complaint}");
            assert!(!elsewhere.data_dir().exists(), "{what}: nothing was started");
        }
        let nowhere = program.over(&program.working_dir().join("never-used"));
        let path = backup_path(program, "backup-of-nothing");
        assert!(
            nowhere.fails(&["backup", path.to_str().unwrap()]).contains("there is no register in")
        );
    });
}

#[test]
fn a_backup_killed_at_any_moment_is_complete_or_refused() {
    on_each_engine(|program| {
        let account = Account::with_credits(program, 1_000);
        let started = Instant::now();
        back_up(program, "whole");
        let whole = started.elapsed();
        let tries = if program.embedded() { 12 } else { 4 };
        for number in 0..tries {
            let path = backup_path(program, &format!("killed-{number}"));
            let mut child = program.command(&["backup", path.to_str().unwrap()]).spawn().unwrap();
            std::thread::sleep(Duration::from_micros(random_below(whole.as_micros() as u64)));
            child.kill().unwrap();
            child.wait().unwrap();
            if !path.join("manifest.json").exists() {
                let elsewhere = program.over(&program.working_dir().join("elsewhere"));
                assert!(restore_fails(&elsewhere, &path).contains("no manifest.json"));
            } else if program.embedded() {
                let directory = program.working_dir().join(format!("restored-{number}"));
                restore(&program.over(&directory), &path);
            }
        }
        account.audit();
    });
}

#[test]
fn an_unfinished_restore_is_not_served() {
    embedded(|program| {
        let account = Account::with_credits(program, 10);
        let backup = back_up(program, "backup");
        let elsewhere = program.over(&program.working_dir().join("elsewhere"));
        restore(&elsewhere, &backup);
        fs::write(elsewhere.data_dir().join("restore-unfinished"), "").unwrap();
        for arguments in [&["account", "list"][..], &["--listen", "127.0.0.1:0"]] {
            let complaint = elsewhere.fails(arguments);
            assert!(complaint.contains("did not finish"), "{complaint}");
        }
        assert_eq!(account.balance("live"), 10);
    });
}

#[test]
fn a_backup_is_restored_to_its_own_engine_and_errors_name_missing_programs() {
    on_postgres(|program| {
        Account::with_credits(program, 10);
        let backup = back_up(program, "backup");
        let embedded = Program::new(&program.working_dir().join("embedded"), None);
        assert!(restore_fails(&embedded, &backup).contains("--database-url"));
        Account::with_credits(&embedded, 10);
        let other = back_up(&embedded, "other");
        let elsewhere = program.over(&program.working_dir().join("elsewhere"));
        assert!(restore_fails(&elsewhere, &other).contains("embedded engine"));
        let path = backup_path(program, "without-programs");
        let bare = program.with("PATH", "/nowhere");
        let complaint = bare.fails(&["backup", path.to_str().unwrap()]);
        assert!(complaint.contains("pg_dump was not found"), "{complaint}");
        assert!(complaint.contains("postgresql-client"), "{complaint}");
    });
}
