//! Tests of legal entity identifiers: as part of a company, in a path and in a search.

use crate::ask::get;
use crate::server::serve;
use crate::snapshots::assert_response;

const LISTED: &str = "L17111MH1994PLC990011";
const LISTED_LEI: &str = "98450099KALP99001114";
const SUBSIDIARY: &str = "U15400MH2011PTC990267";
const FOREIGN_OWNED: &str = "U29199KA2013FTC990277";
const NOT_FOUND: &str = "506700GE1G29325QX363";

#[test]
fn a_company_shows_its_lei_and_its_parents_or_why_it_has_none() {
    serve(&[], async |server| {
        let key = server.test_key().await;
        let lei = async |cin: &str| {
            let response = server.send(get(format!("/v1/companies/{cin}")).key(&key)).await;
            response.expect_data()["lei"].clone()
        };
        let listed = lei(LISTED).await;
        assert_eq!(listed["lei"], LISTED_LEI);
        assert_eq!(listed["registration_status"], "issued");
        assert_eq!(listed["next_renewal_on"], "2027-06-05");
        assert_eq!(listed["direct_parent"]["exception"], "natural_persons");
        assert_eq!(listed["direct_parent"]["lei"], serde_json::Value::Null);
        let subsidiary = lei(SUBSIDIARY).await;
        assert_eq!(subsidiary["direct_parent"]["cin"], "U60231MH2009PTC990203");
        assert_eq!(subsidiary["ultimate_parent"]["lei"], LISTED_LEI);
        assert_eq!(subsidiary["ultimate_parent"]["name"], "KALPANIK INDUSTRIES LIMITED");
        let abroad = lei(FOREIGN_OWNED).await;
        assert_eq!(abroad["direct_parent"]["name"], "Nordlicht Beispiel Antriebe AG");
        assert_eq!(abroad["direct_parent"]["cin"], serde_json::Value::Null);
        assert_eq!(lei("U99999DL1956PTC990001").await, serde_json::Value::Null);
    });
}

#[test]
fn an_lei_in_the_path_finds_the_company_and_its_sections() {
    serve(&[], async |server| {
        let key = server.test_key().await;
        let spaced = "/v1/companies/9845%200099%20kalp%209900%201114";
        for (path, pointer) in [
            (format!("/v1/companies/{LISTED_LEI}"), "/cin"),
            (spaced.to_owned(), "/cin"),
            (format!("/v1/companies/{LISTED_LEI}/profile"), "/company/cin"),
            (format!("/v1/companies/{LISTED_LEI}/charges"), "/cin"),
        ] {
            let response = server.send(get(&path).key(&key)).await;
            let found = response.expect_data().pointer(pointer).cloned();
            assert_eq!(found, Some(LISTED.into()), "{path}");
        }
    });
}

#[test]
fn an_unknown_lei_and_a_malformed_one_are_told_apart_and_cost_nothing() {
    serve(&[], async |server| {
        for (name, lei, status) in
            [("lei-not-found", NOT_FOUND, 404), ("lei-malformed", "98450099KALP99001115", 400)]
        {
            let path = format!("/v1/companies/{lei}");
            let response = assert_response(server, name, get(&path)).await;
            assert_eq!(response.status, status, "{path}");
        }
    });
}

#[test]
fn a_search_for_an_lei_finds_its_company_alone_and_results_show_leis() {
    serve(&[], async |server| {
        let key = server.test_key().await;
        let search = async |query: &str| {
            let path = format!("/v1/companies/search?{query}");
            server.send(get(path).key(&key)).await.expect_data().clone()
        };
        for text in [LISTED_LEI, "lei:+98450099kalp99001114", "Kalpanik,+98450099KALP99001114"] {
            let found = search(&format!("q={text}")).await;
            assert_eq!(
                (&found["total"], found["companies"].as_array().unwrap().len()),
                (&1.into(), 1)
            );
            assert_eq!(found["companies"][0]["cin"], LISTED, "{text}");
            assert_eq!(found["companies"][0]["match"], "lei", "{text}");
        }
        let by_name = search("q=kalpanik+industries&limit=1").await;
        assert_eq!(by_name["companies"][0]["lei"], LISTED_LEI);
        let elsewhere = search(&format!("q={LISTED_LEI}&state=KA")).await;
        assert_eq!(elsewhere["total"], 0, "a filter holds for an LEI too");
        assert_eq!(search(&format!("q={NOT_FOUND}")).await["total"], 0);
    });
}
