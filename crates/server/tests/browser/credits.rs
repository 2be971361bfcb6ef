//! Tests of buying credits and processing a job in a browser.

use std::io::{Read, Write};
use std::net::TcpStream;

use fantoccini::Locator;
use serde_json::Value;

use crate::console::{
    axe, check_accessibility, open, press, sees, set_theme, sign_up, text_of, write,
};
use crate::service::Service;
use crate::{TIMEOUT, click, in_browser, in_browser_on_both_engines, wait_for_element};

#[test]
fn a_new_user_buys_credits_and_makes_a_live_call() {
    in_browser_on_both_engines(&[], async |service, page| {
        sign_up(service, page).await;
        click(page, ".menu a[href='/console/credits']").await;
        sees(page, "Test payments: no money is charged").await;
        click(page, "input[value='2000']").await;
        sees(page, "₹2,000.00 + GST 18% ₹360.00 = ₹2,360.00").await;
        press(page, "Buy credits").await;
        sees(page, "You have not been charged yet").await;
        press(page, "Pay ₹2,360.00 (test payment)").await;
        sees(page, "Payment received").await;
        assert!(text_of(page, ".figure .number").await.contains("₹2,000"));
        click(page, "section[aria-labelledby='invoices'] td a").await;
        sees(page, "Rupees two thousand three hundred and sixty only").await;
        open(service, page, "/console/keys/new").await;
        click(page, "input[value='live']").await;
        write(page, "Name", "billing server").await;
        press(page, "Create key").await;
        let key = text_of(page, "#key").await;
        let response = call(service, &key, "/v1/verify/din/99000101");
        assert_eq!(response["credits_remaining"], 1_999, "{response}");
        open(service, page, "/console/credits").await;
        sees(page, "₹1,999").await;
    });
}

/// What a new user clicks from the sign-up form to a live key with credits.
const CLICKS_TO_A_LIVE_KEY: [&str; 6] =
    ["Create account", "Credits", "Buy credits", "Pay ₹", "Create a live key", "Create key"];

#[test]
fn a_paid_live_response_takes_a_new_user_six_clicks_and_two_fields() {
    in_browser_on_both_engines(&[], async |service, page| {
        open(service, page, "/console").await;
        write(page, "Email", "asha@firm.example").await;
        write(page, "Password", "monsoon ledger nine").await;
        for word in CLICKS_TO_A_LIVE_KEY {
            let path =
                format!("//*[self::button or self::a][starts-with(normalize-space(), '{word}')]");
            let waiting = page.wait().at_most(TIMEOUT).for_element(Locator::XPath(&path));
            let target = waiting.await.unwrap_or_else(|error| panic!("{word}: {error}"));
            target.click().await.unwrap_or_else(|error| panic!("{word}: {error}"));
        }
        let key = text_of(page, "#key").await;
        assert!(text_of(page, "#curl").await.contains(&key));
        let response = call(service, &key, "/v1/verify/din/99000101");
        assert_eq!(response["credits_charged"], 1, "{response}");
    });
}

/// Calls without a browser, as live keys require.
fn call(service: &Service, key: &str, path: &str) -> Value {
    let address = service.url.trim_start_matches("http://");
    let mut stream = TcpStream::connect(address).expect("a connection");
    let request = format!(
        "GET {path} HTTP/1.1\r\nHost: {address}\r\nAuthorization: Bearer {key}\r\nConnection: close\r\n\r\n"
    );
    stream.write_all(request.as_bytes()).expect("sent");
    let mut response = String::new();
    stream.read_to_string(&mut response).expect("a response");
    let (_, body) = response.split_once("\r\n\r\n").expect("a body");
    serde_json::from_str(body).expect("JSON")
}

#[test]
fn a_list_is_uploaded_started_watched_and_downloaded() {
    in_browser_on_both_engines(&[], async |service, page| {
        sign_up(service, page).await;
        let directory = tempfile::tempdir().expect("a directory");
        let path = directory.path().join("suppliers.csv");
        // Equal rows would be charged once.
        let rows: String =
            (0..3_000).map(|row| format!("Supplier {row},U17111MH1994PLC{row:06}\n")).collect();
        std::fs::write(&path, format!("Name,CIN\n{rows}")).expect("a file");
        open(service, page, "/console/bulk").await;
        let field = page.find(Locator::Css("#file")).await.expect("the field");
        field.send_keys(path.to_str().expect("a path")).await.expect("a file is chosen");
        press(page, "Continue").await;
        sees(page, "Highest price: 3,000 credits").await;
        press(page, "Start: at most 3,000 credits").await;
        wait_for_element(page, "progress").await;
        // The page updates itself until the end.
        sees(page, "3,000 of 3,000 rows · 3,000 credits").await;
        wait_for_element(page, "a.primary[href$='/results.csv']").await;
        let script = "const done = arguments[arguments.length - 1]; \
                      const link = document.querySelector(arguments[0]); \
                      fetch(link.href).then(response => response.text()) \
                      .then(text => done([text.length, text.slice(0, 200)]))";
        for (link, beginning) in
            [("a[href$='.csv']", "Name,CIN,verify.type"), ("a[href$='.xlsx']", "PK")]
        {
            let file = page.execute_async(script, vec![link.into()]).await.expect("script");
            assert!(file[1].as_str().expect("text").starts_with(beginning), "{file}");
            assert!(file[0].as_u64().expect("a length") > 10_000, "{file}");
        }
        open(service, page, "/console/bulk").await;
        sees(page, "suppliers.csv").await;
    });
}

#[test]
fn the_pages_of_a_purchase_and_of_a_job_are_accessible() {
    let axe = axe();
    // A refused form is an HTTP error, which the browser logs.
    in_browser(&["422"], async |service, page| {
        sign_up(service, page).await;
        for theme in ["light", "dark"] {
            set_theme(page, theme).await;
            open(service, page, "/console/credits").await;
            click(page, "input[value='own']").await;
            write(page, "Custom amount in rupees", "7").await;
            let sum = page.find(Locator::Css("[data-purchase-sum]")).await.expect("the sum");
            assert!(!sum.is_displayed().await.expect("a response"), "no sum of a refused amount");
            press(page, "Buy credits").await;
            sees(page, "Enter whole rupees, from ₹100").await;
            check_accessibility(page, &axe, "a purchase with a mistake").await;
            click(page, "input[value='500']").await;
            press(page, "Buy credits").await;
            sees(page, "You have not been charged yet").await;
            check_accessibility(page, &axe, "an order").await;
            press(page, "Pay ₹590.00 (test payment)").await;
            sees(page, "Payment received").await;
            check_accessibility(page, &axe, "credits after a purchase").await;
            click(page, "section[aria-labelledby='invoices'] td a").await;
            sees(page, "this is not a tax invoice").await;
            check_accessibility(page, &axe, "an invoice").await;
            open(service, page, "/console/bulk").await;
            click(page, "input[value='enrich']").await;
            check_accessibility(page, &axe, "the columns of a job").await;
            let text = page.find(Locator::Css("#text")).await.expect("the field");
            text.send_keys("L17111MH1994PLC990011").await.expect("typing");
            press(page, "Continue").await;
            sees(page, "Highest price: 1 credit").await;
            check_accessibility(page, &axe, "a job with its price").await;
            press(page, "Start: at most 1 credit").await;
            wait_for_element(page, "a.primary[href$='/results.csv']").await;
            check_accessibility(page, &axe, "a job that is done").await;
        }
    });
}
