//! Generations: built by any process and switched without a pause.

use std::sync::Mutex;

use panji_search::{BuildObserver, BuildOutcome, Generations, IndexKind, build};
use panji_testkit::records::company;

use crate::bench::{Bench, cin};

/// Stops a build after this many companies.
struct StopAfter(u64);

impl BuildObserver for StopAfter {
    fn should_continue(&self, companies: u64) -> bool {
        companies < self.0
    }
}

const NEVER_STOP: StopAfter = StopAfter(u64::MAX);

fn entries(bench: &Bench) -> Vec<String> {
    let entries = std::fs::read_dir(bench.index()).unwrap();
    let mut names: Vec<String> =
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

#[test]
fn changes_are_followed_and_a_renamed_company_is_found_by_both_names() {
    let bench = Bench::with(&["Kalpanik Mills Limited", "Dhaga Garments Limited"]);
    assert_eq!(bench.names("kalpanik mills"), ["Kalpanik Mills Limited"]);
    let mut renamed = company(&cin(0), "Namuna Foods Limited");
    renamed.former_names = r#"[{"name":"Kalpanik Mills Limited","until":"2026-01-01"}]"#.into();
    renamed.as_of = Some("2026-02-01".into());
    bench.store(renamed);
    bench.catch_up();
    let found = bench.first("kalpanik mills").unwrap();
    assert_eq!(found.name, "Namuna Foods Limited");
    assert_eq!(found.matched_name.as_deref(), Some("Kalpanik Mills Limited"));
    assert_eq!(bench.first("namuna foods").unwrap().matched_name, None);
    assert_eq!(bench.find("namuna").total, 1);
}

#[test]
fn a_company_with_a_new_number_is_listed_once() {
    let bench = Bench::with(&["Kalpanik Mills Private Limited"]);
    let mut moved = company("L17110MH2001PLC990777", "Kalpanik Mills Limited");
    moved.former_cins = format!("[\"{}\"]", cin(0));
    bench.store(moved);
    bench.catch_up();
    let numbers = |bench: &Bench| -> Vec<String> {
        bench.find("kalpanik mills").companies.into_iter().map(|found| found.cin).collect()
    };
    assert_eq!(numbers(&bench), ["L17110MH2001PLC990777"]);
    let generations = Generations::open(&bench.index()).unwrap();
    bench
        .runtime
        .block_on(build(&generations, IndexKind::Companies, &bench.register, &NEVER_STOP))
        .unwrap();
    bench.catch_up();
    assert_eq!(numbers(&bench), ["L17110MH2001PLC990777"], "after a full build too");
}

#[test]
fn a_new_generation_of_another_process_is_used_while_serving() {
    let bench = Bench::with(&["Kalpanik Mills Limited"]);
    let before = bench.generation();
    // Like `panji reindex` in another process.
    let generations = Generations::open(&bench.index()).unwrap();
    let outcome = bench
        .runtime
        .block_on(build(&generations, IndexKind::Companies, &bench.register, &NEVER_STOP))
        .unwrap();
    assert!(matches!(outcome, BuildOutcome::Built(built) if built.records == 1));
    let after = bench.generation();
    assert_ne!(before, after);
    assert_eq!(bench.names("kalpanik"), ["Kalpanik Mills Limited"], "it is still searched");
    bench.store(company(&cin(1), "Dhaga Garments Limited"));
    bench.catch_up();
    assert_eq!(bench.names("dhaga"), ["Dhaga Garments Limited"]);
    assert!(!before.exists() && after.exists());
    assert_eq!(entries(&bench).len(), 3, "{:?}", entries(&bench));
}

#[test]
fn a_stopped_build_leaves_only_the_old_generation() {
    let bench = Bench::with(&["Kalpanik Mills Limited"]);
    let before = entries(&bench);
    let generations = Generations::open(&bench.index()).unwrap();
    let outcome = bench
        .runtime
        .block_on(build(&generations, IndexKind::Companies, &bench.register, &StopAfter(0)))
        .unwrap();
    assert!(matches!(outcome, BuildOutcome::Stopped));
    assert_eq!(entries(&bench), before);
}

#[test]
fn a_second_build_at_the_same_time_is_skipped() {
    let bench = Bench::with(&["Kalpanik Mills Limited"]);
    let generations = Generations::open(&bench.index()).unwrap();
    let other = Generations::open(&bench.index()).unwrap();
    let lock = other.lock().unwrap().expect("nobody builds yet");
    let outcome = bench
        .runtime
        .block_on(build(&generations, IndexKind::Companies, &bench.register, &NEVER_STOP))
        .unwrap();
    assert!(matches!(outcome, BuildOutcome::AlreadyBuilding));
    drop(lock);
    let outcome = bench
        .runtime
        .block_on(build(&generations, IndexKind::Companies, &bench.register, &NEVER_STOP))
        .unwrap();
    assert!(matches!(outcome, BuildOutcome::Built(_)));
}

#[test]
fn the_state_building_is_reported_until_the_first_build_is_complete() {
    let bench = Bench::new();
    bench.store(company(&cin(0), "Kalpanik Mills Limited"));
    assert_eq!(bench.search.building(), Some(0));
    assert_eq!(bench.find("kalpanik").total, 0);
    bench.catch_up();
    assert_eq!(bench.search.building(), None);
    assert_eq!(bench.find("kalpanik").total, 1);
}

#[test]
fn searches_continue_while_generations_change() {
    let bench = Bench::with(&["Kalpanik Mills Limited"]);
    let (missed, done) = (Mutex::new(0), Mutex::new(false));
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                while !*done.lock().unwrap() {
                    if bench.find("kalpanik mills").companies.len() != 1 {
                        *missed.lock().unwrap() += 1;
                    }
                }
            });
        }
        for round in 0..5 {
            let generations = Generations::open(&bench.index()).unwrap();
            bench
                .runtime
                .block_on(build(&generations, IndexKind::Companies, &bench.register, &NEVER_STOP))
                .unwrap();
            bench.store(company(&cin(1 + round), "Dhaga Garments Limited"));
            bench.catch_up();
        }
        *done.lock().unwrap() = true;
    });
    assert_eq!(*missed.lock().unwrap(), 0);
}
