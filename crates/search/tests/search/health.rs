//! A damaged, missing or foreign index is noticed and made anew.

use std::fs;
use std::path::PathBuf;

use panji_testkit::records::company;

use crate::bench::{Bench, cin};

const NAMES: [&str; 3] = ["Kalpanik Mills Limited", "Dhaga Garments LLP", "Namuna Foods Limited"];

/// The files of the current generation that hold data.
fn files(bench: &Bench) -> Vec<PathBuf> {
    let mut files: Vec<PathBuf> =
        fs::read_dir(bench.generation()).unwrap().map(|entry| entry.unwrap().path()).collect();
    // The rest are locks and lists; what is wrong with those shows when the index is opened.
    let held = |file: &PathBuf| file.file_name().is_some_and(|name| name.len() > 32);
    files.retain(held);
    files.sort();
    files
}

fn heals_after(damage: impl Fn(&PathBuf)) {
    let count = files(&Bench::with(&NAMES)).len();
    assert!(count > 3, "{count} files");
    for place in 0..count {
        let mut bench = Bench::with(&NAMES);
        let before = bench.generation();
        let file = files(&bench)[place].clone();
        damage(&file);
        bench.restart();
        bench.follow_until(|search| {
            search.building().is_none() && search.reaches_up_to().is_some() && !before.exists()
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
fn a_bit_that_flipped_in_any_file_is_found_and_healed() {
    heals_after(|file| {
        let mut bytes = fs::read(file).unwrap();
        let middle = bytes.len() / 2;
        bytes[middle] ^= 4;
        fs::write(file, bytes).unwrap();
    });
}

#[test]
fn lists_of_files_that_are_garbage_are_found_and_healed() {
    for list in ["meta.json", ".managed.json"] {
        let mut bench = Bench::with(&NAMES);
        fs::write(bench.generation().join(list), "garbage").unwrap();
        bench.restart();
        bench.catch_up();
        assert_eq!(bench.names("dhaga"), ["Dhaga Garments LLP"], "{list}");
    }
}

#[test]
fn a_truncated_file_is_found_and_healed() {
    heals_after(|file| {
        let length = fs::metadata(file).unwrap().len();
        fs::File::options().write(true).open(file).unwrap().set_len(length / 2).unwrap();
    });
}

#[test]
fn a_missing_file_is_found_and_healed() {
    heals_after(|file| fs::remove_file(file).unwrap());
}

#[test]
fn an_index_that_is_taken_away_while_serving_is_made_anew() {
    let bench = Bench::with(&NAMES);
    fs::remove_dir_all(bench.index()).unwrap();
    assert_eq!(bench.names("dhaga"), ["Dhaga Garments LLP"], "what is open still answers");
    bench.follow_until(|_| bench.index().join("current").exists());
    bench.store(company(&cin(9), "Chaya Steel Limited"));
    bench.catch_up();
    assert_eq!(bench.names("chaya"), ["Chaya Steel Limited"]);
}

#[test]
fn an_index_of_another_analysis_is_made_anew() {
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
fn what_an_older_program_left_in_the_directory_is_cleared_away() {
    let mut bench = Bench::new();
    fs::write(bench.index().join("meta.json"), "{}").unwrap();
    fs::create_dir(bench.index().join("draft-7")).unwrap();
    bench.restart();
    bench.catch_up();
    assert!(!bench.index().join("meta.json").exists());
    assert!(!bench.index().join("draft-7").exists());
}

#[test]
fn a_register_that_was_made_anew_gets_a_new_index() {
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
