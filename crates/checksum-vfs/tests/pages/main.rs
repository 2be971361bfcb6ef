//! Files whose pages have checksums, tested on real files.
#![allow(clippy::unwrap_used, reason = "a test stops at the first thing that goes wrong")]

mod other_programs;

use std::fs;
use std::os::fd::AsRawFd;
use std::path::{Path, PathBuf};

use panji_checksum_vfs::{PAGE, is_damage, open, take_damaged_page};
use rusqlite::backup::Backup;
use rusqlite::{Connection, OpenFlags};

const CREATE: OpenFlags = OpenFlags::SQLITE_OPEN_READ_WRITE.union(OpenFlags::SQLITE_OPEN_CREATE);

/// A closed file of many pages, so that nothing is left in the WAL.
fn create_file(directory: &Path) -> PathBuf {
    let path = directory.join("made.db");
    let connection = open(&path, CREATE).unwrap();
    connection.pragma_update(None, "journal_mode", "wal").unwrap();
    connection
        .execute_batch(
            "create table things (id integer primary key, name text not null);
             create index by_name on things (name);
             with recursive numbers (n) as (select 1 union all select n + 1 from numbers where n < 5000)
             insert into things select n, 'thing ' || n from numbers;",
        )
        .unwrap();
    path
}

/// All names by two queries, with or without the memory map.
fn read_all(path: &Path, mapped: bool) -> rusqlite::Result<Vec<String>> {
    let connection = open(path, OpenFlags::SQLITE_OPEN_READ_ONLY)?;
    connection.pragma_update(None, "mmap_size", if mapped { 1 << 30 } else { 0 })?;
    let mut names = Vec::new();
    for sql in ["select name from things not indexed", "select name from things order by name"] {
        let mut statement = connection.prepare(sql)?;
        let read = statement.query_map([], |row| row.get(0))?;
        names.extend(read.collect::<rusqlite::Result<Vec<String>>>()?);
    }
    names.sort_unstable();
    Ok(names)
}

fn expected() -> Vec<String> {
    let mut names: Vec<_> =
        (1..=5000).flat_map(|n| [format!("thing {n}"), format!("thing {n}")]).collect();
    names.sort_unstable();
    names
}

#[test]
fn a_file_is_read_unchanged() {
    let directory = tempfile::tempdir().unwrap();
    let path = create_file(directory.path());
    for mapped in [false, true] {
        assert_eq!(read_all(&path, mapped).unwrap(), expected());
    }
    let plain = Connection::open_with_flags(&path, OpenFlags::SQLITE_OPEN_READ_ONLY).unwrap();
    let verdict: String = plain.query_row("pragma integrity_check", [], |row| row.get(0)).unwrap();
    assert_eq!(verdict, "ok", "any SQLite can read it");
}

#[test]
fn a_flipped_bit_anywhere_is_an_error_of_its_page() {
    let directory = tempfile::tempdir().unwrap();
    let path = create_file(directory.path());
    let original = fs::read(&path).unwrap();
    let (mut detected, pages) = (0, original.len() / PAGE);
    assert!(pages > 40, "{pages} pages");
    for page in 0..pages {
        let mut flipped = original.clone();
        flipped[page * PAGE + page * 997 % PAGE] ^= 1 << (page % 8);
        fs::write(&path, flipped).unwrap();
        for mapped in [false, true] {
            match read_all(&path, mapped) {
                Ok(_) => panic!("page {page} was read without an error"),
                Err(error) if is_damage(&error) => {
                    assert_eq!(take_damaged_page(), Some(page as u32 + 1));
                    detected += 1;
                }
                Err(error) => {
                    assert_eq!(page, 0, "only the header is checked before: {error}");
                    detected += 1;
                }
            }
        }
    }
    assert_eq!(detected, pages * 2, "every page of this file is read");
}

#[test]
fn a_flipped_bit_in_a_long_value_is_an_error() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("long.db");
    let connection = open(&path, CREATE).unwrap();
    let long = "a long value ".repeat(10_000);
    connection.execute_batch("create table things (name text not null)").unwrap();
    connection.execute("insert into things values ($1)", [&long]).unwrap();
    drop(connection);
    let original = fs::read(&path).unwrap();
    for offset in (2 * PAGE + 100..original.len()).step_by(PAGE) {
        let mut flipped = original.clone();
        flipped[offset] ^= 1;
        fs::write(&path, flipped).unwrap();
        for mapped in [false, true] {
            let connection = open(&path, OpenFlags::SQLITE_OPEN_READ_ONLY).unwrap();
            connection.pragma_update(None, "mmap_size", if mapped { 1 << 30 } else { 0 }).unwrap();
            let read = connection.query_row("select name from things", [], |row| row.get(0));
            let read: rusqlite::Result<String> = read;
            assert!(is_damage(&read.unwrap_err()), "at {offset}");
        }
    }
}

#[test]
fn a_file_truncated_inside_a_page_is_an_error() {
    let directory = tempfile::tempdir().unwrap();
    let path = create_file(directory.path());
    let original = fs::read(&path).unwrap();
    fs::write(&path, &original[..original.len() - 100]).unwrap();
    for mapped in [false, true] {
        assert!(is_damage(&read_all(&path, mapped).unwrap_err()));
    }
}

/// Whether anyone, this process included, holds a lock that forbids a writer to take all bytes of a
/// file. The question is asked for an open file description, for which the process's own locks
/// count as foreign ones.
fn is_locked(file: &fs::File) -> bool {
    let mut lock = libc::flock {
        l_type: libc::F_WRLCK as libc::c_short,
        l_whence: libc::SEEK_SET as libc::c_short,
        l_start: 0,
        l_len: 0,
        l_pid: 0,
    };
    // SAFETY: the descriptor is open, and the kernel writes one `flock` to a valid pointer.
    let result = unsafe { libc::fcntl(file.as_raw_fd(), libc::F_OFD_GETLK, &mut lock) };
    assert_eq!(result, 0, "{}", std::io::Error::last_os_error());
    lock.l_type != libc::F_UNLCK as libc::c_short
}

#[test]
fn opening_a_file_again_keeps_its_locks() {
    let directory = tempfile::tempdir().unwrap();
    let path = create_file(directory.path());
    // Opened first and closed last: closing a descriptor releases the process's locks on the file.
    let observer = fs::File::open(&path).unwrap();
    assert!(!is_locked(&observer));
    let first = open(&path, CREATE).unwrap();
    let all = "select count(*) from things";
    first.query_row(all, [], |row| row.get::<_, i64>(0)).unwrap();
    assert!(is_locked(&observer));
    let second = open(&path, CREATE).unwrap();
    second.query_row(all, [], |row| row.get::<_, i64>(0)).unwrap();
    assert!(is_locked(&observer));
    drop(second);
    assert!(is_locked(&observer));
}

#[test]
fn a_page_at_the_position_of_another_is_an_error() {
    let directory = tempfile::tempdir().unwrap();
    let path = create_file(directory.path());
    let mut bytes = fs::read(&path).unwrap();
    bytes.copy_within(20 * PAGE..21 * PAGE, 21 * PAGE);
    fs::write(&path, bytes).unwrap();
    assert!(is_damage(&read_all(&path, true).unwrap_err()));
}

#[test]
fn pages_get_a_checksum_when_the_wal_is_checkpointed() {
    let directory = tempfile::tempdir().unwrap();
    let path = create_file(directory.path());
    let connection = open(&path, CREATE).unwrap();
    connection.execute("update things set name = name || '!'", []).unwrap();
    connection.execute("delete from things where id > 4000", []).unwrap();
    connection.execute_batch("pragma wal_checkpoint(truncate); vacuum").unwrap();
    drop(connection);
    let names = read_all(&path, true).unwrap();
    assert_eq!(names.len(), 8000);
    assert!(names.iter().all(|name| name.ends_with('!')));
}

#[test]
fn a_backup_has_checksums() {
    let directory = tempfile::tempdir().unwrap();
    let source = open(&create_file(directory.path()), CREATE).unwrap();
    source.execute("update things set name = name || ''", []).unwrap();
    let path = directory.path().join("copy.db");
    let mut copy = open(&path, CREATE).unwrap();
    let backup = Backup::new(&source, &mut copy).unwrap();
    while backup.step(10).unwrap() != rusqlite::backup::StepResult::Done {}
    drop(backup);
    drop(copy);
    assert_eq!(read_all(&path, true).unwrap(), expected());
    let mut bytes = fs::read(&path).unwrap();
    bytes[30 * PAGE + 4000] ^= 4;
    fs::write(&path, bytes).unwrap();
    assert!(is_damage(&read_all(&path, true).unwrap_err()));
}

#[test]
fn a_file_without_checksums_is_refused() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("plain.db");
    Connection::open(&path).unwrap().execute_batch("create table things (id integer)").unwrap();
    let error = open(&path, CREATE).unwrap_err();
    assert!(error.to_string().contains("have no checksums"), "{error}");
}
