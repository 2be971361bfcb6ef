//! Tests of webhooks in the console: created with a secret that is shown once, tested, replayed, disabled, deleted.

use panji_store::ledger::Mode;

use super::browser::{Browser, Page};
use crate::server::{Key, serve_embedded};
use crate::webhooks::receiver::Receiver;
use crate::webhooks::{FIRST, LOCAL, NOW, add_events, deliver};

fn secret(page: &Page) -> &str {
    page.between("id=\"secret\" tabindex=\"0\">", "<")
}

#[test]
fn a_webhook_is_created_tested_replayed_disabled_and_deleted() {
    serve_embedded(&LOCAL, async |server| {
        let mut browser = Browser::signed_up(server, "asha@firm.example").await;
        let receiver = Receiver::open().await;
        browser.open("/console/webhooks").await.expect("No webhooks yet");
        let form = [("url", receiver.at("ok")), ("description", "risk team".to_owned())];
        let form: Vec<(&str, &str)> =
            form.iter().map(|(name, text)| (*name, text.as_str())).collect();
        let page = browser.send("/console/webhooks", &form).await;
        let secret = secret(&page).replace("&#43;", "+").replace("&#x2b;", "+");
        assert!(secret.starts_with("whsec_"), "{secret}");
        let list = browser.open("/console/webhooks").await;
        list.expect("risk team").expect("value=\"charge.created\"");
        let path = format!("/console/webhooks/we_{}", list.between("/console/webhooks/we_", "\""));
        let page = browser.open(&path).await;
        assert!(!page.text.contains("whsec_"), "never again");
        browser.send(&format!("{path}/test"), &[]).await.expect("accepted the test");
        assert!(receiver.received()[0].is_signed_with(&secret));
        let account = server.app.ledger.find_account("asha@firm.example").await.unwrap().unwrap();
        let key = Key {
            text: String::new(),
            id: String::new(),
            account_id: account.id,
            mode: Mode::Test,
        };
        add_events(server, &key, &[FIRST]).await;
        deliver(server, NOW).await;
        let page = browser.open(&path).await;
        page.expect("company.status_changed").expect(FIRST).expect("accepted with 204");
        let event = page.between("name=\"event_id\" value=\"", "\"").to_owned();
        let replayed = browser.send(&format!("{path}/replay"), &[("event_id", &event)]).await;
        replayed.expect("sent again");
        deliver(server, NOW).await;
        assert_eq!(receiver.received().len(), 3);
        let change = [
            ("url", receiver.at("other")),
            ("description", "credit team".to_owned()),
            ("types", "charge.created".to_owned()),
            ("types", "charge.satisfied".to_owned()),
        ];
        let change: Vec<(&str, &str)> =
            change.iter().map(|(name, text)| (*name, text.as_str())).collect();
        let page = browser.send(&format!("{path}/change"), &change).await;
        page.expect("The webhook was changed.").expect("credit team");
        page.expect("charge.created, charge.satisfied").expect("/other");
        let refused = browser.send(&format!("{path}/change"), &[("url", "ftp://x")]).await;
        refused.expect("There is a problem").expect("value=\"ftp://x\"");
        let rotated = browser.send(&format!("{path}/rotate"), &[]).await;
        rotated.expect("whsec_").expect("Previous secret");
        let disabled = browser.send(&format!("{path}/state"), &[("enabled", "false")]).await;
        disabled.expect("by a member").expect(">Enable<");
        browser.send(&format!("{path}/state"), &[("enabled", "true")]).await.expect(">Disable<");
        browser.send(&format!("{path}/delete"), &[]).await.expect("No webhooks yet");
        assert_eq!(browser.open(&path).await.status, 404);
    });
}

#[test]
fn a_url_that_cannot_be_used_is_explained_at_its_field() {
    serve_embedded(&[], async |server| {
        let mut browser = Browser::signed_up(server, "asha@firm.example").await;
        for (url, reason) in [
            ("http://hooks.example.com/", "must begin with https://"),
            ("https://127.0.0.1/", "a loopback address"),
            ("https://user@hooks.example.com/", "a user name"),
        ] {
            let page = browser.send("/console/webhooks", &[("url", url)]).await;
            page.expect("There is a problem").expect(reason).expect(url);
        }
        browser.open("/console/webhooks").await.expect("No webhooks yet");
    });
}
