//! Tests of the audit log of the console: who, what, to what, and from where.

use panji_store::ledger::LoggedEvent;
use panji_testkit::Mailbox;
use serde_json::Value;
use totp_rs::{Builder, Secret};

use super::browser::{Browser, PASSWORD};
use crate::server::{Server, serve};

const EMAIL: &str = "asha@firm.example";
const NEXT_PASSWORD: &str = "saffron tram eleven";
const PAN: &str = "ZZDCK9534Q";

/// All events, after waiting for the last one, which is written in the background.
async fn lines(server: &Server, last_action: &str) -> Vec<LoggedEvent> {
    let started = std::time::Instant::now();
    loop {
        let lines = server.app.ledger.list_audit_events(0, 1_000).await.unwrap();
        if lines.last().is_some_and(|line| line.action == last_action) {
            return lines;
        }
        assert!(started.elapsed().as_secs() < 600, "no {last_action} in {lines:?}");
        panji_testkit::pause().await;
    }
}

fn actions(lines: &[LoggedEvent]) -> Vec<&str> {
    lines.iter().map(|line| line.action.as_str()).collect()
}

fn details(line: &LoggedEvent) -> Value {
    serde_json::from_str(&line.details).unwrap()
}

async fn person_id(server: &Server, email: &str) -> String {
    server.app.ledger.find_person(email).await.unwrap().unwrap().id
}

async fn account_id(server: &Server, email: &str) -> String {
    server.app.ledger.find_account(email).await.unwrap().unwrap().id
}

/// The code of an authenticator app some steps from now.
fn code(secret: &str, steps: i64) -> String {
    let secret = Secret::try_from_base32(secret).unwrap();
    let totp = Builder::new().with_secret(secret).build().unwrap();
    let now = panji_store::calendar::now_ms() / 1000 + steps * 30;
    totp.generate(now.unsigned_abs()).to_string()
}

#[test]
fn log_ins_and_log_outs_are_logged_with_the_address() {
    let mailbox = Mailbox::open();
    let settings = [("mail.smtp_url", mailbox.url.as_str())];
    serve(&settings, async |server| {
        let mut browser = Browser::signed_up(server, EMAIL).await;
        let change = [("current_password", PASSWORD), ("password", NEXT_PASSWORD)];
        browser.open("/console/account").await;
        browser.send("/console/account/password", &change).await;
        let page = browser.send("/console/account/second-factor/begin", &[]).await;
        let secret = page.between("<code id=\"secret\">", "<").to_owned();
        let confirm = "/console/account/second-factor/confirm";
        browser.send(confirm, &[("code", &code(&secret, -1))]).await;
        let off = [("password", NEXT_PASSWORD)];
        browser.send("/console/account/second-factor/off", &off).await;
        browser.send("/console/account/sessions/end", &[]).await;
        browser.send("/console/log-out", &[]).await;
        Browser::logged_in(server, EMAIL, "not her password").await;
        lines(server, "log_in.failed").await;
        Browser::logged_in(server, EMAIL, NEXT_PASSWORD).await;
        Browser::new(server).send("/console/reset", &[("email", EMAIL)]).await;
        let mut browser = Browser::new(server);
        let page = browser.open(&mailbox.next_link(EMAIL)).await;
        let token = page.between("name=\"link\" value=\"", "\"").to_owned();
        browser.send("/console/new-password", &[("link", &token), ("password", PASSWORD)]).await;
        Browser::logged_in(server, "nobody@firm.example", PASSWORD).await;

        let lines = lines(server, "log_in.failed").await;
        let expected = [
            "sign_up",
            "password.change",
            "second_factor.on",
            "second_factor.codes",
            "second_factor.off",
            "sessions.end",
            "log_out",
            "log_in.failed",
            "log_in",
            "password.link",
            "password.reset",
            "log_in.failed",
        ];
        assert_eq!(actions(&lines), expected);
        let (asha, account) = (person_id(server, EMAIL).await, account_id(server, EMAIL).await);
        for line in &lines[..11] {
            assert_eq!(line.subject, asha, "{line:?}");
            let of_anonymous = ["log_in.failed", "password.link"].contains(&line.action.as_str());
            assert_eq!(line.actor, if of_anonymous { "anonymous" } else { &asha }, "{line:?}");
        }
        assert!(lines.iter().all(|line| details(line)["address"].is_string()), "{lines:?}");
        assert_eq!(lines[0].account_id, Some(account.clone()));
        assert_eq!(
            (&lines[7].account_id, &details(&lines[7])["wrong"]),
            (&Some(account), &"password".into())
        );
        assert_eq!((lines[11].subject.as_str(), &lines[11].account_id), ("unknown", &None));
        check_no_secrets(server, &[EMAIL, PASSWORD, NEXT_PASSWORD, &secret, &token]).await;
    });
}

#[test]
fn changes_of_members_keys_credits_and_accounts_are_logged() {
    let mailbox = Mailbox::open();
    let settings = [("mail.smtp_url", mailbox.url.as_str())];
    serve(&settings, async |server| {
        let mut asha = Browser::signed_up(server, EMAIL).await;
        asha.open("/console/members").await;
        let mut links = Vec::new();
        for email in ["dev@firm.example", "other@firm.example"] {
            let invitation = [("email", email), ("role", "developer")];
            asha.send("/console/members/invite", &invitation).await;
            links.push(mailbox.next_link(email));
        }
        for _ in 0..2 {
            asha.send("/console/members/revoke", &[("email", "other@firm.example")]).await;
        }
        let mut developer = Browser::new(server);
        let page = developer.open(&links[0]).await;
        let token = page.between("name=\"link\" value=\"", "\"").to_owned();
        let joining = [("link", token.as_str()), ("name", "Dev"), ("password", PASSWORD)];
        developer.send("/console/invitation", &joining).await.expect("Overview");
        let dev = person_id(server, "dev@firm.example").await;
        for (person, role) in [(dev.as_str(), "billing"), (&dev, "remove"), ("per_none", "owner")] {
            let change = [("person", person), ("role", role)];
            asha.send("/console/members/change", &change).await;
        }
        let named = format!("server of {PAN}");
        let made = asha.send("/console/keys", &[("mode", "live"), ("name", &named)]).await;
        let key = made.between("id=\"key\" tabindex=\"0\">", "<").to_owned();
        let account = account_id(server, EMAIL).await;
        let old = server.app.ledger.list_keys(&account).await.unwrap()[0].id.clone();
        let roll = format!("/console/keys/{old}/roll");
        let rolled = asha.send(&roll, &[("overlap_hours", "1")]).await;
        let new_key = rolled.between("id=\"key\" tabindex=\"0\">", "<").to_owned();
        asha.open("/console/keys").await;
        let revoke = format!("/console/keys/{old}/revoke");
        asha.send(&revoke, &[("confirmation", &named)]).await.expect("The key was revoked");

        let lines = lines(server, "key.revoke").await;
        let expected = [
            "sign_up",
            "invitation.create",
            "invitation.create",
            "invitation.revoke",
            "member.join",
            "member.change",
            "member.remove",
            "key.create",
            "key.roll",
            "key.revoke",
        ];
        assert_eq!(actions(&lines), expected);
        let owner = person_id(server, EMAIL).await;
        assert_eq!(
            (details(&lines[1])["invited"].as_str(), &lines[1].actor),
            (Some("d…@firm.example"), &owner)
        );
        assert_eq!((&lines[4].actor, &lines[4].account_id), (&dev, &Some(account)));
        assert_eq!((&lines[5].subject, &details(&lines[5])["role"]), (&dev, &"billing".into()));
        assert_eq!(
            (&lines[7].subject, &details(&lines[7])["name"]),
            (&old, &"server of ZZDCKXXXXQ".into())
        );
        assert_eq!(details(&lines[8])["in_place_of"], old.as_str());
        let secrets = [EMAIL, "dev@firm.example", PAN, &key, &new_key, &token];
        check_no_secrets(server, &secrets).await;
    });
}

#[test]
fn payments_operator_actions_and_bulk_jobs_are_logged() {
    serve(&[], async |server| {
        let mut asha = Browser::signed_up(server, EMAIL).await;
        asha.open("/console/credits").await;
        let purchase = [("pack", "500"), ("name", "Namuna Traders"), ("state", "29")];
        let order = asha.send("/console/credits", &purchase).await.path;
        for _ in 0..2 {
            asha.send(&format!("{order}/test-payment"), &[]).await.expect("Payment received.");
        }
        asha.open("/console/bulk").await;
        let job = asha.send_file("/console/bulk", &[("work", "verify")], b"99000501\n").await.path;
        asha.send(&format!("{job}/start"), &[]).await;
        asha.send(&format!("{job}/cancel"), &[]).await;
        let mut operator = Browser::signed_up(server, "operator@firm.example").await;
        let own = account_id(server, "operator@firm.example").await;
        server.app.ledger.set_operator(&own, Some(1)).await.unwrap();
        let account = account_id(server, EMAIL).await;
        let account_path = format!("/console/operator/accounts/{account}");
        operator.open(&account_path).await;
        let grant = [("amount", "70"), ("reference", "invoice 17")];
        for _ in 0..2 {
            operator.send(&format!("{account_path}/grant"), &grant).await;
        }
        for suspend in ["true", "false"] {
            operator.send(&format!("{account_path}/suspend"), &[("suspend", suspend)]).await;
        }

        let lines = lines(server, "account.resume").await;
        let expected = [
            "sign_up",
            "credits.buy",
            "job.approve",
            "job.cancel",
            "sign_up",
            "credits.grant",
            "account.suspend",
            "account.resume",
        ];
        assert_eq!(actions(&lines), expected);
        let bought = details(&lines[1]);
        assert_eq!((&bought["credits"], &lines[1].subject), (&500.into(), &account));
        assert_eq!(bought["order"], order.rsplit_once('/').unwrap().1);
        assert_eq!(details(&lines[2])["rows"], 1);
        assert!(job.ends_with(&lines[2].subject), "{job}");
        let by = person_id(server, "operator@firm.example").await;
        for line in &lines[5..] {
            assert_eq!((&line.actor, &line.account_id), (&by, &Some(account.clone())), "{line:?}");
        }
        assert_eq!(details(&lines[5])["amount"], 70);
    });
}

/// None of these is in the log, and the log verifies.
async fn check_no_secrets(server: &Server, secrets: &[&str]) {
    let lines = server.app.ledger.list_audit_events(0, 1_000).await.unwrap();
    let text = format!("{lines:?}");
    for secret in secrets {
        assert!(!text.contains(secret), "{secret} is in the audit log: {text}");
    }
    let (checked, wrong) = server.app.ledger.verify_audit_log().await.unwrap();
    assert_eq!((checked, wrong), (lines.len() as u64, Vec::new()));
}
