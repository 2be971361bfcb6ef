//! What a search box would show.

use panji_search::{Match, SearchRequest};
use panji_testkit::records::company;

use crate::bench::{Bench, cin};

const NAMES: [&str; 12] = [
    "Kalpanik Industries Limited",
    "Kalpanik Industries Private Limited",
    "Sri Lakshmi Dhaga Mills Private Limited",
    "Bharatgas Namuna Limited",
    "K.V.Q. Pump Works Private Limited",
    "Namuna Engineering Company Limited",
    "Twenty First Chaya Ventures LLP",
    "Chaya Steel and Alloys Private Limited",
    "Dhaga & Sui Garments LLP",
    "Zenbari Pharmaceuticals Limited",
    "Namuna Technologies Private Limited",
    "Ozhukku Infrastructure Private Limited",
];

#[test]
fn names_are_found_however_they_are_typed() {
    let bench = Bench::with(&NAMES);
    let cases = [
        ("kalpanik industries ltd", 0, Match::Exact),
        ("KALPANIK INDUSTRIES PVT. LTD.", 1, Match::Exact),
        ("shree laxmi dhaga mills", 2, Match::Fuzzy),
        ("श्री लक्ष्मी धागा मिल्स", 2, Match::Fuzzy),
        ("bharat gas namuna", 3, Match::Exact),
        ("kvq pump", 4, Match::Prefix),
        ("k v q pump works", 4, Match::Exact),
        ("namuna engg co", 5, Match::Exact),
        ("21st chaya ventures", 6, Match::Exact),
        ("steel chaya alloys", 7, Match::Words),
        ("dhaga and sui garments", 8, Match::Exact),
        ("dhaga sui garment", 8, Match::Exact),
        ("zenbari pharma", 9, Match::Prefix),
        ("zenbair phramaceuticals", 9, Match::Fuzzy),
        ("namuna tech pvt ltd", 10, Match::Prefix),
        ("ozhuku infra", 11, Match::Fuzzy),
        ("ozh", 11, Match::Prefix),
        ("oz", 11, Match::Prefix),
        ("o", 11, Match::Prefix),
        ("kalpanik industries private lim", 1, Match::Prefix),
    ];
    for (text, place, kind) in cases {
        let found = bench.first(text).unwrap_or_else(|| panic!("{text}: nothing found"));
        assert_eq!((found.name.as_str(), found.kind_of_match), (NAMES[place], kind), "{text}");
    }
}

#[test]
fn what_does_not_exist_is_never_exact() {
    let bench = Bench::with(&NAMES);
    for text in [
        "Kalpanik Industries LLP",
        "Kalpanik",
        "Kalpani Industries",
        "Sri Laxmi Dhaga Mills",
        "Chaya Steel",
        "Zenbari",
        "Qwertz Uiop Limited",
        "Namuna Engine Company",
    ] {
        let found = bench.find(text).companies;
        assert!(found.iter().all(|found| found.kind_of_match != Match::Exact), "{text}: {found:?}");
    }
}

#[test]
fn numbers_are_found_whole_and_by_their_beginning() {
    let bench = Bench::with(&NAMES);
    let mut llp = company("AAB-1234", "Jugnu Consulting LLP");
    llp.kind = "llp".into();
    bench.store(llp);
    bench.catch_up();
    for text in ["AAB-1234", "aab1234", "AAB-1"] {
        let found = bench.first(text).unwrap();
        assert_eq!((found.cin.as_str(), found.kind_of_match), ("AAB-1234", Match::Cin), "{text}");
    }
    assert_eq!(bench.first(&cin(3)).unwrap().name, NAMES[3]);
    assert_eq!(bench.find("U17110MH2001").total, NAMES.len());
}

#[test]
fn filters_keep_what_they_say() {
    let bench = Bench::with(&[
        "Kalpanik Mills Limited",
        "Kalpanik Foods Limited",
        "Kalpanik Steel Limited",
    ]);
    let mut other = company(&cin(1), "Kalpanik Foods Limited");
    other.state = Some("Goa".into());
    other.state_code = Some("GA".into());
    other.status = "struck_off".into();
    other.listed = Some(true);
    other.as_of = Some("2026-03-01".into());
    bench.store(other);
    bench.catch_up();
    let names = |request: SearchRequest<'_>| -> Vec<String> {
        let hits = bench.search.find(&request).unwrap();
        assert_eq!(hits.total, hits.companies.len());
        hits.companies.into_iter().map(|found| found.name).collect()
    };
    for text in ["kalpanik", "ka", "kalpnaik", "U17110"] {
        let request = SearchRequest { text, limit: 10, ..SearchRequest::default() };
        let goa = names(SearchRequest { state: Some("Goa"), ..request.clone() });
        assert_eq!(goa, ["Kalpanik Foods Limited"], "{text}");
        assert_eq!(
            names(SearchRequest { listed: Some(true), ..request.clone() }).len(),
            1,
            "{text}"
        );
        let active = names(SearchRequest { status: Some("active"), ..request.clone() });
        assert_eq!(active.len(), 2, "{text}");
        assert_eq!(names(SearchRequest { state: Some("Bihar"), ..request }).len(), 0, "{text}");
    }
}

#[test]
fn any_query_gets_an_answer() {
    let bench = Bench::with(&NAMES);
    let commas = ",".repeat(200);
    let long = "kalpanik ".repeat(22);
    let letters = "x".repeat(200);
    for text in [
        "",
        " ",
        "a",
        "a b c d e",
        "private limited",
        "and",
        "&",
        "(",
        "🦀",
        "٣",
        "मे",
        "\u{fffd}",
        "1",
        "the",
        &commas,
        &long,
        &letters,
        "é é é",
        "ÀÉ",
        "of of of of of of of of of of",
    ] {
        let found = bench.find(text);
        assert!(found.companies.iter().all(|found| (0.0..=1.0).contains(&found.score)), "{text}");
    }
}
