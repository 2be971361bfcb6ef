//! Tests of the page cache: pages are bought by a form, stored for a day, free to reload.

use axum::http::Method;
use panji_store::ledger::{BalanceSnapshot, LinkPurpose, Mode, Role};

use super::browser::{Browser, PASSWORD, form};
use crate::ask::ask;
use crate::responses_live::one_of_each;
use crate::server::{Server, serve, serve_embedded};

const EMAIL: &str = "asha@firm.example";
const TEST_COMPANY: &str = "/console/companies/L17111MH1994PLC990011";
const COMPANY: &str = "/console/companies/U17110MH2001PTC990501";
const NAME: &str = "<title>Udaharan Textiles Private Limited";

async fn account_id(server: &Server) -> String {
    server.app.ledger.find_account(EMAIL).await.unwrap().unwrap().id
}

async fn snapshot(server: &Server, mode: Mode) -> BalanceSnapshot {
    let (id, now) = (account_id(server).await, panji_store::calendar::now_ms());
    server.app.ledger.find_balance(&id, mode, now).await.unwrap().unwrap()
}

async fn balance(server: &Server, mode: Mode) -> i64 {
    snapshot(server, mode).await.balance
}

/// A user with 100 live credits, in live mode.
async fn buyer(server: &Server) -> Browser<'_> {
    let mut browser = Browser::signed_up(server, EMAIL).await;
    server.grant(&account_id(server).await, 100).await;
    server.import(&one_of_each()).await;
    browser.open("/console").await;
    browser.send("/console/mode", &[("mode", "live"), ("next", COMPANY)]).await;
    browser
}

#[test]
fn a_bought_section_is_free_to_reload_and_more_sections_can_be_bought() {
    serve(&[], async |server| {
        let mut browser = buyer(server).await;
        let page = browser.open(COMPANY).await;
        page.expect("Select data").expect("value=\"profile\"").expect("value=\"financials\"");
        let page = browser.send(COMPANY, &[("sections", "profile")]).await;
        assert!(page.path.starts_with(COMPANY), "the form leads to {}", page.path);
        page.expect(NAME).expect("charged 10").expect("free of charge until");
        assert_eq!(balance(server, Mode::Live).await, 90);
        for path in [page.path.as_str(), COMPANY, COMPANY] {
            browser.open(path).await.expect(NAME).expect("charged 10");
        }
        assert_eq!(balance(server, Mode::Live).await, 90, "reloading and coming back are free");

        let page = browser.open(COMPANY).await;
        page.expect("Add to this page").expect("value=\"financials\"");
        assert!(!page.text.contains("value=\"profile\""), "it is there: {}", page.text);
        assert!(!page.text.contains("value=\"identity\""), "the profile has it: {}", page.text);
        let page = browser.send(COMPANY, &[("sections", "financials")]).await;
        page.expect(NAME).expect("id=\"financials\"").expect("id=\"directors\"");
        assert_eq!(balance(server, Mode::Live).await, 80);
        browser.send(COMPANY, &[("sections", "financials"), ("sections", "profile")]).await;
        assert_eq!(balance(server, Mode::Live).await, 80, "what is there is not bought again");
    });
}

#[test]
fn a_form_sent_twice_concurrently_is_charged_once() {
    serve_embedded(&[], async |server| {
        let mut browser = buyer(server).await;
        let page = browser.open(COMPANY).await;
        let token = page.between("name=\"form_token\" value=\"", "\"").to_owned();
        let fields = [("form_token", token.as_str()), ("sections", "profile")];
        let mut twin = Browser::new(server);
        twin.cookies = browser.cookies.clone();
        let sent = futures_util::future::join(
            browser.ask(form(COMPANY, &fields)),
            twin.ask(form(COMPANY, &fields)),
        );
        let (one, other) = sent.await;
        assert_eq!((one.status, other.status), (303, 303));
        assert_eq!(balance(server, Mode::Live).await, 90);
        browser.open(COMPANY).await.expect(NAME);
    });
}

#[test]
fn a_charged_view_is_stored_even_if_the_browser_disconnects() {
    serve_embedded(&[], async |server| {
        let mut browser = buyer(server).await;
        let page = browser.open(COMPANY).await;
        let token = page.between("name=\"form_token\" value=\"", "\"").to_owned();
        let fields = [("form_token", token.as_str()), ("sections", "profile")];
        let mut leaving = Browser::new(server);
        leaving.cookies = browser.cookies.clone();
        let mut sent = Box::pin(leaving.ask(form(COMPANY, &fields)));
        while balance(server, Mode::Live).await == 100 {
            if futures_util::FutureExt::now_or_never(&mut sent).is_some() {
                break;
            }
            // Other tasks must run, too.
            tokio::time::sleep(std::time::Duration::from_millis(1)).await;
        }
        drop(sent);
        let limit = std::time::Instant::now() + std::time::Duration::from_secs(120);
        while !browser.open(COMPANY).await.text.contains("free of charge until") {
            assert!(
                std::time::Instant::now() < limit,
                "10 credits were charged and nothing is stored"
            );
            tokio::time::sleep(std::time::Duration::from_millis(10)).await;
        }
        assert_eq!(balance(server, Mode::Live).await, 90);
    });
}

#[test]
fn a_form_without_a_selection_is_refused() {
    serve_embedded(&[], async |server| {
        let mut browser = buyer(server).await;
        browser.open(COMPANY).await;
        let page = browser.send(COMPANY, &[]).await;
        page.expect("role=\"alert\" tabindex=\"-1\"").expect("Select at least one item");
        assert_eq!(balance(server, Mode::Live).await, 100);
    });
}

#[test]
fn reloading_in_test_mode_is_free_too() {
    serve(&[], async |server| {
        let mut browser = Browser::signed_up(server, EMAIL).await;
        for _ in 0..3 {
            browser.open(TEST_COMPANY).await.expect("Kalpanik Industries Limited");
            browser.open("/console/directors/99000101").await.expect("Udaharan Namuna");
            browser.open("/console/search?q=kalpanik").await.expect("Kalpanik");
        }
        assert_eq!(balance(server, Mode::Test).await, 10_000 - 40 - 5);
        assert_eq!(snapshot(server, Mode::Test).await.quota_used, 1, "one search");
    });
}

#[test]
fn directors_and_searches_are_stored_in_live_mode() {
    serve(&[], async |server| {
        let mut browser = buyer(server).await;
        let page = browser.send(COMPANY, &[("sections", "profile")]).await;
        let director = format!("/console/directors/{}", page.between("/console/directors/", "\""));
        browser.open(&director).await.expect("Show for 5 credits");
        let page = browser.send(&director, &[]).await;
        page.expect("id=\"appointments\"");
        assert!(!page.text.contains("Show for 5 credits"), "{}", page.text);
        assert_eq!(balance(server, Mode::Live).await, 85);
        browser.open(&director).await.expect("id=\"appointments\"");
        browser.open(COMPANY).await.expect(NAME);
        browser.send(&director, &[]).await;
        assert_eq!(balance(server, Mode::Live).await, 85);

        let page = browser.send("/console/search", &[("q", "udaharan textiles")]).await;
        assert_eq!(page.path, "/console/search?q=udaharan%20textiles");
        page.expect("Udaharan Textiles Private Limited");
        browser.open(&page.path).await.expect("Udaharan Textiles Private Limited");
        browser.send("/console/search", &[("q", "udaharan textiles")]).await;
        assert_eq!(snapshot(server, Mode::Live).await.quota_used, 1, "one search");
        let long = "x".repeat(300);
        let page = browser.send("/console/search", &[("q", &long)]).await;
        page.expect("invalid_parameter");
    });
}

#[test]
fn bought_views_are_visible_only_to_members_and_only_in_their_mode() {
    serve_embedded(&[], async |server| {
        let mut browser = buyer(server).await;
        browser.send(COMPANY, &[("sections", "profile")]).await.expect(NAME);
        let mut other = Browser::signed_up(server, "ravi@firm.example").await;
        other.send("/console/mode", &[("mode", "live"), ("next", COMPANY)]).await;
        let page = other.open(COMPANY).await;
        assert!(!page.text.contains("Udaharan Textiles"), "{}", page.text);
        page.expect("value=\"profile\"");

        let link = panji_store::ledger::Link {
            email: "bill@firm.example".to_owned(),
            account_id: account_id(server).await,
            role: Role::Billing,
            created_at: 0,
            expires_at: i64::MAX,
        };
        server.app.ledger.create_link("token", LinkPurpose::Invitation, &link).await.unwrap();
        let mut member = Browser::new(server);
        let form = [("link", "token"), ("name", "Bill"), ("password", PASSWORD)];
        member.send("/console/invitation", &form).await.expect("Overview");
        let page = member.open(COMPANY).await;
        assert!(!page.text.contains("Udaharan Textiles"), "test mode: {}", page.text);
        let page = member.send("/console/mode", &[("mode", "live"), ("next", COMPANY)]).await;
        page.expect(NAME);
        assert!(!page.text.contains("name=\"sections\""), "may not buy: {}", page.text);
    });
}

#[test]
fn a_malformed_number_is_reported_and_nothing_is_offered() {
    serve_embedded(&[], async |server| {
        let mut browser = buyer(server).await;
        for path in ["/console/companies/U17110MH2001PTC99050", "/console/directors/12x"] {
            let page = browser.open(path).await;
            assert_eq!(page.status, 400, "{path}");
            page.expect("malformed");
            for offer in ["name=\"sections\"", "Show for", "data-price"] {
                assert!(!page.text.contains(offer), "{path} offers {offer}: {}", page.text);
            }
            let token = page.between("name=\"form_token\" value=\"", "\"").to_owned();
            let fields = [("form_token", token.as_str()), ("sections", "profile")];
            assert_eq!(browser.ask(form(path, &fields)).await.status, 400, "{path}");
        }
        assert_eq!(balance(server, Mode::Live).await, 100);
    });
}

#[test]
fn an_unpaid_view_displays_the_reason_and_can_be_bought_with_credits() {
    serve_embedded(&[], async |server| {
        let mut browser = Browser::signed_up(server, EMAIL).await;
        server.import(&one_of_each()).await;
        browser.open("/console").await;
        browser.send("/console/mode", &[("mode", "live"), ("next", COMPANY)]).await;
        let page = browser.send(COMPANY, &[("sections", "profile")]).await;
        page.expect("the balance is 0").expect("value=\"profile\"");
        server.grant(&account_id(server).await, 10).await;
        browser.send(COMPANY, &[("sections", "profile")]).await.expect(NAME);
        assert_eq!(balance(server, Mode::Live).await, 0);
        let response = browser.ask(ask(Method::GET, COMPANY)).await;
        assert_eq!(response.status, 200);
    });
}

#[test]
fn a_report_is_a_file_that_only_a_form_can_buy() {
    serve_embedded(&[], async |server| {
        let mut browser = buyer(server).await;
        let page = browser.send(COMPANY, &[("sections", "profile")]).await;
        page.expect("Report (PDF)").expect("25 credits");
        let report = format!("{COMPANY}/report");
        let response = browser.ask(ask(Method::GET, report.as_str())).await;
        assert_eq!((response.status, balance(server, Mode::Live).await), (405, 90));
        let token = browser.form_token.clone();
        let response = browser.ask(form(&report, &[("form_token", token.as_str())])).await;
        assert_eq!(response.status, 200);
        assert_eq!(response.header("content-type"), Some("application/pdf"));
        assert!(
            response.header("content-disposition").unwrap().starts_with("attachment; filename")
        );
        let pages = panji_testkit::pdf_pages(&response.bytes);
        assert!(pages[0].contains("Udaharan Textiles Private Limited"), "{}", pages[0]);
        assert_eq!(balance(server, Mode::Live).await, 65);
        for _ in 0..2 {
            browser.ask(form(&report, &[("form_token", token.as_str())])).await;
        }
        let page = browser.send(&report, &[]).await;
        assert_eq!(page.status, 402, "{}", page.text);
        page.expect("The request failed").expect("buy credits");
    });
}

#[test]
fn findings_are_shown_with_their_evidence() {
    serve_embedded(&[], async |server| {
        let mut browser = Browser::signed_up(server, EMAIL).await;
        let page = browser.open("/console/companies/U45203UP2007PTC990186").await;
        page.expect("id=\"findings\"").expect("Risk, high");
        page.expect("is under the corporate insolvency resolution process");
        let unknown = browser.open("/console/companies/U99999DL1956PTC990001").await;
        unknown.expect("What could not be checked");
    });
}
