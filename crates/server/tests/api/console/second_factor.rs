//! Tests of the second factor: set up, required, used once, turned off.

use panji_testkit::Mailbox;
use totp_rs::{Builder, Secret};

use super::browser::{Browser, PASSWORD};
use crate::server::serve;

/// The code of an app some steps from now.
fn code(secret: &str, steps: i64) -> String {
    let secret = Secret::try_from_base32(secret).unwrap();
    let totp = Builder::new().with_secret(secret).build().unwrap();
    let now = panji_store::calendar::now_ms() / 1000 + steps * 30;
    totp.generate(now.unsigned_abs()).to_string()
}

#[test]
fn after_it_is_set_up_a_log_in_needs_a_code_and_each_code_works_once() {
    serve(&[], async |server| {
        let mut browser = Browser::signed_up(server, "asha@firm.example").await;
        browser.open("/console/account").await.expect("Off. Turn it on");
        let page = browser.send("/console/account/second-factor/begin", &[]).await;
        let secret = page.expect("<svg").between("<code id=\"secret\">", "<").to_owned();
        let confirm = "/console/account/second-factor/confirm";
        let wrong = browser.send(confirm, &[("code", "000000x")]).await;
        assert_eq!(wrong.status, 422);
        let (_, page) = Browser::logged_in(server, "asha@firm.example", PASSWORD).await;
        page.expect("Overview");
        // The previous step, so that the current code is still unused.
        let page = browser.send(confirm, &[("code", &code(&secret, -1))]).await;
        page.expect("Two-factor authentication is on.");

        let (mut other, page) = Browser::logged_in(server, "asha@firm.example", PASSWORD).await;
        let ticket =
            page.expect("six-digit code").between("name=\"ticket\" value=\"", "\"").to_owned();
        assert!(other.cookies.is_empty(), "the password alone opens nothing");
        let log_in = "/console/log-in/code";
        let used = other.send(log_in, &[("ticket", &ticket), ("code", &code(&secret, -1))]).await;
        used.expect("was already used");
        let forged = ticket.replace("asha@", "ravi@");
        let page = other.send(log_in, &[("ticket", &forged), ("code", "123456")]).await;
        page.expect("This link does not work");
        let page = other.send(log_in, &[("ticket", &ticket), ("code", &code(&secret, 0))]).await;
        page.expect("Overview");

        browser.open("/console/account").await.expect("On since");
        let off = "/console/account/second-factor/off";
        browser.send(off, &[("password", "not hers at all")]).await.expect("still on");
        browser
            .send(off, &[("password", PASSWORD)])
            .await
            .expect("Two-factor authentication is off.");
        let (_, page) = Browser::logged_in(server, "asha@firm.example", PASSWORD).await;
        page.expect("Overview");
    });
}

#[test]
fn a_recovery_code_logs_in_once_and_its_owner_is_mailed() {
    let mailbox = Mailbox::open();
    let settings = [("mail.smtp_url", mailbox.url.as_str())];
    serve(&settings, async |server| {
        let mut browser = Browser::signed_up(server, "asha@firm.example").await;
        browser.open("/console/account").await;
        let page = browser.send("/console/account/second-factor/begin", &[]).await;
        let secret = page.between("<code id=\"secret\">", "<").to_owned();
        let confirm = "/console/account/second-factor/confirm";
        let page = browser.send(confirm, &[("code", &code(&secret, -1))]).await;
        let list = page.between("<pre id=\"codes\" tabindex=\"0\">", "</pre>");
        let codes: Vec<String> = list.trim().lines().map(str::to_owned).collect();
        assert_eq!(codes.len(), 10, "{list}");
        let page = browser.open("/console/account").await;
        page.expect("10 codes are left");
        let again = browser.send(confirm, &[("code", &code(&secret, -1))]).await;
        again.expect("10 codes are left");
        let page = browser.open("/console/account").await;
        assert!(!page.text.contains(&codes[0]), "they are displayed once");

        let log_in = async |code: &str| {
            let (mut other, page) = Browser::logged_in(server, "asha@firm.example", PASSWORD).await;
            let ticket = page.between("name=\"ticket\" value=\"", "\"").to_owned();
            let form = [("ticket", ticket.as_str()), ("code", code)];
            other.send("/console/log-in/code", &form).await
        };
        log_in(&codes[0]).await.expect("Overview");
        let mail = mailbox.next();
        assert!(
            mail.contains("To: asha@firm.example") && mail.contains("9 codes are left"),
            "{mail}"
        );
        log_in(&codes[0]).await.expect("was already used");
        log_in("0000 0000 0000 0000").await.expect("This code is wrong");
        log_in(&code(&secret, 0)).await.expect("Overview");
        browser.open("/console/account").await.expect("9 codes are left");

        let anew = "/console/account/second-factor/codes";
        let page = browser.send(anew, &[("password", "not hers at all")]).await;
        page.expect("<a href=\"#codes_password\">The password is wrong")
            .expect("The recovery codes were not changed");
        let page = browser.send(anew, &[("password", PASSWORD)]).await;
        let fresh = page.between("<pre id=\"codes\" tabindex=\"0\">", "</pre>").trim().to_owned();
        log_in(&codes[1]).await.expect("This code is wrong");
        log_in(fresh.lines().next().unwrap()).await.expect("Overview");
        let events = server.app.ledger.list_audit_events(0, 100).await.unwrap();
        let count = |action: &str| events.iter().filter(|event| event.action == action).count();
        assert_eq!((count("second_factor.codes"), count("second_factor.recovery")), (2, 2));
        let logged = format!("{events:?}");
        assert!(!codes.iter().any(|code| logged.contains(code.as_str())), "{logged}");

        browser.open("/console/account").await;
        browser.send("/console/account/second-factor/off", &[("password", PASSWORD)]).await;
        let (_, page) = Browser::logged_in(server, "asha@firm.example", PASSWORD).await;
        page.expect("Overview");
    });
}
