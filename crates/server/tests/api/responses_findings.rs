//! Tests of findings: over the sandbox's scenarios, and of a company of which nothing is known.

use panji_store::register::{Appointment, Record};
use panji_testkit::records;
use serde_json::Value;

use crate::ask::get;
use crate::server::{Server, serve, serve_embedded};
use crate::snapshots::assert_response;

async fn findings(server: &Server, cin: &str) -> Value {
    let key = server.test_key().await;
    let response = server.send(get(format!("/v1/companies/{cin}/findings")).key(&key)).await;
    assert_eq!(response.charged(), 5);
    response.expect_data().clone()
}

fn codes(data: &Value, list: &str) -> Vec<String> {
    let list = data[list].as_array().unwrap();
    list.iter().map(|one| one["code"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn the_stories_of_the_sandbox_are_found() {
    serve(&[], async |server| {
        for (cin, expected) in [
            // Under insolvency, nothing filed for years, loans above the net worth.
            (
                "U45203UP2007PTC990186",
                vec!["company_status", "overdue_filings", "charges_above_net_worth"],
            ),
            ("U01119SK2019PTC990544", vec!["overdue_filings"]),
            ("U22219DL2010PTC990224", vec!["company_status"]),
            ("U27310JH1995PLC990081", vec!["company_status"]),
        ] {
            let found = codes(&findings(server, cin).await, "findings");
            for code in expected {
                assert!(found.iter().any(|one| one == code), "{cin}: {code} is not in {found:?}");
            }
        }
    });
}

/// The rows of the guide's table of sample companies: a rule and a company.
fn guide_rows() -> Vec<(String, String)> {
    let guide = include_str!("../../../../docs/findings.md");
    let table = guide.split("## In the sandbox").nth(1).unwrap().split("## ").next().unwrap();
    let rows = table.lines().filter_map(|line| line.strip_prefix("| `")?.strip_suffix("` |"));
    rows.map(|row| row.split_once("` | `").unwrap())
        .map(|(code, cin)| (code.to_owned(), cin.to_owned()))
        .collect()
}

#[test]
fn every_rule_finds_something_about_the_company_that_the_guide_names() {
    serve_embedded(&[], async |server| {
        let rows = guide_rows();
        for (code, cin) in &rows {
            let found = codes(&findings(server, cin).await, "findings");
            assert!(found.contains(code), "{cin}: {code} is not in {found:?}");
        }
        let all = codes(&findings(server, "L17111MH1994PLC990011").await, "checked");
        let shown: Vec<String> = rows.into_iter().map(|(code, _)| code).collect();
        for code in all {
            assert!(shown.contains(&code), "the guide has no company for {code}");
        }
        assert_eq!(shown.len(), 15);
    });
}

#[test]
fn a_response_matches_its_snapshot() {
    serve(&[], async |server| {
        let path = "/v1/companies/U01119SK2019PTC990544/findings";
        assert_response(server, "findings", get(path)).await;
    });
}

#[test]
fn what_is_not_known_is_not_checked() {
    serve(&[], async |server| {
        let data = findings(server, "U99999DL1956PTC990001").await;
        let unknown = codes(&data, "not_checked");
        for code in ["overdue_filings", "charges_above_net_worth", "many_directorships"] {
            assert!(unknown.iter().any(|one| one == code), "{code} is not in {unknown:?}");
        }
        assert_eq!(codes(&data, "findings"), [""; 0]);
    });
}

#[test]
fn every_finding_has_evidence_with_its_source_and_a_rule() {
    serve(&[], async |server| {
        for cin in ["U45203UP2007PTC990186", "L17111MH1994PLC990011", "L17232WB1919PLC990002"] {
            let data = findings(server, cin).await;
            for finding in data["findings"].as_array().unwrap() {
                let evidence = finding["evidence"].as_array().unwrap();
                assert!(!evidence.is_empty(), "{finding}");
                assert!(evidence.iter().all(|one| one["source"].is_string()), "{finding}");
                assert!(finding["rule"]["comes_from"].as_str().unwrap().len() > 10, "{finding}");
                let sentence = finding["sentence"].as_str().unwrap();
                assert!(sentence.ends_with('.') && !sentence.contains("fraud"), "{sentence}");
            }
        }
    });
}

#[test]
fn the_directors_other_companies_are_read_from_the_live_register() {
    serve(&[], async |server| {
        let mut all = records::one_of_each();
        let appointment = all
            .iter()
            .find_map(|record| match record {
                Record::Appointment(appointment) => Some(appointment.clone()),
                _ => None,
            })
            .unwrap();
        for number in 0..21 {
            let cin = format!("U17110MH2001PTC{:06}", 990_100 + number);
            let mut company = records::company(&cin, &format!("Shakha {number} Private Limited"));
            company.status = "active".into();
            all.push(Record::Company(company));
            let appointment = Appointment {
                cin,
                ceased_on: None,
                designation: "director".into(),
                ..appointment.clone()
            };
            all.push(Record::Appointment(appointment));
        }
        let own = Appointment { ceased_on: None, designation: "director".into(), ..appointment };
        all.push(Record::Appointment(Appointment { appointed_on: "2020-01-01".into(), ..own }));
        server.import(&all).await;
        let key = server.live_key(100).await;
        let path = format!("/v1/companies/{}/findings", records::CIN);
        let response = server.send(get(path).key(&key)).await;
        let found = codes(response.expect_data(), "findings");
        assert!(found.contains(&"many_directorships".to_owned()), "{found:?}");
    });
}
