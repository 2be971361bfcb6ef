//! Commands that only read, or that need what is there, make nothing where there is nothing.

use panji_store::engine::has_tables;
use panji_testkit::on_both_engines;

use crate::program::{Program, embedded};

const EMAIL: &str = "namuna@example.in";
/// Every command that does not make a register.
const COMMANDS: [&[&str]; 22] = [
    &["status"],
    &["status", "--json"],
    &["reindex"],
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

/// Each must refuse in one line that says what to do.
fn refuse(program: &Program, place: &str, remedy: &str) {
    let backup = program.working_dir().join("backup");
    let backup_command = ["backup", backup.to_str().unwrap()];
    for command in COMMANDS.into_iter().chain([&backup_command[..]]) {
        let complaint = program.fails(command);
        let told = format!("there is no register in {place}");
        assert!(
            complaint.contains(&told) && complaint.contains(remedy),
            "{command:?}: {complaint}"
        );
    }
    assert!(!backup.exists(), "not even the directory of the backup");
}

#[test]
fn where_there_is_no_register_commands_that_read_say_so_and_make_nothing() {
    on_both_engines(async |databases| {
        let url = databases.database_url();
        let data_dir = databases.directory().join("mistyped");
        let program = Program::new(&data_dir, url);
        let (place, remedy) = match url {
            None => (data_dir.to_str().unwrap(), "--data-dir"),
            Some(_) => ("the database", "--database-url"),
        };
        refuse(&program, place, remedy);
        // What it thinks of the test's server is another matter.
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
fn a_directory_of_something_else_is_left_as_it_is() {
    embedded(|program| {
        std::fs::create_dir(program.data_dir()).unwrap();
        std::fs::write(program.data_dir().join("letters.txt"), "Dear").unwrap();
        refuse(program, program.data_dir().to_str().unwrap(), "--data-dir");
        assert_eq!(std::fs::read_dir(program.data_dir()).unwrap().count(), 1);
    });
}

#[test]
fn with_a_mistyped_directory_beside_the_right_database_nothing_is_made_either() {
    on_both_engines(async |databases| {
        let Some(url) = databases.database_url() else { return };
        let right = Program::new(&databases.directory().join("data"), Some(url));
        right.ok(&["account", "create", "--email", EMAIL, "--name", "Namuna Traders"]);
        right.make_register();
        let mistyped = right.over(&databases.directory().join("dta"));
        for command in [&["account", "list"][..], &["ledger", "audit"], &["reindex"]] {
            let complaint = mistyped.fails(command);
            assert!(complaint.contains("--data-dir"), "{command:?}: {complaint}");
        }
        assert!(!mistyped.data_dir().exists());
        assert_eq!(right.json(&["account", "list"]).as_array().unwrap().len(), 1);
    });
}
