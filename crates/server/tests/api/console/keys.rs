//! Tests of keys created, used, rolled and revoked in the console.

use panji_store::ledger::{EntryKind, KeyKind, Mode};

use super::browser::{Browser, PASSWORD, Page, form};
use crate::ask::get;
use crate::responses_live::one_of_each;
use crate::server::{Server, serve};

const COMPANY: &str = "/v1/companies/L17111MH1994PLC990011";

async fn status_with(server: &Server, key: &str) -> u16 {
    server.send(get(COMPANY).header("authorization", format!("Bearer {key}"))).await.status
}

fn created_key(page: &Page) -> String {
    page.between("id=\"key\" tabindex=\"0\">", "<").to_owned()
}

fn key_id(page: &Page) -> String {
    page.between("/console/keys/key_", "/roll").to_owned()
}

#[test]
fn a_key_is_displayed_once_works_at_once_and_can_be_revoked() {
    serve(&[], async |server| {
        let mut browser = Browser::signed_up(server, "asha@firm.example").await;
        let page = browser.send("/console/keys", &[("mode", "test"), ("name", "first")]).await;
        let key = created_key(&page);
        assert!(key.starts_with("pk_test_"), "{key}");
        page.expect(&format!("Bearer {key}")).expect("claude mcp add");
        assert_eq!(status_with(server, &key).await, 200);
        let list = browser.open("/console/keys").await;
        assert!(!list.text.contains(&key), "never again");
        list.expect("<strong>first</strong>").expect("just now").expect(&key[36..]);
        list.expect(">http://127.0.0.1:8080/mcp<");
        let id = key_id(&list);
        let revoke = format!("/console/keys/key_{id}/revoke");
        browser.open(&revoke).await.expect("This cannot be undone");
        browser.send(&revoke, &[]).await.expect("The key was revoked.");
        let known = server.app.ledger.find_key_by_id(&format!("key_{id}")).await.unwrap().unwrap();
        assert!(known.revoked_at.is_some());
    });
}

#[test]
fn a_token_for_openrefine_is_shown_with_its_address_has_a_cap_and_stays_one_when_rolled() {
    serve(&[("public_url", "https://api.example.in")], async |server| {
        let mut browser = Browser::signed_up(server, "asha@firm.example").await;
        browser.open("/console/keys/new").await.expect("10,000 credits");
        let fields = [("kind", "reconcile"), ("mode", "live"), ("name", "refine")];
        let page = browser.send("/console/keys", &fields).await;
        let token = created_key(&page);
        assert!(token.starts_with("rk_live_"), "{token}");
        page.expect(&format!("https://api.example.in/reconcile/{token}<"));
        assert!(!page.text.contains("Bearer"), "it is no key of the API");
        let list = browser.open("/console/keys").await;
        list.expect("may only match and extend").expect("10,000 credits per month");
        let account = server.app.ledger.find_account("asha@firm.example").await.unwrap().unwrap();
        let stored = server.app.ledger.list_keys(&account.id).await.unwrap();
        let stored = stored.iter().find(|key| key.name == "refine").unwrap();
        assert_eq!((stored.kind(), stored.monthly_cap), (KeyKind::Reconcile, Some(10_000)));
        assert_eq!(stored.allowed_operations, ["matchCompanies", "bulkEnrich"]);
        let roll = format!("/console/keys/{}/roll", stored.id);
        let rolled = created_key(&browser.send(&roll, &[("overlap_hours", "1")]).await);
        assert!(rolled.starts_with("rk_live_") && rolled != token, "{rolled}");
        let manifest = server.send_unchecked(get(format!("/reconcile/{rolled}"))).await;
        assert_eq!(manifest.status, 200);
    });
}

#[test]
fn reloading_the_page_of_a_new_key_neither_shows_it_again_nor_makes_another() {
    serve(&[], async |server| {
        let mut asha = Browser::signed_up(server, "asha@firm.example").await;
        let account = server.app.ledger.find_account("asha@firm.example").await.unwrap().unwrap();
        let page = asha.send("/console/keys", &[("mode", "live"), ("name", "server")]).await;
        let (first, path) = (created_key(&page), page.path.clone());
        assert!(!asha.cookies.contains_key("panji_new_key"), "the page takes the ticket away");
        let attributes = &asha.attributes["panji_new_key"];
        assert!(attributes.contains("HttpOnly") && attributes.contains("SameSite"), "{attributes}");
        let again = asha.open(&path).await;
        again.expect("This key was already shown");
        assert!(!again.text.contains(&first));
        let id = path.split('/').nth(3).unwrap();
        let rolled =
            asha.send(&format!("/console/keys/{id}/roll"), &[("overlap_hours", "1")]).await;
        let second = created_key(&rolled);
        assert_ne!(first, second);
        rolled.expect("The old key, pk_live_…").expect("expires on");
        asha.open(&rolled.path).await.expect("This key was already shown");
        assert_eq!(server.app.ledger.list_keys(&account.id).await.unwrap().len(), 2);
    });
}

#[test]
fn the_ticket_of_a_new_key_is_good_for_its_session_and_its_time_only() {
    serve(&[], async |server| {
        let mut asha = Browser::signed_up(server, "asha@firm.example").await;
        asha.open("/console/keys/new").await;
        let token = asha.form_token.clone();
        let fields = [("mode", "test"), ("form_token", token.as_str())];
        let response = asha.ask(form("/console/keys", &fields)).await;
        let path = response.header("location").unwrap().to_owned();
        let ticket = asha.cookies["panji_new_key"].clone();
        let session = asha.cookies["panji_session"].clone();
        let (until, rest) = ticket.split_once('.').unwrap();
        let (mut other, _) = Browser::logged_in(server, "asha@firm.example", PASSWORD).await;
        other.cookies.insert("panji_new_key".to_owned(), ticket.clone());
        other.open(&path).await.expect("This key was already shown");
        for wrong in [format!("{until}9.{rest}"), format!("1.{rest}"), "nonsense".to_owned()] {
            asha.cookies.insert("panji_new_key".to_owned(), wrong);
            asha.open(&path).await.expect("This key was already shown");
        }
        asha.cookies.insert("panji_new_key".to_owned(), ticket.clone());
        let key = created_key(&asha.open(&path).await);
        assert_eq!(status_with(server, &key).await, 200);
        assert!(!ticket.contains(&key[8..]) && !session.contains(&key[8..]));
    });
}

/// The path of the first example call on a page.
fn offered_path<'a>(server: &Server, page: &'a Page) -> &'a str {
    let curl = page.between("<pre id=\"curl\" tabindex=\"0\">", "</pre>");
    curl.split_once(&*server.app.public_url).expect("a whole address").1
}

#[test]
fn the_first_example_call_works_with_a_live_key_even_if_the_register_is_empty() {
    serve(&[], async |server| {
        let mut browser = Browser::signed_up(server, "asha@firm.example").await;
        browser.open("/console").await;
        let (ledger, now) = (&server.app.ledger, panji_store::calendar::now_ms());
        let account = ledger.find_account("asha@firm.example").await.unwrap().unwrap();
        let grant = EntryKind::Grant;
        ledger.add_entry(&account.id, Mode::Live, grant, 10, None, now).await.unwrap();
        let overview = [("mode", "live"), ("next", "/console")];
        let ask_offered = async |browser: &mut Browser<'_>| {
            let page = browser.send("/console/keys", &[("mode", "live"), ("name", "server")]).await;
            let header = format!("Bearer {}", created_key(&page));
            let path = offered_path(server, &page);
            let overview = browser.send("/console/mode", &overview).await;
            assert_eq!(offered_path(server, &overview), path);
            let status = server.send(get(path).header("authorization", header)).await.status;
            let search = browser.open("/console/search").await;
            let says_empty = [page.text.clone(), overview.text, search.text]
                .map(|text| text.contains("The live register is empty"));
            (path.to_owned(), status, says_empty)
        };
        let (path, status, says_empty) = ask_offered(&mut browser).await;
        assert!(path.starts_with("/v1/verify/cin/"), "{path}");
        assert_eq!((status, says_empty), (200, [true; 3]));
        server.import(&one_of_each()).await;
        let (path, status, says_empty) = ask_offered(&mut browser).await;
        assert!(path.starts_with("/v1/companies/"), "{path}");
        assert_eq!((status, says_empty), (200, [false; 3]));
    });
}

#[test]
fn after_creating_a_live_key_the_page_describes_the_next_step() {
    serve(&[], async |server| {
        let mut browser = Browser::signed_up(server, "asha@firm.example").await;
        let live = [("mode", "live"), ("name", "server")];
        let next = |page: &Page| page.between("Next steps", "</section>").to_owned();
        let poor = next(&browser.send("/console/keys", &live).await);
        assert!(poor.contains("The live balance is ₹0"), "{poor}");
        assert!(poor.contains("<a href=\"/console/credits\">Buy credits</a>"), "{poor}");
        assert!(poor.contains("The live register is empty"), "{poor}");
        server.import(&one_of_each()).await;
        let account = server.app.ledger.find_account("asha@firm.example").await.unwrap().unwrap();
        server.grant(&account.id, 500).await;
        let rich = next(&browser.send("/console/keys", &live).await);
        assert!(!rich.contains("Buy credits"), "{rich}");
        assert!(rich.contains("It looks up Udaharan Textiles Private Limited"), "{rich}");
        assert!(rich.contains("Balance: ₹500."), "{rich}");
        let test = browser.send("/console/keys", &[("mode", "test")]).await;
        assert!(!test.text.contains("Buy credits"), "test credits are not bought");
    });
}

#[test]
fn a_live_key_is_revoked_only_when_its_name_is_typed() {
    serve(&[], async |server| {
        let mut browser = Browser::signed_up(server, "asha@firm.example").await;
        browser.send("/console/keys", &[("mode", "live"), ("name", "server")]).await;
        let revoke =
            format!("/console/keys/key_{}/revoke", key_id(&browser.open("/console/keys").await));
        let refused = browser.send(&revoke, &[("confirmation", "another")]).await;
        assert_eq!(refused.status, 422);
        browser.send(&revoke, &[("confirmation", "server")]).await.expect("The key was revoked.");
    });
}

#[test]
fn limits_are_stored_with_the_key_and_invalid_ones_are_refused() {
    serve(&[], async |server| {
        let mut browser = Browser::signed_up(server, "asha@firm.example").await;
        let bad = [
            ("mode", "test"),
            ("expires", "2001-01-01"),
            ("addresses", "everywhere"),
            ("monthly_cap", "-1"),
        ];
        let page = browser.send("/console/keys", &bad).await;
        assert_eq!(page.status, 422);
        page.expect("This date is in the past")
            .expect("is not an IP address")
            .expect("whole number");
        let good = [
            ("mode", "test"),
            ("expires", "2999-12-31"),
            ("addresses", "203.0.113.0/24, 2001:db8::1"),
            ("operations", "getCompany"),
            ("operations", "verifyCin"),
            ("monthly_cap", "1,00,000"),
        ];
        browser.send("/console/keys", &good).await;
        let account = server.app.ledger.find_account("asha@firm.example").await.unwrap().unwrap();
        let keys = server.app.ledger.list_keys(&account.id).await.unwrap();
        assert_eq!(keys[0].allowed_addresses, ["203.0.113.0/24", "2001:db8::1/128"]);
        assert_eq!(keys[0].allowed_operations, ["getCompany", "verifyCin"]);
        assert_eq!(keys[0].monthly_cap, Some(100_000));
        assert!(keys[0].expires_at.is_some());
    });
}

#[test]
fn a_rolled_key_works_and_the_old_one_expires() {
    serve(&[], async |server| {
        let mut browser = Browser::signed_up(server, "asha@firm.example").await;
        let old = created_key(&browser.send("/console/keys", &[("mode", "test")]).await);
        let id = key_id(&browser.open("/console/keys").await);
        let roll = format!("/console/keys/key_{id}/roll");
        browser.open(&roll).await.expect("in 24 hours");
        let new = created_key(&browser.send(&roll, &[("overlap_hours", "0")]).await);
        assert_eq!(status_with(server, &new).await, 200);
        assert_eq!(status_with(server, &old).await, 401);
    });
}

#[test]
fn keys_of_another_account_cannot_be_read_or_changed() {
    serve(&[], async |server| {
        let mut asha = Browser::signed_up(server, "asha@firm.example").await;
        let key = created_key(&asha.send("/console/keys", &[("mode", "test")]).await);
        let id = key_id(&asha.open("/console/keys").await);
        let mut ravi = Browser::signed_up(server, "ravi@firm.example").await;
        for path in ["revoke", "roll"] {
            let path = format!("/console/keys/key_{id}/{path}");
            assert_eq!(ravi.open(&path).await.status, 404);
            assert_eq!(ravi.send(&path, &[("overlap_hours", "0")]).await.status, 404);
        }
        assert_eq!(status_with(server, &key).await, 200);
    });
}
