//! Tests of the company page, the comparison and the search in a browser.

use fantoccini::key::Key;
use fantoccini::{Client, Locator};
use serde_json::json;

use crate::console::{
    PHONE, axe, check_accessibility, open, press, sees, set_theme, sign_up, text_of,
};
use crate::service::Service;
use crate::{click, in_browser, run, wait_for_element, wait_until};

const COMPANY: &str = "/console/companies/L17111MH1994PLC990011";
const COMPARISON: &str = "/console/compare?cin=L17111MH1994PLC990011&cin=U45203UP2007PTC990186";

/// Checks a page in both themes, and that it does not scroll sideways on a phone.
async fn check_look(service: &Service, page: &Client, path: &str) {
    let axe = axe();
    for theme in ["dark", "light"] {
        set_theme(page, theme).await;
        open(service, page, path).await;
        check_accessibility(page, &axe, &format!("{path} in {theme}")).await;
    }
    page.set_window_size(PHONE.0, PHONE.1).await.expect("a phone's size");
    open(service, page, path).await;
    check_accessibility(page, &axe, &format!("{path} on a phone")).await;
    let excess =
        "const root = document.documentElement; return root.scrollWidth - root.clientWidth";
    assert_eq!(run(page, excess).await, json!(0), "{path} scrolls sideways on a phone");
    page.set_window_size(1280, 1600).await.expect("a window");
}

#[test]
fn a_company_page_has_a_summary_links_to_its_sections_and_tables_that_can_be_sorted() {
    in_browser(&[], async |service, page| {
        sign_up(service, page).await;
        open(service, page, COMPANY).await;
        let strip = text_of(page, ".strip").await;
        for part in ["Status", "Active", "32 years", "Paid-up capital", "Revenue", "Open charges"] {
            assert!(strip.contains(part), "no {part:?} in {strip}");
        }
        click(page, ".page-tabs a[href='#directors']").await;
        let current = "return document.querySelector('.page-tabs [aria-current]')?.hash";
        wait_until(page, &format!("return (() => {{ {current} }})() === '#directors'")).await;
        let on_screen = "const tabs = document.querySelector('.page-tabs').getBoundingClientRect(); \
                         const head = document.getElementById('directors').getBoundingClientRect(); \
                         return tabs.top >= 0 && head.top >= tabs.bottom && head.top < 300";
        wait_until(page, on_screen).await;

        let first =
            "document.querySelector('[aria-labelledby=charges] tbody tr').cells[3].textContent";
        let amount = "[aria-labelledby=charges] th:nth-child(4) button";
        click(page, amount).await;
        assert_eq!(run(page, &format!("return {first}")).await, json!("₹120 crore"));
        click(page, amount).await;
        let sorted =
            "return document.querySelector('[aria-labelledby=charges] th:nth-child(4)').ariaSort";
        assert_eq!(run(page, sorted).await, json!("ascending"));
        assert_ne!(run(page, &format!("return {first}")).await, json!("₹120 crore"));
    });
}

/// The visible values of the first chart that is displayed.
const VALUES: &str = "const chart = [...document.querySelectorAll('svg.chart')] \
                      .find(chart => chart.getBoundingClientRect().width > 0); \
                      return [...chart.querySelectorAll('.values')] \
                      .filter(text => getComputedStyle(text).visibility === 'visible') \
                      .map(text => text.textContent)";

#[test]
fn a_chart_shows_values_with_the_focus_and_on_a_phone_the_newest_year_is_first() {
    in_browser(&[], async |service, page| {
        sign_up(service, page).await;
        open(service, page, COMPANY).await;
        let newest = run(page, VALUES).await;
        assert_eq!(newest.as_array().expect("a list").len(), 1, "{newest}");
        assert!(newest[0].as_str().expect("text").starts_with("2024-25: revenue"), "{newest}");
        run(page, "document.querySelector('.wide-chart .group').focus()").await;
        let focused = run(page, VALUES).await;
        assert_eq!(focused.as_array().expect("a list").len(), 1, "{focused}");
        assert!(focused[0].as_str().expect("text").starts_with("2015-16: revenue"), "{focused}");
        let profit = "return document.querySelectorAll('.wide-chart svg')[1].ariaLabel";
        assert!(run(page, profit).await.as_str().expect("text").starts_with("Profit by year"));

        page.set_window_size(PHONE.0, PHONE.1).await.expect("a phone's size");
        open(service, page, COMPANY).await;
        let first = "return document.querySelector('.phone-chart .group').ariaLabel";
        assert!(run(page, first).await.as_str().expect("text").starts_with("2024-25: revenue"));
        let fits = "const box = document.querySelector('.phone-chart svg').getBoundingClientRect(); \
                    return box.width > 250 && box.right <= innerWidth";
        assert_eq!(run(page, fits).await, json!(true));
    });
}

#[test]
fn companies_are_chosen_in_the_search_and_compared() {
    in_browser(&[], async |service, page| {
        sign_up(service, page).await;
        open(service, page, "/console/search?q=kalpanik").await;
        let boxes = page.find_all(Locator::Css(".result-row input")).await.expect("boxes");
        assert!(boxes.len() > 2, "several companies are found");
        for chosen in boxes.into_iter().take(2) {
            chosen.click().await.expect("a click");
        }
        press(page, "Compare selected").await;
        wait_for_element(page, "table.compare").await;
        let columns = page.find_all(Locator::Css(".compare thead th a")).await.expect("names");
        assert_eq!(columns.len(), 2);
        check_look(service, page, COMPARISON).await;
    });
}

#[test]
fn a_search_is_narrowed_by_filters_sorted_and_used_by_keyboard() {
    in_browser(&[], async |service, page| {
        sign_up(service, page).await;
        open(service, page, "/console/search").await;
        wait_for_element(page, "#q").await.send_keys("kalpanik").await.expect("typing");
        press(page, "Search").await;
        wait_for_element(page, "#people").await;
        let query = "return new URLSearchParams(location.search).toString()";
        assert_eq!(run(page, query).await, json!("q=kalpanik&directors=yes"));
        press(page, "Name").await;
        wait_until(page, "return location.search.includes('sort=name')").await;
        let names = "return [...document.querySelectorAll('.result-row strong')] \
                     .map(name => name.textContent.toLowerCase())";
        let names: Vec<String> = serde_json::from_value(run(page, names).await).expect("names");
        assert!(names.is_sorted() && names.len() > 5, "{names:?}");

        open(service, page, "/console/search?q=kalpanik&city=Mumbai&status=active").await;
        let places = "const rows = [...document.querySelectorAll('.result-row .result')]; \
                      return rows.length > 0 && rows.length < 5 \
                      && rows.every(row => row.textContent.includes('Mumbai'))";
        assert_eq!(run(page, places).await, json!(true));
        sees(page, "Recent:").await;
        let field = wait_for_element(page, "#q").await;
        let down = String::from(char::from(Key::Down));
        field.send_keys(&down).await.expect("a key");
        wait_until(page, "return document.activeElement === document.querySelector('a.result')")
            .await;
        check_look(service, page, "/console/search?q=kalpanik&state=MH&directors=yes").await;
    });
}
