//! Tests of a disk that fills up during an import or while indexing: a clear message, existing data
//! stays, and the work continues when there is space.

use std::collections::BTreeMap;
use std::os::unix::fs::symlink;

use serde_json::Value;

use crate::accounts::{Account, CIN, RECORDS};
use crate::disk::SmallDisk;
use crate::import_stops::count_records;
use crate::node::Node;
use crate::program::{Finished, Program, embedded, wait_for};

const COMPANIES: &str = "2000";
/// Less than the synthetic register needs, more than opening a database does.
const LITTLE_SPACE: u64 = 3 << 20;

/// Generates a synthetic register next to the program's data; returns the import command and the
/// expected records.
fn synthetic(program: &Program) -> (Vec<String>, BTreeMap<String, i64>) {
    let data = program.working_dir().join("synthetic").to_str().unwrap().to_owned();
    program.ok(&["generate", "--companies", COMPANIES, "--seed", "7", "--out", &data]);
    let expected = std::fs::read_to_string(format!("{data}/EXPECTED.json")).unwrap();
    let expected: Value = serde_json::from_str(&expected).unwrap();
    let whole = serde_json::from_value(expected["records"].clone()).unwrap();
    let import = ["import", "--as-of", "2026-06-30", &data].map(str::to_owned);
    (import.to_vec(), whole)
}

fn run(program: &Program, arguments: &[String]) -> Finished {
    program.run(&arguments.iter().map(String::as_str).collect::<Vec<_>>())
}

/// The command failed, and its last line says that the disk is full.
fn check_complaint(finished: &Finished) {
    assert_eq!(finished.code, Some(1), "{finished:?}");
    let complaint = finished.stderr.lines().last().unwrap();
    assert!(complaint.starts_with("panji: "), "{complaint}");
    assert!(complaint.contains("full") || complaint.contains("No space"), "{complaint}");
}

#[test]
fn an_import_that_fills_the_disk_reports_it_and_continues_when_there_is_space() {
    // Only root may mount a small disk.
    let Some(disk) = SmallDisk::mount() else { return };
    embedded(|elsewhere| {
        let (import, whole) = synthetic(elsewhere);
        let program = disk.program();
        program.create_register();
        disk.fill_up_to(LITTLE_SPACE);
        check_complaint(&run(&program, &import));
        disk.free_space();
        let part = count_records(&program);
        assert!(part.iter().all(|(kind, count)| whole[kind] >= *count), "{part:?}");
        assert_ne!(part, whole, "the disk was never full");
        // The rest does not fit onto this disk: the import continues with the same data on a larger
        // one.
        let larger = elsewhere.over(&elsewhere.working_dir().join("larger"));
        copy(program.data_dir(), larger.data_dir());
        let finished = run(&larger, &import);
        assert_eq!(finished.code, Some(0), "{finished:?}");
        assert_eq!(count_records(&larger), whole);
    });
}

fn copy(from: &std::path::Path, to: &std::path::Path) {
    std::fs::create_dir(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap().map(Result::unwrap) {
        if entry.path().is_file() {
            std::fs::copy(entry.path(), to.join(entry.file_name())).unwrap();
        }
    }
}

fn finds(node: &Node, key: &str, name: &str, cin: &str) -> bool {
    let reply = node.get(key, &format!("/v1/companies/search?q={name}"));
    assert_eq!(reply.status, 200, "{}", reply.text());
    reply.json()["data"]["companies"][0]["cin"] == cin
}

#[test]
fn an_index_on_a_full_disk_stays_usable_and_catches_up_when_there_is_space() {
    let Some(disk) = SmallDisk::mount() else { return };
    embedded(|program| {
        // Only the index is on the small disk, so that calls can be charged.
        std::fs::create_dir(program.data_dir()).unwrap();
        let index = disk.path().join("index");
        std::fs::create_dir(&index).unwrap();
        symlink(index, program.data_dir().join("index")).unwrap();
        let (import, _) = synthetic(program);
        assert_eq!(run(program, &import).code, Some(0));
        let account = Account::with_credits(program, 10_000);
        let key = account.key("live");
        let node = program.serve();
        wait_for("search finds it", || finds(&node, &key, "udaharan%20textiles", CIN));
        // From now on no space is freed by itself: the node has removed its first build.
        wait_for("the index is complete", || program.run(&["reindex"]).code == Some(0));
        wait_for("the node uses the new index", || {
            node.logged().matches("a new search index is in use").count() > 1
        });
        disk.fill();
        check_complaint(&program.run(&["reindex"]));
        disk.fill();
        let newer = RECORDS.replace("U17110MH2001PTC990501", "U17110MH2001PTC990502");
        let newer = newer.replace("Udaharan Textiles", "Nirala Kagaz");
        assert_eq!(program.run_with_input(&["import", "-"], &newer).code, Some(0));
        wait_for("the log reports it", || {
            node.logged().contains("the update of the search index failed")
        });
        assert!(
            finds(&node, &key, "udaharan%20textiles", CIN),
            "indexed companies are still found"
        );
        let path = "/v1/companies/U17110MH2001PTC990502";
        assert_eq!(node.get(&key, path).status, 200, "the register itself is up to date");
        disk.free_space();
        wait_for("the index catches up by itself", || {
            finds(&node, &key, "nirala%20kagaz", "U17110MH2001PTC990502")
        });
        wait_for("it is built anew", || program.run(&["reindex"]).code == Some(0));
        account.audit();
    });
}
