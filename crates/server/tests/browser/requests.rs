//! Tests of the request log and of getting around in a browser.

use fantoccini::Locator;
use fantoccini::actions::{InputSource, KeyAction, KeyActions};
use fantoccini::key::Key;
use serde_json::json;

use crate::console::{
    PHONE, axe, call, check_accessibility, open, press, sees, sign_up, text_of, write,
};
use crate::{TIMEOUT, click, in_browser, in_browser_on_both_engines, wait_for_element};

#[test]
fn new_requests_appear_in_the_live_tail_and_one_is_opened_and_copied() {
    let axe = axe();
    in_browser_on_both_engines(&[], async |service, page| {
        sign_up(service, page).await;
        write(page, "Name", "my first key").await;
        press(page, "Create key").await;
        let key = text_of(page, "#key").await;
        open(service, page, "/console/requests").await;
        sees(page, "No matching requests").await;
        press(page, "Live tail").await;
        let response = call(service, page, &key).await;
        let request_id = response["request_id"].as_str().expect("an id").to_owned();
        sees(page, &request_id).await;
        sees(page, "Live: 1 new").await;
        check_accessibility(page, &axe, "the log").await;
        press(page, "Live tail").await;
        sees(page, "Live tail is off").await;
        click(page, &format!("a[href='/console/requests/{request_id}']")).await;
        sees(page, "Send it again").await;
        assert!(text_of(page, "#curl").await.contains("/v1/companies/L17111MH1994PLC990011'"));
        check_accessibility(page, &axe, "a request").await;
    });
}

#[test]
fn without_a_script_and_on_a_phone_the_log_is_filtered_by_its_form() {
    in_browser(&[], async |service, page| {
        sign_up(service, page).await;
        write(page, "Name", "my first key").await;
        press(page, "Create key").await;
        let key = text_of(page, "#key").await;
        call(service, page, &key).await;
        page.set_window_size(PHONE.0, PHONE.1).await.expect("a phone's size");
        open(service, page, "/console/requests").await;
        click(page, "details summary").await;
        wait_for_element(page, "#text").await.send_keys("nothing like it").await.expect("typing");
        press(page, "Apply").await;
        sees(page, "No matching requests").await;
        let wide = "return document.documentElement.scrollWidth > innerWidth";
        assert_eq!(page.execute(wide, Vec::new()).await.expect("script"), json!(false));
        let open = page.find(Locator::Css("details[open] #text")).await;
        assert!(open.is_ok(), "the filters in use are visible");
    });
}

async fn press_ctrl_k(page: &fantoccini::Client) {
    let keys = KeyActions::new("keyboard".to_owned())
        .then(KeyAction::Down { value: Key::Control.into() })
        .then(KeyAction::Down { value: 'k' })
        .then(KeyAction::Up { value: 'k' })
        .then(KeyAction::Up { value: Key::Control.into() });
    page.perform_actions(keys).await.expect("keys");
}

#[test]
fn ctrl_k_leads_to_pages_companies_and_documents() {
    let axe = axe();
    in_browser_on_both_engines(&[], async |service, page| {
        sign_up(service, page).await;
        open(service, page, "/console").await;
        press_ctrl_k(page).await;
        let field = wait_for_element(page, "#go-field").await;
        field.send_keys("kalpanik ind").await.expect("typing");
        wait_for_element(page, ".go-box a[href='/console/companies/L17111MH1994PLC990011']").await;
        check_accessibility(page, &axe, "Go to").await;
        field.clear().await.expect("an empty field");
        field.send_keys("idempotency").await.expect("typing");
        wait_for_element(page, ".go-box a[href^='/docs/guides/idempotency']").await;
        field.clear().await.expect("an empty field");
        field.send_keys("live tail").await.expect("typing");
        wait_for_element(page, ".go-box a[href='/console/requests']").await;
        field.send_keys(&Key::Enter.to_string()).await.expect("enter");
        sees(page, "Every request in test mode").await;
    });
}

#[test]
fn a_renaming_is_shown_in_a_message_and_can_be_undone() {
    let axe = axe();
    in_browser(&[], async |service, page| {
        sign_up(service, page).await;
        open(service, page, "/console/account").await;
        let old = text_of(page, ".who span").await;
        let field = wait_for_element(page, "form[action='/console/account/name'] #name").await;
        field.clear().await.expect("an empty field");
        field.send_keys("Another name").await.expect("typing");
        click(page, "main form[action='/console/account/name'] .button").await;
        sees(page, "The account was renamed").await;
        wait_for_element(page, ".toast .close").await;
        check_accessibility(page, &axe, "a message over the page").await;
        assert_eq!(text_of(page, ".who span").await, "Another name");
        click(page, ".toast form button").await;
        // The message is the same as before, so only the name tells that the next page is there.
        let name = format!("//*[@class='who']//span[normalize-space()='{old}']");
        let waiting = page.wait().at_most(TIMEOUT).for_element(Locator::XPath(&name));
        waiting.await.expect("the old name");
        sees(page, "The account was renamed").await;
        click(page, ".toast .close").await;
        assert!(!wait_for_element(page, ".toast").await.is_displayed().await.expect("a state"));
    });
}

#[test]
fn the_box_of_a_group_selects_its_operations() {
    in_browser(&[], async |service, page| {
        sign_up(service, page).await;
        open(service, page, "/console/keys/new").await;
        click(page, "form details > summary").await;
        click(page, ".scope:nth-child(2) > summary").await;
        click(page, ".scope[open] input[name='groups']").await;
        let chosen = "return document.querySelectorAll('.scope[open] [name=operations]:checked') \
                      .length === document.querySelectorAll('.scope[open] [name=operations]').length";
        assert_eq!(page.execute(chosen, Vec::new()).await.expect("script"), json!(true));
        sees(page, "selected").await;
        press(page, "Create key").await;
        wait_for_element(page, "#key").await;
        open(service, page, "/console/keys").await;
        sees(page, "only ").await;
    });
}
