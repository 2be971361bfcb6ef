//! Other programs that open the file: SQLite with its default VFS.

use std::ffi::c_int;
use std::fs;
use std::path::{Path, PathBuf};

use panji_checksum_vfs::{Acceptance, PAGE, accept, is_damage, open, open_for_copy};
use rusqlite::backup::{Backup, StepResult};
use rusqlite::{Connection, MAIN_DB, OpenFlags, Result, ffi};

use crate::{CREATE, create_file, expected, read_all};

/// The reserved bytes of a file of Panji 1.0.
const OLD_RESERVED: c_int = 8;

fn wal_of(path: &Path) -> PathBuf {
    path.with_extension("db-wal")
}

/// A copy of the file and its WAL, as a crash leaves them.
fn crash(path: &Path, directory: &Path) -> PathBuf {
    let copy = directory.join("crashed.db");
    fs::copy(path, &copy).unwrap();
    fs::copy(wal_of(path), wal_of(&copy)).unwrap();
    assert!(fs::metadata(wal_of(&copy)).unwrap().len() > 50 * PAGE as u64);
    copy
}

/// Opens and closes the file with another program, which checkpoints the WAL.
fn checkpoint_elsewhere(path: &Path) {
    let before = fs::read(path).unwrap();
    let other = Connection::open(path).unwrap();
    other.query_row("select count(*) from things", [], |row| row.get::<_, i64>(0)).unwrap();
    other.close().unwrap();
    assert!(!wal_of(path).exists());
    assert!(fs::read(path).unwrap() != before, "the checkpoint wrote pages");
}

fn change_elsewhere(path: &Path) {
    let other = Connection::open(path).unwrap();
    assert_eq!(other.execute("update things set name = 'new' where id = 17", []).unwrap(), 1);
}

/// Changes every name, adds and frees pages, and leaves all of it in the WAL. The cache is so small
/// that SQLite writes pages to the WAL, reads them again and overwrites them before the commit.
fn change_in_wal(connection: &Connection) {
    connection.pragma_update(None, "wal_autocheckpoint", 0).unwrap();
    connection.pragma_update(None, "cache_size", 10).unwrap();
    connection
        .execute_batch(
            "update things set name = name || ' changed';
             begin;
             insert into things select id + 5000, name from things;
             savepoint undone;
             delete from things where id % 2 = 0;
             rollback to undone;
             delete from things where id > 5000 and id % 3 = 0;
             update things set name = substr(name, 1, length(name) - 8);
             update things set name = upper(name) where id % 7 = 0;
             update things set name = lower(name) where id % 7 = 0;
             commit;
             begin;
             delete from things where id > 5000;
             commit;",
        )
        .unwrap();
}

fn fault(path: &Path) -> rusqlite::Error {
    read_all(path, false).unwrap_err()
}

fn all_correct(path: &Path) -> bool {
    let pages = (fs::metadata(path).unwrap().len() / PAGE as u64) as u32;
    accept(path).unwrap() == Acceptance::AllCorrect { pages }
}

#[test]
fn after_a_crash_the_wal_is_recovered_by_this_program() {
    let directory = tempfile::tempdir().unwrap();
    let path = create_file(directory.path());
    let connection = open(&path, CREATE).unwrap();
    change_in_wal(&connection);
    let copy = crash(&path, directory.path());
    let recovered = open(&copy, CREATE).unwrap();
    let lines = |connection: &Connection| -> Vec<(i64, String)> {
        let mut read = connection.prepare("select id, name from things order by id").unwrap();
        let rows = read.query_map([], |row| Ok((row.get(0)?, row.get(1)?))).unwrap();
        rows.collect::<Result<_>>().unwrap()
    };
    assert_eq!(lines(&recovered), lines(&connection));
    assert_eq!(lines(&recovered).len(), 5000);
    drop(recovered);
    for mapped in [false, true] {
        assert_eq!(read_all(&copy, mapped).unwrap(), expected());
    }
}

#[test]
fn after_a_crash_another_program_may_checkpoint() {
    let directory = tempfile::tempdir().unwrap();
    let path = create_file(directory.path());
    let connection = open(&path, CREATE).unwrap();
    change_in_wal(&connection);
    let copy = crash(&path, directory.path());
    checkpoint_elsewhere(&copy);
    for mapped in [false, true] {
        assert_eq!(read_all(&copy, mapped).unwrap(), expected());
    }
    assert!(all_correct(&copy), "pages that nobody reads have checksums as well");
}

#[test]
fn after_a_crash_during_a_vacuum_another_program_may_checkpoint() {
    let directory = tempfile::tempdir().unwrap();
    let path = create_file(directory.path());
    let connection = open(&path, CREATE).unwrap();
    connection.pragma_update(None, "wal_autocheckpoint", 0).unwrap();
    connection.execute_batch("delete from things where id % 2 = 0; vacuum").unwrap();
    let copy = crash(&path, directory.path());
    checkpoint_elsewhere(&copy);
    assert_eq!(read_all(&copy, false).unwrap().len(), 5000);
    assert!(all_correct(&copy));
}

#[test]
fn another_program_may_checkpoint_while_the_file_is_in_use() {
    let directory = tempfile::tempdir().unwrap();
    let path = create_file(directory.path());
    let connection = open(&path, CREATE).unwrap();
    let other = Connection::open(&path).unwrap();
    for _ in 0..3 {
        change_in_wal(&connection);
        let checkpoint = "pragma wal_checkpoint(restart)";
        let busy: i64 = other.query_row(checkpoint, [], |row| row.get(0)).unwrap();
        assert_eq!(busy, 0);
        assert_eq!(read_all(&path, false).unwrap(), expected());
    }
    drop((connection, other));
    assert!(all_correct(&path));
}

#[test]
fn a_flipped_bit_after_the_checkpoint_of_another_program_is_an_error() {
    let directory = tempfile::tempdir().unwrap();
    let path = create_file(directory.path());
    let connection = open(&path, CREATE).unwrap();
    change_in_wal(&connection);
    let copy = crash(&path, directory.path());
    checkpoint_elsewhere(&copy);
    let original = fs::read(&copy).unwrap();
    let name = b"thing 4711";
    let places: Vec<_> =
        (0..original.len()).filter(|&at| original[at..].starts_with(name)).collect();
    assert!(places.len() >= 2, "in the table and in the index");
    for at in places {
        let mut flipped = original.clone();
        flipped[at + 1] ^= 1;
        fs::write(&copy, flipped).unwrap();
        let result = read_all(&copy, false);
        let is_free = result.as_ref().is_ok_and(|names| *names == expected());
        assert!(is_free || is_damage(&result.unwrap_err()), "at {at}");
    }
    let mut zeroed = original;
    let end = 30 * PAGE;
    zeroed[end - 512..end].fill(0);
    fs::write(&copy, zeroed).unwrap();
    assert!(is_damage(&fault(&copy)), "a lost sector is not taken for a page without a checksum");
}

#[test]
fn a_flipped_bit_in_the_wal_is_an_error() {
    let directory = tempfile::tempdir().unwrap();
    let path = create_file(directory.path());
    let connection = open(&path, CREATE).unwrap();
    change_in_wal(&connection);
    let mut wal = fs::read(wal_of(&path)).unwrap();
    let name = b"thing 4711";
    for at in 0..wal.len() {
        if wal[at..].starts_with(name) {
            wal[at + 1] ^= 1;
        }
    }
    fs::write(wal_of(&path), wal).unwrap();
    assert!(is_damage(&fault(&path)));
    let checkpoint = connection.query_row("pragma wal_checkpoint(full)", [], |_| Ok(()));
    assert!(is_damage(&checkpoint.unwrap_err()), "it does not get a checksum as if it were right");
}

#[test]
fn a_change_by_another_program_is_an_error_until_it_is_accepted() {
    let directory = tempfile::tempdir().unwrap();
    let path = create_file(directory.path());
    change_elsewhere(&path);
    assert!(is_damage(&fault(&path)));
    let Acceptance::Accepted { changed, pages } = accept(&path).unwrap() else {
        panic!("its structure is sound");
    };
    assert!((1..10).contains(&changed) && pages > 40, "{changed} of {pages}");
    let names = read_all(&path, true).unwrap();
    assert_eq!(names.iter().filter(|name| *name == "new").count(), 2);
    assert_eq!(names.len(), expected().len());
    assert!(all_correct(&path));
}

#[test]
fn changes_that_another_program_left_in_the_wal_are_accepted() {
    let directory = tempfile::tempdir().unwrap();
    let path = create_file(directory.path());
    let other = Connection::open(&path).unwrap();
    other.execute("update things set name = name || ''  where id > 0", []).unwrap();
    other.execute("insert into things select id + 5000, 'new' from things", []).unwrap();
    let copy = crash(&path, directory.path());
    assert!(is_damage(&fault(&copy)));
    assert!(matches!(accept(&copy).unwrap(), Acceptance::Accepted { .. }));
    assert_eq!(read_all(&copy, false).unwrap().len(), 20_000);
}

#[test]
fn a_damaged_structure_is_not_accepted() {
    let directory = tempfile::tempdir().unwrap();
    let path = create_file(directory.path());
    change_elsewhere(&path);
    let original = fs::read(&path).unwrap();
    let name = b"thing 4711";
    let flips = (0..original.len()).filter(|&at| original[at..].starts_with(name));
    // The kinds of two pages, and a name that then differs between table and index.
    let places: Vec<_> = [0, 20 * PAGE, 30 * PAGE].into_iter().chain(flips).collect();
    assert!(places.len() >= 5);
    for at in places {
        let mut flipped = original.clone();
        flipped[at] ^= 1;
        fs::write(&path, &flipped).unwrap();
        let accepted = accept(&path);
        assert!(matches!(accepted, Err(_) | Ok(Acceptance::Damaged(_))), "at {at}: {accepted:?}");
        assert!(fs::read(&path).unwrap() == flipped, "nothing was written");
    }
    fs::write(&path, &original[..original.len() - 100]).unwrap();
    assert!(matches!(accept(&path).unwrap(), Acceptance::Damaged(_)));
}

#[test]
fn a_file_that_is_open_elsewhere_is_not_accepted() {
    let directory = tempfile::tempdir().unwrap();
    let path = create_file(directory.path());
    let connection = open(&path, CREATE).unwrap();
    connection.query_row("select count(*) from things", [], |_| Ok(())).unwrap();
    let error = accept(&path).unwrap_err();
    assert_eq!(error.sqlite_error_code(), Some(rusqlite::ErrorCode::DatabaseBusy));
    assert_eq!(read_all(&path, false).unwrap(), expected());
}

/// A file in the format of Panji 1.0.
fn create_old_file(directory: &Path) -> PathBuf {
    let pattern = Connection::open_in_memory().unwrap();
    let mut reserved = OLD_RESERVED;
    // SAFETY: the connection is open, and SQLite accesses the integer only during the call.
    let code = unsafe {
        let reserved = (&raw mut reserved).cast();
        let operation = ffi::SQLITE_FCNTL_RESERVE_BYTES;
        ffi::sqlite3_file_control(pattern.handle(), MAIN_DB.as_ptr(), operation, reserved)
    };
    assert_eq!(code, ffi::SQLITE_OK);
    let path = directory.join("made.db");
    open_for_copy(&path, CREATE, &pattern).unwrap().execute_batch("vacuum").unwrap();
    assert_eq!(create_file(directory), path);
    let bytes = fs::read(&path).unwrap();
    assert_eq!(c_int::from(bytes[20]), OLD_RESERVED);
    path
}

#[test]
fn a_file_of_the_first_version_is_read_written_and_verified() {
    let directory = tempfile::tempdir().unwrap();
    let path = create_old_file(directory.path());
    let connection = open(&path, CREATE).unwrap();
    change_in_wal(&connection);
    connection.execute_batch("pragma wal_checkpoint(truncate); vacuum").unwrap();
    drop(connection);
    for mapped in [false, true] {
        assert_eq!(read_all(&path, mapped).unwrap(), expected());
    }
    let mut bytes = fs::read(&path).unwrap();
    bytes[30 * PAGE + 4000] ^= 4;
    fs::write(&path, bytes).unwrap();
    assert!(is_damage(&fault(&path)));
}

#[test]
fn a_file_of_the_first_version_is_accepted_after_a_checkpoint_by_another_program() {
    let directory = tempfile::tempdir().unwrap();
    let path = create_old_file(directory.path());
    let connection = open(&path, CREATE).unwrap();
    change_in_wal(&connection);
    let copy = crash(&path, directory.path());
    checkpoint_elsewhere(&copy);
    assert!(is_damage(&fault(&copy)));
    assert!(matches!(accept(&copy).unwrap(), Acceptance::Accepted { .. }));
    assert_eq!(read_all(&copy, false).unwrap(), expected());
}

#[test]
fn a_copy_has_the_format_of_the_original() {
    let directory = tempfile::tempdir().unwrap();
    let old = create_old_file(directory.path());
    let original = open(&old, OpenFlags::SQLITE_OPEN_READ_WRITE).unwrap();
    let path = directory.path().join("copy.db");
    let mut copy = open_for_copy(&path, CREATE, &original).unwrap();
    // Pages are written before the header.
    copy.pragma_update(None, "cache_size", 10).unwrap();
    let backup = Backup::new(&original, &mut copy).unwrap();
    while backup.step(7).unwrap() != StepResult::Done {}
    drop(backup);
    drop(copy);
    assert_eq!(read_all(&path, false).unwrap(), expected());
    assert!(all_correct(&path));
}

#[test]
fn a_copy_that_would_change_the_format_of_a_file_is_refused() {
    let directory = tempfile::tempdir().unwrap();
    let old = create_old_file(directory.path());
    let original = open(&old, OpenFlags::SQLITE_OPEN_READ_WRITE).unwrap();
    let new = directory.path().join("new");
    fs::create_dir(&new).unwrap();
    let path = create_file(&new);
    let mut target = open(&path, CREATE).unwrap();
    let backup = Backup::new(&original, &mut target).unwrap();
    let outcome = loop {
        match backup.step(7) {
            Ok(StepResult::Done) => break Ok(()),
            Ok(_) => {}
            Err(error) => break Err(error),
        }
    };
    assert!(outcome.is_err());
    drop(backup);
    drop(target);
    assert_eq!(read_all(&path, false).unwrap(), expected(), "it is as before");
}
