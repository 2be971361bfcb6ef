//! Tests of search, identity and the sections of a company in the sandbox.

use serde_json::Value;

use crate::ask::get;
use crate::server::{Server, serve};
use crate::snapshots::assert_response;

const LISTED: &str = "L17111MH1994PLC990011";
const SMALL: &str = "U72900KA2017PTC990462";
const LLP: &str = "ZZA-1204";
const FOREIGN: &str = "F99101";
const NOTHING: &str = "U99999DL1956PTC990001";

async fn check(server: &Server, cases: &[(&str, String)]) {
    for (name, path) in cases {
        let response = assert_response(server, name, get(path)).await;
        assert_eq!(response.status, 200, "{path}");
    }
}

#[test]
fn search_finds_by_name_by_number_and_within_filters() {
    serve(&[], async |server| {
        let search = |query: &str| format!("/v1/companies/search?{query}");
        check(
            server,
            &[
                ("search-by-name", search("q=kalpanik%20ind&limit=2")),
                ("search-by-cin", search(&format!("q={LISTED}&limit=1"))),
                ("search-by-lower-case-cin", search("q=l17111mh1994plc990011&limit=1")),
                ("search-by-beginning-of-a-cin", search("q=L17111MH&limit=2")),
                ("search-by-llpin", search("q=zza1204&limit=1")),
                ("search-by-fcrn", search("q=F99101&limit=1")),
                ("search-by-former-name", search("q=Kalpanik+Mills+Limited&limit=1")),
                ("search-with-a-typing-error", search("q=kalpanik%20industreis&limit=1")),
                ("search-within-a-state", search("q=kalpanik&state=pn")),
                ("search-within-a-status", search("q=kalpanik&status=amalgamated")),
                ("search-among-listed", search("q=kalpanik&listed=true")),
                ("search-with-an-ampersand", search("q=Dhaga+%26+Sui&limit=1")),
                ("search-for-nothing-there-is", search("q=qzxqzxqzx")),
            ],
        )
        .await;
    });
}

#[test]
fn search_results_are_scored_between_0_and_1_best_first() {
    serve(&[], async |server| {
        let key = server.test_key().await;
        for text in ["kalpanik", "private", "laxmi", "u17", "udaharan+nigam", "chhya"] {
            let path = format!("/v1/companies/search?q={text}&limit=50");
            let response = server.send(get(path).key(&key)).await;
            let found = response.expect_data()["companies"].as_array().unwrap();
            let scores: Vec<f64> =
                found.iter().map(|company| company["score"].as_f64().unwrap()).collect();
            assert!(scores.iter().all(|score| (0.0..=1.0).contains(score)), "{text}: {scores:?}");
            assert!(scores.is_sorted_by(|better, worse| better >= worse), "{text}: {scores:?}");
            let total = response.data()["total"].as_u64().unwrap();
            assert!(total as usize >= found.len() && found.len() <= 50, "{text}");
        }
    });
}

#[test]
fn a_former_number_in_a_search_finds_the_company_that_had_it() {
    serve(&[], async |server| {
        let key = server.test_key().await;
        for former in ["U17111MH1994PTC990011", "u17111mh1994plc990011"] {
            let path = format!("/v1/companies/search?q={former}&limit=1");
            let response = server.send(get(path).key(&key)).await;
            assert_eq!(response.expect_data()["companies"][0]["cin"], LISTED, "{former}");
        }
    });
}

#[test]
fn a_former_name_is_returned_only_if_the_present_one_does_not_match() {
    serve(&[], async |server| {
        let key = server.test_key().await;
        for (text, matched_name) in [
            ("kalpanik", Value::Null),
            ("kalpanik+industries", Value::Null),
            ("kalpanik+mills+private+limited", "Kalpanik Mills Private Limited".into()),
        ] {
            let path = format!("/v1/companies/search?q={text}&listed=true&limit=1");
            let response = server.send(get(path).key(&key)).await;
            let first = &response.expect_data()["companies"][0];
            assert_eq!(
                (&first["cin"], &first["matched_name"]),
                (&LISTED.into(), &matched_name),
                "{text}"
            );
        }
    });
}

#[test]
fn a_company_is_found_by_every_spelling_of_its_numbers() {
    serve(&[], async |server| {
        let company = |cin: &str| format!("/v1/companies/{cin}");
        check(
            server,
            &[
                ("company-listed", company(LISTED)),
                ("company-llp", company(LLP)),
                ("company-foreign", company(FOREIGN)),
                ("company-with-nothing", company(NOTHING)),
                ("company-one-person", company("U52396MP2017OPC990447")),
            ],
        )
        .await;
        let key = server.test_key().await;
        for (present, other) in [
            (LISTED, "l17111mh1994plc990011"),
            (LISTED, "%20%20L17111MH1994PLC990011%20"),
            (LISTED, "U17111MH1994PTC990011"),
            (LISTED, "u17111mh1994plc990011"),
            ("L24230GJ1991PLC990033", "L24230MH1991PLC990633"),
            (LLP, "zza-1204"),
            (LLP, "ZZA1204"),
            (LLP, "%20zza1204"),
            (FOREIGN, "f99101"),
            ("F990103", "f990103"),
        ] {
            let expected = server.send(get(company(present)).key(&key)).await;
            let response = server.send(get(company(other)).key(&key)).await;
            assert_eq!(response.expect_data(), expected.expect_data(), "{other}");
            assert_eq!(response.data()["cin"], present);
        }
    });
}

#[test]
fn each_section_of_a_company_is_complete() {
    serve(&[], async |server| {
        let section = |cin: &str, name: &str| format!("/v1/companies/{cin}/{name}");
        check(
            server,
            &[
                ("pan-found", section(LISTED, "pan")),
                ("profile-small", section(SMALL, "profile")),
                ("profile-llp", section(LLP, "profile")),
                ("profile-foreign", section(FOREIGN, "profile")),
                ("financials-small", section(SMALL, "financials")),
                ("financials-to-the-paisa", section("U52396MP2017OPC990447", "financials")),
                ("directors-llp", section(LLP, "directors")),
                ("directors-former-cin", section("U72900KA2017OPC990462", "directors")),
                ("charges-downgraded", section("L24230GJ1991PLC990033", "charges")),
                ("compliance-overdue", section("U01119SK2019PTC990544", "compliance")),
                ("compliance-downgraded", section("L17232WB1919PLC990002", "compliance")),
            ],
        )
        .await;
    });
}

#[test]
fn a_company_without_data_has_every_field_empty() {
    serve(&[], async |server| {
        let sections =
            ["pan", "profile", "financials", "directors", "charges", "compliance", "documents"];
        for section in sections {
            let path = format!("/v1/companies/{NOTHING}/{section}");
            assert_response(server, &format!("nothing-{section}"), get(path)).await;
        }
    });
}
