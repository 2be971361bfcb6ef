//! Tests of single sign-on: whom it lets in, into which account, and which tokens are refused.

use axum::http::Method;
use panji_store::calendar::now_ms;
use panji_store::ledger::{Link, LinkPurpose, Role};
use serde_json::{Value, json};

use super::browser::{Browser, PASSWORD, Page};
use super::identity_provider::{CLIENT_ID, IdentityProvider, Signing};
use crate::ask::ask;
use crate::server::{Server, serve, serve_embedded};

const BANK: &str = "bank@firm.example";
const CALLBACK: &str = "/console/log-in/sso/callback";

/// What the service asks the provider for.
struct AuthorizationRequest {
    state: String,
    nonce: String,
    challenge: String,
}

/// Presses the button of the log-in page.
async fn start(browser: &mut Browser<'_>, next: &str) -> AuthorizationRequest {
    let page = browser.open(&format!("/console/log-in?next={next}")).await;
    page.expect("Continue with Namuna Bank");
    let path = page.between("<a class=\"button\" href=\"", "\"").replace("&#38;", "&");
    let response = browser.ask(ask(Method::GET, &path)).await;
    assert_eq!(response.status, 303);
    let url = url::Url::parse(response.header("location").unwrap()).unwrap();
    let field = |name: &str| {
        let found = url.query_pairs().find(|(known, _)| known == name);
        found.unwrap_or_else(|| panic!("no {name} in {url}")).1.into_owned()
    };
    assert_eq!((url.path(), field("tenant").as_str()), ("/authorize", "1"));
    assert_eq!((field("response_type"), field("client_id")), ("code".into(), CLIENT_ID.into()));
    assert_eq!(field("code_challenge_method"), "S256");
    assert!(field("redirect_uri").ends_with(CALLBACK));
    AuthorizationRequest {
        state: field("state"),
        nonce: field("nonce"),
        challenge: field("code_challenge"),
    }
}

async fn finish(browser: &mut Browser<'_>, request: &AuthorizationRequest) -> Page {
    browser.open(&format!("{CALLBACK}?code=any&state={}", request.state)).await
}

/// Logs in with claims that the test can change.
async fn log_in<'a>(
    server: &'a Server,
    provider: &IdentityProvider,
    (subject, groups): (&str, &[&str]),
    change: impl FnOnce(&mut Value),
) -> (Browser<'a>, Page) {
    let mut browser = Browser::new(server);
    let request = start(&mut browser, "/console/account").await;
    let mut claims = provider.claims(subject, groups, &request.nonce);
    change(&mut claims);
    provider.issue(&claims, Signing::Es256, &request.challenge);
    let page = finish(&mut browser, &request).await;
    (browser, page)
}

async fn role_of(server: &Server, email: &str) -> Option<Role> {
    let account = server.app.ledger.find_account(BANK).await.unwrap().unwrap();
    let members = server.app.ledger.list_members(&account.id).await.unwrap();
    members.iter().find(|member| member.email == email).map(|member| member.role)
}

async fn audited(server: &Server) -> Vec<(String, Value)> {
    let events = server.app.ledger.list_audit_events(0, 100).await.unwrap();
    let details = |text: &str| serde_json::from_str(text).unwrap();
    events.into_iter().map(|event| (event.action.clone(), details(&event.details))).collect()
}

#[test]
fn a_person_in_a_group_becomes_a_member_and_the_role_follows_the_group() {
    let provider = IdentityProvider::start();
    serve(&provider.settings(), async |server| {
        Browser::signed_up(server, BANK).await;
        let (browser, page) = log_in(server, &provider, ("asha", &["developers"]), |_| {}).await;
        assert_eq!((page.status, page.path.as_str()), (200, "/console/account"), "{}", page.text);
        page.expect("You logged in with Namuna Bank").expect("developer");
        assert!(!page.text.contains("Two-factor authentication"), "{}", page.text);
        let cookie = &browser.attributes["panji_session"];
        assert!(cookie.contains("Max-Age=43200"), "{cookie}");
        assert!(!browser.cookies.contains_key("panji_sso"));
        let person = server.app.ledger.find_person("asha@firm.example").await.unwrap().unwrap();
        assert_eq!((person.password_hash, person.name.as_str()), (None, "asha"));
        log_in(server, &provider, ("asha", &["developers", "admins"]), |_| {}).await;
        assert_eq!(role_of(server, "asha@firm.example").await, Some(Role::Owner));
        let audited = audited(server).await;
        let found = |action: &str, name: &str, value: &str| {
            audited.iter().any(|(known, details)| known == action && details[name] == value)
        };
        assert!(found("member.join", "role", "developer"), "{audited:?}");
        assert!(found("member.change", "role", "owner"), "{audited:?}");
        assert!(found("log_in", "method", "sso"), "{audited:?}");
    });
}

#[test]
fn a_person_without_a_group_or_a_verified_address_is_refused_in_words() {
    let provider = IdentityProvider::start();
    serve_embedded(&provider.settings(), async |server| {
        Browser::signed_up(server, BANK).await;
        let (_, page) = log_in(server, &provider, ("ravi", &["visitors"]), |_| {}).await;
        assert_eq!(page.status, 403);
        page.expect("You are not in a group that may use this service");
        for verified in [json!(false), json!("false"), Value::Null] {
            let change = |claims: &mut Value| claims["email_verified"] = verified.clone();
            let (_, page) = log_in(server, &provider, ("ravi", &["admins"]), change).await;
            assert_eq!(page.status, 403, "{verified}");
            page.expect("did not confirm an email address");
        }
        assert_eq!(role_of(server, "ravi@firm.example").await, None);
        let audited = audited(server).await;
        let reasons = ["sso_group", "sso_email"];
        for reason in reasons {
            let refused = |(action, details): &(String, Value)| {
                action == "log_in.failed" && details["wrong"] == reason
            };
            assert!(audited.iter().any(refused), "{reason}: {audited:?}");
        }
    });
}

#[test]
fn losing_the_group_ends_the_sessions_and_the_last_owner_stays() {
    let provider = IdentityProvider::start();
    serve_embedded(&provider.settings(), async |server| {
        Browser::signed_up(server, BANK).await;
        let (mut browser, _) = log_in(server, &provider, ("asha", &["developers"]), |_| {}).await;
        let (_, page) = log_in(server, &provider, ("asha", &[]), |_| {}).await;
        assert_eq!(page.status, 403);
        assert_eq!(
            browser.open("/console/account").await.path,
            "/console/log-in?next=%2Fconsole%2Faccount"
        );
        // The only owner of the account, with a group for another role.
        let (_, page) = log_in(server, &provider, ("bank", &["developers"]), |_| {}).await;
        assert_eq!(page.status, 200);
        assert_eq!(role_of(server, BANK).await, Some(Role::Owner));
    });
}

#[test]
fn an_address_that_was_given_to_somebody_else_opens_nothing() {
    let provider = IdentityProvider::start();
    serve(&provider.settings(), async |server| {
        let mut owner = Browser::signed_up(server, BANK).await;
        log_in(server, &provider, ("asha", &["developers"]), |_| {}).await;
        let reused = |claims: &mut Value| claims["sub"] = json!("another-asha");
        let (_, page) = log_in(server, &provider, ("asha", &["admins"]), reused).await;
        assert_eq!(page.status, 403);
        page.expect("belonged to another person");
        assert_eq!(role_of(server, "asha@firm.example").await, Some(Role::Developer));
        let person = server.app.ledger.find_person("asha@firm.example").await.unwrap().unwrap();
        owner.open("/console/members").await;
        owner.send("/console/members/change", &[("person", &person.id), ("role", "remove")]).await;
        let reused = |claims: &mut Value| claims["sub"] = json!("another-asha");
        let (_, page) = log_in(server, &provider, ("asha", &["developers"]), reused).await;
        assert_eq!(page.status, 200, "{}", page.text);
    });
}

#[test]
fn a_token_is_refused_if_anything_about_it_is_wrong() {
    let provider = IdentityProvider::start();
    let (longer_ago, later) = (now_ms() / 1000 - 120, now_ms() / 1000 + 120);
    serve_embedded(&provider.settings(), async |server| {
        Browser::signed_up(server, BANK).await;
        for (name, value) in [
            ("nonce", json!("of another attempt")),
            ("nonce", Value::Null),
            ("iss", json!("https://id.example.in")),
            ("aud", json!("another service")),
            ("aud", json!([CLIENT_ID, "another service"])),
            ("azp", json!("another service")),
            ("exp", json!(longer_ago)),
            ("exp", json!("2100")),
            ("exp", Value::Null),
            ("nbf", json!(later)),
            ("sub", Value::Null),
        ] {
            let change = |claims: &mut Value| claims[name] = value.clone();
            let (browser, page) = log_in(server, &provider, ("asha", &["admins"]), change).await;
            assert_eq!(page.status, 403, "{name} {value}: {}", page.text);
            page.expect("could not be verified");
            assert!(browser.cookies.is_empty(), "{name} {value}");
        }
        for signing in [Signing::None, Signing::PublicKeyAsSecret, Signing::UnknownKey] {
            let mut browser = Browser::new(server);
            let request = start(&mut browser, "").await;
            let claims = provider.claims("asha", &["admins"], &request.nonce);
            provider.issue(&claims, signing, &request.challenge);
            assert_eq!(finish(&mut browser, &request).await.status, 403);
        }
        assert_eq!(role_of(server, "asha@firm.example").await, None);
    });
}

#[test]
fn new_keys_of_the_provider_are_read_once_for_many_unknown_ones() {
    let provider = IdentityProvider::start();
    serve_embedded(&provider.settings(), async |server| {
        Browser::signed_up(server, BANK).await;
        log_in(server, &provider, ("asha", &["admins"]), |_| {}).await;
        assert_eq!(provider.key_requests(), 1);
        provider.change_key("second");
        for _ in 0..3 {
            let (_, page) = log_in(server, &provider, ("asha", &["admins"]), |_| {}).await;
            assert_eq!(page.status, 403);
        }
        assert_eq!(provider.key_requests(), 1, "not more often than every 30 seconds");
    });
}

#[test]
fn a_response_counts_only_in_the_browser_and_for_the_attempt_that_asked() {
    let provider = IdentityProvider::start();
    serve_embedded(&provider.settings(), async |server| {
        Browser::signed_up(server, BANK).await;
        let (mut hers, mut other) = (Browser::new(server), Browser::new(server));
        let request = start(&mut hers, "").await;
        let claims = provider.claims("asha", &["admins"], &request.nonce);
        provider.issue(&claims, Signing::Es256, &request.challenge);
        // In a browser without an attempt, and in one with its own.
        for _ in 0..2 {
            let page = finish(&mut other, &request).await;
            assert_eq!(page.status, 403);
            page.expect("was started in another browser");
            start(&mut other, "").await;
        }
        let elsewhere =
            format!("{CALLBACK}?code=any&state={}&iss=https://id.example.in", request.state);
        let cookie = hers.cookies["panji_sso"].clone();
        assert_eq!(hers.open(&elsewhere).await.status, 403);
        assert!(!hers.cookies.contains_key("panji_sso"), "an attempt ends with its response");
        hers.cookies.insert("panji_sso".into(), format!("{cookie}x"));
        assert_eq!(finish(&mut hers, &request).await.status, 403);
        hers.cookies.insert("panji_sso".into(), cookie);
        assert_eq!(finish(&mut hers, &request).await.status, 200);
    });
}

#[test]
fn missing_claims_come_from_the_userinfo_of_the_same_person_only() {
    let provider = IdentityProvider::start();
    serve_embedded(&provider.settings(), async |server| {
        Browser::signed_up(server, BANK).await;
        let bare = |claims: &mut Value| {
            for name in ["email", "email_verified", "groups"] {
                claims.as_object_mut().unwrap().remove(name);
            }
        };
        let info = json!({
            "sub": "ravi", "email": "asha@firm.example", "email_verified": true, "groups": "developers",
        });
        provider.set_userinfo(info.clone());
        let (_, page) = log_in(server, &provider, ("asha", &[]), bare).await;
        assert_eq!(page.status, 403);
        page.expect("could not be verified");
        let mut info = info;
        info["sub"] = json!("asha");
        provider.set_userinfo(info);
        let (_, page) = log_in(server, &provider, ("asha", &[]), bare).await;
        assert_eq!(page.status, 200, "{}", page.text);
        assert_eq!(role_of(server, "asha@firm.example").await, Some(Role::Developer));
    });
}

#[test]
fn a_provider_that_cannot_be_reached_is_named_and_refusals_of_it_are_too() {
    let provider = IdentityProvider::start();
    serve_embedded(&provider.settings(), async |server| {
        Browser::signed_up(server, BANK).await;
        provider.set_away(true);
        let (_, page) = log_in(server, &provider, ("asha", &["admins"]), |_| {}).await;
        assert_eq!(page.status, 502);
        page.expect("Namuna Bank cannot be used now");
        let mut browser = Browser::new(server);
        let request = start(&mut browser, "").await;
        let page =
            browser.open(&format!("{CALLBACK}?error=access_denied&state={}", request.state)).await;
        assert_eq!(page.status, 403);
        page.expect("Namuna Bank did not log you in");
    });
}

#[test]
fn single_sign_on_opens_only_its_own_account_and_changes_no_password() {
    let provider = IdentityProvider::start();
    serve(&provider.settings(), async |server| {
        Browser::signed_up(server, BANK).await;
        // Asha has an account of her own, with a password.
        let mut own = Browser::signed_up(server, "asha@firm.example").await;
        let (mut browser, page) =
            log_in(server, &provider, ("asha", &["developers"]), |_| {}).await;
        assert_eq!(page.status, 200, "{}", page.text);
        let own_account =
            server.app.ledger.find_account("asha@firm.example").await.unwrap().unwrap();
        let page = browser.send("/console/account/switch", &[("account", &own_account.id)]).await;
        assert_eq!(page.status, 403);
        page.expect("which gives access to one account only");
        for (path, field) in [
            ("/console/account/password", "password"),
            ("/console/account/second-factor/begin", "none"),
            ("/console/account/second-factor/off", "password"),
            ("/console/account/second-factor/codes", "password"),
        ] {
            let fields = [(field, "another monsoon ledger"), ("current_password", PASSWORD)];
            let page = browser.send(path, &fields).await;
            assert_eq!(page.status, 403, "{path}");
            page.expect("which manages your password");
        }
        // With the password she gets into her own account, and not into that of the provider.
        let (mut again, page) = Browser::logged_in(server, "asha@firm.example", PASSWORD).await;
        assert_eq!(page.status, 200);
        let bank = server.app.ledger.find_account(BANK).await.unwrap().unwrap();
        for browser in [&mut own, &mut again] {
            browser.open("/console/account").await;
            let page = browser.send("/console/account/switch", &[("account", &bank.id)]).await;
            assert_eq!(page.status, 403);
            page.expect("only if you log in with Namuna Bank");
        }
    });
}

#[test]
fn where_it_is_required_passwords_open_nothing_and_a_link_of_the_operator_still_does() {
    let provider = IdentityProvider::start();
    let settings = [provider.settings(), vec![("sso.required", "true")]].concat();
    serve(&settings, async |server| {
        let mut browser = Browser::new(server);
        let form = [("email", BANK), ("password", PASSWORD), ("name", "Namuna Bank")];
        browser.send("/console/sign-up", &form).await;
        let (_, page) = Browser::logged_in(server, BANK, PASSWORD).await;
        assert_eq!(page.status, 403, "{}", page.text);
        page.expect("only if you log in with Namuna Bank");
        let page = browser.open("/console/account").await;
        assert!(page.path.starts_with("/console/log-in"), "a session with a password ends");
        let link = Link {
            email: BANK.to_owned(),
            account_id: String::new(),
            role: Role::Owner,
            created_at: now_ms(),
            expires_at: now_ms() + 60_000,
        };
        server.app.ledger.create_link("operator's", LinkPurpose::LogIn, &link).await.unwrap();
        let page = browser.open("/console/log-in/link?link=operator's").await;
        assert_eq!(page.status, 200, "{}", page.text);
        let invited = [("email", "dev@firm.example"), ("role", "developer")];
        browser.open("/console/members").await;
        let page = browser.send("/console/members/invite", &invited).await;
        assert_eq!(page.status, 422);
        page.expect("join by logging in with Namuna Bank");
    });
}

#[test]
fn without_settings_there_is_no_button_and_no_page() {
    serve_embedded(&[], async |server| {
        let mut browser = Browser::new(server);
        assert!(!browser.open("/console/log-in").await.text.contains("Continue with"));
        assert_eq!(browser.open("/console/log-in/sso").await.status, 403);
        assert_eq!(browser.open(&format!("{CALLBACK}?code=a&state=b")).await.status, 403);
    });
}
