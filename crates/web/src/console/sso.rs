//! Single sign-on: sends the browser to the identity provider, and logs in whom it sends back.

use std::sync::Arc;

use axum::extract::FromRequestParts;
use axum::http::StatusCode;
use axum::http::header::CACHE_CONTROL;
use axum::http::request::Parts;
use axum::response::{IntoResponse, Redirect, Response};
use base64::Engine;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use panji_api::accounts::audit_log::{self, Actor, redacted_email};
use panji_store::calendar::now_ms;
use panji_store::ledger::{
    Account, LogInMethod, Role, SsoIdentity, SsoMembership, SsoOutcome, equal_in_constant_time,
};
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use serde::Deserialize;
use serde_json::json;

use super::language::{t, t_with};
use super::log_in;
use super::page_error::PageError;
use super::redirects::safe_path;
use super::repeated::RepeatedQuery;
use super::session::{
    Anonymous, append_cookie, cookie_for_this_site, cookie_name, random_token, read_cookie,
};
pub use panji_api::accounts::sso::CALLBACK_PATH;
use panji_api::accounts::sso::{Attempt, IdentifiedPerson, Sso, SsoError};
use panji_api::app::App;

/// The time for the log-in at the provider.
const ATTEMPT_MS: i64 = 10 * 60_000;
/// The names of the cookie that binds an attempt to the browser, over HTTP and HTTPS.
const COOKIES: [&str; 2] = ["panji_sso", "__Host-panji_sso"];
/// Bytes of the path to return to; a longer one is replaced by the start page.
const MAX_NEXT: usize = 1_000;

/// The button on the log-in page.
pub struct Button {
    pub name: String,
    pub path: String,
}

impl Button {
    /// None if single sign-on is off.
    pub fn of(app: &App, next: &str) -> Option<Button> {
        let next = utf8_percent_encode(&safe_path(next), NON_ALPHANUMERIC).to_string();
        let name = app.sso.as_ref()?.settings.name.clone();
        Some(Button { name, path: format!("/console/log-in/sso?next={next}") })
    }
}

#[derive(Deserialize)]
pub struct Start {
    #[serde(default)]
    next: String,
}

/// The provider's response, in the address that it sends the browser to.
#[derive(Deserialize)]
pub struct Callback {
    #[serde(default)]
    code: String,
    #[serde(default)]
    state: String,
    /// RFC 9207; not all providers send it.
    iss: Option<String>,
    error: Option<String>,
}

/// The attempt in the browser's cookie: until when it is valid, a random text that its secrets are derived from, and
/// where to go afterwards.
pub struct Pending {
    random: String,
    next: String,
}

impl FromRequestParts<Arc<App>> for Pending {
    type Rejection = PageError;

    async fn from_request_parts(parts: &mut Parts, app: &Arc<App>) -> Result<Pending, PageError> {
        let cookie = read_cookie(&parts.headers, cookie_name(app, COOKIES));
        cookie.and_then(|text| read_pending(app, &text, now_ms())).ok_or_else(expired)
    }
}

fn write_pending(app: &App, random: &str, next: &str, until_ms: i64) -> String {
    let next = if next.len() > MAX_NEXT { "" } else { next };
    let text = format!("{until_ms}.{random}.{}", BASE64_URL_SAFE_NO_PAD.encode(next));
    let signature = app.ledger.sign_ticket(&format!("sso attempt {text}"));
    format!("{signature}.{text}")
}

fn read_pending(app: &App, cookie: &str, now_ms: i64) -> Option<Pending> {
    let (signature, text) = cookie.split_once('.')?;
    if !app.ledger.is_ticket_signature(&format!("sso attempt {text}"), signature) {
        return None;
    }
    let mut parts = text.splitn(3, '.');
    let (until, random, next) = (parts.next()?, parts.next()?, parts.next()?);
    let until_ms: i64 = until.parse().ok()?;
    let next = String::from_utf8(BASE64_URL_SAFE_NO_PAD.decode(next).ok()?).ok()?;
    (until_ms > now_ms).then(|| Pending { random: random.to_owned(), next })
}

/// Only this service can derive the secrets, so the cookie reveals none of them.
fn derive(app: &App, random: &str) -> Attempt {
    let secret = |purpose: &str| app.ledger.sign_ticket(&format!("sso {purpose} {random}"));
    Attempt { state: secret("state"), nonce: secret("nonce"), verifier: secret("verifier") }
}

/// Sends the browser to the provider.
pub async fn start(
    anonymous: Anonymous,
    RepeatedQuery(query): RepeatedQuery<Start>,
) -> Result<Response, PageError> {
    let (app, sso) = (&anonymous.app, configured(&anonymous)?);
    anonymous.count_step()?;
    let (random, now_ms) = (random_token()?, now_ms());
    let url = sso.authorization_url(&derive(app, &random), now_ms).await;
    let url = url.map_err(|error| failure(sso, &error))?;
    let pending = write_pending(app, &random, &safe_path(&query.next), now_ms + ATTEMPT_MS);
    let mut cookie = cookie_for_this_site(app, COOKIES, &pending);
    cookie.set_max_age(cookie::time::Duration::milliseconds(ATTEMPT_MS));
    let mut response = ([(CACHE_CONTROL, "no-store")], Redirect::to(&url)).into_response();
    append_cookie(&mut response, &cookie);
    Ok(response)
}

/// Logs in the person whom the provider identifies. The attempt ends here, whatever its result.
pub async fn finish(
    anonymous: Anonymous,
    pending: Pending,
    RepeatedQuery(query): RepeatedQuery<Callback>,
) -> Response {
    let finished = log_in(&anonymous, &pending, query).await;
    let mut response = finished.unwrap_or_else(IntoResponse::into_response);
    let mut cookie = cookie_for_this_site(&anonymous.app, COOKIES, "");
    cookie.make_removal();
    append_cookie(&mut response, &cookie);
    response
}

async fn log_in(
    anonymous: &Anonymous,
    pending: &Pending,
    query: Callback,
) -> Result<Response, PageError> {
    let (app, sso) = (&anonymous.app, configured(anonymous)?);
    anonymous.count_step()?;
    let attempt = derive(app, &pending.random);
    if !equal_in_constant_time(&attempt.state, &query.state) {
        return Err(expired());
    }
    if query.iss.as_ref().is_some_and(|issuer| *issuer != sso.settings.issuer) {
        let error = SsoError::Token("the response is of another issuer".to_owned());
        return Err(failure(sso, &error));
    }
    if let Some(error) = query.error {
        let error: String = error.chars().filter(char::is_ascii_graphic).take(50).collect();
        tracing::warn!(error, "the identity provider refused a log-in");
        return Err(PageError::refused_log_in(t_with(
            "{0} did not log you in. Try again, or ask your administrator.",
            &[&sso.settings.name],
        )));
    }
    let identified = sso.identify(&query.code, &attempt, now_ms()).await;
    let identified = identified.map_err(|error| failure(sso, &error))?;
    let account = find_account(app, sso).await?;
    let (email, role) = match permitted(sso, &identified) {
        Ok(permitted) => permitted,
        Err((reason, sentence)) => {
            end_sessions(app, sso, &account, &identified).await?;
            return Err(refuse(anonymous, &account, &identified, reason, sentence).await);
        }
    };
    join(anonymous, (sso, &account), &identified, (email, role), &pending.next).await
}

/// The address and the role with which a person may log in; otherwise the reason for the audit log and the person.
fn permitted<'a>(
    sso: &Sso,
    identified: &'a IdentifiedPerson,
) -> Result<(&'a str, Role), (&'static str, String)> {
    let name = &sso.settings.name;
    let Some(email) = identified.verified_email.as_deref() else {
        let sentence = t_with(
            "{0} did not confirm an email address of yours, and this service needs one. Ask your \
             administrator.",
            &[name],
        );
        return Err(("sso_email", sentence));
    };
    let Some(role) = sso.settings.role_of(&identified.groups) else {
        let sentence = t_with(
            "You are not in a group that may use this service. Ask your administrator to add you to one in \
             {0}, then log in again.",
            &[name],
        );
        return Err(("sso_group", sentence));
    };
    Ok((email, role))
}

/// Finds or creates the member, and starts the session.
async fn join(
    anonymous: &Anonymous,
    (sso, account): (&Sso, &Account),
    identified: &IdentifiedPerson,
    (email, role): (&str, Role),
    next: &str,
) -> Result<Response, PageError> {
    let app = &anonymous.app;
    let identity = SsoIdentity {
        account_id: &account.id,
        issuer: &sso.settings.issuer,
        subject: &identified.subject,
        email,
        name: identified.name.as_deref().unwrap_or(email),
        role,
    };
    let (person, change) = match app.ledger.join_by_sso(identity, now_ms()).await? {
        SsoOutcome::Member(person, change) => (person, change),
        SsoOutcome::OtherIdentity => {
            let sentence = t(
                "Your email address belonged to another person in this account. Ask an account owner to remove \
                 that member, then log in again.",
            );
            let sentence = sentence.to_owned();
            return Err(refuse(anonymous, account, identified, "sso_identity", sentence).await);
        }
        SsoOutcome::Full => {
            let sentence =
                t("The account has the maximum number of members. Ask an account owner.");
            let sentence = sentence.to_owned();
            return Err(refuse(anonymous, account, identified, "sso_full", sentence).await);
        }
    };
    let details = json!({"role": role.as_str(), "method": LogInMethod::Sso.as_str()});
    match change {
        SsoMembership::Joined => {
            anonymous.log(&person.id, "member.join", Some(&account.id), details).await;
        }
        SsoMembership::RoleChanged => {
            anonymous.log(&person.id, "member.change", Some(&account.id), details).await;
        }
        SsoMembership::LastOwner => tracing::warn!(
            person = person.id,
            "the groups of the last owner give another role: the account keeps its owner"
        ),
        SsoMembership::Unchanged => {}
    }
    log_in::open_session(anonymous, &person, LogInMethod::Sso, next).await
}

/// Whoever may no longer log in must not continue in other browsers either.
async fn end_sessions(
    app: &App,
    sso: &Sso,
    account: &Account,
    identified: &IdentifiedPerson,
) -> Result<(), PageError> {
    let (issuer, subject) = (&sso.settings.issuer, &identified.subject);
    if let Some(person_id) = app.ledger.find_sso_person(&account.id, issuer, subject).await? {
        app.ledger.end_sessions_in(&account.id, &person_id).await?;
    }
    Ok(())
}

/// Logs why an identified person may not log in.
async fn refuse(
    anonymous: &Anonymous,
    account: &Account,
    identified: &IdentifiedPerson,
    reason: &'static str,
    sentence: String,
) -> PageError {
    let email = identified.verified_email.as_deref().map(redacted_email);
    let details = json!({"wrong": reason, "email": email});
    let actor = Actor::Anonymous(anonymous.context.address);
    let (ledger, account_id) = (&anonymous.app.ledger, Some(account.id.as_str()));
    audit_log::log_served(ledger, &actor, "log_in.failed", account_id, "unknown", &details).await;
    PageError::refused_log_in(sentence)
}

async fn find_account(app: &App, sso: &Sso) -> Result<Account, PageError> {
    let named = sso.settings.account.trim();
    let found = match app.ledger.find_account_by_id(named).await? {
        Some(account) => Some(account),
        None => app.ledger.find_account(named).await?,
    };
    found.ok_or_else(|| {
        let cause = format!("the setting sso.account: there is no account {named}");
        let sentence =
            t("Single sign-on is not set up completely. Tell the operator of this service.");
        PageError::failed_sso(StatusCode::SERVICE_UNAVAILABLE, sentence.to_owned(), cause)
    })
}

fn configured(anonymous: &Anonymous) -> Result<&Sso, PageError> {
    let none = || PageError::switched_off(t("This service has no single sign-on."));
    anonymous.app.sso.as_ref().ok_or_else(none)
}

fn expired() -> PageError {
    PageError::refused_log_in(t(
        "This attempt to log in has expired or was started in another browser. Start again from the log-in page.",
    ))
}

fn failure(sso: &Sso, error: &SsoError) -> PageError {
    let name = &sso.settings.name;
    let (status, sentence) = match error {
        SsoError::Provider(_) => (
            StatusCode::BAD_GATEWAY,
            t_with(
                "{0} cannot be used now. Try again in a minute, or ask your administrator.",
                &[name],
            ),
        ),
        SsoError::Token(_) => (
            StatusCode::FORBIDDEN,
            t_with(
                "The response of {0} could not be verified. Start again from the log-in page.",
                &[name],
            ),
        ),
    };
    PageError::failed_sso(status, sentence, error.to_string())
}
