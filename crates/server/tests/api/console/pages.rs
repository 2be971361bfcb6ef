//! Tests of every page: nothing inline, nothing from other sites, nothing cached.

use super::browser::{Browser, Page};
use crate::ask::get;
use crate::server::serve_embedded;

const PUBLIC_PAGES: [&str; 7] = [
    "/console/sign-up",
    "/console/log-in",
    "/console/reset",
    "/console/new-password?link=x",
    "/console/invitation?link=x",
    "/console/confirm?link=x",
    "/console/log-in/link?link=x",
];
const PRIVATE_PAGES: [&str; 16] = [
    "/console",
    "/console/search?q=software",
    "/console/companies/L17111MH1994PLC990011",
    "/console/compare?cin=L17111MH1994PLC990011&cin=U45203UP2007PTC990186",
    "/console/directors/99000101",
    "/console/keys",
    "/console/keys/new",
    "/console/usage",
    "/console/requests",
    "/console/account",
    "/console/account/second-factor",
    "/console/account/delete",
    "/console/members",
    "/console/watch",
    "/console/watch/events",
    "/console/no-such-page",
];

fn check(page: &Page) {
    let path = &page.path;
    let policy = page.response.header("content-security-policy").unwrap_or_default();
    assert!(policy.starts_with("default-src 'none'"), "{path}: {policy}");
    assert!(!policy.contains("unsafe"), "{path}: {policy}");
    assert!(policy.contains("frame-ancestors 'none'"), "{path}: {policy}");
    assert_eq!(page.response.header("cache-control"), Some("private, no-store"), "{path}");
    for inline in [" style=", "<style", "<script>", " onclick=", " onload=", "javascript:"] {
        assert!(!page.text.contains(inline), "{path} has {inline}");
    }
    for address in page.text.split("src=\"").skip(1) {
        assert!(address.starts_with("/console/assets/"), "{path} loads {address:.60}");
    }
    assert!(page.text.contains("<h1>") || page.text.contains("<h2>"), "{path} has no heading");
}

#[test]
fn every_page_has_the_strict_policy() {
    serve_embedded(&[], async |server| {
        let mut anonymous = Browser::new(server);
        for path in PUBLIC_PAGES {
            check(&anonymous.open(path).await);
        }
        let mut browser = Browser::signed_up(server, "asha@firm.example").await;
        for path in PRIVATE_PAGES {
            check(&browser.open(path).await);
        }
    });
}

#[test]
fn every_private_page_requires_a_log_in() {
    serve_embedded(&[], async |server| {
        for path in &PRIVATE_PAGES[1..11] {
            let response = Browser::new(server).ask(get(*path)).await;
            assert_eq!(response.status, 303, "{path}");
            let location = response.header("location").unwrap();
            assert!(location.starts_with("/console/log-in?next="), "{location}");
        }
    });
}

#[test]
fn a_missing_page_keeps_the_menu_of_a_signed_in_user() {
    serve_embedded(&[], async |server| {
        let outside = Browser::new(server).open("/console/no-such-page").await;
        assert_eq!((outside.status, outside.text.contains("class=\"menu\"")), (404, false));
        let mut browser = Browser::signed_up(server, "asha@firm.example").await;
        let inside = browser.open("/console/no-such-page").await;
        assert_eq!(inside.status, 404);
        inside.expect("class=\"menu\"").expect("This page does not exist.");
    });
}

#[test]
fn assets_are_cached_for_ever_under_names_with_a_content_hash() {
    serve_embedded(&[], async |server| {
        let page = Browser::new(server).open("/console/log-in").await;
        for (before, kind) in
            [("stylesheet\" href=\"", "text/css"), ("script src=\"", "text/javascript")]
        {
            let response = server.send_unchecked(get(page.between(before, "\""))).await;
            assert_eq!(response.status, 200);
            assert!(response.header("cache-control").unwrap().contains("immutable"));
            assert!(response.header("content-type").unwrap().starts_with(kind));
        }
        let response = server.send_unchecked(get("/console/assets/console-000000000000.css")).await;
        assert_eq!(response.status, 404);
    });
}

#[test]
fn the_selected_theme_comes_from_the_cookie() {
    serve_embedded(&[], async |server| {
        let mut browser = Browser::new(server);
        for (cookie, mark) in [("dark", "data-theme=\"dark\""), ("light", "data-theme=\"light\"")] {
            browser.cookies.insert("panji_theme".into(), cookie.into());
            browser.open("/console/log-in").await.expect(mark);
        }
        browser.cookies.insert("panji_theme".into(), "\"><script>".into());
        assert!(!browser.open("/console/log-in").await.text.contains("data-theme="));
    });
}
