//! A loss of power may take the last batches of an import from the register, but what is left is the
//! register as it was after some batch.

use std::collections::BTreeMap;
use std::path::Path;

use panji_power_loss::{PowerLosses, Record as Recording, Recorder, install};
use panji_store::engine::Workload;
use panji_store::register::Record;
use panji_store::{Engine, Register};
use panji_testkit::NOW_MS;
use panji_testkit::records::company;
use rusqlite::{Connection, OpenFlags};

use super::{SEED, block_on, check_each, fails_for_one, number_of_losses, restarts_of_wal};

const FILE: &str = "register.db";
const BATCHES: usize = 60;
const BATCH: usize = 25;
/// Batches between two checkpoints.
const CHECKPOINT_BATCHES: usize = 9;
/// Every batch changes companies of the fifth batch before it.
const CHANGED_AFTER: usize = 5;
/// A state takes longer to check than one of the ledger.
const LOSSES_SHARE: usize = 2;

/// The names of the companies.
type Names = BTreeMap<String, String>;

async fn open(directory: &Path, workload: Workload) -> Register {
    let engine = Engine::open_sqlite(&directory.join(FILE), workload).unwrap();
    Register::open(engine, NOW_MS).await.unwrap()
}

fn connect(directory: &Path) -> Connection {
    panji_checksum_vfs::open(&directory.join(FILE), OpenFlags::SQLITE_OPEN_READ_WRITE).unwrap()
}

fn cin(index: usize) -> String {
    format!("U17110MH2001PTC{:06}", 900_000 + index)
}

/// The names that a batch stores: new companies, and other names for older ones.
fn batch(number: usize) -> Names {
    let new = (number * BATCH..(number + 1) * BATCH).map(|index| (index, "Namuna"));
    let old = number.checked_sub(CHANGED_AFTER).into_iter();
    let changed = old.flat_map(|old| (old * BATCH..(old + 1) * BATCH).step_by(3));
    new.chain(changed.map(|index| (index, "Udaharan")))
        .map(|(index, word)| (cin(index), format!("{word} Traders {index} of {number}")))
        .collect()
}

/// Imports all batches. Returns the record, and the names after each batch by the number of the
/// newest change.
async fn record_import(directory: &Path) -> (Recording, BTreeMap<i64, Names>) {
    install();
    let register = open(directory, Workload::Import).await;
    let recorder = Recorder::start(directory).unwrap();
    let mut names = Names::new();
    let mut after = BTreeMap::from([(register.newest_change().await.unwrap(), names.clone())]);
    for number in 0..BATCHES {
        let stored = batch(number);
        let records: Vec<Record> =
            stored.iter().map(|(cin, name)| Record::Company(company(cin, name))).collect();
        register.store_batch(&records, NOW_MS).await.unwrap();
        names.extend(stored);
        after.insert(register.newest_change().await.unwrap(), names.clone());
        if number % CHECKPOINT_BATCHES == 0 {
            connect(directory).query_row("pragma wal_checkpoint(restart)", [], |_| Ok(())).unwrap();
        }
    }
    assert_eq!(after.len(), BATCHES + 1);
    (recorder.finish(), after)
}

fn check(directory: &Path, after: &BTreeMap<i64, Names>) {
    let newest = block_on(async {
        open(directory, Workload::Register).await.newest_change().await.unwrap()
    });
    let connection = connect(directory);
    let intact: String =
        connection.query_row("pragma integrity_check", [], |row| row.get(0)).unwrap();
    assert_eq!(intact, "ok");
    let mut statement = connection.prepare("select cin, name from companies").unwrap();
    let names = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?))).unwrap();
    let names: Names = names.map(Result::unwrap).collect();
    assert_eq!(Some(&names), after.get(&newest), "the register after change {newest}");
}

#[test]
fn a_register_after_a_loss_of_power_is_one_that_existed() {
    let directory = tempfile::tempdir().unwrap();
    let (record, after) = block_on(record_import(directory.path()));
    assert!(restarts_of_wal(&record) >= 3);
    let count = number_of_losses() / LOSSES_SHARE;
    check_each(PowerLosses::new(&record, count, SEED), |_, directory| check(directory, &after));
    // The test can fail: without syncs, a checkpoint leaves a part of its pages.
    let losses = PowerLosses::new(&record, count, SEED).ignoring_syncs();
    assert!(fails_for_one(losses, |_, directory| check(directory, &after)));
}
