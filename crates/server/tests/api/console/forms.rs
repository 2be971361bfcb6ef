//! Tests that only forms of our own pages are accepted.

use super::browser::{Browser, PASSWORD, form};
use crate::server::serve_embedded;

/// Every form of a signed-in user.
const FORMS: [&str; 23] = [
    "/console/log-out",
    "/console/mode",
    "/console/account/name",
    "/console/account/switch",
    "/console/account/password",
    "/console/account/sessions/end",
    "/console/account/second-factor/begin",
    "/console/account/second-factor/confirm",
    "/console/account/second-factor/off",
    "/console/account/second-factor/codes",
    "/console/account/passkeys/start",
    "/console/account/passkeys/remove",
    "/console/account/confirm",
    "/console/account/data",
    "/console/account/delete",
    "/console/members/invite",
    "/console/members/change",
    "/console/members/revoke",
    "/console/members/reset-link",
    "/console/keys",
    "/console/keys/key_1/revoke",
    "/console/search",
    "/console/companies/L17111MH1994PLC990011",
];

#[test]
fn a_form_without_the_sessions_token_is_refused() {
    serve_embedded(&[], async |server| {
        let mut asha = Browser::signed_up(server, "asha@firm.example").await;
        let mut ravi = Browser::signed_up(server, "ravi@firm.example").await;
        let foreign = ravi.open("/console/account").await;
        let foreign = foreign.between("name=\"form_token\" value=\"", "\"");
        for path in FORMS {
            for token in ["", "nonsense", foreign] {
                let fields = [("form_token", token), ("mode", "live"), ("name", "Taken over")];
                let page = asha.send_bare(path, &fields).await;
                assert_eq!(page.status, 403, "{path} {token}");
                page.expect("Form rejected");
            }
        }
        asha.open("/console/account").await.expect("Namuna Traders");
    });
}

#[test]
fn a_form_from_another_site_is_refused_even_with_the_right_token() {
    serve_embedded(&[], async |server| {
        let mut browser = Browser::signed_up(server, "asha@firm.example").await;
        let page = browser.open("/console/account").await;
        let token = page.between("name=\"form_token\" value=\"", "\"").to_owned();
        let fields = [("form_token", token.as_str()), ("name", "Taken over")];
        let bare = || form("/console/account/name", &fields).without_header("sec-fetch-site");
        for ask in [
            bare().header("sec-fetch-site", "cross-site"),
            bare().header("sec-fetch-site", "same-site"),
            bare().header("origin", "https://evil.example").header("host", "panji.example"),
            bare().header("origin", "null"),
        ] {
            assert_eq!(browser.ask(ask).await.status, 403);
        }
        let own = bare().header("origin", "http://panji.example").header("host", "panji.example");
        assert_eq!(browser.ask(own).await.status, 303);
        let log_in = [("email", "asha@firm.example"), ("password", PASSWORD)];
        let foreign = form("/console/log-in", &log_in)
            .without_header("sec-fetch-site")
            .header("sec-fetch-site", "cross-site");
        assert_eq!(Browser::new(server).ask(foreign).await.status, 403);
    });
}

#[test]
fn a_form_that_is_too_large_or_malformed_is_refused() {
    serve_embedded(&[], async |server| {
        let mut browser = Browser::signed_up(server, "asha@firm.example").await;
        let large = "x".repeat(100_000);
        let page = browser.send("/console/account/name", &[("name", &large)]).await;
        assert_eq!(page.status, 400, "{}", page.text);
        let page = browser.send("/console/account/switch", &[]).await;
        assert_eq!(page.status, 400);
        page.expect("Invalid form");
    });
}
