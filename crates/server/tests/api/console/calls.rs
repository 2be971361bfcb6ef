//! Tests of calls from the console: charged and logged like others, with the price first.

use panji_store::ledger::{EntryKind, Mode};

use super::browser::Browser;
use crate::responses_live::one_of_each;
use crate::server::{Server, serve};

const COMPANY: &str = "/console/companies/L17111MH1994PLC990011";
/// The company of the testkit's records.
const LIVE_COMPANY: &str = "/console/companies/U17110MH2001PTC990501";

async fn balance(server: &Server, mode: Mode) -> i64 {
    let ledger = &server.app.ledger;
    let account = ledger.find_account("asha@firm.example").await.unwrap().unwrap();
    let now = panji_store::calendar::now_ms();
    ledger.find_balance(&account.id, mode, now).await.unwrap().unwrap().balance
}

#[test]
fn test_mode_displays_a_company_at_once_and_spends_test_credits() {
    serve(&[], async |server| {
        let mut browser = Browser::signed_up(server, "asha@firm.example").await;
        let page = browser.open("/console/search?q=kalpanik").await;
        page.expect("Kalpanik Industries Limited").expect(COMPANY).expect("searchCompanies");
        assert_eq!(balance(server, Mode::Test).await, 10_000, "the free quota paid");
        let page = browser.open(COMPANY).await;
        page.expect("Kalpanik Industries Limited")
            .expect("Authorised capital")
            .expect("₹60,00,00,000")
            .expect("net worth")
            .expect("GET /v1/companies/L17111MH1994PLC990011/profile")
            .expect("charged 10")
            .expect("As of 30 Jun 2026");
        assert_eq!(balance(server, Mode::Test).await, 10_000 - 40);
        browser.open("/console/usage").await.expect("getCompanyProfile").expect("Console");
    });
}

#[test]
fn live_mode_displays_the_price_first_and_charges_only_after_the_form_is_sent() {
    serve(&[], async |server| {
        let mut browser = Browser::signed_up(server, "asha@firm.example").await;
        browser.open("/console").await;
        browser.send("/console/mode", &[("mode", "live"), ("next", LIVE_COMPANY)]).await;
        let ledger = &server.app.ledger;
        let account = ledger.find_account("asha@firm.example").await.unwrap().unwrap();
        let now = panji_store::calendar::now_ms();
        ledger.add_entry(&account.id, Mode::Live, EntryKind::Grant, 100, None, now).await.unwrap();
        server.import(&one_of_each()).await;
        let page = browser.open(LIVE_COMPANY).await;
        page.expect("Profile: identity, capital").expect("10 credits");
        assert!(!page.text.contains("Udaharan"), "nothing is displayed before payment");
        browser.open("/console/search?q=udaharan").await;
        browser.open(&format!("{LIVE_COMPANY}?sections=profile")).await;
        assert_eq!(balance(server, Mode::Live).await, 100, "a link spends nothing");
        let page = browser
            .send(LIVE_COMPANY, &[("sections", "profile"), ("sections", "financials")])
            .await;
        page.expect("Udaharan Textiles Private Limited").expect("charged 10");
        assert_eq!(balance(server, Mode::Live).await, 80);
        let page = browser.send("/console/search", &[("q", "udaharan")]).await;
        page.expect("Udaharan Textiles Private Limited");
        assert_eq!(balance(server, Mode::Live).await, 80, "the free quota paid");
    });
}

#[test]
fn without_credits_the_page_displays_only_the_refusal() {
    serve(&[], async |server| {
        let mut browser = Browser::signed_up(server, "asha@firm.example").await;
        browser.open("/console").await;
        browser.send("/console/mode", &[("mode", "live"), ("next", "/console/search")]).await;
        server.import(&one_of_each()).await;
        let page = browser.send(LIVE_COMPANY, &[("sections", "profile")]).await;
        page.expect("the balance is 0: buy credits");
        assert!(!page.text.contains("Udaharan"), "{}", page.text);
    });
}

#[test]
fn malformed_and_unknown_numbers_are_displayed_with_the_messages_of_the_api() {
    serve(&[], async |server| {
        let mut browser = Browser::signed_up(server, "asha@firm.example").await;
        browser.open("/console/companies/nonsense").await.expect("malformed");
        let page = browser.open("/console/companies/U99999XX2000PTC000404").await;
        page.expect("No company with the number").expect("company_not_found");
        let strange = browser.open("/console/companies/%3Cscript%3E%2F..%2F").await;
        strange.expect("&#60;script&#62;");
        browser
            .open("/console/directors/99000101")
            .await
            .expect("Udaharan Namuna")
            .expect(">current</td>");
        browser.open("/console/directors/99999999").await.expect("status 404");
        browser.open("/console/directors/1x").await.expect("malformed");
    });
}

#[test]
fn a_suspended_account_sees_its_pages_but_makes_no_calls() {
    serve(&[], async |server| {
        let mut browser = Browser::signed_up(server, "asha@firm.example").await;
        let ledger = &server.app.ledger;
        let account = ledger.find_account("asha@firm.example").await.unwrap().unwrap();
        ledger.set_suspended(&account.id, Some(1)).await.unwrap();
        browser.open("/console").await.expect("This account is suspended");
        browser.open(COMPANY).await.expect("account_suspended");
        assert_eq!(balance(server, Mode::Test).await, 10_000);
    });
}
