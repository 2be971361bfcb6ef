//! The index of directors: built, followed, and searched by the ways in which people's names are written.

use std::sync::Arc;

use panji_search::{IndexKind, Match, Search, follow};
use panji_store::register::{Appointment, Director, Record};
use panji_testkit::NOW_MS;
use tokio::sync::watch;

use crate::bench::Bench;

fn director(din: &str, name: &str) -> Record {
    Record::Director(Director {
        din: din.into(),
        name: name.into(),
        status: "approved".into(),
        as_of: Some("2026-01-31".into()),
        source: "panji".into(),
        ..Director::default()
    })
}

fn appointment(din: &str, name: &str) -> Record {
    Record::Appointment(Appointment {
        cin: "U17110MH2001PTC990001".into(),
        din: din.into(),
        appointed_on: "2020-01-01".into(),
        name: name.into(),
        designation: "director".into(),
        as_of: Some("2026-01-31".into()),
        source: "panji".into(),
        ..Appointment::default()
    })
}

/// Stores records and follows them in the index of directors.
fn followed(bench: &Bench, search: &Arc<Search>, records: &[Record]) {
    bench.runtime.block_on(async {
        bench.register.store_batch(records, NOW_MS).await.unwrap();
        let newest = bench.register.newest_change().await.unwrap();
        let (stop, stopped) = watch::channel(false);
        let follower = tokio::spawn(follow(search.clone(), bench.register.clone(), stopped));
        while search.indexed_change() != Some(newest) {
            assert!(!follower.is_finished(), "the follower ended");
            panji_testkit::pause().await;
        }
        stop.send(true).unwrap();
        follower.await.unwrap();
    });
}

fn opened(bench: &Bench) -> Arc<Search> {
    let directory = bench.index().with_file_name("index-directors");
    Arc::new(Search::open(IndexKind::Directors, &directory).unwrap())
}

fn found(search: &Search, text: &str) -> Vec<(String, Match)> {
    let hits = search.find_directors(text, 10).unwrap();
    hits.directors.into_iter().map(|found| (found.din, found.kind_of_match)).collect()
}

#[test]
fn a_person_is_found_however_the_name_is_written() {
    let bench = Bench::new();
    let search = opened(&bench);
    let people = [
        director("99000001", "Rakesh Kumar Sharma"),
        director("99000002", "Lakshmi Narayanan"),
        director("99000003", "S. Ramanathan"),
        director("99000004", "Chaya Udaharan"),
        appointment("99000005", "Kevala Niyukta"),
    ];
    followed(&bench, &search, &people);
    let cases = [
        ("Rakesh Kumar Sharma", "99000001", Match::Exact),
        ("Shri Rakesh Kumar Sharma", "99000001", Match::Exact),
        ("sharma rakesh kumar", "99000001", Match::Words),
        ("R K Sharma", "99000001", Match::Words),
        ("R.K. Sharma", "99000001", Match::Words),
        ("Rakesh Sharma", "99000001", Match::Words),
        ("Rakesh Kumar Sarma", "99000001", Match::Fuzzy),
        ("Laxmi Narayanan", "99000002", Match::Fuzzy),
        ("Ramanathan Subramaniam", "99000003", Match::Words),
        ("Kevala Niyukta", "99000005", Match::Exact),
    ];
    for (text, din, kind) in cases {
        let found = found(&search, text);
        assert_eq!(found.first(), Some(&(din.to_owned(), kind)), "{text}: {found:?}");
    }
    assert_eq!(found(&search, "Zzzz Qqqq"), []);
    let by_initials = search.find_directors("R K Sharma", 1).unwrap().directors.remove(0);
    assert!(by_initials.score < 0.8, "initials are not the name: {}", by_initials.score);
    assert_eq!(by_initials.matched_name, None);
}

#[test]
fn changes_of_persons_and_of_their_appointments_are_followed() {
    let bench = Bench::new();
    let search = opened(&bench);
    followed(&bench, &search, &[appointment("99000001", "Purana Naam")]);
    assert_eq!(found(&search, "purana naam").len(), 1);
    followed(&bench, &search, &[director("99000001", "Naya Naam")]);
    let hits = search.find_directors("naya naam", 10).unwrap();
    assert_eq!(hits.directors.len(), 1, "one document per person");
    assert_eq!(hits.directors[0].status, "approved");
    let by_appointment = search.find_directors("purana naam", 10).unwrap().directors.remove(0);
    assert_eq!(by_appointment.matched_name.as_deref(), Some("Purana Naam"));
    let again = opened(&bench);
    assert_eq!(found(&again, "naya naam").len(), 1, "after a restart");
}
