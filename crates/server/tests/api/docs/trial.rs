//! Tests of "Try it": calls from the page of an operation.

use panji_store::calendar::now_ms;
use panji_store::ledger::Mode;

use super::text_of;
use crate::console::browser::{Browser, form};
use crate::server::{Server, serve, serve_embedded};

const COMPANY: &str = "/docs/reference/getCompany";
const DIRECTORS: &str = "/docs/reference/getCompanyDirectors";
const CIN: (&str, &str) = ("parameter-cin", "U72900KA2017PTC990462");

async fn test_balance(server: &Server, email: &str) -> i64 {
    let account = server.app.ledger.find_account(email).await.unwrap().unwrap();
    let snapshot = server.app.ledger.find_balance(&account.id, Mode::Test, now_ms());
    snapshot.await.unwrap().unwrap().balance
}

#[test]
fn a_visitor_without_a_key_gets_a_response_from_the_sandbox() {
    serve(&[], async |server| {
        let mut browser = Browser::new(server);
        let page = browser.send_bare(DIRECTORS, &[CIN]).await;
        let text = text_of(&page.text);
        assert!(text.contains("200 OK") && text.contains("Charged 3 test credits"), "{text}");
        assert!(text.contains("GET /v1/companies/U72900KA2017PTC990462/directors"), "{text}");
        page.expect("<dt>panji-mode</dt><dd><code>test</code></dd>");
        assert!(!page.text.contains("pk_"), "no key is on the page");
        let body = ("body", r#"{"items":[{"value":"ZZACK4368A"}]}"#);
        let bulk = browser.send_bare("/docs/reference/bulkVerify", &[body]).await;
        assert!(text_of(&bulk.text).contains("\"holder_type\": \"company\""), "{}", bulk.text);
    });
}

#[test]
fn errors_are_shown_like_responses_and_values_stay_in_the_form() {
    serve_embedded(&[], async |server| {
        let mut browser = Browser::new(server);
        let page = browser.send_bare(COMPANY, &[("parameter-cin", "U99999XX2000PTC000404")]).await;
        assert_eq!(page.status, 200);
        let text = text_of(&page.text);
        assert!(text.contains("404 Not Found") && text.contains("company_not_found"), "{text}");
        page.expect("value=\"U99999XX2000PTC000404\"");
        let page = browser.send_bare(COMPANY, &[("parameter-cin", "<script>")]).await;
        assert!(!page.text.contains("<script>"), "{}", page.text);
        assert!(text_of(&page.text).contains("invalid_identifier"), "{}", page.text);
        let page = browser.send_bare(COMPANY, &[("parameter-cin", "  ")]).await;
        page.expect("Enter a value for cin.");
        let page = browser.send_bare("/docs/reference/bulkVerify", &[("body", "{")]).await;
        assert!(text_of(&page.text).contains("invalid_body"), "{}", page.text);
    });
}

#[test]
fn a_signed_in_user_spends_the_test_credits_of_the_own_account() {
    serve(&[], async |server| {
        let email = "asha@firm.example";
        let mut browser = Browser::signed_up(server, email).await;
        browser.open(DIRECTORS).await.expect("with the account Namuna Traders");
        let page = browser.send(DIRECTORS, &[CIN]).await;
        assert!(text_of(&page.text).contains("9,997 remain"), "{}", page.text);
        assert_eq!(test_balance(server, email).await, 9_997);
        assert!(server.app.ledger.find_account("documentation").await.unwrap().is_none());
        // Operations about the account work too.
        let page = browser.send("/docs/reference/listJobs", &[]).await;
        assert!(text_of(&page.text).contains("\"jobs\": []"), "{}", page.text);
        let page = browser.send_bare(DIRECTORS, &[CIN]).await;
        assert_eq!(page.status, 403, "without the token of the session");
        assert_eq!(test_balance(server, email).await, 9_997);
    });
}

#[test]
fn operations_about_an_account_need_a_log_in_and_those_about_a_key_a_key() {
    serve_embedded(&[], async |server| {
        let mut browser = Browser::new(server);
        for id in ["getUsage", "getRequest", "createJob", "listJobs", "getJob", "getJobResults"] {
            let path = format!("/docs/reference/{id}");
            let page = browser.open(&path).await;
            assert!(!page.text.contains("data-try"), "{id}");
            page.expect("Log in</a> to try it");
            let refused = browser.send_bare(&path, &[("parameter-id", "job_x")]).await;
            assert_eq!(refused.status, 403, "{id}");
        }
        browser.open("/docs/reference/getAccount").await.expect("describes the key");
    });
}

#[test]
fn a_form_of_another_site_is_refused() {
    serve_embedded(&[], async |server| {
        let ask = form(COMPANY, &[CIN]).without_header("sec-fetch-site");
        let ask = ask.header("sec-fetch-site", "cross-site");
        assert_eq!(server.send_unchecked(ask).await.status, 403);
    });
}

#[test]
fn visitors_of_one_address_are_limited_and_others_are_not() {
    serve_embedded(&[], async |server| {
        let statuses = async |address: &str, times: usize| {
            let mut statuses = Vec::new();
            for _ in 0..times {
                let ask = form(COMPANY, &[CIN]).from(address);
                statuses.push(server.send_unchecked(ask).await);
            }
            statuses
        };
        let responses = statuses("192.0.2.7", 40).await;
        assert_eq!(responses[0].status, 200);
        let refused = responses.iter().find(|response| response.status == 429).expect("a limit");
        assert!(refused.header("retry-after").is_some());
        assert_eq!(statuses("192.0.2.8", 1).await[0].status, 200);
    });
}

#[test]
fn an_expensive_call_of_a_visitor_is_refused_and_the_balance_is_filled_up() {
    serve_embedded(&[("prices.getGst", "101"), ("prices.getDirector", "95")], async |server| {
        let gst = ("parameter-gstin", "24ZZSCB9125C1ZL");
        let mut browser = Browser::new(server);
        let page = browser.send_bare("/docs/reference/getGst", &[gst]).await;
        assert!(text_of(&page.text).contains("max_credits_exceeded"), "{}", page.text);
        // More than the test credits of a day.
        for number in 0..110 {
            let address = format!("192.0.2.{number}");
            let din = ("parameter-din", "99000101");
            let ask = form("/docs/reference/getDirector", &[din]).from(&address);
            let response = server.send_unchecked(ask).await;
            let text = text_of(std::str::from_utf8(&response.bytes).unwrap());
            assert!(text.contains("Charged 95 test credits"), "{number}: {text}");
        }
    });
}

#[test]
fn the_operator_switches_the_calls_of_visitors_off_by_suspending_their_account() {
    serve_embedded(&[], async |server| {
        let mut browser = Browser::new(server);
        browser.send_bare(DIRECTORS, &[CIN]).await.expect("200 OK");
        let account = server.app.ledger.find_account("documentation").await.unwrap().unwrap();
        server.app.ledger.set_suspended(&account.id, Some(now_ms())).await.unwrap();
        let page = browser.send_bare(DIRECTORS, &[CIN]).await;
        assert!(text_of(&page.text).contains("account_suspended"), "{}", page.text);
    });
}

#[test]
fn nobody_can_sign_up_as_the_account_of_visitors() {
    serve_embedded(&[], async |server| {
        let mut browser = Browser::new(server);
        let fields = [("email", "documentation"), ("password", "monsoon ledger nine")];
        let page = browser.send_bare("/console/sign-up", &fields).await;
        assert_eq!(page.status, 422, "{}", page.text);
        let too_long = "x".repeat(100_000);
        let ask = form(COMPANY, &[("parameter-cin", &too_long)]);
        assert_eq!(server.send_unchecked(ask).await.status, 413);
    });
}
