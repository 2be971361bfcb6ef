//! Tests of a job that matches names in a browser: columns, review by keys, undo, export.

use fantoccini::{Client, Locator};
use serde_json::json;

use crate::console::{PHONE, axe, check_accessibility, open, press, sees, sign_up, text_of};
use crate::service::Service;
use crate::{click, in_browser, in_browser_on_both_engines, run, wait_for_element, wait_until};

const NAMES: &str = "Party,State,Note\n\
    Kalpanik Industries Limited,MH,a\n\
    Naya Roop Packaging,,b\n\
    Badal Chhaya Textiles,,c\n\
    Smt. Chaya Namuna,,d\n\
    naya roop packaging!,,e\n";

/// Presses keys while the focus is where it is.
async fn type_keys(page: &Client, keys: &str) {
    let focused = page.active_element().await.expect("an element has the focus");
    focused.send_keys(keys).await.expect("typing");
}

async fn focus_is_on(page: &Client, id: &str) {
    wait_until(page, &format!("return document.activeElement?.id === '{id}'")).await;
}

/// Waits until the filters display this count.
async fn rows_are(page: &Client, count: &str) {
    let script = format!("return document.querySelector('.tabs').innerText.includes('{count}')");
    wait_until(page, &script).await;
}

/// Pastes the list, and stops before its price is accepted.
async fn send_names(service: &Service, page: &Client) {
    open(service, page, "/console/bulk").await;
    click(page, "input[value='match']").await;
    wait_for_element(page, "#text").await.send_keys(NAMES).await.expect("typing");
    press(page, "Continue").await;
    sees(page, "Check what each column is read as").await;
}

async fn review(service: &Service, page: &Client) {
    send_names(service, page).await;
    press(page, "Start: at most 10 credits").await;
    press(page, "Review 3 rows").await;
    wait_for_element(page, "#row-2").await;
}

#[test]
fn rows_that_need_review_are_decided_and_undone_by_keys() {
    in_browser_on_both_engines(&[], async |service, page| {
        sign_up(service, page).await;
        review(service, page).await;
        focus_is_on(page, "row-2").await;
        type_keys(page, "j").await;
        focus_is_on(page, "row-3").await;
        type_keys(page, "k").await;
        focus_is_on(page, "row-2").await;
        type_keys(page, "2").await;
        // The equal row 5 is decided too, so the next one that needs review is row 3.
        focus_is_on(page, "row-3").await;
        let second = "#row-2 .candidates li:nth-child(2).chosen";
        assert!(text_of(page, second).await.contains("matched"));
        assert!(text_of(page, "#row-5").await.contains("decided by"));
        rows_are(page, "Needs review 1").await;
        type_keys(page, "n").await;
        rows_are(page, "Needs review 0").await;
        assert!(text_of(page, "#row-3").await.contains("no company"));
        type_keys(page, "u").await;
        rows_are(page, "Needs review 1").await;
        focus_is_on(page, "row-3").await;
        type_keys(page, "0").await;
        rows_are(page, "Needs review 0").await;
        let csv = "const done = arguments[0]; fetch(document.querySelector(\"a[href$='.csv']\").href) \
                   .then(response => response.text()).then(done, error => done(String(error)))";
        let csv = page.execute_async(csv, Vec::new()).await.expect("script");
        let lines: Vec<&str> = csv.as_str().expect("text").lines().collect();
        assert!(lines[0].starts_with("Party,State,Note,panji.cin,"), "{}", lines[0]);
        assert!(lines[1].contains(",machine,") && lines[2].contains(",person,"), "{csv}");
        press(page, "Enrich these").await;
        sees(page, "Highest price: 2 credits").await;
        open(service, page, "/console/bulk/decisions").await;
        sees(page, "2 of at most").await;
    });
}

#[test]
fn the_review_works_without_its_script() {
    in_browser(&[], async |service, page| {
        sign_up(service, page).await;
        review(service, page).await;
        // The buttons send plain forms when the list has no script.
        let plain = "const list = document.querySelector('[data-review]'); \
                     list.replaceWith(list.cloneNode(true))";
        run(page, plain).await;
        click(page, "#row-3 button[value='none']").await;
        sees(page, "Row 3, Badal Chhaya Textiles: no company.").await;
        assert!(page.find(Locator::Css("#row-3")).await.is_err(), "it no longer needs review");
        click(page, ".notice button[value='undo']").await;
        wait_for_element(page, "#row-3").await;
    });
}

#[test]
fn the_pages_of_a_list_of_names_are_accessible_and_fit_a_phone() {
    let axe = axe();
    in_browser(&[], async |service, page| {
        sign_up(service, page).await;
        send_names(service, page).await;
        check_widths(page, &axe, "columns").await;
        review(service, page).await;
        check_widths(page, &axe, "review").await;
        click(page, "#row-2 [data-key='1']").await;
        wait_until(page, "return 'decided' in document.querySelector('#row-2').dataset").await;
        check_widths(page, &axe, "a decided row").await;
        open(service, page, "/console/bulk/decisions").await;
        check_widths(page, &axe, "saved decisions").await;
    });
}

/// Checks a page in both themes and on a phone.
async fn check_widths(page: &Client, axe: &str, what: &str) {
    for theme in ["light", "dark"] {
        run(page, &format!("document.documentElement.dataset.theme = '{theme}'")).await;
        check_accessibility(page, axe, &format!("{what} in {theme}")).await;
    }
    page.set_window_size(PHONE.0, PHONE.1).await.expect("a phone's size");
    let excess =
        "const root = document.documentElement; return root.scrollWidth - root.clientWidth";
    assert_eq!(run(page, excess).await, json!(0), "{what} scrolls sideways on a phone");
    check_accessibility(page, axe, &format!("{what} on a phone")).await;
    page.set_window_size(1280, 1600).await.expect("a size");
}
