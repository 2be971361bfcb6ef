//! Tests of copy buttons, errors and a phone's width in a browser.

use fantoccini::key::Key;
use fantoccini::{Client, Locator};
use serde_json::json;

use crate::chromium::PLAIN_HOST;
use crate::console::{
    PHONE, axe, call, check_accessibility, open, press, sees, sign_up, text_of, write,
};
use crate::service::Service;
use crate::{click, in_browser, run, wait_for_element, wait_until};

#[test]
fn copy_buttons_work_over_plain_http() {
    in_browser(&[], async |service, page| {
        let plain = service.url.replace("127.0.0.1", PLAIN_HOST);
        page.goto(&format!("{plain}/console")).await.expect("the start page");
        write(page, "Email", "asha@firm.example").await;
        write(page, "Password", "monsoon ledger nine").await;
        press(page, "Create account").await;
        press(page, "Create key").await;
        let key = text_of(page, "#key").await;
        let insecure = "return !isSecureContext && navigator.clipboard === undefined";
        assert_eq!(run(page, insecure).await, json!(true));
        click(page, "[data-copy='key']").await;
        sees(page, "Copied").await;

        run(page, "document.execCommand = () => false").await;
        click(page, "[data-copy='curl']").await;
        sees(page, "Press Ctrl+C").await;
        let selected = run(page, "return getSelection().toString()").await;
        assert!(selected.as_str().expect("text").contains(&key), "{selected}");

        page.goto(&format!("{plain}/console/search")).await.expect("a field to paste into");
        let paste = format!("{}v", char::from(Key::Control));
        wait_for_element(page, "#q").await.send_keys(&paste).await.expect("pasting");
        assert_eq!(run(page, "return document.getElementById('q').value").await, json!(key));
    });
}

#[test]
fn a_summary_of_errors_gets_the_focus_and_links_to_the_field() {
    let axe = axe();
    // A refused form is an HTTP error, which the browser logs.
    in_browser(&["422"], async |service, page| {
        sign_up(service, page).await;
        click(page, "details summary").await;
        write(page, "Monthly cap (credits)", "many").await;
        press(page, "Create key").await;
        sees(page, "There is a problem").await;
        wait_until(page, "return document.activeElement.getAttribute('role') === 'alert'").await;
        let colors = "const color = selector => \
                       getComputedStyle(document.querySelector(selector)).color; \
                       return [color('[role=alert]'), color('.error')]";
        let colors = run(page, colors).await;
        assert_eq!(colors[0], colors[1]);
        assert_eq!(colors[0], "rgb(163, 38, 27)", "the color of failures");
        check_accessibility(page, &axe, "a key with a mistake").await;
        click(page, "[role=alert] a").await;
        wait_until(page, "return document.activeElement.id === 'monthly_cap'").await;

        open(service, page, "/console/bulk").await;
        click(page, "input[value='enrich']").await;
        run(
            page,
            "for (const box of document.querySelectorAll('[name=columns]')) box.checked = false",
        )
        .await;
        wait_for_element(page, "#text")
            .await
            .send_keys("L17111MH1994PLC990011")
            .await
            .expect("typing");
        press(page, "Continue").await;
        sees(page, "There is a problem").await;
        check_accessibility(page, &axe, "a list with a mistake").await;
        click(page, "[role=alert] a").await;
        wait_until(page, "return document.activeElement.id === 'columns'").await;
    });
}

#[test]
fn a_gstin_fills_in_the_state_as_soon_as_it_is_typed() {
    in_browser(&[], async |service, page| {
        sign_up(service, page).await;
        open(service, page, "/console/credits").await;
        write(page, "GSTIN", "29ZZACK4368A1ZL").await;
        click(page, "#address").await;
        sees(page, "The state was filled in. No GST record was found").await;
        assert_eq!(run(page, "return document.getElementById('state').value").await, json!("29"));
        let name = run(page, "return document.getElementById('name').value").await;
        assert_eq!(name, json!("asha"), "what was there stays");
        // The Enter key submits the purchase; it does not fill in.
        wait_for_element(page, "#address")
            .await
            .send_keys("1 Udaharan Road")
            .await
            .expect("typing");
        let field = page.find(Locator::Css("#name")).await.expect("the field");
        field.send_keys(&String::from(char::from(Key::Enter))).await.expect("Enter");
        sees(page, "You have not been charged yet").await;
        sees(page, "1 Udaharan Road").await;
    });
}

/// Whether an element is on the screen horizontally.
async fn fits(page: &Client, selector: &str) -> bool {
    let script = "const box = [...document.querySelectorAll(arguments[0])].at(-1) \
                  .getBoundingClientRect(); \
                  return box.width > 0 && box.left >= 0 && box.right <= innerWidth";
    page.execute(script, vec![selector.into()]).await.expect("script") == json!(true)
}

async fn on_a_phone(service: &Service, page: &Client) -> String {
    sign_up(service, page).await;
    write(page, "Name", "the billing server of the firm in Mumbai").await;
    press(page, "Create key").await;
    let key = text_of(page, "#key").await;
    page.set_window_size(PHONE.0, PHONE.1).await.expect("a phone's size");
    key
}

#[test]
fn on_a_phone_the_actions_of_keys_and_members_are_on_the_screen() {
    in_browser(&[], async |service, page| {
        on_a_phone(service, page).await;
        open(service, page, "/console/keys").await;
        for button in ["a[href$='/roll']", "a[href$='/revoke']"] {
            assert!(fits(page, button).await, "{button} is off the screen");
        }
        open(service, page, "/console/members").await;
        for part in ["form[action$='/change'] select", "form[action$='/change'] button"] {
            assert!(fits(page, part).await, "{part} is off the screen");
        }
    });
}

#[test]
fn on_a_phone_charts_begin_at_the_newest_day_and_error_codes_can_be_read() {
    in_browser(&[], async |service, page| {
        let key = on_a_phone(service, page).await;
        call(service, page, &key).await;
        open(service, page, "/console/usage").await;
        let scrolls = "const box = document.querySelector('.chart-box'); \
                       return box.scrollWidth > box.clientWidth";
        assert_eq!(run(page, scrolls).await, json!(true), "the chart is wider than a phone");
        assert!(fits(page, ".chart-box svg.chart .group").await, "today is hidden");
        open(service, page, "/docs/errors#insufficient_credits").await;
        assert!(fits(page, "#insufficient_credits td:last-child").await);
        let width = "return document.querySelector('#insufficient_credits td:last-child') \
                     .getBoundingClientRect().width";
        let width = run(page, width).await.as_f64().expect("a width");
        assert!(width > 250.0, "the meaning has {width} pixels");
    });
}

/// What the first page loads, with its fonts.
const MAX_FIRST_LOAD: f64 = 120_000.0;
/// What the fonts have, in English and in Hindi.
const FONTS: [f64; 2] = [46_000.0, 78_000.0];
const MAX_PAGE: f64 = 20_000.0;
#[test]
fn the_first_page_and_the_later_ones_are_light() {
    in_browser(&[], async |service, page| {
        sign_up(service, page).await;
        let all = "return document.fonts.ready.then(() => \
                   [...performance.getEntriesByType('navigation'), ...performance.getEntriesByType('resource')] \
                   .reduce((sum, entry) => sum + entry.encodedBodySize, 0))";
        let english = run(page, all).await.as_f64().expect("bytes");
        assert!(english > FONTS[0] && english < MAX_FIRST_LOAD, "{english}");
        click(page, ".foot .language button").await;
        sees(page, "कुंजियाँ").await;
        let hindi = run(page, all).await.as_f64().expect("bytes");
        assert!(hindi > FONTS[1] && hindi < MAX_FIRST_LOAD, "{hindi}");
        for path in [
            "/console/companies/L17111MH1994PLC990011",
            "/console/search?q=kalpanik&directors=yes",
            "/console/bulk",
        ] {
            open(service, page, path).await;
            let own = "return performance.getEntriesByType('navigation')[0].encodedBodySize";
            let bytes = run(page, own).await.as_f64().expect("bytes");
            assert!(bytes < MAX_PAGE, "{path}: {bytes}");
        }
    });
}
