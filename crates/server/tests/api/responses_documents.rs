//! Tests of the list of documents: pages, links, and the two kinds of year.

use serde_json::Value;

use crate::ask::{Response, get};
use crate::server::{Key, Server, serve};
use crate::snapshots::assert_response;

const MANY: &str = "/v1/companies/L27100OR1986PLC990021/documents";

async fn list(server: &Server, key: &Key, query: &str) -> Response {
    server.send(get(format!("{MANY}{query}")).key(key)).await
}

fn documents(response: &Response) -> &Vec<Value> {
    response.expect_data()["documents"].as_array().unwrap()
}

/// The pages in the Link header, by relation.
fn links(response: &Response) -> Vec<(String, String)> {
    let header = response.header("link").unwrap();
    header
        .split(", ")
        .map(|link| {
            let (address, relation) = link.split_once("; rel=").unwrap();
            let address = address.trim_matches(['<', '>']);
            let address = address.strip_prefix("http://127.0.0.1:8080").unwrap();
            (relation.trim_matches('"').to_owned(), address.to_owned())
        })
        .collect()
}

fn expect_links(response: &Response, expected: &[(&str, &str)]) {
    let own = |(relation, query): &(&str, &str)| ((*relation).to_owned(), format!("{MANY}{query}"));
    assert_eq!(links(response), expected.iter().map(own).collect::<Vec<_>>());
}

#[test]
fn a_year_selects_the_documents_filed_in_it_or_for_it() {
    serve(&[], async |server| {
        let cases = [
            ("documents-filed-in-a-year", "?year=2008"),
            ("documents-for-a-financial-year", "?year=2008-09"),
            ("documents-of-a-year-without-any", "?year=1999"),
            ("documents-last-page", "?page=9"),
            ("documents-past-the-end", "?page=1000000"),
        ];
        for (name, query) in cases {
            assert_response(server, name, get(format!("{MANY}{query}"))).await;
        }
        let key = server.test_key().await;
        let filed = list(server, &key, "?year=2012").await;
        let dates = documents(&filed).iter().map(|document| document["filing_date"].as_str());
        assert!(dates.flatten().all(|date| date.starts_with("2012-")));
        let for_year = list(server, &key, "?year=2011-12").await;
        assert!(!documents(&for_year).is_empty());
        assert!(
            documents(&for_year).iter().all(|document| document["financial_year"] == "2011-12")
        );
    });
}

#[test]
fn following_the_next_links_returns_every_document_once_newest_first() {
    serve(&[], async |server| {
        let key = server.test_key().await;
        let mut path = MANY.to_owned();
        let mut all = Vec::new();
        let mut pages = 0;
        loop {
            let response = server.send(get(&path).key(&key)).await;
            pages += 1;
            assert_eq!(response.expect_data()["page"], pages);
            assert_eq!(response.data()["total_documents"], 439);
            all.extend(documents(&response).iter().cloned());
            match links(&response).into_iter().find(|(relation, _)| relation == "next") {
                Some((_, next)) => path = next,
                None => break,
            }
        }
        assert_eq!((pages, all.len()), (9, 439));
        let dates: Vec<&str> =
            all.iter().map(|document| document["filing_date"].as_str().unwrap()).collect();
        assert!(dates.is_sorted_by(|earlier, later| earlier >= later));
        let mut names: Vec<String> = all.iter().map(Value::to_string).collect();
        names.sort();
        names.dedup();
        assert_eq!(names.len(), 439, "no document is on two pages");
    });
}

#[test]
fn links_lead_to_the_first_previous_next_and_last_page() {
    serve(&[], async |server| {
        let key = server.test_key().await;
        let first = list(server, &key, "").await;
        expect_links(&first, &[("first", "?page=1"), ("next", "?page=2"), ("last", "?page=9")]);
        let middle = list(server, &key, "?page=4").await;
        expect_links(
            &middle,
            &[("first", "?page=1"), ("prev", "?page=3"), ("next", "?page=5"), ("last", "?page=9")],
        );
        let last = list(server, &key, "?page=9").await;
        expect_links(&last, &[("first", "?page=1"), ("prev", "?page=8"), ("last", "?page=9")]);
        let past = list(server, &key, "?page=1000").await;
        assert!(documents(&past).is_empty());
        expect_links(&past, &[("first", "?page=1"), ("prev", "?page=9"), ("last", "?page=9")]);
        let filtered = list(server, &key, "?year=2008-09&page=1").await;
        expect_links(
            &filtered,
            &[("first", "?page=1&year=2008-09"), ("last", "?page=1&year=2008-09")],
        );
    });
}

#[test]
fn a_page_or_year_out_of_range_is_refused() {
    serve(&[], async |server| {
        let key = server.test_key().await;
        for query in ["page=0", "page=-1", "page=1000001", "page=", "page=1.5", "page=x"] {
            let response = list(server, &key, &format!("?{query}")).await;
            assert_eq!(
                (response.code(), &response.json["error"]["param"]),
                ("invalid_parameter", &"page".into())
            );
        }
        for query in
            ["year=", "year=24", "year=2023-25", "year=2023-2024", "year=20x4", "year=2023-24-25"]
        {
            let response = list(server, &key, &format!("?{query}")).await;
            assert_eq!(
                (response.code(), &response.json["error"]["param"]),
                ("invalid_parameter", &"year".into())
            );
        }
        let turn_of_century = list(server, &key, "?year=1999-00").await;
        assert_eq!(turn_of_century.status, 200);
        assert_eq!(server.balance(&key).await, 10_000 - 2);
    });
}
