//! Tests of the history of a company: its events, and what the register said on an earlier day.

use panji_store::calendar::{ist_day, now_ms};
use panji_store::register::{Company, Record};
use panji_testkit::records::{self, CIN};
use serde_json::{Value, json};

use crate::ask::get;
use crate::server::serve;

const DEMO: &str = "/v1/companies/L17111MH1994PLC990011";
/// A day between the two imports of the sandbox.
const BEFORE: &str = "2026-05-15";
const DAY_MS: i64 = 24 * 3600 * 1000;

#[test]
fn the_history_of_a_company_has_old_and_new_values_newest_first() {
    serve(&[], async |server| {
        let key = server.test_key().await;
        let response = server.send(get(format!("{DEMO}/events")).key(&key)).await;
        assert_eq!(response.charged(), 3);
        let data = response.expect_data();
        let events = data["events"].as_array().unwrap();
        let numbers: Vec<i64> = events.iter().map(|event| event["seq"].as_i64().unwrap()).collect();
        assert!(numbers.is_sorted_by(|one, next| one > next), "{numbers:?}");
        let find = |kind: &str| events.iter().find(|event| event["type"] == kind).unwrap();
        let capital = find("company.capital_changed");
        assert_eq!(
            capital["changes"],
            json!([{ "field": "capital.authorised", "from": 500_000_000, "to": 600_000_000 }])
        );
        assert_eq!(capital["subject"]["name"], "Kalpanik Industries Limited");
        assert_eq!(capital["record"], Value::Null);
        let ceased = find("director.ceased");
        assert_eq!(ceased["record"]["id"], "04990109");
        assert_eq!(ceased["record"]["name"], "Vasant Udaharankar");
        assert_eq!(
            ceased["changes"],
            json!([{ "field": "ceased_on", "from": null, "to": "2025-02-04" }])
        );
        assert_eq!(data["recorded_since"], "2026-03-31T18:30:00.000Z");
    });
}

#[test]
fn the_pages_of_a_history_meet_without_gap_or_repeat() {
    serve(&[], async |server| {
        let key = server.test_key().await;
        let whole = server.send(get(format!("{DEMO}/events?limit=100")).key(&key)).await;
        let whole = whole.expect_data()["events"].as_array().unwrap().clone();
        let (mut paged, mut before) = (Vec::new(), String::new());
        loop {
            let path = format!("{DEMO}/events?limit=2{before}");
            let page = server.send(get(path).key(&key)).await.expect_data().clone();
            paged.extend(page["events"].as_array().unwrap().clone());
            match page["next_before"].as_i64() {
                Some(next) => before = format!("&before={next}"),
                None => break,
            }
        }
        assert_eq!(paged, whole);
    });
}

#[test]
fn as_of_returns_what_the_register_said_on_that_day() {
    serve(&[], async |server| {
        let key = server.test_key().await;
        let at = async |path: &str, day: &str| {
            server.send(get(format!("{path}?as_of={day}")).key(&key)).await
        };
        let then = at(DEMO, BEFORE).await.expect_data().clone();
        assert_eq!(then["registered_office"]["pincode"], "400012");
        assert_eq!(then["as_of"], "2026-03-31");
        let now = at(DEMO, "2026-07-01").await.expect_data().clone();
        assert_eq!(now, *server.send(get(DEMO).key(&key)).await.expect_data());
        let charges = at(&format!("{DEMO}/charges"), BEFORE).await;
        let amounts = charges.expect_data()["charges"].as_array().unwrap().clone();
        let changed = amounts.iter().find(|charge| charge["charge_id"] == "990083086").unwrap();
        assert_eq!(changed["amount"], 500_000_000);
        let board = at(&format!("{DEMO}/directors"), BEFORE).await.expect_data().clone();
        let current = board["current"].as_array().unwrap();
        assert!(current.iter().any(|entry| entry["din"] == "04990109"));
        let person = at("/v1/directors/99000161", BEFORE).await.expect_data().clone();
        assert_eq!(person["status"], "approved");
        let companies = at("/v1/directors/04990109/companies", BEFORE).await;
        let directorships = companies.expect_data()["companies"].as_array().unwrap().clone();
        let entry =
            directorships.iter().find(|entry| entry["cin"] == "L17111MH1994PLC990011").unwrap();
        assert_eq!(entry["ceased_on"], Value::Null);
        for section in ["pan", "profile", "financials", "compliance"] {
            let response = at(&format!("{DEMO}/{section}"), BEFORE).await;
            assert_eq!(response.status, 200, "{section}");
        }
    });
}

#[test]
fn before_the_first_import_nothing_is_returned_or_charged() {
    serve(&[], async |server| {
        let key = server.test_key().await;
        let (before, long_before) = ("2026-03-31", "0261-02-20");
        for (path, day) in [(DEMO, before), (DEMO, long_before), ("/v1/directors/99000161", before)]
        {
            let response = server.send(get(format!("{path}?as_of={day}")).key(&key)).await;
            assert_eq!((response.status, response.code()), (404, "not_recorded_then"));
            assert_eq!(response.json["error"]["param"], "as_of");
        }
        for wrong in ["2999-01-01", "yesterday", "2026-02-30"] {
            let response = server.send(get(format!("{DEMO}?as_of={wrong}")).key(&key)).await;
            assert_eq!(response.code(), "invalid_parameter", "{wrong}");
        }
        let listed = server.send(get(format!("{DEMO}/documents?as_of={BEFORE}")).key(&key)).await;
        assert_eq!(listed.code(), "invalid_parameter", "documents have no history");
    });
}

#[test]
fn a_live_company_has_a_history_from_its_second_import_on() {
    serve(&[], async |server| {
        let company = records::company(CIN, "Udaharan Textiles Private Limited");
        let yesterday = now_ms() - 2 * DAY_MS;
        let register = &server.app.live.register;
        register.store_batch(&[Record::Company(company.clone())], yesterday).await.unwrap();
        register.start_events(yesterday).await.unwrap();
        let key = server.live_key(100).await;
        let path = format!("/v1/companies/{CIN}/events");
        let empty = server.send(get(&path).key(&key)).await;
        assert_eq!((empty.charged(), &empty.expect_data()["events"]), (0, &json!([])));
        let changed = Company {
            status: "struck_off".into(),
            status_text: Some("Strike Off".into()),
            as_of: Some("2026-02-01".into()),
            ..company
        };
        server.import(&[Record::Company(changed)]).await;
        let response = server.send(get(&path).key(&key)).await;
        let event = &response.expect_data()["events"][0];
        assert_eq!(event["type"], "company.status_changed");
        assert_eq!(
            event["changes"][0],
            json!({ "field": "status", "from": "active", "to": "struck_off" })
        );
        let then = ist_day(now_ms() - DAY_MS);
        let then = server.send(get(format!("/v1/companies/{CIN}?as_of={then}")).key(&key)).await;
        assert_eq!(then.expect_data()["status"], "active");
    });
}
