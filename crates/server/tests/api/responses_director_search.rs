//! Tests of the search for directors: spellings, order, initials, scripts, and who is found.

use panji_store::register::{Appointment, Director, Record};
use panji_testkit::records;
use serde_json::Value;

use crate::ask::get;
use crate::server::{Server, serve};
use crate::snapshots::assert_response;

async fn search(server: &Server, text: &str) -> Vec<Value> {
    let key = server.test_key().await;
    let query: String =
        percent_encoding::utf8_percent_encode(text, percent_encoding::NON_ALPHANUMERIC).to_string();
    let response = server.send(get(format!("/v1/directors/search?q={query}")).key(&key)).await;
    let found = response.expect_data()["directors"].as_array().unwrap().clone();
    assert_eq!(response.charged(), i64::from(!found.is_empty()), "{text}");
    found
}

#[test]
fn a_director_is_found_however_the_name_is_written() {
    serve(&[], async |server| {
        for (text, kind) in [
            ("Udaharan Namuna", "exact"),
            ("namuna udaharan", "words"),
            ("Shri Udaharan Namuna", "exact"),
            ("Udharan Namuna", "fuzzy"),
            ("उदाहरण नमूना", "fuzzy"),
            ("U. Namuna", "words"),
            ("99000101", "din"),
        ] {
            let found = search(server, text).await;
            let dins: Vec<&str> = found.iter().map(|one| one["din"].as_str().unwrap()).collect();
            assert!(dins.contains(&"99000101"), "{text}: {dins:?}");
            let own = found.iter().find(|one| one["din"] == "99000101").unwrap();
            if text != "उदाहरण नमूना" {
                assert_eq!(own["match"], kind, "{text}");
            }
            assert_eq!(own["current_companies"], 11);
            assert_eq!(own["companies"].as_array().unwrap().len(), 3);
        }
    });
}

#[test]
fn a_response_matches_its_snapshot() {
    serve(&[], async |server| {
        let response = assert_response(
            server,
            "director-search",
            get("/v1/directors/search?q=bhootpurva+namunia&limit=1"),
        )
        .await;
        let found = &response.data()["directors"][0];
        assert_eq!(found["current_companies"], 0, "all appointments have ended");
    });
}

#[test]
fn nothing_found_is_free_and_says_why() {
    serve(&[], async |server| {
        let key = server.test_key().await;
        let response = server.send(get("/v1/directors/search?q=wqxvfgh").key(&key)).await;
        assert_eq!((response.charged(), &response.data()["total"]), (0, &Value::from(0)));
        assert!(response.data()["reason"].as_str().unwrap().contains("\"wqxvfgh\""));
        let missing = server.send(get("/v1/directors/search").key(&key)).await;
        assert_eq!(missing.code(), "invalid_parameter");
    });
}

#[test]
fn persons_whom_only_appointments_name_are_found_and_changes_are_followed() {
    serve(&[], async |server| {
        let appointment = Appointment {
            cin: records::CIN.into(),
            din: "99000777".into(),
            appointed_on: "2020-01-01".into(),
            name: "Kevala Niyukta Devi".into(),
            designation: "director".into(),
            as_of: Some("2026-01-31".into()),
            source: "panji".into(),
            ..Appointment::default()
        };
        server.import(&records::one_of_each()).await;
        server.import(&[Record::Appointment(appointment)]).await;
        let key = server.live_key(100).await;
        let first = async |text: &str| {
            let response =
                server.send(get(format!("/v1/directors/search?q={text}")).key(&key)).await;
            response.expect_data()["directors"][0].clone()
        };
        let found = first("niyukta+devi").await;
        assert_eq!((&found["din"], &found["status"]), (&"99000777".into(), &"unknown".into()));
        assert_eq!(found["current_companies"], 1);
        let renamed = Director {
            din: "99000777".into(),
            name: "Nayanaam Niyukta".into(),
            status: "approved".into(),
            as_of: Some("2026-02-28".into()),
            source: "panji".into(),
            ..Director::default()
        };
        server.import(&[Record::Director(renamed)]).await;
        let found = first("nayanaam").await;
        assert_eq!((&found["din"], &found["status"]), (&"99000777".into(), &"approved".into()));
        let found = first("kevala+niyukta+devi").await;
        assert_eq!(found["name"], "Nayanaam Niyukta");
        assert_eq!(found["matched_name"], "Kevala Niyukta Devi", "the spelling in the appointment");
    });
}
