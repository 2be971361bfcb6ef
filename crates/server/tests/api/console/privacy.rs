//! Tests of data export and of deleting an account.

use panji_store::calendar::now_ms;
use panji_store::ledger::{LinkPurpose, Mode, Role};
use serde_json::Value;

use super::browser::{Browser, PASSWORD};
use crate::ask::get;
use crate::server::{Server, serve};

const EMAIL: &str = "asha@firm.example";

/// A member of the account who is not an owner.
async fn developer<'a>(server: &'a Server, account_id: &str) -> Browser<'a> {
    let link = panji_store::ledger::Link {
        email: "dev@firm.example".to_owned(),
        account_id: account_id.to_owned(),
        role: Role::Developer,
        created_at: now_ms(),
        expires_at: now_ms() + 60_000,
    };
    server.app.ledger.create_link("token", LinkPurpose::Invitation, &link).await.unwrap();
    let mut browser = Browser::new(server);
    let form = [("link", "token"), ("name", "Dev"), ("password", PASSWORD)];
    browser.send("/console/invitation", &form).await.expect("Overview");
    browser
}

async fn account_id(server: &Server) -> String {
    server.app.ledger.find_account(EMAIL).await.unwrap().unwrap().id
}

#[test]
fn only_the_owner_can_download_all_data() {
    serve(&[], async |server| {
        let mut asha = Browser::signed_up(server, EMAIL).await;
        let account_id = account_id(server).await;
        let mut developer = developer(server, &account_id).await;
        let made = asha.send("/console/keys", &[("mode", "test"), ("name", "laptop")]).await;
        let key = made.between("id=\"key\" tabindex=\"0\">", "<").to_owned();
        asha.open("/console/account").await.expect("Download my data").expect("Delete account");
        let page = asha.send("/console/account/data", &[]).await;
        assert_eq!(page.response.header("content-type"), Some("application/json"));
        let disposition = page.response.header("content-disposition").unwrap();
        assert!(disposition.starts_with("attachment; filename=\"panji-account-"), "{disposition}");
        let data: Value = serde_json::from_str(&page.text)
            .unwrap_or_else(|error| panic!("{error}: {}", page.text));
        assert_eq!(data["account"][0]["id"], account_id.as_str());
        assert_eq!(data["members"].as_array().unwrap().len(), 2);
        assert_eq!(data["keys"][0]["name"], "laptop");
        let actions: Vec<&str> = data["audit_log"]
            .as_array()
            .unwrap()
            .iter()
            .map(|event| event["action"].as_str().unwrap())
            .collect();
        assert_eq!(actions, ["sign_up", "member.join", "key.create", "account.export"]);
        for secret in [key.as_str(), asha.cookies["panji_session"].as_str(), "argon2"] {
            assert!(!page.text.contains(secret), "{secret} is in {}", page.text);
        }

        let shown = developer.open("/console/account").await;
        assert!(!shown.text.contains("Download my data"), "{}", shown.text);
        assert_eq!(developer.send("/console/account/data", &[]).await.status, 403);
        assert_eq!(developer.open("/console/account/delete").await.status, 403);
        let form = [("password", PASSWORD)];
        assert_eq!(developer.send("/console/account/delete", &form).await.status, 403);
        let foreign = Browser::new(server).send_bare("/console/account/data", &[]).await;
        assert!(foreign.path.starts_with("/console/log-in"), "{}", foreign.path);
    });
}

#[test]
fn the_account_is_deleted_with_the_owners_password_and_its_ledger_stays() {
    serve(&[], async |server| {
        let mut asha = Browser::signed_up(server, EMAIL).await;
        let account_id = account_id(server).await;
        let mut developer = developer(server, &account_id).await;
        let made = asha.send("/console/keys", &[("mode", "test")]).await;
        let key = format!("Bearer {}", made.between("id=\"key\" tabindex=\"0\">", "<"));
        server.grant(&account_id, 1_234).await;
        asha.open("/console/account/delete").await.expect("You lose 1,234 credits");
        let wrong = asha.send("/console/account/delete", &[("password", "not hers")]).await;
        assert_eq!(wrong.status, 422);
        wrong.expect("The password is wrong.");
        asha.open("/console/account").await.expect(EMAIL);
        let done = asha.send("/console/account/delete", &[("password", PASSWORD)]).await;
        done.expect("The account was deleted.");
        assert!(asha.cookies.is_empty(), "{:?}", asha.cookies);

        let (_, page) = Browser::logged_in(server, EMAIL, PASSWORD).await;
        page.expect("The email address or the password is wrong.");
        developer.open("/console").await.expect("Create an account");
        let company = "/v1/companies/L17111MH1994PLC990011";
        let refused = server.send(get(company).header("authorization", &key)).await;
        assert!(!refused.code().is_empty(), "{refused:?}");
        let snapshot = server.app.ledger.find_balance(&account_id, Mode::Live, now_ms());
        assert_eq!(snapshot.await.unwrap().unwrap().balance, 1_234);
        let events = server.app.ledger.list_audit_events(0, 100).await.unwrap();
        let erased = events.iter().find(|event| event.action == "account.erase").unwrap();
        assert_eq!(
            (erased.subject.as_str(), erased.actor.starts_with("per_")),
            (&*account_id, true)
        );
        Browser::signed_up(server, EMAIL).await.open("/console").await.expect("Overview");
    });
}
