//! Tests of navigation: Go to, undo, the status page.

use panji_api::accounts::key_expiry;
use panji_api::telemetry::health::{State, hour_of};
use panji_store::calendar::now_ms;
use panji_store::ledger::{HealthHour, HealthMinutes};
use panji_testkit::Mailbox;
use serde_json::json;

use super::browser::Browser;
use crate::ask::get;
use crate::server::{serve, serve_embedded};

#[test]
fn go_to_lists_pages_keys_and_companies() {
    serve(&[], async |server| {
        let mut browser = Browser::signed_up(server, "asha@firm.example").await;
        browser.send("/console/keys", &[("mode", "test"), ("name", "billing server")]).await;
        let all = browser.open("/console/go").await;
        all.expect("href=\"/console/requests\"").expect("href=\"/status\"");
        let key = browser.open("/console/go?q=billing+ser").await;
        key.expect("billing server").expect("href=\"/console/requests?key=key_");
        let company = browser.open("/console/go?q=kalpanik+ind").await;
        company.expect("href=\"/console/companies/L17111MH1994PLC990011\"");
        company.expect("href=\"/console/search?q=kalpanik+ind\"");
        let number = browser.open("/console/go?q=u17110mh2001ptc990501").await;
        number.expect("href=\"/console/companies/U17110MH2001PTC990501\"");
        let list = browser.open("/console/go?list=yes&q=usage").await;
        assert!(!list.text.contains("<html"), "only the list");
        browser.open("/console/go?q=%3Cscript%3E").await.expect("Search for “&#60;script&#62;”");
    });
}

#[test]
fn in_live_mode_go_to_leads_to_the_price_and_spends_nothing() {
    serve(&[], async |server| {
        let mut browser = Browser::signed_up(server, "asha@firm.example").await;
        browser.open("/console").await;
        browser.send("/console/mode", &[("mode", "live"), ("next", "/console")]).await;
        let page = browser.open("/console/go?q=kalpanik").await;
        page.expect("the price is shown first");
        assert!(!page.text.contains("/console/companies/"), "nothing is searched");
        let log = browser.open("/console/requests").await;
        log.expect("No matching requests");
    });
}

#[test]
fn a_renaming_is_undone_from_its_message_and_only_from_there() {
    serve_embedded(&[], async |server| {
        let mut browser = Browser::signed_up(server, "asha@firm.example").await;
        let before = browser.open("/console/account").await;
        let old =
            before.between("id=\"name\" name=\"name\" type=\"text\" value=\"", "\"").to_owned();
        let page = browser.send("/console/account/name", &[("name", "New name")]).await;
        page.expect("The account was renamed.").expect(">Undo</button>");
        let form = page.between("action=\"/console/account/name\">", "</form>").to_owned();
        assert!(form.contains(&format!("value=\"{old}\"")), "{form}");
        let forged = "/console/account?done=renamed&of=account+name&was=Taken&signature=x";
        let forged = browser.open(forged).await;
        assert!(!forged.text.contains(">Undo</button>"), "not signed by this session");
        let mut other =
            Browser::logged_in(server, "asha@firm.example", super::browser::PASSWORD).await.0;
        let elsewhere = other.open(&page.path).await;
        assert!(!elsewhere.text.contains(">Undo</button>"), "signed by another session");
    });
}

#[test]
fn the_status_page_is_public_and_shows_state_history_and_freshness() {
    serve(&[], async |server| {
        let mut anonymous = Browser::new(server);
        let unknown = anonymous.open("/status.json").await;
        assert_eq!(
            unknown.response.json,
            json!({"status": null, "since": null, "checked_at": null})
        );
        assert_eq!(unknown.response.header("access-control-allow-origin"), Some("*"));
        let now = now_ms();
        let health = &server.app.health;
        health.note(State::Degraded, now);
        let hour = hour_of(now);
        let minutes = HealthMinutes { operational: 50, degraded: 6, down: 4 };
        server.app.ledger.add_health(HealthHour { hour, minutes }).await.unwrap();
        let page = anonymous.open("/status").await;
        assert_eq!(page.status, 200);
        page.expect("Degraded").expect("down for 4 min, degraded for 6 min").expect("93.33%");
        page.expect("not recorded");
        assert_eq!(page.text.matches("<rect").count(), 90 + 4);
        assert_eq!(page.response.header("cache-control"), Some("private, max-age=30"));
        let known = anonymous.open("/status.json").await;
        assert_eq!(known.response.json["status"], "degraded");
    });
}

#[test]
fn a_key_is_limited_to_a_group_of_operations() {
    serve(&[], async |server| {
        let mut browser = Browser::signed_up(server, "asha@firm.example").await;
        let form = browser.open("/console/keys/new").await;
        form.expect("All of Directors").expect("Companies of a director");
        let fields = [("mode", "test"), ("groups", "Directors"), ("operations", "getGst")];
        let page = browser.send("/console/keys", &fields).await;
        let key = format!("Bearer {}", page.between("id=\"key\" tabindex=\"0\">", "<"));
        let call =
            async |path: &str| server.send(get(path).header("authorization", &key)).await.status;
        assert_eq!(call("/v1/directors/99000101").await, 200);
        assert_eq!(call("/v1/companies/L17111MH1994PLC990011").await, 403);
        let keys = browser.open("/console/keys").await;
        keys.expect("getDirector").expect("only ");
        keys.expect("<span class=\"muted small mono\">");
        let unknown = [("mode", "test"), ("groups", "Everything")];
        let refused = browser.send("/console/keys", &unknown).await;
        assert_eq!(refused.status, 422);
        refused.expect("does not exist");
    });
}

#[test]
fn members_who_create_keys_are_told_once_before_a_key_expires() {
    let mailbox = Mailbox::open();
    let url = mailbox.url.clone();
    serve(&[("mail.smtp_url", &url)], async |server| {
        let mut browser = Browser::signed_up(server, "asha@firm.example").await;
        let fields = [("mode", "test"), ("name", "billing server"), ("expires", "2999-12-31")];
        browser.send("/console/keys", &fields).await;
        let account = server.app.ledger.find_account("asha@firm.example").await.unwrap().unwrap();
        let key = server.app.ledger.list_keys(&account.id).await.unwrap().remove(0);
        let end = key.expires_at.unwrap();
        let warn = async |at_ms: i64| {
            let app = &server.app;
            key_expiry::warn(&app.ledger, &app.mailer, &app.public_url, at_ms).await.unwrap();
        };
        const DAY_MS: i64 = 24 * 3_600_000;
        warn(end - 8 * DAY_MS).await;
        assert!(mailbox.is_empty());
        warn(end - 6 * DAY_MS).await;
        let mail = mailbox.next();
        for text in ["asha@firm.example", "billing server", "31 Dec 2999", "not been used yet"] {
            assert!(mail.contains(text), "{text}: {mail}");
        }
        warn(end - 5 * DAY_MS).await;
        assert!(mailbox.is_empty());
    });
}
