//! Tests of the console in Hindi in a browser.

use std::collections::BTreeSet;

use fantoccini::Client;
use serde_json::{Value, json};

use crate::console::{
    EMAIL, PAGES, PHONE, axe, check_accessibility, open, press, sees, set_theme, sign_up, write,
};
use crate::service::Service;
use crate::{click, in_browser};

const DESKTOP: (u32, u32) = (1280, 900);

/// Pages that the other tests reach in other ways.
const MORE_PAGES: [&str; 8] = [
    "/console/webhooks",
    "/console/watch",
    "/console/watch/events",
    "/console/bulk/decisions",
    "/console/paths?from=L17111MH1994PLC990011&to=U18101PB2007PTC990171",
    "/console/go",
    "/console/nothing-is-here",
    "/console/search?q=kalpanik",
];

/// What the pages display: its words are data.
const DATA: [&str; 16] = [
    "/v1/companies/search?q=software&limit=50",
    "/v1/companies/search?q=kalpanik&limit=50",
    "/v1/directors/search?q=software",
    "/v1/companies/L17111MH1994PLC990011/profile",
    "/v1/companies/L17111MH1994PLC990011/findings",
    "/v1/companies/L17111MH1994PLC990011/financials",
    "/v1/companies/L17111MH1994PLC990011/compliance",
    "/v1/companies/L17111MH1994PLC990011/network?depth=2",
    "/v1/companies/L17111MH1994PLC990011/documents",
    "/v1/companies/L17111MH1994PLC990011/events",
    "/v1/companies/U45203UP2007PTC990186/profile",
    "/v1/companies/U18101PB2007PTC990171/profile",
    "/v1/network/paths?from=L17111MH1994PLC990011&to=U18101PB2007PTC990171",
    "/v1/directors/99000101",
    "/v1/directors/99000101/companies",
    "/v1/account",
];

/// Names and abbreviations that are the same in both languages, and what the test writes.
const SAME: &str = "Panji API CIN GSTIN PAN DIN JSON CSV XLSX PDF curl MCP IST GST HSN SAC LLPIN \
    FCRN LEI NIC EBITDA EPFO Razorpay MB kB Ctrl GET POST UTC OpenRefine Claude Cursor VS Code ID \
    IP English LLP CIRP URL HMAC HTTPS HTTP SSO TOTP UTF JavaScript Chrome Linux Checkout status \
    json kalpanik software asha firm example check key HeadlessChrome SQLite PostgreSQL Pune OpenAPI \
    overloaded unavailable req usage demo MiB https generation localhost";

/// The visible words in Latin letters, without code, names such as `getCompany` and `company.added`, and
/// names that a drawing shortens.
const LATIN: &str = "const copy = document.body.cloneNode(true); \
    for (const part of copy.querySelectorAll('code, pre, kbd, script, .mono, [lang=en]')) part.remove(); \
    const texts = [document.title]; \
    const walker = document.createTreeWalker(copy, NodeFilter.SHOW_TEXT); \
    while (walker.nextNode()) texts.push(walker.currentNode.data); \
    for (const name of ['title', 'aria-label', 'placeholder', 'alt', 'data-label']) \
      for (const part of copy.querySelectorAll('[' + name + ']')) texts.push(part.getAttribute(name)); \
    const names = /[a-z]+([A-Z][a-z]+)+|[a-z]+([._][a-z]+)+|[A-Za-z]+…/g; \
    return texts.flatMap(text => text.replace(names, ' ').match(/[A-Za-z][A-Za-z]+/g) ?? [])";

#[test]
fn every_page_is_in_hindi_accessible_in_light_and_dark_and_fits_a_phone() {
    let axe = axe();
    // The page that does not exist is an error, which the browser logs.
    in_browser(&["404"], async |service, page| {
        sign_up(service, page).await;
        write(page, "Name", "a key to check").await;
        press(page, "Create key").await;
        service.run(&["account", "operator", EMAIL]);
        click(page, ".foot .language button").await;
        sees(page, "कुंजियाँ").await;
        let data = words_of_data(service, page).await;
        let mut english = Vec::new();
        for (size, theme) in [(DESKTOP, "light"), (DESKTOP, "dark"), (PHONE, "light")] {
            page.set_window_size(size.0, size.1).await.expect("a size");
            set_theme(page, theme).await;
            for path in PAGES.into_iter().chain(MORE_PAGES) {
                if path.starts_with("/docs") {
                    continue;
                }
                open(service, page, path).await;
                english.extend(english_words(page, path, &data).await);
                check_accessibility(page, &axe, &format!("{path} in Hindi, {theme}")).await;
                let script = "const root = document.documentElement; \
                              return root.scrollWidth - root.clientWidth";
                let excess = page.execute(script, Vec::new()).await.expect("script");
                assert_eq!(excess, json!(0), "{path} scrolls sideways in Hindi");
            }
        }
        assert!(english.is_empty(), "not in Hindi:\n{}", english.join("\n"));
    });
}

/// The words of a page that are neither Hindi nor data.
async fn english_words(page: &Client, path: &str, data: &BTreeSet<String>) -> Option<String> {
    let lang = page.execute("return document.documentElement.lang", Vec::new()).await;
    assert_eq!(lang.expect("script"), json!("hi"), "{path}");
    let words = page.execute(LATIN, Vec::new()).await.expect("script");
    let words = words.as_array().expect("a list").iter().filter_map(Value::as_str);
    let found: BTreeSet<&str> = words.filter(|word| !data.contains(*word)).collect();
    (!found.is_empty()).then(|| format!("{path}: {found:?}"))
}

/// The words of the data that the pages display, and those that are the same in both languages.
async fn words_of_data(service: &Service, page: &Client) -> BTreeSet<String> {
    let mut data: BTreeSet<String> = SAME.split_whitespace().map(str::to_owned).collect();
    let script = "const [url, key, done] = arguments; \
                  fetch(url, { headers: { Authorization: 'Bearer ' + key } }) \
                  .then(response => response.json()).then(done, error => done(String(error)))";
    for path in DATA {
        let arguments = vec![format!("{}{path}", service.url).into(), service.key.as_str().into()];
        let response = page.execute_async(script, arguments).await.expect("script");
        collect(&response["data"], &mut data);
    }
    data
}

/// The words of all texts of a value.
fn collect(value: &Value, words: &mut BTreeSet<String>) {
    match value {
        Value::String(text) => {
            let latin = text.split(|character: char| !character.is_ascii_alphabetic());
            words.extend(latin.map(str::to_owned));
        }
        Value::Array(list) => list.iter().for_each(|value| collect(value, words)),
        Value::Object(map) => map.values().for_each(|value| collect(value, words)),
        _ => (),
    }
}
