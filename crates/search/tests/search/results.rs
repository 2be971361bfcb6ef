//! The results of searches.

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
fn names_are_found_in_different_spellings() {
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
    for (text, index, kind) in cases {
        let found = bench.first(text).unwrap_or_else(|| panic!("{text}: nothing found"));
        assert_eq!((found.name.as_str(), found.kind_of_match), (NAMES[index], kind), "{text}");
    }
}

#[test]
fn a_different_name_is_never_an_exact_match() {
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
fn numbers_are_found_completely_and_by_their_beginning() {
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
fn a_number_is_found_in_any_format_with_its_city_and_pin_code() {
    let bench = Bench::with(&NAMES);
    let mut moved = company("L17110MH2001PLC990777", "Chalta Mills Limited");
    moved.former_cins = r#"["U17110GA1999PTC000801"]"#.into();
    moved.city = Some("Pune".into());
    moved.pincode = Some("411001".into());
    bench.store(moved);
    bench.catch_up();
    for text in [
        "CIN: L17110MH2001PLC990777",
        "l 17110 mh 2001 plc 990777",
        "L-17110-MH-2OO1-PLC-990777",
        "Kalpanik Industries (L17110MH2001PLC990777)",
        "U17110GA1999PTC000801",
        "former CIN u17110ga1999ptc000801 of it",
    ] {
        let hits = bench.find(text);
        assert_eq!(hits.companies.len(), 1, "{text}: {hits:?}");
        let found = &hits.companies[0];
        assert_eq!(
            (found.name.as_str(), found.kind_of_match),
            ("Chalta Mills Limited", Match::Cin),
            "{text}"
        );
        assert_eq!(
            (found.city.as_deref(), found.pincode.as_deref()),
            (Some("Pune"), Some("411001"))
        );
    }
    for text in ["L17110MH2001PLC990778", "L17110MH2001PLC9990777", "990777", "reg. no. 990777"] {
        let found = bench.first(text).unwrap_or_else(|| panic!("{text}: nothing found"));
        assert_eq!(
            (found.name.as_str(), found.kind_of_match),
            ("Chalta Mills Limited", Match::Fuzzy),
            "{text}"
        );
    }
}

#[test]
fn a_wrong_common_word_or_an_address_does_not_hide_a_name() {
    let mut names: Vec<String> = (b'a'..=b'z')
        .flat_map(|letter| ["Services", "Solutions"].map(|word| (char::from(letter), word)))
        .map(|(letter, word)| format!("Namuna{letter}{letter}{letter} {word} Limited"))
        .collect();
    names.extend(["Zenbari Solutions Limited", "Zenbado Services Limited"].map(str::to_owned));
    names.extend(["K.D. Films Limited", "Kharodia Films Limited"].map(str::to_owned));
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let bench = Bench::with(&names);
    for (text, name) in [
        ("zenbari services", "Zenbari Solutions Limited"),
        ("zenbari solutions limited, 4 carter road, mumbai", "Zenbari Solutions Limited"),
        ("zenbari solutions, mumbai branch", "Zenbari Solutions Limited"),
        ("k d films", "K.D. Films Limited"),
        ("kharodia films", "Kharodia Films Limited"),
    ] {
        assert_eq!(bench.first(text).map(|found| found.name).as_deref(), Some(name), "{text}");
    }
}

#[test]
fn names_are_read_in_the_scripts_of_india() {
    let bench = Bench::with(&NAMES);
    for (text, index) in [
        ("नमूना टेक्नोलॉजीज प्राइवेट लिमिटेड", 10),
        ("કલ્પનિક ઇન્ડસ્ટ્રીઝ", 0),
        ("நமூனா டெக்னாலஜீஸ்", 10),
        ("నమూనా టెక్నాలజీస్", 10),
        ("ನಮೂನಾ ಇಂಜಿನಿಯರಿಂಗ್ ಕಂಪನಿ", 5),
        ("നമൂന എഞ്ചിനീയറിംഗ് കമ്പനി", 5),
        ("নমুনা টেকনোলজিস", 10),
        ("ਕਲਪਨਿਕ ਇੰਡਸਟਰੀਜ਼", 0),
        ("ଛାୟା ଷ୍ଟିଲ", 7),
    ] {
        let found = bench.first(text).unwrap_or_else(|| panic!("{text}: nothing found"));
        let same = found.name.split(' ').next() == NAMES[index].split(' ').next();
        assert!(same, "{text}: {found:?}");
    }
}

#[test]
fn an_empty_result_has_the_words_that_were_not_understood() {
    let bench = Bench::with(&NAMES);
    let hits = bench.find("qzxqzx wvvkj");
    assert_eq!(
        (hits.total, hits.not_understood),
        (0, vec!["qzxqzx".to_owned(), "wvvkj".to_owned()])
    );
    assert_eq!(bench.find("kalpanik").not_understood, Vec::<String>::new());
}

#[test]
fn a_legal_form_alone_finds_nothing_and_is_not_called_unknown() {
    let bench = Bench::with(&NAMES);
    for text in ["limited", "Private Limited", "LLP"] {
        let hits = bench.find(text);
        let outcome = (hits.total, hits.only_legal_form, hits.not_understood);
        assert_eq!(outcome, (0, true, Vec::new()), "{text}");
    }
    let hits = bench.find("qzxqzx limited");
    assert_eq!((hits.only_legal_form, hits.not_understood), (false, vec!["qzxqzx".to_owned()]));
}

#[test]
fn filters_select_matching_companies() {
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
fn any_query_gets_a_result() {
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
