//! Tests of other programs that open the register's file: a checkpoint after a crash does no damage,
//! and a change is refused until the operator accepts it.

use std::fs;

use panji_store::Engine;
use panji_store::engine::Workload;

use crate::accounts::{CIN, RECORDS};
use crate::program::{Program, embedded};
use crate::register_damage::fill;

/// Runs a statement in another program: the workload of the ledger opens a file with SQLite's
/// default VFS. Closing the file checkpoints its WAL.
fn run_elsewhere(program: &Program, sql: &'static str) {
    let path = program.data_dir().join("register.db");
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let other = Engine::open_sqlite(&path, Workload::Ledger).unwrap();
        other.execute(sql, &[]).await.unwrap();
    });
    assert!(!path.with_extension("db-wal").exists(), "the other program was the last to close it");
}

fn line_of_register(program: &Program) -> String {
    let doctor = program.run(&["doctor"]).stdout;
    doctor.lines().find(|line| line.contains("register.db")).unwrap().to_owned()
}

#[test]
fn after_a_kill_another_program_may_open_the_register() {
    embedded(|program| {
        let key = fill(program);
        let node = program.serve();
        let changed = RECORDS.replace("Udaharan Textiles", "Namuna Textiles");
        assert_eq!(program.run_with_input(&["import", "-"], &changed).code, Some(0));
        node.kill();
        let wal = program.data_dir().join("register.db-wal");
        assert!(fs::metadata(wal).unwrap().len() > 0, "the import is in the WAL");
        run_elsewhere(program, "delete from companies where false");
        assert!(line_of_register(program).starts_with("ok"), "{}", line_of_register(program));
        let node = program.serve();
        let reply = node.get(&key, &format!("/v1/companies/{CIN}"));
        assert_eq!(reply.json()["data"]["name"], "Namuna Textiles Private Limited");
        node.stop();
        let accepted = program.ok(&["register", "accept"]);
        assert!(accepted.contains("nothing was changed"), "{accepted}");
    });
}

#[test]
fn a_change_by_another_program_is_refused_until_it_is_accepted() {
    embedded(|program| {
        let key = fill(program);
        run_elsewhere(program, "update companies set name = 'Navin' where cin like '%990501'");
        let line = line_of_register(program);
        assert!(line.starts_with("FAILURE") && line.contains("panji register accept"), "{line}");
        let node = program.serve();
        let reply = node.get(&key, &format!("/v1/companies/{CIN}"));
        assert_eq!((reply.status, reply.charged()), (503, 0), "{}", reply.text());
        let refused = program.fails(&["register", "accept"]);
        assert!(refused.contains("it is in use"), "{refused}");
        node.stop();
        let accepted = program.ok(&["register", "accept"]);
        assert!(accepted.contains("pages with a wrong checksum that were accepted"), "{accepted}");
        assert!(line_of_register(program).starts_with("ok"), "{}", line_of_register(program));
        let node = program.serve();
        let reply = node.get(&key, &format!("/v1/companies/{CIN}"));
        assert_eq!(reply.json()["data"]["name"], "Navin");
    });
}

#[test]
fn a_register_with_a_damaged_structure_is_not_accepted() {
    embedded(|program| {
        fill(program);
        let path = program.data_dir().join("register.db");
        let mut bytes = fs::read(&path).unwrap();
        // The number then differs between a table and its index.
        let begin = bytes.windows(CIN.len()).position(|window| window == CIN.as_bytes()).unwrap();
        bytes[begin + CIN.len() - 1] ^= 0x01;
        fs::write(&path, &bytes).unwrap();
        let refused = program.fails(&["register", "accept"]);
        assert!(refused.contains("is damaged and was not changed"), "{refused}");
        assert!(fs::read(&path).unwrap() == bytes, "nothing was written");
    });
}
