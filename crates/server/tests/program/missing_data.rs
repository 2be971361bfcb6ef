//! Tests that commands which need existing data create nothing if there is none.

use panji_store::engine::has_tables;
use panji_testkit::on_both_engines;

use crate::program::{Program, embedded};

const EMAIL: &str = "namuna@example.in";
/// Every command that does not create a register.
const COMMANDS: [&[&str]; 23] = [
    &["status"],
    &["status", "--json"],
    &["reindex"],
    &["match", "list.csv"],
    &["account", "list"],
    &["account", "list", "--json"],
    &["account", "suspend", EMAIL],
    &["account", "resume", EMAIL],
    &["account", "log-in-link", EMAIL],
    &["account", "export", EMAIL],
    &["account", "erase", EMAIL, "--yes"],
    &["account", "operator", EMAIL],
    &["key", "create", "--account", EMAIL, "--mode", "test"],
    &["key", "list", "--account", EMAIL],
    &["key", "revoke", "key_1"],
    &["key", "roll", "key_1"],
    &["credits", "grant", "--account", EMAIL, "--amount", "5"],
    &["credits", "show", "--account", EMAIL],
    &["credits", "history", "--account", EMAIL],
    &["ledger", "audit"],
    &["log", "show"],
    &["log", "export"],
    &["log", "verify"],
];

/// Each must fail with one line that says what to do.
fn refuse(program: &Program, location: &str, remedy: &str) {
    let backup = program.working_dir().join("backup");
    let backup_command = ["backup", backup.to_str().unwrap()];
    for command in COMMANDS.into_iter().chain([&backup_command[..]]) {
        let complaint = program.fails(command);
        let expected = format!("there is no register in {location}");
        assert!(
            complaint.contains(&expected) && complaint.contains(remedy),
            "{command:?}: {complaint}"
        );
    }
    assert!(!backup.exists(), "not even the directory of the backup");
}

#[test]
fn without_a_register_commands_that_read_fail_and_create_nothing() {
    on_both_engines(async |databases| {
        let url = databases.database_url();
        let data_dir = databases.directory().join("mistyped");
        let program = Program::new(&data_dir, url);
        let (location, remedy) = match url {
            None => (data_dir.to_str().unwrap(), "--data-dir"),
            Some(_) => ("the database", "--database-url"),
        };
        refuse(&program, location, remedy);
        // The shared test server may have warnings of its own.
        crate::doctor::examine(&program, &[]);
        assert!(!data_dir.exists());
        for schema in ["panji_ledger", "panji_register"] {
            if let Some(url) = url {
                assert!(!has_tables(url, schema).await.unwrap(), "{schema}");
            }
        }
    });
}

#[test]
fn a_directory_with_other_files_is_left_unchanged() {
    embedded(|program| {
        std::fs::create_dir(program.data_dir()).unwrap();
        std::fs::write(program.data_dir().join("letters.txt"), "Dear").unwrap();
        refuse(program, program.data_dir().to_str().unwrap(), "--data-dir");
        assert_eq!(std::fs::read_dir(program.data_dir()).unwrap().count(), 1);
    });
}

#[test]
fn a_mistyped_directory_with_the_right_database_creates_nothing_either() {
    on_both_engines(async |databases| {
        let Some(url) = databases.database_url() else { return };
        let right = Program::new(&databases.directory().join("data"), Some(url));
        right.ok(&["account", "create", "--email", EMAIL, "--name", "Namuna Traders"]);
        right.create_register();
        let mistyped = right.over(&databases.directory().join("dta"));
        for command in [&["account", "list"][..], &["ledger", "audit"], &["reindex"]] {
            let complaint = mistyped.fails(command);
            assert!(complaint.contains("--data-dir"), "{command:?}: {complaint}");
        }
        assert!(!mistyped.data_dir().exists());
        assert_eq!(right.json(&["account", "list"]).as_array().unwrap().len(), 1);
    });
}
