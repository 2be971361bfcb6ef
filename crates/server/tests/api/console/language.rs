//! Tests of the language of the pages.

use axum::http::Method;
use serde_json::json;

use super::browser::Browser;
use crate::ask::{ask, get};
use crate::server::serve;

#[test]
fn the_browser_chooses_the_language_and_the_user_can_choose_another() {
    serve(&[], async |server| {
        let mut browser = Browser::new(server);
        let in_hindi = |path: &'static str| get(path).header("accept-language", "hi-IN,en;q=0.5");
        let text = async |browser: &mut Browser<'_>, path: &'static str| {
            String::from_utf8(browser.ask(in_hindi(path)).await.bytes.to_vec()).unwrap()
        };
        let page = text(&mut browser, "/console/log-in").await;
        assert!(page.contains("<html lang=\"hi\"") && page.contains("पासवर्ड"), "{page}");
        assert!(page.contains("name=\"next\" value=\"/console/log-in\""), "{page}");

        let chosen = [("language", "en"), ("next", "/console/log-in?next=x")];
        let english = browser.send_bare("/console/language", &chosen).await;
        assert_eq!(english.path, "/console/log-in?next=x");
        assert!(browser.attributes["panji_language"].contains("HttpOnly"));
        let page = text(&mut browser, "/console/log-in").await;
        assert!(page.contains("<html lang=\"en\"") && page.contains("Forgot your password?"));

        let unknown = [("language", "xx"), ("next", "https://evil.example/")];
        browser.send_bare("/console/language", &unknown).await;
        assert_eq!(browser.cookies["panji_language"], "en", "an unknown language changes nothing");
    });
}

#[test]
fn errors_and_messages_of_lower_layers_are_in_the_language_of_the_page() {
    serve(&[], async |server| {
        let mut browser = Browser::signed_up(server, "asha@firm.example").await;
        browser.cookies.insert("panji_language".to_owned(), "hi".to_owned());
        browser.open("/console/account").await.expect("lang=\"hi\"").expect("चालू सत्र");
        let refused = browser.send("/console/account/name", &[("name", "")]).await;
        assert_eq!(refused.status, 422);
        refused.expect("खाते के लिए एक नाम लिखें।");
        let missing = browser.open("/console/companies/U17110MH2001PTC990599").await;
        missing.expect("कोई कंपनी रजिस्टर में नहीं है।");
        browser.open("/console/nothing").await.expect("lang=\"hi\"");
    });
}

#[test]
fn the_api_and_the_documentation_are_english_in_every_language() {
    serve(&[], async |server| {
        let key = server.test_key().await;
        let path = "/v1/companies/U17110MH2001PTC990599";
        let asked = ask(Method::GET, path)
            .key(&key)
            .header("accept-language", "hi")
            .header("cookie", "panji_language=hi");
        let response = server.send(asked).await;
        let message = "No company with the number U17110MH2001PTC990599 is in the register.";
        assert_eq!(response.json["error"]["message"], json!(message));
        let docs = server.send_unchecked(get("/docs").header("accept-language", "hi")).await;
        assert!(String::from_utf8_lossy(&docs.bytes).contains("<html lang=\"en\""));
    });
}
