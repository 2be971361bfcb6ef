//! Tests of sign-up on a public service: nobody learns who has an account, addresses are confirmed
//! by a link, and one client can create a limited number of accounts per day.

use axum::http::StatusCode;
use panji_store::ledger::{Link, LinkPurpose, Mode, NewKey, Role};
use panji_testkit::Mailbox;

use super::browser::{Browser, PASSWORD, form};
use crate::ask::get;
use crate::responses_live::one_of_each;
use crate::server::{Server, serve, serve_embedded};

const EMAIL: &str = "asha@firm.example";

/// Signs up without a log-in, and waits until the account is created.
async fn sign_up(server: &Server, email: &str) {
    let form = [("email", email), ("password", PASSWORD)];
    let page = Browser::new(server).send("/console/sign-up", &form).await;
    page.expect("If this address is new, an account was created");
    while server.app.ledger.find_person(email).await.unwrap().is_none() {
        panji_testkit::pause().await;
    }
}

/// A free call with a live key of the account: its status and the calls left.
async fn free_call(server: &Server, email: &str) -> (u16, String) {
    let account = server.app.ledger.find_account(email).await.unwrap().unwrap();
    let key = server.new_key(&account.id, Mode::Live, NewKey::default()).await;
    let response = server.send(get("/v1/companies/search?q=udaharan").key(&key)).await;
    let left = response.header("panji-free-remaining").unwrap_or_default().to_owned();
    (response.status, left)
}

/// The token in the form of the page that an emailed link leads to.
async fn token_of(server: &Server, link: &str) -> String {
    let page = Browser::new(server).open(link).await;
    page.expect(EMAIL).between("name=\"link\" value=\"", "\"").to_owned()
}

/// Where others reach the service, and email is sent.
fn with_mail(mailbox: &Mailbox) -> [(&'static str, &str); 2] {
    [("mail.smtp_url", mailbox.url.as_str()), ("behind_proxy", "true")]
}

#[test]
fn a_log_in_tells_nobody_whether_an_address_is_new_known_or_not_confirmed() {
    let mailbox = Mailbox::open();
    serve(&with_mail(&mailbox), async |server| {
        sign_up(server, EMAIL).await;
        let link = mailbox.next_link(EMAIL);
        let attempt = async |email: &str, password: &str| {
            let (browser, page) = Browser::logged_in(server, email, password).await;
            assert!(browser.cookies.is_empty(), "nobody is logged in by it");
            (page.status, page.path.clone(), page.without(email))
        };
        let unconfirmed = attempt(EMAIL, PASSWORD).await;
        assert_eq!(unconfirmed, attempt(EMAIL, "another password").await);
        assert_eq!(unconfirmed, attempt("nobody@firm.example", PASSWORD).await);
        assert_eq!(unconfirmed.0, 422);
        assert!(unconfirmed.2.contains("first follow the link in the email"), "{}", unconfirmed.2);
        let token = token_of(server, &link).await;
        let page = Browser::new(server).send("/console/confirm", &[("link", &token)]).await;
        page.expect("Your email address is confirmed. Log in with your password.");
        assert_eq!(unconfirmed, attempt(EMAIL, "another password").await);
        let (_, page) = Browser::logged_in(server, EMAIL, PASSWORD).await;
        page.expect("Overview");
    });
}

#[test]
fn a_new_password_by_a_mailed_link_confirms_the_address_too() {
    let mailbox = Mailbox::open();
    serve(&with_mail(&mailbox), async |server| {
        sign_up(server, EMAIL).await;
        mailbox.next_link(EMAIL);
        Browser::new(server).send("/console/reset", &[("email", EMAIL)]).await;
        let token = token_of(server, &mailbox.next_link(EMAIL)).await;
        let form = [("link", token.as_str()), ("password", "six violet kettles")];
        Browser::new(server).send("/console/new-password", &form).await;
        let (_, page) = Browser::logged_in(server, EMAIL, "six violet kettles").await;
        page.expect("Overview");
    });
}

#[test]
fn the_live_free_quota_starts_with_the_confirmed_address() {
    let mailbox = Mailbox::open();
    serve(&with_mail(&mailbox), async |server| {
        server.import(&one_of_each()).await;
        sign_up(server, EMAIL).await;
        let link = mailbox.next_link(EMAIL);
        assert_eq!(free_call(server, EMAIL).await.0, 402);
        let token = token_of(server, &link).await;
        assert_eq!(free_call(server, EMAIL).await.0, 402, "looking at the link changes nothing");
        Browser::new(server).send("/console/confirm", &[("link", &token)]).await;
        assert_eq!(free_call(server, EMAIL).await, (200, "99".to_owned()));
        let (mut asha, page) = Browser::logged_in(server, EMAIL, PASSWORD).await;
        assert!(!page.text.contains("not confirmed"), "{}", page.text);
        let again = asha.send("/console/confirm", &[("link", &token)]).await;
        again.expect("This link does not work");
        let events = server.app.ledger.list_audit_events(0, 100).await.unwrap();
        assert!(events.iter().any(|event| event.action == "account.confirm"), "{events:?}");
    });
}

/// A browser with a session in an account whose address is not confirmed, as the operator's link gives it.
async fn logged_in_by_link<'a>(server: &'a Server, email: &str) -> Browser<'a> {
    let now_ms = panji_store::calendar::now_ms();
    let link = Link {
        email: email.to_owned(),
        account_id: String::new(),
        role: Role::Owner,
        created_at: now_ms,
        expires_at: now_ms + 60_000,
    };
    server.app.ledger.create_link("a-token", LinkPurpose::LogIn, &link).await.unwrap();
    let mut browser = Browser::new(server);
    browser.open("/console/log-in/link?link=a-token").await.expect("is not confirmed");
    browser
}

#[test]
fn the_link_is_mailed_again_up_to_a_daily_limit() {
    let mailbox = Mailbox::open();
    serve(&with_mail(&mailbox), async |server| {
        sign_up(server, EMAIL).await;
        let first = mailbox.next_link(EMAIL);
        let mut asha = logged_in_by_link(server, EMAIL).await;
        asha.open("/console/account").await.expect("is not confirmed").expect("Resend link");
        asha.send("/console/mode", &[("mode", "live"), ("next", "/console")])
            .await
            .expect("no free calls yet");
        let mut last = String::new();
        for _ in 0..4 {
            let page = asha.send("/console/account/confirm", &[]).await;
            page.expect("We sent you the link.");
            last = mailbox.next_link(EMAIL);
            assert_ne!(last, first);
        }
        Browser::new(server).open(&first).await.expect("This link does not work");
        let page = asha.send("/console/account/confirm", &[]).await;
        page.expect("The daily limit for sending the link is reached");
        assert!(mailbox.is_empty());
        let token = token_of(server, &last).await;
        let page = asha.send("/console/confirm", &[("link", &token)]).await;
        page.expect("Your email address is confirmed.");
        assert!(page.path.starts_with("/console/account"), "{}", page.path);
    });
}

#[test]
fn signing_up_with_a_known_address_gets_the_same_page_and_mails_its_owner() {
    let mailbox = Mailbox::open();
    serve(&with_mail(&mailbox), async |server| {
        let attempt = async |email: &str| {
            let fields = [("email", email), ("password", PASSWORD)];
            let mut browser = Browser::new(server);
            let response = browser.ask(form("/console/sign-up", &fields)).await;
            let location = response.header("location").unwrap().to_owned();
            assert!(browser.cookies.is_empty(), "it does not log in");
            (response.status, location.clone(), response.bytes, browser.open(&location).await.text)
        };
        let new = attempt(EMAIL).await;
        assert!(mailbox.next().contains("Confirm that the address is yours"));
        let known = attempt(EMAIL).await;
        let mail = mailbox.next();
        assert!(
            mail.contains("To: asha@firm.example") && mail.contains("already has an account"),
            "{mail}"
        );
        assert_eq!(new, known);
        assert!(new.3.contains("the email says so"), "{}", new.3);
    });
}

#[test]
fn without_a_mail_server_the_page_is_the_same_and_the_operator_confirms() {
    serve_embedded(&[("behind_proxy", "true")], async |server| {
        server.import(&one_of_each()).await;
        sign_up(server, EMAIL).await;
        let fields = [("email", EMAIL), ("password", "another password entirely")];
        let again = Browser::new(server).send("/console/sign-up", &fields).await;
        again.expect("If this address is new, an account was created: log in");
        let (mut asha, page) = Browser::logged_in(server, EMAIL, PASSWORD).await;
        page.expect("Ask its operator to confirm the address");
        let refused = asha.send("/console/account/confirm", &[]).await;
        assert_eq!(refused.status, StatusCode::FORBIDDEN);
        assert_eq!(free_call(server, EMAIL).await.0, 402);
        server.app.ledger.confirm_account(EMAIL, 1).await.unwrap();
        assert_eq!(free_call(server, EMAIL).await.0, 200);
    });
}

#[test]
fn on_a_local_service_a_sign_up_is_confirmed_at_once() {
    serve_embedded(&[], async |server| {
        server.import(&one_of_each()).await;
        let mut asha = Browser::signed_up(server, EMAIL).await;
        let page = asha.open("/console").await;
        assert!(!page.text.contains("not confirmed"), "{}", page.text);
        assert_eq!(free_call(server, EMAIL).await.0, 200);
    });
}

#[test]
fn one_client_can_sign_up_only_so_often_per_day_whether_the_accounts_exist_or_not() {
    let settings = [("console.sign_ups_per_day", "2"), ("behind_proxy", "true")];
    serve(&settings, async |server| {
        let attempt = async |email: &str, password: &str, address: &str| {
            let fields = [("email", email), ("password", password)];
            let ask = form("/console/sign-up", &fields).from(address);
            Browser::new(server).ask(ask).await.status
        };
        assert_eq!(attempt(EMAIL, "short", "203.0.113.1").await, 422, "is not counted");
        assert_eq!(attempt(EMAIL, PASSWORD, "203.0.113.1").await, 303);
        assert_eq!(attempt(EMAIL, PASSWORD, "203.0.113.1").await, 303);
        assert_eq!(attempt("ravi@firm.example", PASSWORD, "203.0.113.1").await, 429);
        assert_eq!(attempt(EMAIL, PASSWORD, "203.0.113.1").await, 429);
        assert_eq!(attempt("a@firm.example", PASSWORD, "2001:db8::1").await, 303);
        assert_eq!(attempt("b@firm.example", PASSWORD, "2001:db8::2").await, 303);
        assert_eq!(attempt("c@firm.example", PASSWORD, "2001:db8::3").await, 429, "one network");
        assert_eq!(attempt("c@firm.example", PASSWORD, "2001:db8:0:1::1").await, 303);
        while server.app.ledger.find_person("c@firm.example").await.unwrap().is_none() {
            panji_testkit::pause().await;
        }
        assert_eq!(server.app.ledger.find_person("ravi@firm.example").await.unwrap(), None);
    });
}
