//! Tests of the console in a browser.

use std::io::{Read, Write};
use std::net::TcpListener;

use fantoccini::{Client, Locator};
use serde_json::{Value, json};

use crate::service::Service;
use crate::{TIMEOUT, click, in_browser, in_browser_on_both_engines, wait_for_element};

pub const EMAIL: &str = "asha@firm.example";
const PASSWORD: &str = "monsoon ledger nine";
const COMPANY: &str = "/v1/companies/L17111MH1994PLC990011";
/// Width and height of a phone's window.
pub const PHONE: (u32, u32) = (390, 844);
/// Every page of a signed-in user.
pub const PAGES: [&str; 22] = [
    "/console",
    "/console/search?q=software&directors=yes",
    "/console/compare?cin=L17111MH1994PLC990011&cin=U45203UP2007PTC990186",
    "/console/companies/L17111MH1994PLC990011",
    "/console/directors/99000101",
    "/console/keys",
    "/console/keys/new",
    "/console/credits",
    "/console/usage",
    "/console/requests",
    "/console/go?q=usage",
    "/status",
    "/console/bulk",
    "/console/account",
    "/console/account/delete",
    "/console/members",
    "/console/operator",
    "/console/operator/register",
    "/console/log-in",
    "/console/reset",
    "/console/sign-up",
    "/docs/errors",
];

pub async fn open(service: &Service, page: &Client, path: &str) {
    page.goto(&format!("{}{path}", service.url)).await.unwrap_or_else(|e| panic!("{path}: {e}"));
}

pub async fn write(page: &Client, label: &str, text: &str) {
    let path = format!("//input[@id=//label[normalize-space()='{label}']/@for]");
    let field = page.find(Locator::XPath(&path)).await.unwrap_or_else(|e| panic!("{label}: {e}"));
    field.clear().await.expect("an empty field");
    field.send_keys(text).await.expect("typing");
}

pub async fn press(page: &Client, word: &str) {
    let path = format!("//main//*[self::button or self::a][normalize-space()='{word}']");
    let waiting = page.wait().at_most(TIMEOUT).for_element(Locator::XPath(&path));
    let button = waiting.await.unwrap_or_else(|error| panic!("{word}: {error}"));
    // On a phone it may be under the bottom menu, so it is scrolled into view.
    let script = "document.evaluate(arguments[0], document, null, 9, null) \
                  .singleNodeValue.scrollIntoView({ block: 'center' })";
    page.execute(script, vec![path.as_str().into()]).await.expect("script");
    button.click().await.unwrap_or_else(|error| panic!("{word}: {error}"));
}

pub async fn text_of(page: &Client, selector: &str) -> String {
    wait_for_element(page, selector).await.text().await.expect("text")
}

pub async fn sees(page: &Client, text: &str) {
    let path = format!("//body[contains(., '{text}')]");
    let waiting = page.wait().at_most(TIMEOUT).for_element(Locator::XPath(&path));
    if waiting.await.is_err() {
        panic!("no {text:?} on the page: {}", text_of(page, "body").await);
    }
}

pub async fn sign_up(service: &Service, page: &Client) {
    open(service, page, "/console").await;
    write(page, "Email", EMAIL).await;
    write(page, "Password", PASSWORD).await;
    press(page, "Create account").await;
    sees(page, "Create your first key").await;
}

/// Calls the API from the page with a key; returns the response.
pub async fn call(service: &Service, page: &Client, key: &str) -> Value {
    let script = "const [url, key, done] = arguments; \
                  fetch(url, { headers: { Authorization: 'Bearer ' + key } }) \
                  .then(response => response.json()).then(done, error => done(String(error)))";
    let arguments = vec![format!("{}{COMPANY}", service.url).into(), key.into()];
    page.execute_async(script, arguments).await.expect("script")
}

#[test]
fn a_new_user_signs_up_creates_a_key_calls_with_it_sees_the_call_and_revokes_it() {
    // The last call is refused, which the browser logs.
    in_browser_on_both_engines(&["401"], async |service, page| {
        sign_up(service, page).await;
        write(page, "Name", "my first key").await;
        press(page, "Create key").await;
        let key = text_of(page, "#key").await;
        assert!(text_of(page, "#curl").await.contains(&key));
        let response = call(service, page, &key).await;
        assert_eq!(response["data"]["name"], "Kalpanik Industries Limited", "{response}");
        let request_id = response["request_id"].as_str().expect("an id").to_owned();
        click(page, "nav a[href='/console/usage']").await;
        press(page, "Requests").await;
        sees(page, &request_id).await;
        sees(page, "my first key").await;
        click(page, "nav a[href='/console/keys']").await;
        press(page, "Revoke").await;
        sees(page, "This cannot be undone").await;
        press(page, "Revoke key").await;
        sees(page, "The key was revoked").await;
        // A node caches a key for three seconds.
        let started = std::time::Instant::now();
        while call(service, page, &key).await["error"]["code"] != "revoked_api_key" {
            assert!(started.elapsed() < TIMEOUT, "the key still works");
        }
        press(page, "Create key").await;
        sees(page, "Create a key").await;
    });
}

#[test]
fn a_company_is_found_while_typing_and_its_page_has_charts_and_calls() {
    in_browser_on_both_engines(&[], async |service, page| {
        sign_up(service, page).await;
        click(page, "nav a[href='/console/search']").await;
        wait_for_element(page, "#q").await.send_keys("kalpanik ind").await.expect("typing");
        click(page, "a.result[href='/console/companies/L17111MH1994PLC990011']").await;
        sees(page, "Paid-up capital").await;
        let groups = page.find_all(Locator::Css("svg.chart g.group")).await.expect("bars");
        assert!(groups.len() >= 5, "one for each year");
        click(page, "#identity ~ .see-call summary").await;
        let body = text_of(page, "#identity ~ .see-call pre").await;
        assert!(body.contains("\"credits_charged\": 10"), "{body}");
        click(page, "a[href^='/console/directors/']").await;
        sees(page, "Current appointments").await;
    });
}

#[test]
fn live_mode_looks_different_and_displays_the_price_first() {
    in_browser_on_both_engines(&[], async |service, page| {
        sign_up(service, page).await;
        service.run(&[
            "credits",
            "grant",
            "--account",
            EMAIL,
            "--amount",
            "100",
            "--reference",
            "a",
        ]);
        click(page, ".mode-switch .is-live").await;
        wait_for_element(page, ".live-line").await;
        open(service, page, "/console").await;
        sees(page, "₹100").await;
        open(service, page, "/console/companies/U17110MH2001PTC990501").await;
        sees(page, "Highest price: 1 credit").await;
        click(page, "input[value='profile']").await;
        sees(page, "Highest price: 11 credits").await;
        press(page, "Show selected data").await;
        sees(page, "No company with the number U17110MH2001PTC990501 is in the register").await;
        open(service, page, "/console").await;
        sees(page, "₹100").await;
    });
}

#[test]
fn a_wrong_password_is_refused_and_the_right_one_leads_to_the_requested_page() {
    // The refusal is an HTTP error, which the browser logs.
    in_browser_on_both_engines(&["422"], async |service, page| {
        sign_up(service, page).await;
        click(page, "form[action='/console/log-out'] button").await;
        sees(page, "You are logged out").await;
        open(service, page, "/console/usage").await;
        write(page, "Email", EMAIL).await;
        write(page, "Password", "not my password").await;
        press(page, "Log in").await;
        sees(page, "The email address or the password is wrong").await;
        write(page, "Password", PASSWORD).await;
        press(page, "Log in").await;
        sees(page, "Export CSV").await;
    });
}

#[test]
fn a_form_of_another_site_changes_nothing() {
    in_browser_on_both_engines(&["403", "favicon"], async |service, page| {
        sign_up(service, page).await;
        let elsewhere = another_site(&format!(
            "<form method=post action='{}/console/account/name'>\
             <input name=name value='Taken over'><button>Win a prize</button></form>",
            service.url
        ));
        page.goto(&elsewhere).await.expect("another site");
        click(page, "button").await;
        sees(page, "Form rejected").await;
        open(service, page, "/console/account").await;
        let account = text_of(page, "main").await;
        assert!(!account.contains("Taken over"), "{account}");
    });
}

/// A page on another port of this machine: another origin that still gets the cookies.
fn another_site(html: &str) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let url = format!("http://{}/", listener.local_addr().expect("an address"));
    let response = format!(
        "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nConnection: close\r\n\r\n\
         <!doctype html><link rel=icon href='data:,'>{html}"
    );
    std::thread::spawn(move || {
        for stream in listener.incoming().map_while(Result::ok) {
            let mut stream = stream;
            let _ = stream.read(&mut [0; 4096]);
            let _ = stream.write_all(response.as_bytes());
        }
    });
    url
}

#[test]
fn every_page_is_accessible_in_light_and_dark_and_fits_a_phone() {
    let axe = axe();
    in_browser(&[], async |service, page| {
        sign_up(service, page).await;
        write(page, "Name", "a key to check").await;
        press(page, "Create key").await;
        check_accessibility(page, &axe, "the page with a new key").await;
        service.run(&["account", "operator", EMAIL]);
        for path in PAGES {
            for theme in ["light", "dark"] {
                set_theme(page, theme).await;
                open(service, page, path).await;
                check_accessibility(page, &axe, &format!("{path} in {theme}")).await;
            }
        }
        check_further_pages(service, page, &axe).await;
        page.set_window_size(PHONE.0, PHONE.1).await.expect("a phone's size");
        for path in PAGES {
            open(service, page, path).await;
            let script = "const root = document.documentElement; \
                          return root.scrollWidth - root.clientWidth";
            let excess = page.execute(script, Vec::new()).await.expect("script");
            assert_eq!(excess, json!(0), "{path} scrolls sideways on a phone");
            check_accessibility(page, &axe, &format!("{path} on a phone")).await;
        }
        check_further_pages(service, page, &axe).await;
    });
}

/// Applies to the pages that are opened next.
pub async fn set_theme(page: &Client, theme: &str) {
    let script = "document.cookie = 'panji_theme=' + arguments[0] + ';path=/'";
    page.execute(script, vec![theme.into()]).await.expect("script");
}

/// The pages that are reached only by a button.
async fn check_further_pages(service: &Service, page: &Client, axe: &str) {
    for (start, word) in
        [("/console/keys", "Revoke"), ("/console/keys", "Roll"), ("/console/account", "Set up")]
    {
        open(service, page, start).await;
        press(page, word).await;
        check_accessibility(page, axe, word).await;
    }
    open(service, page, "/console/operator").await;
    press(page, EMAIL).await;
    sees(page, "Grant credits").await;
    check_accessibility(page, axe, "an account as the operator sees it").await;
}

/// The checker's script.
#[allow(clippy::disallowed_methods, reason = "./test names the checker")]
pub fn axe() -> String {
    let path =
        std::env::var("PANJI_TEST_AXE").expect("run the tests with ./test, which gets axe-core");
    std::fs::read_to_string(path).expect("axe-core")
}

/// Runs the checker in the page; it must report nothing.
pub async fn check_accessibility(page: &Client, axe: &str, what: &str) {
    page.execute(axe, Vec::new()).await.expect("axe-core loads");
    // A color is judged when its transition has ended, which takes longer on a busy machine.
    let script = "const done = arguments[arguments.length - 1]; \
                  const transitions = document.getAnimations().filter(a => a instanceof CSSTransition); \
                  Promise.allSettled(transitions.map(a => a.finished)).then(() => axe.run()) \
                  .then(result => done(result.violations), error => done(String(error)))";
    let found = page.execute_async(script, Vec::new()).await.expect("axe-core runs");
    let violations = found.as_array().unwrap_or_else(|| panic!("{what}: {found}"));
    let describe = |violation: &Value| {
        let nodes = violation["nodes"].as_array().cloned().unwrap_or_default();
        let targets: Vec<String> =
            nodes.iter().take(4).map(|node| format!("{} {}", node["html"], node["any"])).collect();
        format!("{}: {}\n  {}", violation["id"], violation["help"], targets.join("\n  "))
    };
    let descriptions: Vec<String> = violations.iter().map(describe).collect();
    assert!(descriptions.is_empty(), "{what}:\n{}", descriptions.join("\n"));
}
