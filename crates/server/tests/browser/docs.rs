//! Tests of the documentation in a browser.

use fantoccini::{Client, Locator};
use serde_json::json;

use crate::console::{
    PHONE, axe, check_accessibility, open, press, sees, set_theme, sign_up, text_of,
};
use crate::service::Service;
use crate::{click, in_browser, wait_for_element};

/// One page of each kind, and the largest ones.
const PAGES: [&str; 9] = [
    "/docs",
    "/docs/guides/quick-start",
    "/docs/guides/api",
    "/docs/guides/sandbox-data",
    "/docs/errors",
    "/docs/search?q=credits",
    "/docs/reference/getCompany",
    "/docs/reference/bulkEnrich",
    "/docs/reference/createJob",
];

#[test]
fn every_kind_of_page_of_the_docs_is_accessible_in_light_and_dark_and_fits_a_phone() {
    let axe = axe();
    in_browser(&[], async |service, page| {
        open(service, page, "/docs").await;
        for theme in ["light", "dark"] {
            set_theme(page, theme).await;
            for path in PAGES {
                open(service, page, path).await;
                check_accessibility(page, &axe, &format!("{path} in {theme}")).await;
            }
        }
        page.set_window_size(PHONE.0, PHONE.1).await.expect("a phone's size");
        for path in PAGES {
            open(service, page, path).await;
            let script = "const root = document.documentElement; \
                          return root.scrollWidth - root.clientWidth";
            let excess = page.execute(script, Vec::new()).await.expect("script");
            assert_eq!(excess, json!(0), "{path} scrolls sideways on a phone");
            check_accessibility(page, &axe, &format!("{path} on a phone")).await;
        }
        // The menu is behind a click.
        click(page, ".phone-menu summary").await;
        check_accessibility(page, &axe, "the open menu on a phone").await;
        click(page, ".phone-menu a[href='/docs/reference/getGst']").await;
        sees(page, "A GST registration with its returns").await;
    });
}

async fn try_directors(service: &Service, page: &Client) -> String {
    open(service, page, "/docs/reference/getCompanyDirectors").await;
    press(page, "Send request").await;
    wait_for_element(page, "#response pre").await;
    text_of(page, "#response").await
}

#[test]
fn a_visitor_tries_a_call_without_a_key_and_a_signed_in_user_with_the_own_account_in_the_docs() {
    let axe = axe();
    in_browser(&[], async |service, page| {
        let response = try_directors(service, page).await;
        assert!(response.contains("200 OK") && response.contains("9,997 remain"), "{response}");
        check_accessibility(page, &axe, "a response").await;
        sign_up(service, page).await;
        // The visitors' account is another one: this balance is new.
        let response = try_directors(service, page).await;
        assert!(response.contains("9,997 remain"), "{response}");
        open(service, page, "/console/usage").await;
        sees(page, "getCompanyDirectors").await;
    });
}

#[test]
fn the_samples_of_the_docs_change_with_the_language() {
    in_browser(&[], async |service, page| {
        open(service, page, "/docs/reference/matchCompanies").await;
        for (language, text) in [
            ("curl", "curl \"http"),
            ("python", "urllib.request"),
            ("javascript", "await fetch"),
            ("go", "package main"),
        ] {
            click(page, &format!("label[for='show-{language}']")).await;
            assert!(text_of(page, &format!("#sample-{language}")).await.contains(text));
            let shown = page.find_all(Locator::Css(".tab-panel")).await.expect("samples");
            let mut visible = 0;
            for panel in shown {
                visible += usize::from(panel.is_displayed().await.expect("a state"));
            }
            assert_eq!(visible, 1, "{language}");
        }
    });
}

#[test]
fn a_search_in_the_docs_leads_to_the_place() {
    in_browser(&[], async |service, page| {
        open(service, page, "/docs").await;
        wait_for_element(page, "#docs-q").await.send_keys("rate limits").await.expect("typing");
        click(page, ".docs-search button").await;
        sees(page, "results for").await;
        click(page, "a[href='/docs/guides/api#rate-limits']").await;
        sees(page, "Per key: 100 requests per second").await;
    });
}
