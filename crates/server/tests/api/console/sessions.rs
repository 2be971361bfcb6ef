//! Tests of sessions: how they start, where they are valid, and what ends them.

use panji_testkit::{Mailbox, on_both_engines};

use super::browser::{Browser, PASSWORD, form};
use crate::server::{Server, serve};

#[test]
fn signing_up_starts_a_session_whose_cookie_scripts_cannot_read() {
    serve(&[], async |server| {
        let browser = Browser::signed_up(server, "asha@firm.example").await;
        let cookie = &browser.attributes["panji_session"];
        assert!(cookie.contains("HttpOnly") && cookie.contains("SameSite=Lax"), "{cookie}");
        assert!(!cookie.contains("Secure"), "plain HTTP on this machine: {cookie}");
        assert_eq!(browser.cookies["panji_session"].len(), 64, "32 random bytes");
    });
}

#[test]
fn over_https_the_cookie_is_secure_and_bound_to_the_host() {
    let settings = [("public_url", "https://panji.example")];
    crate::server::serve_embedded(&settings, async |server| {
        let browser = Browser::signed_up(server, "asha@firm.example").await;
        let cookie = &browser.attributes["__Host-panji_session"];
        assert!(cookie.contains("Secure") && cookie.contains("Path=/"), "{cookie}");
        assert!(!cookie.contains("Domain"), "{cookie}");
    });
}

#[test]
fn a_session_is_valid_on_every_node_until_log_out() {
    on_both_engines(async |databases| {
        let first = Server::on(&databases, &[]).await;
        let second = Server::on(&databases, &[]).await;
        let mut here = Browser::signed_up(&first, "asha@firm.example").await;
        let mut there = Browser::new(&second);
        there.cookies = here.cookies.clone();
        there.open("/console").await.expect("Overview");
        here.send("/console/log-out", &[]).await.expect("You are logged out");
        assert!(here.cookies.is_empty(), "{:?}", here.cookies);
        let page = there.open("/console/keys").await;
        assert!(page.path.starts_with("/console/log-in?next="), "{}", page.path);
        second.close().await;
        first.close().await;
    });
}

#[test]
fn a_changed_password_ends_all_other_sessions() {
    serve(&[], async |server| {
        let mut browser = Browser::signed_up(server, "asha@firm.example").await;
        let (mut other, page) = Browser::logged_in(server, "ASHA@firm.example", PASSWORD).await;
        page.expect("Overview");
        browser.open("/console/account").await.expect("Log out all other sessions");
        let wrong = [("current_password", "not mine at all"), ("password", "saffron tram eleven")];
        let refused = browser.send("/console/account/password", &wrong).await;
        assert_eq!(refused.status, 422);
        refused.expect("The current password is wrong.");
        let right = [("current_password", PASSWORD), ("password", "saffron tram eleven")];
        browser
            .send("/console/account/password", &right)
            .await
            .expect("Your password was changed.");
        other.open("/console").await.expect("Create an account");
        let (_, page) = Browser::logged_in(server, "asha@firm.example", PASSWORD).await;
        page.expect("The email address or the password is wrong.");
        let (_, page) =
            Browser::logged_in(server, "asha@firm.example", "saffron tram eleven").await;
        page.expect("Overview");
    });
}

#[test]
fn a_mailed_link_sets_a_new_password_once() {
    let mailbox = Mailbox::open();
    let settings = [("mail.smtp_url", mailbox.url.as_str())];
    serve(&settings, async |server| {
        let mut logged_in = Browser::signed_up(server, "asha@firm.example").await;
        let mut browser = Browser::new(server);
        browser
            .send("/console/reset", &[("email", "asha@firm.example")])
            .await
            .expect("we sent a link");
        let link = mailbox.next_link("asha@firm.example");
        let page = browser.open(&link).await;
        let token = page.expect("asha@firm.example").between("name=\"link\" value=\"", "\"");
        let weak = [("link", token), ("password", "password")];
        browser.send("/console/new-password", &weak).await.expect("easy to guess");
        let good = [("link", token), ("password", "saffron tram eleven")];
        browser.send("/console/new-password", &good).await.expect("Your password was set.");
        browser.send("/console/new-password", &good).await.expect("This link does not work");
        logged_in.open("/console").await.expect("Create an account");
        let (_, page) =
            Browser::logged_in(server, "asha@firm.example", "saffron tram eleven").await;
        page.expect("Overview");
    });
}

#[test]
fn the_owner_of_an_account_created_by_the_operator_logs_in_by_a_mailed_link() {
    let mailbox = Mailbox::open();
    let settings = [("mail.smtp_url", mailbox.url.as_str())];
    serve(&settings, async |server| {
        let now = panji_store::calendar::now_ms();
        let ledger = &server.app.ledger;
        ledger.create_account("ravi@firm.example", "Ravi & Sons", now).await.unwrap();
        let mut browser = Browser::new(server);
        let form = [("email", "ravi@firm.example"), ("password", PASSWORD)];
        browser.send("/console/sign-up", &form).await.expect("This email address already has");
        browser.send("/console/reset", &form[..1]).await;
        let page = browser.open(&mailbox.next_link("ravi@firm.example")).await;
        let token = page.between("name=\"link\" value=\"", "\"");
        browser.send("/console/new-password", &[("link", token), ("password", PASSWORD)]).await;
        let (_, page) = Browser::logged_in(server, "ravi@firm.example", PASSWORD).await;
        page.expect("Ravi &#38; Sons");
    });
}

#[test]
fn a_forged_cookie_is_refused() {
    serve(&[], async |server| {
        for cookie in ["", "nonsense", &"0".repeat(64)] {
            let mut browser = Browser::new(server);
            browser.cookies.insert("panji_session".into(), cookie.into());
            let response = browser.ask(crate::ask::get("/console/account")).await;
            assert_eq!(response.status, 303, "{cookie}");
            let response = browser.ask(form("/console/mode", &[("mode", "live")])).await;
            assert_eq!(response.status, 303, "{cookie}");
        }
    });
}
