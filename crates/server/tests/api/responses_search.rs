//! Tests of the pages and filters of searchCompanies.

use std::collections::BTreeSet;

use panji_store::register::Record;
use panji_testkit::records;
use serde_json::{Value, json};

use crate::ask::{Response, get};
use crate::server::{Key, Server, serve};

/// Companies of the live register; more than fit on one page.
const COMPANIES: usize = 130;

async fn search(server: &Server, key: &Key, query: &str) -> Response {
    server.send(get("/v1/companies/search").query(query).key(key)).await
}

fn cins(response: &Response) -> Vec<String> {
    let companies = response.expect_data()["companies"].as_array().unwrap().iter();
    companies.map(|company| company["cin"].as_str().unwrap().to_owned()).collect()
}

fn companies() -> Vec<Record> {
    let company = |number: usize| {
        let cin = format!("U17110MH2001PTC{:06}", 990_000 + number);
        let mut company = records::company(&cin, &format!("Kalpanik Udyog {number} Limited"));
        company.class =
            Some(if number.is_multiple_of(2) { "private" } else { "public" }.to_owned());
        company.nic_code = Some("17110".to_owned());
        company.city = Some(if number.is_multiple_of(10) { "Bombay" } else { "Pune" }.to_owned());
        company.pincode = Some("411001".to_owned());
        Record::Company(company)
    };
    (0..COMPANIES).map(company).collect()
}

#[test]
fn the_pages_of_a_search_have_every_company_once() {
    serve(&[], async |server| {
        server.import(&companies()).await;
        let key = server.live_key(100).await;
        for filter in ["", "&city=Pune", "&class=private&nic=171&incorporated_from=2001-05-14"] {
            let expected = match filter {
                "" => COMPANIES,
                "&city=Pune" => COMPANIES * 9 / 10,
                _ => COMPANIES / 2,
            };
            let (mut seen, mut page, mut has_more) = (Vec::new(), 0, true);
            while has_more {
                page += 1;
                let query = format!("q=kalpanik+udyog&limit=20&page={page}{filter}");
                let response = search(server, &key, &query).await;
                let data = response.expect_data();
                assert_eq!((&data["page"], &data["total"]), (&json!(page), &json!(expected)));
                has_more = data["has_more"].as_bool().unwrap();
                seen.extend(cins(&response));
                assert!(!has_more || seen.len() == page * 20, "page {page} is not full: {filter}");
            }
            let different: BTreeSet<&String> = seen.iter().collect();
            assert_eq!((different.len(), seen.len()), (expected, expected), "{filter}");
        }
    });
}

#[test]
fn a_page_costs_a_call_and_one_past_the_end_costs_nothing() {
    serve(&[("free_quota.calls_per_day", "0")], async |server| {
        let key = server.test_key().await;
        let first = search(server, &key, "q=kalpanik&limit=1").await;
        let second = search(server, &key, "q=kalpanik&limit=1&page=2").await;
        assert_eq!((first.charged(), second.charged()), (1, 1));
        assert_ne!(cins(&first), cins(&second));
        assert_eq!(first.expect_data()["has_more"], true);
        let past = search(server, &key, "q=kalpanik&limit=50&page=20").await;
        let data = past.expect_data();
        assert_eq!(
            (past.charged(), &data["companies"], &data["has_more"]),
            (0, &json!([]), &json!(false))
        );
        assert!(data["total"].as_i64().unwrap() > 0, "the total is of all pages");
        assert_eq!(data["reason"], "This page is past the last one that has companies.");
    });
}

#[test]
fn values_of_a_response_work_as_filters() {
    serve(&[], async |server| {
        let key = server.test_key().await;
        let all = search(server, &key, "q=kalpanik&limit=50").await;
        let companies = all.expect_data()["companies"].as_array().unwrap().clone();
        let encoded = |value: &Value| value.as_str().unwrap().replace(' ', "+");
        for company in companies.iter().filter(|company| !company["city"].is_null()) {
            for (parameter, value) in [
                ("city", encoded(&company["city"])),
                ("pincode", encoded(&company["pincode"])),
                ("kind", encoded(&company["kind"])),
                ("incorporated_from", encoded(&company["incorporated_on"])),
                ("incorporated_to", encoded(&company["incorporated_on"])),
            ] {
                let query = format!("q=kalpanik&limit=50&{parameter}={value}");
                let found = search(server, &key, &query).await;
                let cin = company["cin"].as_str().unwrap();
                assert!(cins(&found).iter().any(|found| found == cin), "{query}: {cin}");
                assert!(cins(&found).len() <= companies.len(), "{query}");
            }
        }
        for (old, new) in
            [("Bangalore", "Bengaluru"), ("Bombay", "Mumbai"), ("Ahmadabad", "Ahmedabad")]
        {
            let by = async |city: &str| {
                cins(&search(server, &key, &format!("q=a&limit=50&city={city}")).await)
            };
            assert_eq!(by(old).await, by(new).await, "{old}");
        }
        let bombay = search(server, &key, "q=kalpanik&city=Bombay").await;
        assert!(!cins(&bombay).is_empty(), "{}", bombay.json);
        let none = search(server, &key, "q=kalpanik&city=Imphal").await;
        assert!(none.expect_data()["reason"].as_str().unwrap().contains("within the filters"));
    });
}

#[test]
fn an_order_sorts_all_pages_of_the_results() {
    serve(&[], async |server| {
        let key = server.test_key().await;
        let names = async |sort: &str| {
            let mut names: Vec<String> = Vec::new();
            for page in 1..=20 {
                let query = format!("q=kalpanik&limit=3&page={page}&sort={sort}");
                let response = search(server, &key, &query).await;
                let data = response.expect_data();
                let found = data["companies"].as_array().unwrap().iter();
                names.extend(found.map(|company| company["name"].as_str().unwrap().to_owned()));
                if data["has_more"] == false {
                    break;
                }
            }
            names
        };
        let (by_name, by_relevance) = (names("name").await, names("relevance").await);
        assert!(by_name.len() > 3, "several pages");
        assert!(by_name.iter().map(|name| name.to_lowercase()).is_sorted());
        let sorted = |mut names: Vec<String>| {
            names.sort();
            names
        };
        assert_ne!(by_name, by_relevance);
        assert_eq!(sorted(by_name), sorted(by_relevance));
    });
}

#[test]
fn a_wrong_value_of_a_filter_is_refused_by_name() {
    serve(&[], async |server| {
        let key = server.test_key().await;
        let long = format!("city={}", "a".repeat(101));
        for (query, param) in [
            ("page=0", "page"),
            ("page=21", "page"),
            ("page=x", "page"),
            ("sort=best", "sort"),
            ("sort=", "sort"),
            ("class=big", "class"),
            ("class=", "class"),
            ("kind=firm", "kind"),
            ("nic=", "nic"),
            ("nic=171101", "nic"),
            ("nic=1a", "nic"),
            ("city=", "city"),
            ("city=12", "city"),
            ("city=a%0Ab", "city"),
            (&long, "city"),
            ("pincode=41100", "pincode"),
            ("pincode=011001", "pincode"),
            ("pincode=41100x", "pincode"),
            ("incorporated_from=2001", "incorporated_from"),
            ("incorporated_to=2001-02-30", "incorporated_to"),
            ("incorporated_from=2002-01-01&incorporated_to=2001-01-01", "incorporated_from"),
        ] {
            let response = search(server, &key, &format!("q=kalpanik&{query}")).await;
            assert_eq!(response.code(), "invalid_parameter", "{query}");
            assert_eq!(response.json["error"]["param"], param, "{query}");
        }
    });
}
