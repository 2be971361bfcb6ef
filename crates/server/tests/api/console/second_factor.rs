//! The second factor: set up, asked for, used once, switched off.

use totp_rs::{Builder, Secret};

use super::browser::{Browser, PASSWORD};
use crate::server::serve;

/// The code that an app shows some steps from now.
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
        browser.open("/console/account").await.expect("Off. With it");
        let page = browser.send("/console/account/second-factor/begin", &[]).await;
        let secret = page.expect("<svg").between("<code id=\"secret\">", "<").to_owned();
        let confirm = "/console/account/second-factor/confirm";
        let wrong = browser.send(confirm, &[("code", "000000x")]).await;
        assert_eq!(wrong.status, 422);
        let (_, page) = Browser::logged_in(server, "asha@firm.example", PASSWORD).await;
        page.expect("Overview");
        // The step before this one, so that the present one is still unused.
        let page = browser.send(confirm, &[("code", &code(&secret, -1))]).await;
        page.expect("The second factor is on.");

        let (mut other, page) = Browser::logged_in(server, "asha@firm.example", PASSWORD).await;
        let ticket = page.expect("six digits").between("name=\"ticket\" value=\"", "\"").to_owned();
        assert!(other.cookies.is_empty(), "the password alone opens nothing");
        let log_in = "/console/log-in/code";
        let used = other.send(log_in, &[("ticket", &ticket), ("code", &code(&secret, -1))]).await;
        used.expect("was used before");
        let forged = ticket.replace("asha@", "ravi@");
        let page = other.send(log_in, &[("ticket", &forged), ("code", "123456")]).await;
        page.expect("This link does not work");
        let page = other.send(log_in, &[("ticket", &ticket), ("code", &code(&secret, 0))]).await;
        page.expect("Overview");

        browser.open("/console/account").await.expect("On since");
        let off = "/console/account/second-factor/off";
        browser.send(off, &[("password", "not hers at all")]).await.expect("still on");
        browser.send(off, &[("password", PASSWORD)]).await.expect("The second factor is off.");
        let (_, page) = Browser::logged_in(server, "asha@firm.example", PASSWORD).await;
        page.expect("Overview");
    });
}
