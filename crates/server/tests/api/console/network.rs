//! Tests of the network on a company's page, and of the page that finds paths.

use panji_store::ledger::Mode;
use panji_testkit::records;

use super::browser::Browser;
use crate::responses_live::one_of_each;
use crate::server::{Server, serve, serve_embedded};

const EMAIL: &str = "network@example.com";
const COMPANY: &str = "/console/companies/U17110MH2001PTC990501";

async fn balance(server: &Server) -> i64 {
    let account = server.app.ledger.find_account(EMAIL).await.unwrap().unwrap();
    let now = panji_store::calendar::now_ms();
    server.app.ledger.find_balance(&account.id, Mode::Live, now).await.unwrap().unwrap().balance
}

#[test]
fn the_network_is_drawn_with_links_and_listed_in_a_table() {
    serve_embedded(&[], async |server| {
        let mut browser = Browser::signed_up(server, EMAIL).await;
        let page = browser.open("/console/companies/L17111MH1994PLC990011").await;
        page.expect("<svg class=\"network\"").expect("View as a table");
        page.expect("href=\"/console/directors/99000104\"");
        page.expect("Same registered office as Kalpanik Industries Limited");
        let deeper = browser.open("/console/companies/L17111MH1994PLC990011?depth=1").await;
        deeper.expect("/network?depth=1");
    });
}

#[test]
fn a_live_network_is_bought_with_a_form_and_free_to_reload() {
    serve(&[], async |server| {
        let mut browser = Browser::signed_up(server, EMAIL).await;
        let account = server.app.ledger.find_account(EMAIL).await.unwrap().unwrap();
        server.grant(&account.id, 100).await;
        server.import(&one_of_each()).await;
        browser.open("/console").await;
        browser.send("/console/mode", &[("mode", "live"), ("next", COMPANY)]).await;
        browser.open(&format!("{COMPANY}?depth=3")).await.expect("value=\"network\"");
        assert_eq!(balance(server).await, 100, "opening a page is free");
        let page = browser.send(COMPANY, &[("sections", "network"), ("depth", "3")]).await;
        page.expect("<svg class=\"network\"").expect("charged 5");
        browser.open(&page.path).await.expect("<svg class=\"network\"");
        assert_eq!(balance(server).await, 95);
    });
}

#[test]
fn a_node_can_be_expanded_and_hidden_again() {
    serve_embedded(&[], async |server| {
        let mut browser = Browser::signed_up(server, EMAIL).await;
        let company = "/console/companies/L17111MH1994PLC990011?depth=1";
        let page = browser.open(company).await;
        let expand = "/console/companies/L17111MH1994PLC990011?depth=1&#38;expand=99000104#network";
        page.expect(expand);
        let page = browser.open(&format!("{company}&expand=99000104")).await;
        page.expect("With the connections of").expect("/v1/directors/99000104/companies");
        let page = browser.open(&format!("{company}&expand=nonsense")).await;
        page.expect("<svg class=\"network\"");
    });
}

#[test]
fn a_director_has_a_network_of_companies_that_can_be_expanded() {
    serve_embedded(&[], async |server| {
        let mut browser = Browser::signed_up(server, EMAIL).await;
        let page = browser.open("/console/directors/99000104").await;
        page.expect("<svg class=\"network\"").expect("This person").expect("View as a table");
        let expanded = "/console/directors/99000104?expand=L17111MH1994PLC990011";
        let page = browser.open(expanded).await;
        page.expect("With the connections of").expect("2 steps away");
        page.expect("/v1/companies/L17111MH1994PLC990011/network?depth=1");
    });
}

#[test]
fn an_expanded_node_of_a_live_network_is_bought_with_a_form() {
    serve_embedded(&[], async |server| {
        let mut browser = Browser::signed_up(server, EMAIL).await;
        let account = server.app.ledger.find_account(EMAIL).await.unwrap().unwrap();
        server.grant(&account.id, 100).await;
        server.import(&one_of_each()).await;
        browser.open("/console").await;
        browser.send("/console/mode", &[("mode", "live"), ("next", COMPANY)]).await;
        browser.send(COMPANY, &[("sections", "network"), ("depth", "1")]).await;
        assert_eq!(balance(server).await, 95);
        let address = format!("{COMPANY}?depth=1&expand={}", records::DIN);
        browser.open(&address).await.expect("Connections of");
        assert_eq!(balance(server).await, 95, "opening a page is free");
        let page = browser.send(COMPANY, &[("depth", "1"), ("expand", records::DIN)]).await;
        page.expect("With the connections of");
        let paid = balance(server).await;
        assert!(paid < 95, "{paid}");
        browser.open(&page.path).await.expect("With the connections of");
        assert_eq!(balance(server).await, paid);
    });
}

#[test]
fn a_path_is_found_in_test_mode_and_bought_in_live_mode() {
    serve_embedded(&[], async |server| {
        let mut browser = Browser::signed_up(server, EMAIL).await;
        browser.open("/console/paths").await.expect("Find a path");
        let page = browser.open("/console/paths?from=99000104&to=99000105").await;
        page.expect("Path 1").expect("Kalpanik Industries Limited");
        browser.open("/console/paths?from=x&to=99000105").await.expect("from is malformed");

        let account = server.app.ledger.find_account(EMAIL).await.unwrap().unwrap();
        server.grant(&account.id, 100).await;
        server.import(&one_of_each()).await;
        browser.send("/console/mode", &[("mode", "live"), ("next", "/console/paths")]).await;
        let address = format!("/console/paths?from={}&to={}", records::CIN, records::DIN);
        browser.open(&address).await;
        assert_eq!(balance(server).await, 100, "opening a page is free");
        let ends = [("from", records::CIN), ("to", records::DIN)];
        let page = browser.send("/console/paths", &ends).await;
        page.expect("Path 1");
        browser.open(&page.path).await.expect("Path 1");
        assert_eq!(balance(server).await, 95);
    });
}
