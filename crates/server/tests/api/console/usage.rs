//! Tests of usage: calls are listed, found by request id, and exported.

use super::browser::{Browser, Page};
use crate::ask::get;
use crate::server::{Server, serve};

/// Creates a named key and calls with it: one call succeeds and one fails.
async fn call_with_key(server: &Server, browser: &mut Browser<'_>, name: &str) -> String {
    let page = browser.send("/console/keys", &[("mode", "test"), ("name", name)]).await;
    let key = format!("Bearer {}", page.between("id=\"key\" tabindex=\"0\">", "<"));
    let good = get("/v1/companies/L17111MH1994PLC990011/charges").header("authorization", &key);
    let response = server.send(good).await;
    let failed = get("/v1/companies/U99999XX2000PTC000404").header("authorization", &key);
    assert_eq!(server.send(failed).await.status, 404);
    response.json["request_id"].as_str().unwrap().to_owned()
}

#[test]
fn calls_are_listed_by_day_operation_key_and_status_and_found_by_their_request_id() {
    serve(&[], async |server| {
        let mut browser = Browser::signed_up(server, "asha@firm.example").await;
        let request_id = call_with_key(server, &mut browser, "first key").await;
        // A failed call is recorded with the next commit.
        browser.open("/console/companies/L17111MH1994PLC990011").await;
        let page = browser.open("/console/usage").await;
        for text in ["Calls by day", "getCompanyCharges", "first key", "Console", ">404<"] {
            page.expect(text);
        }
        let page = browser.open("/console/requests").await;
        page.expect(&request_id).expect(">L17111MH1994PLC990011<").expect(">company_not_found<");
        let found = browser.open(&format!("/console/requests?request=%20{request_id}%20")).await;
        assert_eq!(rows(&found), [request_id.as_str()]);
        let failed = browser.open("/console/requests?status=failed").await;
        failed.expect("404");
        assert!(!rows(&failed).contains(&request_id.as_str()));
        let mut other = Browser::signed_up(server, "ravi@firm.example").await;
        let page = other.open(&format!("/console/requests?request={request_id}")).await;
        page.expect("No request req_");
        assert_eq!(other.open(&format!("/console/requests/{request_id}")).await.status, 404);
        browser.open("/console").await.expect("Recent requests").expect(&request_id);
    });
}

/// The ids of the listed requests, newest first.
fn rows(page: &Page) -> Vec<&str> {
    let parts = page.text.split("data-request=\"").skip(1);
    parts.map(|part| part.split('"').next().unwrap()).collect()
}

#[test]
fn a_failed_request_is_opened_with_its_message_its_documentation_and_a_command_without_the_key() {
    serve(&[], async |server| {
        let mut browser = Browser::signed_up(server, "asha@firm.example").await;
        call_with_key(server, &mut browser, "first key").await;
        browser.open("/console/companies/L17111MH1994PLC990011").await;
        let failed = browser.open("/console/requests?code=company_not_found").await;
        let ids = rows(&failed);
        assert_eq!(ids.len(), 1, "{}", failed.text);
        let page = browser.open(&format!("/console/requests/{}", ids[0])).await;
        page.expect("No company with the number U99999XX2000PTC000404");
        page.expect("href=\"/docs/errors#company_not_found\"").expect("first key");
        page.expect("/v1/companies/U99999XX2000PTC000404&#39; \\");
        page.expect("Authorization: Bearer $API_KEY");
        assert!(!page.text.contains("pk_test_"), "the key is not on the page");
    });
}

#[test]
fn the_log_is_filtered_by_every_column_and_continued_from_its_newest_request() {
    serve(&[], async |server| {
        let mut browser = Browser::signed_up(server, "asha@firm.example").await;
        let request_id = call_with_key(server, &mut browser, "first key").await;
        browser.open("/console/companies/L17111MH1994PLC990011").await;
        let all = rows(&browser.open("/console/requests").await).len();
        let count = async |browser: &mut Browser<'_>, filter: &str| {
            rows(&browser.open(&format!("/console/requests?{filter}")).await).len()
        };
        assert_eq!(count(&mut browser, "text=u99999xx2000ptc000404").await, 1);
        assert_eq!(count(&mut browser, "text=is+in+the+register&status=404").await, 1);
        assert_eq!(count(&mut browser, "operation=getCompanyCharges&credits=3&key=").await, 1);
        assert_eq!(count(&mut browser, "key=console").await, all - 2);
        assert_eq!(count(&mut browser, "slower=600000").await, 0);
        assert_eq!(count(&mut browser, "from=2001-01-01&to=2001-01-02").await, 0);
        let newer = browser.open(&format!("/console/requests/new-rows?after={request_id}")).await;
        assert_eq!(rows(&newer).len(), all - 1);
        assert!(!newer.text.contains("<html"), "only rows");
        let newest = rows(&newer)[0].to_owned();
        let none = browser.open(&format!("/console/requests/new-rows?after={newest}")).await;
        assert_eq!(rows(&none), [""; 0]);
    });
}

#[test]
fn filters_and_members_apply_to_the_whole_usage_page() {
    serve(&[], async |server| {
        let mut browser = Browser::signed_up(server, "asha@firm.example").await;
        call_with_key(server, &mut browser, "first key").await;
        browser.open("/console/companies/L17111MH1994PLC990011").await;
        let person = server.app.ledger.find_person("asha@firm.example").await.unwrap().unwrap();
        let page = browser.open("/console/usage").await;
        page.expect("By member, in the console").expect("Namuna Traders");
        for preset in ["7 days", "30 days", "90 days", "This month"] {
            page.expect(&format!(">{preset}</a>"));
        }
        assert!(!page.text.contains("Balance ends"), "test credits are renewed");
        let mine = browser.open(&format!("/console/usage?member={}", person.id)).await;
        assert!(
            !mine.text.contains("<td>first key</td>") && mine.text.contains("<td>Console</td>")
        );
        let failed = browser.open("/console/usage?status=failed").await;
        assert!(failed.text.contains("<td>404</td>") && !failed.text.contains("<td>200</td>"));
        let export = browser.open("/console/usage/export.csv?status=failed").await;
        let lines: Vec<&str> = export.text.lines().collect();
        assert_eq!(lines[0], "day,operation,key,member,status,calls,free_calls,credits");
        assert_eq!(lines.len(), 2, "{}", export.text);
        assert!(lines[1].ends_with(",getCompany,first key,,404,1,0,0"), "{}", lines[1]);
        browser.send("/console/mode", &[("mode", "live"), ("next", "/console/usage")]).await;
        let live = browser.open("/console/usage").await;
        live.expect("Balance ends: not known").expect("A forecast needs credits spent");
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
        assert!(!page.text.contains("Calls by day"), "no figures of another period are shown");
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
        let export = browser.open("/console/requests/export.csv").await;
        assert_eq!(export.response.header("content-type"), Some("text/csv; charset=utf-8"));
        let disposition = export.response.header("content-disposition").unwrap();
        assert!(
            disposition.starts_with("attachment; filename=\"panji-requests-test-"),
            "{disposition}"
        );
        let lines: Vec<&str> = export.text.lines().collect();
        assert_eq!(
            lines[0],
            "time,request_id,mode,operation,subject,key,member,status,error_code,error_message,\
             credits,free,duration_ms"
        );
        assert_eq!(lines.len(), 10, "{}", export.text);
        let row = lines.iter().find(|line| line.contains(&request_id)).unwrap();
        let expected =
            ",getCompanyCharges,L17111MH1994PLC990011,'=cmd()|' /C calc'!A0,,200,,,3,false,";
        assert!(row.contains(expected), "{row}");
        let few = browser.open("/console/requests/export.csv?operation=getCompanyCharges").await;
        assert_eq!(few.text.lines().count(), 2, "{}", few.text);
        let none = browser.open("/console/requests/export.csv?from=2001-01-01&to=2001-01-31").await;
        assert_eq!(none.text.lines().count(), 1, "{}", none.text);
    });
}
