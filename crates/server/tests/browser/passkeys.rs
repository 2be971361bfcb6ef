//! Tests of passkeys with Chromium's virtual authenticator.

use fantoccini::Client;
use fantoccini::wd::WebDriverCompatibleCommand;
use serde_json::{Value, json};

use crate::console::{press, sees, text_of, write};
use crate::service::Service;
use crate::{click, wait_for_element, with_browser};

const EMAIL: &str = "asha@firm.example";
const PASSWORD: &str = "monsoon ledger nine";

/// A command of Web Authentication's extension of WebDriver.
#[derive(Debug)]
struct Authenticator {
    path: String,
    body: Value,
}

impl WebDriverCompatibleCommand for Authenticator {
    fn endpoint(
        &self,
        base_url: &url::Url,
        session_id: Option<&str>,
    ) -> Result<url::Url, url::ParseError> {
        let session = session_id.unwrap_or_default();
        base_url.join(&format!("session/{session}/webauthn/authenticator{}", self.path))
    }

    fn method_and_body(&self, _: &url::Url) -> (hyper::Method, Option<String>) {
        (hyper::Method::POST, Some(self.body.to_string()))
    }
}

/// Adds an authenticator like that of a laptop with a fingerprint reader; returns its id.
async fn add_authenticator(page: &Client) -> String {
    let body = json!({
        "protocol": "ctap2", "transport": "internal", "hasResidentKey": true,
        "hasUserVerification": true, "isUserVerified": true,
    });
    let added = page.issue_cmd(Authenticator { path: String::new(), body }).await;
    added.expect("an authenticator").as_str().expect("an id").to_owned()
}

async fn set_verified(page: &Client, authenticator: &str, verified: bool) {
    let command = Authenticator {
        path: format!("/{authenticator}/uv"),
        body: json!({ "isUserVerified": verified }),
    };
    page.issue_cmd(command).await.expect("set");
}

/// Browsers have no passkeys at an IP address.
async fn open(service: &Service, page: &Client, path: &str) {
    let url = service.url.replace("127.0.0.1", "localhost");
    page.goto(&format!("{url}{path}")).await.unwrap_or_else(|error| panic!("{path}: {error}"));
}

async fn log_in(service: &Service, page: &Client) {
    service.run(&["account", "create", "--email", EMAIL, "--name", "Namuna Traders"]);
    let link = service.run(&["account", "log-in-link", EMAIL]);
    page.goto(&link).await.expect("the link");
    write(page, "New password", PASSWORD).await;
    press(page, "Set password").await;
    write(page, "Email", EMAIL).await;
    write(page, "Password", PASSWORD).await;
    press(page, "Log in").await;
    wait_for_element(page, "form[action='/console/log-out']").await;
}

async fn log_out(page: &Client) {
    click(page, "form[action='/console/log-out'] button").await;
    sees(page, "You are logged out.").await;
}

#[test]
fn a_passkey_added_on_the_account_page_logs_in_until_it_is_removed() {
    panji_testkit::on_both_engines(async |databases| {
        let service = Service::start_at_localhost(databases.database_url());
        // The wrong password and the removed passkey are refused, which the browser logs.
        let test = async |service: &Service, page: &Client| {
            let authenticator = add_authenticator(page).await;
            log_in(service, page).await;
            open(service, page, "/console/account").await;
            write(page, "Name", "Office laptop").await;
            write(page, "Your password", "not her password").await;
            press(page, "Add a passkey").await;
            sees(page, "The password is wrong.").await;
            write(page, "Your password", PASSWORD).await;
            press(page, "Add a passkey").await;
            sees(page, "The passkey was added.").await;
            assert!(
                text_of(page, "section[aria-labelledby='passkeys'] tbody").await.contains("Never")
            );
            log_out(page).await;
            set_verified(page, &authenticator, false).await;
            press(page, "Log in with a passkey").await;
            sees(page, "You were not logged in.").await;
            set_verified(page, &authenticator, true).await;
            press(page, "Log in with a passkey").await;
            wait_for_element(page, "form[action='/console/log-out']").await;
            open(service, page, "/console/account").await;
            let rows = text_of(page, "section[aria-labelledby='passkeys'] tbody").await;
            assert!(rows.contains("Office laptop") && !rows.contains("Never"), "{rows}");
            press(page, "Remove").await;
            sees(page, "The passkey was removed.").await;
            log_out(page).await;
            press(page, "Log in with a passkey").await;
            sees(page, "This passkey is not known to this service.").await;
        };
        with_browser(&service, &["422", "403"], test).await;
    });
}

#[test]
fn no_passkey_is_offered_where_browsers_allow_none() {
    crate::in_browser(&[], async |service, page| {
        crate::console::sign_up(service, page).await;
        crate::console::open(service, page, "/console/account").await;
        sees(page, "Passkeys need an address with a host name").await;
        crate::console::open(service, page, "/console/log-in").await;
        assert!(!text_of(page, "body").await.contains("passkey"));
    });
}
