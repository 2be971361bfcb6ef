//! Tests of watch lists and events in the console, and of the email digest.

use panji_api::events::digest;
use panji_store::calendar::now_ms;
use panji_store::ledger::Mode;
use panji_testkit::Mailbox;
use panji_testkit::records::CIN;
use serde_json::json;

use super::browser::Browser;
use crate::ask::post;
use crate::server::{serve, serve_embedded};
use crate::watch::{begin, change_status};

const DAY_MS: i64 = 24 * 3600 * 1000;

#[test]
fn a_list_is_made_filled_by_pasting_renamed_and_deleted() {
    serve(&[], async |server| {
        let mut browser = Browser::signed_up(server, "asha@firm.example").await;
        browser.open("/console/watch").await.expect("No watch lists in test mode yet.");
        let page = browser.send("/console/watch", &[("name", "Borrowers")]).await;
        page.expect("<h1>Borrowers</h1>").expect("No members yet.");
        let list = page.path.clone();
        let pasted = "L17111MH1994PLC990011, 99000104\n27ZZDCK9534Q1ZN nonsense";
        let page = browser.send(&format!("{list}/members"), &[("members", pasted)]).await;
        page.expect("3 members were added.").expect("1 value is malformed: “nonsense”.");
        page.expect("href=\"/console/companies/L17111MH1994PLC990011\"");
        let list = page.path.split('?').next().unwrap().to_owned();
        let page = browser.send(&format!("{list}/remove"), &[("member", "99000104")]).await;
        page.expect("The member was removed.").expect("2 members.");
        let page = browser.send(&format!("{list}/name"), &[("name", "Suppliers")]).await;
        page.expect("<h1>Suppliers</h1>");
        let page = browser.send(&format!("{list}/delete"), &[]).await;
        page.expect("The watch list was deleted.").expect("No watch lists in test mode yet.");
        assert_eq!(browser.open(&list).await.status, 404);
    });
}

#[test]
fn the_page_of_a_list_displays_no_sentence_of_its_address() {
    serve_embedded(&[], async |server| {
        let mut browser = Browser::signed_up(server, "asha@firm.example").await;
        let list = browser.send("/console/watch", &[("name", "Borrowers")]).await.path;
        let forged = "Call+this+number+to+unlock+your+account";
        for query in [format!("notice={forged}"), format!("done={forged}")] {
            let page = browser.open(&format!("{list}?{query}")).await;
            assert!(!page.text.contains("Call this number"), "{query}");
        }
        let page = browser.open(&format!("{list}?done=renamed")).await;
        page.expect("The watch list was renamed.");
    });
}

#[test]
fn a_company_is_added_by_searching_on_the_page_of_a_list() {
    serve_embedded(&[], async |server| {
        let mut browser = Browser::signed_up(server, "asha@firm.example").await;
        let list = browser.send("/console/watch", &[("name", "Borrowers")]).await.path;
        let list = list.split('?').next().unwrap().to_owned();
        let page = browser.open(&format!("{list}?q=kalpanik%20industries")).await;
        page.expect("Kalpanik Industries Limited").expect("value=\"L17111MH1994PLC990011\"");
        let form = [("members", "L17111MH1994PLC990011"), ("q", "kalpanik industries")];
        let page = browser.send(&format!("{list}/members"), &form).await;
        page.expect("1 member was added.").expect("On this list");
        let page = browser.open(&format!("{list}?q=zzzzqqqq")).await;
        page.expect("No companies found for “zzzzqqqq”");
    });
}

#[test]
fn a_live_search_is_made_by_a_form_and_its_results_are_kept() {
    serve(&[("free_quota.calls_per_day", "0")], async |server| {
        begin(server).await;
        let mut browser = Browser::signed_up(server, "asha@firm.example").await;
        browser.send("/console/mode", &[("mode", "live"), ("next", "/console/watch")]).await;
        let account = server.app.ledger.find_account("asha@firm.example").await.unwrap().unwrap();
        server.grant(&account.id, 5).await;
        let list = browser.send("/console/watch", &[("name", "Borrowers")]).await.path;
        let list = list.split('?').next().unwrap().to_owned();
        let page = browser.open(&format!("{list}?q={CIN}")).await;
        page.expect("1 credit per search");
        assert!(
            !page.text.contains(&format!("name=\"members\" value=\"{CIN}\"")),
            "a GET spends nothing"
        );
        let key = server.new_key(&account.id, Mode::Live, Default::default()).await;
        for _ in 0..2 {
            browser.send(&format!("{list}/search"), &[("q", CIN)]).await;
        }
        assert_eq!(server.balance(&key).await, 4, "the results are stored");
    });
}

#[test]
fn a_company_is_watched_from_its_page() {
    serve_embedded(&[], async |server| {
        let mut browser = Browser::signed_up(server, "asha@firm.example").await;
        let company = "/console/companies/L17111MH1994PLC990011";
        browser.open(company).await.expect(">Watch</button>");
        let page = browser.send(&format!("{company}/watch"), &[]).await;
        page.expect("<h1>My companies</h1>").expect("1 member was added.");
        browser.open(company).await.expect(">Watched: My companies</a>");
        let other = "/console/companies/U72900KA2017PTC990462";
        let page = browser.open(other).await;
        let list = page.between("<option value=\"wl_", "\"").to_owned();
        let page =
            browser.send(&format!("{other}/watch"), &[("list", &format!("wl_{list}"))]).await;
        page.expect("<h1>My companies</h1>").expect("2 members.");
        let gone = [("list", "wl_01ARZ3NDEKTSV4RRFFQ69G5FAV")];
        assert_eq!(browser.send(&format!("{other}/watch"), &gone).await.status, 404);
    });
}

#[test]
fn events_are_paid_for_with_a_click_and_read_like_sentences() {
    serve_embedded(&[], async |server| {
        let mut browser = Browser::signed_up(server, "asha@firm.example").await;
        let list = browser.send("/console/watch", &[("name", "Borrowers")]).await.path;
        let members = [("members", "L17111MH1994PLC990011")];
        browser.send(&format!("{list}/members"), &members).await.expect("1 member was added.");
        let account = server.app.ledger.find_account("asha@firm.example").await.unwrap().unwrap();
        let key = server.new_key(&account.id, Mode::Test, Default::default()).await;
        let body = json!({ "types": ["company.office_changed", "charge.created"] });
        server.send(post("/v1/sandbox/simulate", &body).key(&key)).await.expect_data();
        let page = browser.open("/console/watch/events").await;
        page.expect("2 unread events").expect("No events were read yet.");
        assert!(!page.text.contains("created a charge"), "it is not paid for");
        let page = browser.send("/console/watch/events/read", &[]).await;
        page.expect("moved its registered office").expect("→ Pune");
        page.expect("created a charge in favor of Udhaar Namuna Bank Limited");
        assert!(!page.text.contains("unread event"), "all are read");
        assert_eq!(server.balance(&key).await, 9_998);
        let filtered = browser.open("/console/watch/events?type=charge.created").await;
        filtered.expect("created a charge");
        assert!(!filtered.text.contains("moved its registered office"));
    });
}

#[test]
fn a_digest_is_mailed_once_per_period_with_the_events_that_are_covered() {
    let mailbox = Mailbox::open();
    let url = mailbox.url.clone();
    serve_embedded(&[("mail.smtp_url", &url)], async move |server| {
        begin(server).await;
        let mut browser = Browser::signed_up(server, "asha@firm.example").await;
        browser.send("/console/mode", &[("mode", "live"), ("next", "/console/watch")]).await;
        let list = browser.send("/console/watch", &[("name", "Borrowers")]).await.path;
        browser.send(&format!("{list}/members"), &[("members", CIN)]).await;
        let page = browser.send("/console/watch/digest", &[("frequency", "daily")]).await;
        page.expect("The email digest was changed.");
        let account = server.app.ledger.find_account("asha@firm.example").await.unwrap().unwrap();
        server.grant(&account.id, 1).await;
        change_status(server, "struck_off").await;
        change_status(server, "active").await;
        let owner = (account.id.as_str(), Mode::Live);
        let unpaid = async || server.app.ledger.count_unpaid_events(owner, 10).await.unwrap().1;
        digest::send_due(&server.app, now_ms()).await.unwrap();
        assert_eq!(unpaid().await, 2, "the period has just started");
        for _ in 0..2 {
            digest::send_due(&server.app, now_ms() + DAY_MS).await.unwrap();
        }
        let about_events = move || loop {
            let mail = mailbox.next();
            if mail.contains("of what you watch") {
                return (mail, mailbox);
            }
        };
        let (mail, mailbox) = tokio::task::spawn_blocking(about_events).await.unwrap();
        assert!(mail.contains("1 event"), "{mail}");
        assert!(mail.contains("1 more event waits"), "{mail}");
        assert_eq!(unpaid().await, 1);
        assert!(mailbox.is_empty(), "one email");
    });
}
