//! Tests of log-in: nobody learns who has an account, and guessing is limited.

use panji_testkit::Mailbox;

use super::browser::{Browser, PASSWORD};
use crate::server::{serve, serve_embedded};

#[test]
fn a_wrong_password_and_an_unknown_address_get_the_same_page() {
    serve(&[], async |server| {
        Browser::signed_up(server, "asha@firm.example").await;
        let (_, wrong) = Browser::logged_in(server, "asha@firm.example", "not her password").await;
        let (_, nobody) =
            Browser::logged_in(server, "nobody@firm.example", "not her password").await;
        assert_eq!((wrong.status, nobody.status), (422, 422));
        assert_eq!(wrong.without("asha@firm.example"), nobody.without("nobody@firm.example"));
    });
}

#[test]
fn requesting_a_link_does_not_reveal_whether_an_account_exists() {
    let mailbox = Mailbox::open();
    let settings = [("mail.smtp_url", mailbox.url.as_str())];
    serve(&settings, async |server| {
        Browser::signed_up(server, "asha@firm.example").await;
        let mut browser = Browser::new(server);
        let nobody = browser.send("/console/reset", &[("email", "nobody@firm.example")]).await;
        let known = browser.send("/console/reset", &[("email", "asha@firm.example")]).await;
        assert_eq!(nobody.text, known.text);
        assert!(mailbox.next().contains("To: asha@firm.example"), "only she is mailed");
        assert!(mailbox.is_empty());
    });
}

#[test]
fn without_a_mail_server_the_page_refers_to_the_operator_and_reveals_nothing() {
    serve_embedded(&[], async |server| {
        Browser::signed_up(server, "asha@firm.example").await;
        let mut browser = Browser::new(server);
        let page = browser.open("/console/reset").await;
        page.expect("No mail server is set up").expect("panji account log-in-link");
        assert!(!page.text.contains("action=\"/console/reset\""), "{}", page.text);
        let nobody = browser.send("/console/reset", &[("email", "nobody@firm.example")]).await;
        let known = browser.send("/console/reset", &[("email", "asha@firm.example")]).await;
        assert_eq!(nobody.text, known.text);
        let events = server.app.ledger.list_audit_events(0, 100).await.unwrap();
        assert!(events.iter().all(|event| event.action != "password.link"), "no link is created");
    });
}

#[test]
fn guessing_is_limited_by_person_and_by_address() {
    let settings = [("log_in_limit.per_minute", "1"), ("log_in_limit.burst", "3")];
    serve_embedded(&settings, async |server| {
        let attempt = async |email: &str, address: &str| {
            let form = [("email", email), ("password", "a wrong password")];
            let ask = super::browser::form("/console/log-in", &form).from(address);
            let response = Browser::new(server).ask(ask).await;
            if response.status == 429 {
                let seconds: u64 = response.header("retry-after").unwrap().parse().unwrap();
                let page = String::from_utf8_lossy(&response.bytes);
                assert!(page.contains(&format!("try again in {seconds} second")), "{page}");
            }
            response.status
        };
        for _ in 0..3 {
            assert_eq!(attempt("asha@firm.example", "203.0.113.1").await, 422);
        }
        assert_eq!(attempt("asha@firm.example", "203.0.113.2").await, 429, "by person");
        for number in 0..12 {
            assert_eq!(attempt(&format!("{number}@firm.example"), "203.0.113.1").await, 422);
        }
        assert_eq!(attempt("other@firm.example", "203.0.113.1").await, 429, "by address");
        assert_eq!(attempt("other@firm.example", "203.0.113.3").await, 422, "others go on");
    });
}

#[test]
fn after_log_in_the_requested_page_follows_but_never_another_site() {
    serve_embedded(&[], async |server| {
        Browser::signed_up(server, "asha@firm.example").await;
        let log_in = async |next: &str| {
            let form = [("email", "asha@firm.example"), ("password", PASSWORD), ("next", next)];
            Browser::new(server).send("/console/log-in", &form).await.path
        };
        assert_eq!(
            log_in("/console/usage?from=2026-01-01").await,
            "/console/usage?from=2026-01-01"
        );
        assert_eq!(log_in("//evil.example/console/").await, "/console");
        assert_eq!(log_in("https://evil.example").await, "/console");
    });
}

#[test]
fn sign_up_can_be_disabled() {
    serve_embedded(&[("console.sign_up", "false")], async |server| {
        let mut browser = Browser::new(server);
        let page = browser.open("/console").await;
        assert!(!page.text.contains("Create account"), "{}", page.text);
        let form = [("email", "asha@firm.example"), ("password", PASSWORD)];
        let refused = browser.send("/console/sign-up", &form).await;
        assert_eq!(refused.status, 403);
        assert_eq!(server.app.ledger.find_person("asha@firm.example").await.unwrap(), None);
    });
}

#[test]
fn invalid_addresses_and_weak_passwords_are_refused_next_to_their_field() {
    serve_embedded(&[], async |server| {
        let mut browser = Browser::new(server);
        let mut sign_up = async |email: &str, password: &str| {
            let page =
                browser.send("/console/sign-up", &[("email", email), ("password", password)]).await;
            assert_eq!(page.status, 422, "{email} {password}");
            page
        };
        sign_up("nonsense", PASSWORD).await.expect("id=\"email-error\"");
        sign_up("a@b", PASSWORD).await.expect("id=\"email-error\"");
        sign_up("<script>@firm.example", PASSWORD).await.expect("&#60;script&#62;");
        sign_up("asha@firm.example", "short").await.expect("At least 8 characters");
        sign_up("asha@firm.example", "asha@firm.example").await.expect("id=\"password-error\"");
    });
}
