//! Tests of usage: calls are listed, found by request id, and exported.

use super::browser::Browser;
use crate::ask::get;
use crate::server::{Server, serve};

/// Creates a named key and calls with it: one call succeeds and one fails.
async fn call_with_key(server: &Server, browser: &mut Browser<'_>, name: &str) -> String {
    let page = browser.send("/console/keys", &[("mode", "test"), ("name", name)]).await;
    let key = format!("Bearer {}", page.between("id=\"key\" tabindex=\"0\">", "<"));
    let good = get("/v1/companies/L17111MH1994PLC990011/charges").header("authorization", &key);
    let answer = server.send(good).await;
    let failed = get("/v1/companies/U99999XX2000PTC000404").header("authorization", &key);
    assert_eq!(server.send(failed).await.status, 404);
    answer.json["request_id"].as_str().unwrap().to_owned()
}

#[test]
fn calls_are_listed_by_day_operation_key_and_status_and_found_by_their_request_id() {
    serve(&[], async |server| {
        let mut browser = Browser::signed_up(server, "asha@firm.example").await;
        let request_id = call_with_key(server, &mut browser, "first key").await;
        // A failed call is recorded with the next commit.
        browser.open("/console/companies/L17111MH1994PLC990011").await;
        let page = browser.open("/console/usage").await;
        for text in
            ["Calls by day", "getCompanyCharges", "first key", "Console", ">404<", &request_id]
        {
            page.expect(text);
        }
        page.expect(">L17111MH1994PLC990011<").expect(">company_not_found<");
        let found = browser.open(&format!("/console/usage?request=%20{request_id}%20")).await;
        let log = found.text.split("id=\"log\"").nth(1).unwrap().to_owned();
        assert_eq!(log.matches("req_01").count(), 2, "the field and the row: {log}");
        let failed = browser.open("/console/usage?status=failed").await;
        let log = failed.text.split("id=\"log\"").nth(1).unwrap().to_owned();
        assert!(log.contains("404") && !log.contains(&request_id), "{log}");
        let mut other = Browser::signed_up(server, "ravi@firm.example").await;
        let page = other.open(&format!("/console/usage?request={request_id}")).await;
        page.expect("No request req_");
        browser.open("/console").await.expect("Recent requests").expect(&request_id);
    });
}

#[test]
fn a_period_that_ends_before_it_starts_is_refused_beside_its_field() {
    serve(&[], async |server| {
        let mut browser = Browser::signed_up(server, "asha@firm.example").await;
        let reversed = "?from=2026-03-31&to=2026-01-01";
        let page = browser.open(&format!("/console/usage{reversed}")).await;
        assert_eq!(page.status, 422);
        page.expect("id=\"from-error\">The start date is after the end date.");
        page.expect("value=\"2026-03-31\"").expect("value=\"2026-01-01\"");
        assert!(!page.text.contains("Request log"), "no figures of another period are shown");
        let export = browser.open(&format!("/console/usage/export.csv{reversed}")).await;
        assert_eq!(export.status, 400);
        export.expect("The start date is after the end date");
        let future = browser.open("/console/usage?from=2999-01-01").await;
        future.expect("The start date is in the future.");
    });
}

#[test]
fn the_export_escapes_formulas_and_has_only_the_selected_calls() {
    serve(&[], async |server| {
        let mut browser = Browser::signed_up(server, "asha@firm.example").await;
        let request_id = call_with_key(server, &mut browser, "=cmd()|' /C calc'!A0").await;
        browser.open("/console/companies/L17111MH1994PLC990011").await;
        let export = browser.open("/console/usage/export.csv").await;
        assert_eq!(export.answer.header("content-type"), Some("text/csv; charset=utf-8"));
        let disposition = export.answer.header("content-disposition").unwrap();
        assert!(
            disposition.starts_with("attachment; filename=\"panji-usage-test-"),
            "{disposition}"
        );
        let lines: Vec<&str> = export.text.lines().collect();
        assert_eq!(lines[0], "time,request_id,mode,operation,key,status,credits,free");
        assert_eq!(lines.len(), 10, "{}", export.text);
        let row = lines.iter().find(|line| line.contains(&request_id)).unwrap();
        assert!(row.contains(",getCompanyCharges,'=cmd()|' /C calc'!A0,200,3,false"), "{row}");
        let few = browser.open("/console/usage/export.csv?operation=getCompanyCharges").await;
        assert_eq!(few.text.lines().count(), 2, "{}", few.text);
        let none = browser.open("/console/usage/export.csv?from=2001-01-01&to=2001-01-31").await;
        assert_eq!(none.text.lines().count(), 1, "{}", none.text);
    });
}
