//! A damaged, missing or foreign index is detected and rebuilt.

use std::fs;
use std::path::PathBuf;

use panji_testkit::records::company;

use crate::bench::{Bench, cin};

const NAMES: [&str; 3] = ["Kalpanik Mills Limited", "Dhaga Garments LLP", "Namuna Foods Limited"];

/// The data files of the current generation.
fn files(bench: &Bench) -> Vec<PathBuf> {
    let mut files: Vec<PathBuf> =
        fs::read_dir(bench.generation()).unwrap().map(|entry| entry.unwrap().path()).collect();
    // The rest are locks and lists; their damage is detected when the index is opened.
    let is_data = |file: &PathBuf| file.file_name().is_some_and(|name| name.len() > 32);
    files.retain(is_data);
    files.sort();
    files
}

fn check_rebuild_after(damage: impl Fn(&PathBuf)) {
    let count = files(&Bench::with(&NAMES)).len();
    assert!(count > 3, "{count} files");
    for index in 0..count {
        let mut bench = Bench::with(&NAMES);
        let before = bench.generation();
        let file = files(&bench)[index].clone();
        damage(&file);
        bench.restart();
        bench.follow_until(|search| {
            search.building().is_none() && search.indexed_change().is_some() && !before.exists()
        });
        for name in NAMES {
            assert_eq!(
                bench.first(name).map(|found| found.name).as_deref(),
                Some(name),
                "{file:?}"
            );
        }
    }
}

#[test]
fn a_flipped_bit_in_any_file_is_detected_and_the_index_rebuilt() {
    check_rebuild_after(|file| {
        let mut bytes = fs::read(file).unwrap();
        let middle = bytes.len() / 2;
        bytes[middle] ^= 4;
        fs::write(file, bytes).unwrap();
    });
}

#[test]
fn damaged_lists_of_files_are_detected_and_the_index_rebuilt() {
    for list in ["meta.json", ".managed.json"] {
        let mut bench = Bench::with(&NAMES);
        fs::write(bench.generation().join(list), "garbage").unwrap();
        bench.restart();
        bench.catch_up();
        assert_eq!(bench.names("dhaga"), ["Dhaga Garments LLP"], "{list}");
    }
}

#[test]
fn a_truncated_file_is_detected_and_the_index_rebuilt() {
    check_rebuild_after(|file| {
        let length = fs::metadata(file).unwrap().len();
        fs::File::options().write(true).open(file).unwrap().set_len(length / 2).unwrap();
    });
}

#[test]
fn a_missing_file_is_detected_and_the_index_rebuilt() {
    check_rebuild_after(|file| fs::remove_file(file).unwrap());
}

#[test]
fn an_index_that_is_removed_while_serving_is_rebuilt() {
    let bench = Bench::with(&NAMES);
    fs::remove_dir_all(bench.index()).unwrap();
    assert_eq!(bench.names("dhaga"), ["Dhaga Garments LLP"], "the open index is still searched");
    bench.follow_until(|_| bench.index().join("current").exists());
    bench.store(company(&cin(9), "Chaya Steel Limited"));
    bench.catch_up();
    assert_eq!(bench.names("chaya"), ["Chaya Steel Limited"]);
}

#[test]
fn an_index_of_another_analysis_is_rebuilt() {
    let mut bench = Bench::with(&NAMES);
    let before = bench.generation();
    let meta = before.join("meta.json");
    let text = fs::read_to_string(&meta).unwrap();
    let other = text.replace("analysis\\\":", "analysis\\\":9");
    assert_ne!(text, other);
    fs::write(&meta, other).unwrap();
    bench.restart();
    assert_eq!(bench.search.building(), Some(0));
    bench.catch_up();
    assert_ne!(bench.generation(), before);
    assert_eq!(bench.names("dhaga"), ["Dhaga Garments LLP"]);
}

#[test]
fn files_of_an_older_program_are_removed() {
    let mut bench = Bench::new();
    fs::write(bench.index().join("meta.json"), "{}").unwrap();
    fs::create_dir(bench.index().join("draft-7")).unwrap();
    bench.restart();
    bench.catch_up();
    assert!(!bench.index().join("meta.json").exists());
    assert!(!bench.index().join("draft-7").exists());
}

#[test]
fn a_new_register_gets_a_new_index() {
    let first = Bench::with(&NAMES);
    let second = Bench::new();
    second.store(company(&cin(0), "Chaya Steel Limited"));
    fs::remove_dir_all(second.index()).unwrap();
    copy(&first.index(), &second.index());
    let mut second = second;
    second.restart();
    second.catch_up();
    assert_eq!(second.names("kalpanik"), Vec::<String>::new());
    assert_eq!(second.names("chaya"), ["Chaya Steel Limited"]);
}

fn copy(from: &PathBuf, to: &PathBuf) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        if entry.path().is_dir() {
            copy(&entry.path(), &target);
        } else {
            fs::copy(entry.path(), target).unwrap();
        }
    }
}
