//! Tests of members: invited, with a role, limited by it, removed.

use panji_testkit::Mailbox;

use super::browser::{Browser, PASSWORD, Page};
use crate::server::{Server, serve};

/// Invites a person with a role; returns the page that follows.
async fn invite(owner: &mut Browser<'_>, email: &str, role: &str) -> Page {
    owner.open("/console/members").await;
    owner.send("/console/members/invite", &[("email", email), ("role", role)]).await
}

/// Invites a person with a role, and follows the link as a new user.
async fn invited<'a>(
    server: &'a Server,
    mailbox: &Mailbox,
    owner: &mut Browser<'a>,
    (email, role): (&str, &str),
) -> Browser<'a> {
    invite(owner, email, role).await.expect("The invitation was sent.");
    let mut browser = Browser::new(server);
    let page = browser.open(&mailbox.next_link(email)).await;
    page.expect("Join Namuna Traders");
    let token = page.between("name=\"link\" value=\"", "\"");
    let form = [("link", token), ("name", "New User"), ("password", PASSWORD)];
    browser.send("/console/invitation", &form).await.expect("Overview");
    browser.send("/console/invitation", &form).await.expect("This link does not work");
    browser
}

#[test]
fn each_role_has_the_permissions_of_the_table() {
    let mailbox = Mailbox::open();
    let settings = [("mail.smtp_url", mailbox.url.as_str())];
    serve(&settings, async |server| {
        let mut owner = Browser::signed_up(server, "asha@firm.example").await;
        let developer = ("dev@firm.example", "developer");
        let mut developer = invited(server, &mailbox, &mut owner, developer).await;
        let billing = ("bill@firm.example", "billing");
        let mut billing = invited(server, &mailbox, &mut owner, billing).await;
        let key = [("mode", "test")];
        developer.open("/console").await;
        billing.open("/console").await;
        assert_eq!(developer.send("/console/keys", &key).await.status, 200);
        assert_eq!(billing.send("/console/keys", &key).await.status, 403);
        assert_eq!(developer.open("/console/search?q=kalpanik").await.status, 200);
        billing
            .open("/console/search?q=kalpanik")
            .await
            .expect("Your role cannot make API requests");
        let company = "/console/companies/L17111MH1994PLC990011";
        billing.open(company).await.expect("Your role cannot make API requests");
        let live = [("sections", "profile")];
        assert_eq!(billing.send(company, &live).await.status, 403);
        let invitation = [("email", "more@firm.example"), ("role", "owner")];
        for member in [&mut developer, &mut billing] {
            let page = member.send("/console/members/invite", &invitation).await;
            assert_eq!(page.status, 403);
            page.expect("Ask an account owner");
            assert_eq!(member.send("/console/account/name", &[("name", "Mine")]).await.status, 403);
            member.open("/console/members").await.expect("asha@firm.example");
        }
        assert!(mailbox.is_empty());
    });
}

#[test]
fn a_removed_member_loses_access_at_once_and_the_last_owner_cannot_be_removed() {
    let mailbox = Mailbox::open();
    let settings = [("mail.smtp_url", mailbox.url.as_str())];
    serve(&settings, async |server| {
        let mut owner = Browser::signed_up(server, "asha@firm.example").await;
        let mut member =
            invited(server, &mailbox, &mut owner, ("dev@firm.example", "developer")).await;
        let person =
            async |email: &str| server.app.ledger.find_person(email).await.unwrap().unwrap().id;
        let (own, other) = (person("asha@firm.example").await, person("dev@firm.example").await);
        owner.open("/console/members").await;
        let change = "/console/members/change";
        let page = owner.send(change, &[("person", &own), ("role", "billing")]).await;
        page.expect("An account needs at least one owner");
        let page = owner.send(change, &[("person", &own), ("role", "remove")]).await;
        page.expect("An account needs at least one owner");
        let page = owner.send(change, &[("person", &other), ("role", "remove")]).await;
        page.expect("The member was removed");
        member.open("/console").await.expect("Create an account");
        let (_, page) = Browser::logged_in(server, "dev@firm.example", PASSWORD).await;
        page.expect("You are no longer a member of any account");
    });
}

#[test]
fn a_user_can_join_another_account_and_switch_between_them() {
    let mailbox = Mailbox::open();
    let settings = [("mail.smtp_url", mailbox.url.as_str())];
    serve(&settings, async |server| {
        let mut owner = Browser::signed_up(server, "asha@firm.example").await;
        let mut ravi = Browser::signed_up(server, "ravi@firm.example").await;
        ravi.open("/console/account").await;
        ravi.send("/console/account/name", &[("name", "Ravi Exports")]).await;
        owner.open("/console/members").await;
        let form = [("email", "ravi@firm.example"), ("role", "billing")];
        owner.send("/console/members/invite", &form).await;
        let link = mailbox.next_link("ravi@firm.example");
        let page = Browser::new(server).open(&link).await;
        let token = page.expect("added to it").between("name=\"link\" value=\"", "\"").to_owned();
        let joined = Browser::new(server).send("/console/invitation", &[("link", &token)]).await;
        joined.expect("You have joined the account.");
        let page = ravi.open("/console/account").await;
        let other =
            page.expect("Switch to Namuna Traders").between("value=\"acc_", "\"").to_owned();
        ravi.send("/console/account/switch", &[("account", &format!("acc_{other}"))]).await;
        ravi.open("/console/account").await.expect("Switch to Ravi Exports").expect("billing");
        let unknown = ravi.send("/console/account/switch", &[("account", "acc_0")]).await;
        assert_eq!(unknown.status, 404);
    });
}

#[test]
fn a_revoked_invitation_does_not_work() {
    let mailbox = Mailbox::open();
    let settings = [("mail.smtp_url", mailbox.url.as_str())];
    serve(&settings, async |server| {
        let mut owner = Browser::signed_up(server, "asha@firm.example").await;
        invite(&mut owner, "dev@firm.example", "developer").await.expect("Pending invitations");
        let link = mailbox.next_link("dev@firm.example");
        owner
            .send("/console/members/revoke", &[("email", "dev@firm.example")])
            .await
            .expect("The invitation was revoked.");
        Browser::new(server).open(&link).await.expect("This link does not work");
    });
}

#[test]
fn without_a_mail_server_the_owner_gets_the_invitation_link() {
    serve(&[], async |server| {
        let mut owner = Browser::signed_up(server, "asha@firm.example").await;
        owner.open("/console/members").await.expect("you get a link to send to the person");
        let form = [("email", "dev@firm.example"), ("role", "developer")];
        let page = owner.send("/console/members/invite", &form).await;
        let path = page.expect("send the link below").between("/console/invitation?link=", "<");
        let link = format!("/console/invitation?link={path}");
        owner.open("/console/members").await.expect(&link);

        let mut developer = Browser::new(server);
        let page = developer.open(&link).await;
        let token = page.expect("developer").between("name=\"link\" value=\"", "\"").to_owned();
        let form = [("link", token.as_str()), ("name", "Dev"), ("password", PASSWORD)];
        developer.send("/console/invitation", &form).await.expect("Overview");
        for browser in [&mut owner, &mut developer] {
            let page = browser.open("/console/members").await;
            assert!(!page.text.contains("/console/invitation?link="), "{}", page.text);
        }
    });
}

/// The link to copy from the members page.
fn copied_link(page: &Page) -> String {
    assert!(!page.text.contains("/console/invitation?link="), "{}", page.text);
    format!("/console/invited?invitation={}", page.between("/console/invited?invitation=", "<"))
}

#[test]
fn where_invitations_are_mailed_a_copied_link_does_not_prove_an_address() {
    let mailbox = Mailbox::open();
    let settings = [("mail.smtp_url", mailbox.url.as_str())];
    serve(&settings, async |server| {
        let mut owner = Browser::signed_up(server, "asha@firm.example").await;
        let copied = copied_link(&invite(&mut owner, "dev@firm.example", "developer").await);
        mailbox.next_link("dev@firm.example");
        let mut anybody = Browser::new(server);
        let page = anybody.open(&copied).await;
        page.expect("Join Namuna Traders").expect("Log in and join");
        assert!(!page.text.contains("type=\"password\""), "{}", page.text);
        let reference = copied.rsplit('=').next().unwrap();
        anybody.open(&format!("/console/invitation?link={reference}")).await.expect("not work");
        let own = owner.open(&copied).await;
        assert!(!own.text.contains("action=\"/console/invited\""), "the owner is not invited");
        assert_eq!(owner.send("/console/invited", &[("invitation", reference)]).await.status, 403);
        let page = anybody.send("/console/invited/send", &[("invitation", reference)]).await;
        page.expect("We sent a link to dev@firm.example");
        let mailed = mailbox.next_link("dev@firm.example");
        anybody.open(&mailed).await.expect("type=\"password\"");
        owner.send("/console/members/revoke", &[("email", "dev@firm.example")]).await;
        assert_eq!(anybody.open(&copied).await.status, 404);
    });
}

#[test]
fn an_invited_person_who_is_logged_in_joins_with_the_copied_link() {
    let mailbox = Mailbox::open();
    let settings = [("mail.smtp_url", mailbox.url.as_str())];
    serve(&settings, async |server| {
        let mut owner = Browser::signed_up(server, "asha@firm.example").await;
        let mut ravi = Browser::signed_up(server, "ravi@firm.example").await;
        let copied = copied_link(&invite(&mut owner, "ravi@firm.example", "billing").await);
        ravi.open(&copied).await.expect("action=\"/console/invited\"");
        let form = [("invitation", copied.rsplit('=').next().unwrap())];
        ravi.send("/console/invited", &form).await.expect("You have joined the account.");
        owner.open("/console/members").await.expect("ravi@firm.example");
        assert_eq!(ravi.send("/console/invited", &form).await.status, 404, "it works once");
    });
}

#[test]
fn a_changed_role_is_undone_from_its_message() {
    serve(&[], async |server| {
        let mut owner = Browser::signed_up(server, "asha@firm.example").await;
        let page = invite(&mut owner, "dev@firm.example", "developer").await;
        let token = page.between("/console/invitation?link=", "<").to_owned();
        let form = [("link", token.as_str()), ("name", "Dev"), ("password", PASSWORD)];
        Browser::new(server).send("/console/invitation", &form).await;
        let person = server.app.ledger.find_person("dev@firm.example").await.unwrap().unwrap().id;
        let form = [("person", person.as_str()), ("role", "owner")];
        let page = owner.send("/console/members/change", &form).await;
        page.expect("The role was changed.").expect(">Undo</button>");
        page.expect("<input type=\"hidden\" name=\"role\" value=\"developer\">");
        let form = [("person", person.as_str()), ("role", "developer")];
        owner.send("/console/members/change", &form).await.expect("The role was changed.");
        let accounts = server.app.ledger.list_accounts_of(&person).await.unwrap();
        assert_eq!(accounts[0].1.as_str(), "developer");
    });
}

#[test]
fn without_a_mail_server_an_owner_can_create_a_reset_link_for_a_member_of_no_other_account() {
    serve(&[], async |server| {
        let mut owner = Browser::signed_up(server, "asha@firm.example").await;
        let mut ravi = Browser::signed_up(server, "ravi@firm.example").await;
        let mut join = async |email: &str| {
            let page = invite(&mut owner, email, "developer").await;
            let token = page.between("/console/invitation?link=", "<").to_owned();
            let form = [("link", token.as_str()), ("name", "Dev"), ("password", PASSWORD)];
            Browser::new(server).send("/console/invitation", &form).await;
            server.app.ledger.find_person(email).await.unwrap().unwrap().id
        };
        let developer = join("dev@firm.example").await;
        let other = join("ravi@firm.example").await;
        let page = owner.send("/console/members/reset-link", &[("person", &developer)]).await;
        let token = page.expect("dev@firm.example").between("/console/new-password?link=", "<");
        let form = [("link", token), ("password", "saffron tram eleven")];
        Browser::new(server).send("/console/new-password", &form).await.expect("Log in");
        let (mut developer, page) =
            Browser::logged_in(server, "dev@firm.example", "saffron tram eleven").await;
        page.expect("Overview");

        let refused = owner.send("/console/members/reset-link", &[("person", &other)]).await;
        assert_eq!(refused.status, 403, "it would open Ravi's own account");
        let asha = server.app.ledger.find_person("asha@firm.example").await.unwrap().unwrap().id;
        developer.open("/console/members").await;
        for browser in [&mut developer, &mut ravi] {
            let refused = browser.send("/console/members/reset-link", &[("person", &asha)]).await;
            assert!([403, 404].contains(&refused.status), "{}", refused.status);
        }
        let events = server.app.ledger.list_audit_events(0, 100).await.unwrap();
        assert_eq!(events.iter().filter(|event| event.action == "password.link").count(), 1);
    });
}
