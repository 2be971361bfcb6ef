//! Tests of the pages in headless Chromium, against the real program.

mod bulk;
mod chromium;
mod company;
mod console;
mod credits;
mod docs;
mod hindi;
mod network;
mod passkeys;
mod requests;
mod review;
mod service;
mod usability;
mod watch;

use std::time::{Duration, Instant};

use chromium::{Chromium, PLAIN_HOST};
use fantoccini::{Client, Locator};
use serde_json::{Value, json};
use service::Service;

/// How long a test waits for an element.
const TIMEOUT: Duration = Duration::from_secs(300);

/// Runs a test with a new service and a new browser, whose log may contain only these errors.
fn in_browser(allowed_console_errors: &[&str], test: impl AsyncFnOnce(&Service, &Client)) {
    let runtime = tokio::runtime::Runtime::new().expect("threads");
    runtime.block_on(with_browser(&Service::start(), allowed_console_errors, test));
}

/// The same, with a service on each engine in turn.
fn in_browser_on_both_engines(
    allowed_console_errors: &[&str],
    test: impl AsyncFn(&Service, &Client),
) {
    panji_testkit::on_both_engines(async |databases| {
        let service = Service::start_on(databases.database_url());
        with_browser(&service, allowed_console_errors, &test).await;
    });
}

async fn with_browser(
    service: &Service,
    allowed_console_errors: &[&str],
    test: impl AsyncFnOnce(&Service, &Client),
) {
    let chromium = Chromium::start().await;
    test(service, &chromium.page).await;
    assert_no_console_errors(service, &chromium, allowed_console_errors).await;
    chromium.close().await;
}

/// Checks that the browser logged no other errors, and that everything came from the service
/// itself.
async fn assert_no_console_errors(service: &Service, chromium: &Chromium, allowed: &[&str]) {
    let mut errors = chromium.console_errors().await;
    errors.retain(|error| !allowed.iter().any(|allowed| error.contains(allowed)));
    assert_eq!(errors, Vec::<String>::new());
    let fetched = "return performance.getEntriesByType('resource').map(entry => entry.name)";
    let fetched = chromium.page.execute(fetched, Vec::new()).await.expect("script");
    for address in fetched.as_array().expect("a list") {
        let address = address.as_str().expect("an address");
        let path = address.replace("localhost", "127.0.0.1").replace(PLAIN_HOST, "127.0.0.1");
        let ours = path.starts_with(&service.url) || path.starts_with("data:");
        assert!(ours, "the page fetched {address}");
    }
}

async fn wait_for_element(page: &Client, selector: &str) -> fantoccini::elements::Element {
    let waiting = page.wait().at_most(TIMEOUT).for_element(Locator::Css(selector));
    waiting.await.unwrap_or_else(|error| panic!("{selector}: {error}"))
}

/// The result of a script in the page.
async fn run(page: &Client, script: &str) -> Value {
    page.execute(script, Vec::new()).await.expect("script")
}

/// Waits until a script in the page returns true.
async fn wait_until(page: &Client, script: &str) {
    let started = Instant::now();
    while run(page, script).await != json!(true) {
        assert!(started.elapsed() < TIMEOUT, "never true: {script}");
    }
}

async fn click(page: &Client, selector: &str) {
    wait_for_element(page, selector)
        .await
        .click()
        .await
        .unwrap_or_else(|error| panic!("{selector}: {error}"));
}

#[test]
fn the_start_page_leads_to_the_reference_and_the_error_codes() {
    in_browser(&[], async |service, page| {
        page.goto(&format!("{}/console", service.url)).await.expect("the start page");
        wait_for_element(page, "form[action='/console/sign-up']").await;
        click(page, "a[href='/docs/errors']").await;
        let row =
            wait_for_element(page, "#insufficient_credits").await.text().await.expect("a row");
        assert!(row.contains("402"), "{row}");
        click(page, "a.brand").await;
        wait_for_element(page, "a[href='/docs/reference/getCompany']").await;
    });
}

#[test]
fn a_page_reads_with_a_test_key_and_is_refused_with_a_live_one() {
    // The refusal is an HTTP error, which the browser logs, as is the icon that the page lacks.
    in_browser(&["403", "favicon"], async |service, page| {
        // Not a page of the program: their policy allows no calls to other origins.
        page.goto(&format!("{}/healthz", service.url)).await.expect("a page");
        let script = "const done = arguments[arguments.length - 1]; \
                      fetch(arguments[0], { headers: { Authorization: 'Bearer ' + arguments[1] } }) \
                      .then(response => response.json()).then(body => done(body)) \
                      .catch(error => done({ failed: String(error) }))";
        // Another origin on the same machine, like a developer's own page.
        let other = service.url.replace("127.0.0.1", "localhost");
        let path = "/v1/companies/L17111MH1994PLC990011";
        let test = vec![format!("{other}{path}").into(), service.key.clone().into()];
        let response = page.execute_async(script, test).await.expect("script");
        assert_eq!(response["data"]["name"], "Kalpanik Industries Limited", "{response}");
        let live = vec![format!("{}{path}", service.url).into(), service.live_key().into()];
        let refused = page.execute_async(script, live).await.expect("script");
        assert_eq!(refused["error"]["code"], "live_key_in_browser", "{refused}");
    });
}
