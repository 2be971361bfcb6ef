//! Log-in and log-out.

use askama::Template;
use axum::response::{IntoResponse, Redirect, Response};
use panji_api::accounts::audit_log::{self, Actor};
use panji_store::calendar::now_ms;
use panji_store::ledger::{LogInMethod, Person};
use serde::Deserialize;
use serde_json::json;

use super::forms::{AnonymousForm, AuthenticatedForm, Empty};
use super::language::{filters, key, t};
use super::layout::{Layout, respond, respond_with_errors};
use super::log_in_policy;
use super::page_error::PageError;
use super::redirects::safe_path;
use super::repeated::RepeatedQuery;
use super::session::{Anonymous, remove_cookie};
use super::{confirmation, passkeys, recovery_codes, second_factor, sso};

/// The time between the password and the code.
const TICKET_MS: i64 = 5 * 60_000;

const WRONG_CREDENTIALS: &str = key("The email address or the password is wrong.");
/// Used if a new account must confirm its address first.
const WRONG_OR_UNCONFIRMED: &str =
    key("The email address or the password is wrong. If your account is \
                                    new, first follow the link in the email that we sent to you.");

#[derive(Template)]
#[template(path = "log_in.html")]
struct LogInPage {
    layout: Layout,
    sign_up_open: bool,
    sso: Option<sso::Button>,
    passkey_script: Option<String>,
    email: String,
    next: String,
    error: Option<&'static str>,
}

#[derive(Template)]
#[template(path = "log_in_code.html")]
struct CodePage {
    layout: Layout,
    next: String,
    ticket: String,
    error: Option<String>,
}

#[derive(Deserialize)]
pub struct LogInQuery {
    /// The redirect target after the log-in.
    #[serde(default)]
    next: String,
    #[serde(default)]
    done: String,
}

#[derive(Deserialize)]
pub struct LogIn {
    email: String,
    password: String,
    #[serde(default)]
    next: String,
}

#[derive(Deserialize)]
pub struct Code {
    ticket: String,
    code: String,
    #[serde(default)]
    next: String,
}

pub async fn show(
    anonymous: Anonymous,
    RepeatedQuery(query): RepeatedQuery<LogInQuery>,
) -> Response {
    let notice = match query.done.as_str() {
        "password" => Some(t("Your password was set. Log in with your new password.")),
        "joined" => Some(t("You have joined the account. Log in to use it.")),
        "out" => Some(t("You are logged out.")),
        "deleted" => Some(t("The account was deleted.")),
        "confirmed" => Some(t("Your email address is confirmed. Log in with your password.")),
        "signed-up" if anonymous.app.mailer.sends() => Some(t(
            "Check your email. If this address is new, an account was created: follow the link in \
             the email to confirm your address, then log in. If the address already has an account, \
             the email says so.",
        )),
        "signed-up" => Some(t(
            "If this address is new, an account was created: log in with the password that you chose. \
             If the address already has an account, nothing was changed: log in with its password.",
        )),
        _ => None,
    };
    respond(&LogInPage {
        layout: anonymous.layout(t("Log in")).with_notice(notice),
        sign_up_open: anonymous.app.config.console.sign_up,
        sso: sso::Button::of(&anonymous.app, &query.next),
        passkey_script: passkeys::script(&anonymous.app),
        email: String::new(),
        next: query.next,
        error: None,
    })
}

/// Checks the password, then logs in or requires the second factor.
pub async fn log_in(
    AnonymousForm { anonymous, form }: AnonymousForm<LogIn>,
) -> Result<Response, PageError> {
    let app = &anonymous.app;
    anonymous.count_attempt(&form.email)?;
    let person = app.ledger.find_person(&form.email).await?;
    let hash = person.as_ref().and_then(|person| person.password_hash.clone());
    let allowed = confirmation::allows_log_in(app, &form.email, person.as_ref()).await?;
    let password_matches = app.passwords.check(form.password, hash).await?;
    if !password_matches || !allowed {
        log_failure(
            &anonymous,
            person.as_ref(),
            if password_matches { "unconfirmed" } else { "password" },
        );
    }
    let Some(person) = person.filter(|_| password_matches && allowed) else {
        // The same error for an unknown address, a wrong password and an unconfirmed address.
        let error = match confirmation::is_required(app) {
            true => WRONG_OR_UNCONFIRMED,
            false => WRONG_CREDENTIALS,
        };
        return Ok(respond_with_errors(&LogInPage {
            layout: anonymous.layout(t("Log in")),
            sign_up_open: app.config.console.sign_up,
            sso: sso::Button::of(app, &form.next),
            passkey_script: passkeys::script(app),
            email: form.email,
            next: form.next,
            error: Some(error),
        }));
    };
    continue_log_in(&anonymous, &person, LogInMethod::Password, &form.next).await
}

/// Logs in a person who proved their identity, or requires the second factor.
pub async fn continue_log_in(
    anonymous: &Anonymous,
    person: &Person,
    method: LogInMethod,
    next: &str,
) -> Result<Response, PageError> {
    if person.totp_since.is_some() {
        let ticket = write_ticket(anonymous, &person.email, method, now_ms() + TICKET_MS);
        let (layout, next) = (anonymous.layout(t("Two-factor authentication")), next.to_owned());
        return Ok(respond(&CodePage { layout, next, ticket, error: None }));
    }
    open_session(anonymous, person, method, next).await
}

/// Logs in with a code of the second factor, or with a recovery code.
pub async fn log_in_with_code(
    AnonymousForm { anonymous, form }: AnonymousForm<Code>,
) -> Result<Response, PageError> {
    let ticket = read_ticket(&anonymous, &form.ticket);
    let (email, method) = ticket.ok_or_else(PageError::invalid_link)?;
    anonymous.count_attempt(&email)?;
    let person =
        anonymous.app.ledger.find_person(&email).await?.ok_or_else(PageError::invalid_link)?;
    if second_factor::accept(&anonymous.app, &person, &form.code).await?
        || recovery_codes::accept(&anonymous, &person, &form.code).await?
    {
        return open_session(&anonymous, &person, method, &form.next).await;
    }
    log_failure(&anonymous, Some(&person), "code");
    Ok(respond_with_errors(&CodePage {
        layout: anonymous.layout(t("Two-factor authentication")),
        next: form.next,
        ticket: form.ticket,
        error: Some(t("This code is wrong or was already used. Wait for the next code.").into()),
    }))
}

pub async fn log_out(
    AuthenticatedForm { signed_in, .. }: AuthenticatedForm<Empty>,
) -> Result<Response, PageError> {
    signed_in.app.ledger.end_session(&signed_in.token).await?;
    signed_in.log("log_out", &signed_in.session.person.id, json!({})).await;
    let mut response = Redirect::to("/console/log-in?done=out").into_response();
    remove_cookie(&signed_in.app, &mut response);
    Ok(response)
}

/// Starts a session in the first account that the person joined and that a log-in of this kind opens.
pub async fn open_session(
    anonymous: &Anonymous,
    person: &Person,
    method: LogInMethod,
    next: &str,
) -> Result<Response, PageError> {
    let accounts = anonymous.app.ledger.list_accounts_of(&person.id).await?;
    if accounts.is_empty() {
        return Err(PageError::switched_off(t(
            "You are no longer a member of any account. Ask an account owner for an invitation.",
        )));
    }
    let app = &anonymous.app;
    let Some(account) = log_in_policy::first_open(app, accounts, &person.id, method).await? else {
        log_failure(anonymous, Some(person), "sso_required");
        return Err(log_in_policy::sso_required(&app.config.sso));
    };
    let response = Redirect::to(&safe_path(next)).into_response();
    let ids = (person.id.as_str(), account.id.as_str());
    let response = anonymous.start_session(ids, method, response).await?;
    let second_factor = person.totp_since.is_some() && method != LogInMethod::Sso;
    let second_factor = second_factor || method == LogInMethod::Passkey;
    let details = json!({"second_factor": second_factor, "method": method.as_str()});
    anonymous.log(&person.id, "log_in", Some(&account.id), details).await;
    Ok(response)
}

/// Logs a failed attempt in the background, so that the response time does not reveal whether the
/// address is known. An unknown address is not logged: users sometimes type the password into that
/// field.
pub fn log_failure(anonymous: &Anonymous, person: Option<&Person>, wrong: &'static str) {
    let (app, address) = (anonymous.app.clone(), anonymous.context.address);
    let person_id = person.map(|person| person.id.clone());
    tokio::spawn(async move {
        let subject = person_id.as_deref().unwrap_or("unknown");
        let accounts = app.ledger.list_accounts_of(subject).await.unwrap_or_default();
        let account_id = accounts.first().map(|(account, _)| account.id.as_str());
        let (actor, details) = (Actor::Anonymous(address), json!({"wrong": wrong}));
        audit_log::log_served(&app.ledger, &actor, "log_in.failed", account_id, subject, &details)
            .await;
    });
}

/// A signed statement that the password or the link of this address was correct, valid until `until_ms`.
fn write_ticket(anonymous: &Anonymous, email: &str, method: LogInMethod, until_ms: i64) -> String {
    let text = format!("{until_ms} {} {email}", method.as_str());
    format!("{} {text}", anonymous.app.ledger.sign_ticket(&text))
}

fn read_ticket(anonymous: &Anonymous, ticket: &str) -> Option<(String, LogInMethod)> {
    let (signature, text) = ticket.split_once(' ')?;
    let is_signed = anonymous.app.ledger.is_ticket_signature(text, signature);
    let mut parts = text.splitn(3, ' ');
    let (until, method, email) = (parts.next()?, parts.next()?, parts.next()?);
    let until_ms: i64 = until.parse().ok()?;
    let method = LogInMethod::from_name(method)?;
    (is_signed && until_ms > now_ms()).then(|| (email.to_owned(), method))
}
