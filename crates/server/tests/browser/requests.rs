//! Tests of the request log in a browser.

use fantoccini::Locator;
use serde_json::json;

use crate::console::{
    PHONE, axe, call, check_accessibility, open, press, sees, sign_up, text_of, write,
};
use crate::{click, in_browser, in_browser_on_both_engines, wait_for_element};

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
        let answer = call(service, page, &key).await;
        let request_id = answer["request_id"].as_str().expect("an id").to_owned();
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
