//! Tests of the summary of a company, the comparison and the search with filters.

use panji_store::ledger::Mode;
use panji_store::register::Record;
use panji_testkit::records;

use super::browser::Browser;
use crate::responses_live::one_of_each;
use crate::server::{Server, serve, serve_embedded};

const EMAIL: &str = "asha@firm.example";
const COMPANY: &str = "/console/companies/U17110MH2001PTC990501";
const COMPARISON: &str = "/console/compare?cin=U17110MH2001PTC990501&cin=U99999DL1956PTC990001";

async fn balance(server: &Server) -> i64 {
    let account = server.app.ledger.find_account(EMAIL).await.unwrap().unwrap();
    let now = panji_store::calendar::now_ms();
    server.app.ledger.find_balance(&account.id, Mode::Live, now).await.unwrap().unwrap().balance
}

/// A user with 100 live credits, in live mode.
async fn buyer(server: &Server) -> Browser<'_> {
    let mut browser = Browser::signed_up(server, EMAIL).await;
    let account = server.app.ledger.find_account(EMAIL).await.unwrap().unwrap();
    server.grant(&account.id, 100).await;
    server.import(&one_of_each()).await;
    browser.open("/console").await;
    browser.send("/console/mode", &[("mode", "live"), ("next", COMPANY)]).await;
    browser
}

#[test]
fn a_summary_says_unknown_for_what_no_source_states() {
    serve_embedded(&[], async |server| {
        let mut browser = Browser::signed_up(server, EMAIL).await;
        let page = browser.open("/console/companies/L17111MH1994PLC990011").await;
        let strip = page.between("aria-label=\"Summary\">", "</dl>");
        assert!(strip.contains("<a class=\"good\" href=\"#identity\">Active</a>"), "{strip}");
        assert!(strip.contains("2024-25, "), "the growth of the year: {strip}");
        assert!(strip.contains("<dt>Findings</dt>"), "{strip}");
        let page = browser.open("/console/companies/U99999DL1956PTC990001").await;
        let strip = page.between("aria-label=\"Summary\">", "</dl>").to_owned();
        for (what, section) in [("Revenue", "financials"), ("Open charges", "charges")] {
            let unknown =
                format!("<dt>{what}</dt><dd><a class=\"muted\" href=\"#{section}\">Unknown</a>");
            assert!(strip.contains(&unknown), "{what}: {strip}");
        }
        assert!(!strip.contains(">0<"), "unknown is not zero: {strip}");
    });
}

#[test]
fn a_long_response_is_loaded_apart_and_only_by_its_account() {
    serve_embedded(&[], async |server| {
        let mut browser = Browser::signed_up(server, EMAIL).await;
        let page = browser.open("/console/companies/L17111MH1994PLC990011").await;
        let address = format!("/console/responses?{}", page.between("/console/responses?", "\""));
        let address = address.replace("&#38;", "&").replace("&amp;", "&");
        let json = browser.open(&address).await;
        assert!(json.text.contains("\"credits_charged\": 10"), "{address}: {}", json.text);
        let mut other = Browser::signed_up(server, "ravi@firm.example").await;
        assert_eq!(other.open(&address).await.status, 404);
    });
}

#[test]
fn companies_are_compared_in_test_mode_and_a_wrong_number_is_named() {
    serve_embedded(&[], async |server| {
        let mut browser = Browser::signed_up(server, EMAIL).await;
        let one = browser.open("/console/compare?cin=L17111MH1994PLC990011").await;
        one.expect("Add at least one more company");
        let both = browser
            .open("/console/compare?cin=L17111MH1994PLC990011&cin=u45203up2007ptc990186&cin=")
            .await;
        both.expect("Kalpanik Industries Limited").expect("Overdue filings");
        both.expect("href=\"/console/companies/U45203UP2007PTC990186\"");
        let wrong = browser.open("/console/compare?cin=L17111MH1994PLC990011&cin=nonsense").await;
        wrong.expect("Malformed: character 4 must be a hyphen").expect("cin-2-error");
    });
}

#[test]
fn a_live_comparison_has_its_price_first_and_what_was_bought_is_free() {
    serve(&[], async |server| {
        let mut browser = buyer(server).await;
        browser.open(COMPARISON).await.expect("Highest price: 50 credits");
        assert_eq!(balance(server).await, 100, "opening a page is free");
        browser.send(COMPANY, &[("sections", "profile")]).await;
        assert_eq!(balance(server).await, 90);
        browser.open(COMPARISON).await.expect("Highest price: 40 credits");
        let cins = [("cin", "U17110MH2001PTC990501"), ("cin", "U99999DL1956PTC990001")];
        let page = browser.send("/console/compare", &cins).await;
        assert_eq!(page.path, COMPARISON);
        page.expect("Udaharan Textiles Private Limited").expect("free of charge until");
        page.expect("No company with the number U99999DL1956PTC990001");
        let spent = balance(server).await;
        assert!((75..=80).contains(&spent), "financials and compliance of one: {spent}");
        browser.send("/console/compare", &cins).await;
        browser.open(COMPANY).await.expect("id=\"financials\"");
        assert_eq!(balance(server).await, spent, "a repeat is free");
        let unknown = [("cin", "U99999DL1956PTC990001"), ("cin", "U99999DL1956PTC990002")];
        let page = browser.send("/console/compare", &unknown).await;
        page.expect("No company with the number U99999DL1956PTC990002");
        assert_eq!(balance(server).await, spent, "what is not found is free");
    });
}

#[test]
fn a_search_has_pages_that_are_bought_one_by_one() {
    serve_embedded(&[], async |server| {
        let mut browser = buyer(server).await;
        let company = |number: usize| {
            let cin = format!("U17110MH2001PTC{:06}", 990_600 + number);
            Record::Company(records::company(&cin, &format!("Kataria Namuna {number} Limited")))
        };
        let companies: Vec<Record> = (0..30).map(company).collect();
        server.import(&companies).await;
        let fields = [("q", "kataria namuna"), ("sort", "name")];
        let page = browser.send("/console/search", &fields).await;
        page.expect("1 to 25</strong> of 30").expect("Next · at most 1 credit");
        page.expect("Sort by (at most 1 credit each):");
        assert_eq!(page.text.matches("class=\"result-row\"").count(), 25);
        let next = [("q", "kataria namuna"), ("sort", "name"), ("page", "2")];
        let page = browser.send("/console/search", &next).await;
        assert_eq!(page.path, "/console/search?q=kataria%20namuna&sort=name&page=2");
        page.expect("26 to 30</strong> of 30").expect("Previous");
        assert!(!page.text.contains("Next · "), "it is the last page");
        for number in 5..10 {
            page.expect(&format!("Kataria Namuna {number} Limited"));
        }
    });
}

#[test]
fn a_live_search_with_filters_is_an_address_that_is_free_to_open_again() {
    serve(&[], async |server| {
        let mut browser = buyer(server).await;
        let address = "/console/search?q=udaharan&state=MH&directors=yes";
        browser.open(address).await.expect("Not searched yet");
        let fields = [("q", "udaharan"), ("state", "MH"), ("city", ""), ("directors", "yes")];
        let page = browser.send("/console/search", &fields).await;
        assert_eq!(page.path, address);
        page.expect("Udaharan Textiles Private Limited").expect("free of charge until");
        page.expect("id=\"people\"").expect("the name begins with the text");
        let spent = balance(server).await;
        assert!(spent >= 99, "companies are within the free quota: {spent}");
        browser.open(&format!("{address}&sort=name")).await.expect("Udaharan Textiles");
        browser.send("/console/search", &fields).await;
        assert_eq!(balance(server).await, spent, "a repeat is free");
        let none = browser.send("/console/search", &[("q", "udaharan"), ("state", "KA")]).await;
        none.expect("No companies found").expect("Remove a filter");
        let wrong = browser.send("/console/search", &[("q", "udaharan"), ("pincode", "12")]).await;
        wrong.expect("pincode must have 6 digits");
    });
}
