//! The sign-up page. On a service that other machines can reach, it does not reveal whether an
//! address has an account.

use std::net::IpAddr;
use std::sync::Arc;

use askama::Template;
use axum::response::{IntoResponse, Redirect, Response};
use panji_api::accounts::audit_log::{self, Actor};
use panji_api::accounts::passwords::PasswordError;
use panji_api::app::App;
use panji_api::http::limits::origin;
use panji_store::StoreError;
use panji_store::calendar::now_ms;
use panji_store::ledger::{Account, DailyLimit, LogInMethod, Person};
use serde::Deserialize;
use serde_json::json;

use super::confirmation;
use super::forms::AnonymousForm;
use super::language::{filters, t};
use super::layout::{Layout, respond, respond_with_errors};
use super::page_error::PageError;
use super::session::Anonymous;

/// Of a person's or an account's name, in characters.
pub const MAX_NAME: usize = 100;

#[derive(Template)]
#[template(path = "welcome.html")]
struct Welcome {
    layout: Layout,
    sign_up_open: bool,
    email: String,
    name: String,
    email_error: Option<String>,
    password_error: Option<String>,
}

#[derive(Deserialize)]
pub struct SignUp {
    email: String,
    password: String,
    #[serde(default)]
    name: String,
}

impl Welcome {
    fn new(anonymous: &Anonymous, form: &SignUp) -> Welcome {
        Welcome {
            layout: anonymous.layout(t("Create an account")),
            sign_up_open: anonymous.app.config.console.sign_up,
            email: form.email.clone(),
            name: form.name.clone(),
            email_error: None,
            password_error: None,
        }
    }
}

pub async fn show(anonymous: Anonymous) -> Response {
    let empty = SignUp { email: String::new(), password: String::new(), name: String::new() };
    respond(&Welcome::new(&anonymous, &empty))
}

pub async fn sign_up(
    AnonymousForm { anonymous, form }: AnonymousForm<SignUp>,
) -> Result<Response, PageError> {
    let app = &anonymous.app;
    if !app.config.console.sign_up {
        return Err(PageError::switched_off(t(
            "New accounts are created by the operator of this service.",
        )));
    }
    let mut page = Welcome::new(&anonymous, &form);
    let email = form.email.trim().to_lowercase();
    page.email_error = malformed_email(&email);
    if page.email_error.is_some() {
        return Ok(respond_with_errors(&page));
    }
    anonymous.count_attempt(&email)?;
    let hash = match app.passwords.hash(form.password, &[&email, &form.name, "panji"]).await {
        Ok(hash) => hash,
        Err(PasswordError::Weak(advice)) => {
            page.password_error = Some(advice);
            return Ok(respond_with_errors(&page));
        }
        Err(error) => return Err(error.into()),
    };
    let limit = i64::from(app.config.console.sign_ups_per_day.get());
    let origin = origin(anonymous.context.address).to_string();
    if !app.ledger.count_today(DailyLimit::SignUps, &origin, limit, now_ms()).await? {
        return Err(PageError::too_many_today());
    }
    let name = name_of(&email);
    let account_name = clean_name(&form.name).unwrap_or_else(|| name.clone());
    let new = NewAccount { email, name, account_name, hash };
    if app.config.is_local_only() {
        return sign_up_locally(&anonymous, page, new).await;
    }
    // In the background, so that the response time does not reveal whether the address has an
    // account.
    let (app, address) = (anonymous.app.clone(), anonymous.context.address);
    tokio::spawn(async move {
        if let Err(error) = create_account(&app, new, address).await {
            tracing::warn!(%error, "an account could not be created");
        }
    });
    Ok(Redirect::to("/console/log-in?done=signed-up").into_response())
}

struct NewAccount {
    email: String,
    name: String,
    account_name: String,
    hash: String,
}

impl NewAccount {
    async fn create(&self, app: &App, confirmed: bool) -> Result<(Person, Account), StoreError> {
        let names = (self.name.as_str(), self.account_name.as_str());
        app.ledger.sign_up(&self.email, names, &self.hash, confirmed, now_ms()).await
    }
}

/// For a service that only this machine can reach: the account is confirmed and its owner logged in
/// at once. There are no other users from whom to hide who has an account.
async fn sign_up_locally(
    anonymous: &Anonymous,
    mut page: Welcome,
    new: NewAccount,
) -> Result<Response, PageError> {
    match new.create(&anonymous.app, true).await {
        Ok((person, account)) => {
            let response = Redirect::to("/console/keys?welcome=yes").into_response();
            let response = anonymous
                .start_session((&person.id, &account.id), LogInMethod::Password, response)
                .await?;
            anonymous.log(&person.id, "sign_up", Some(&account.id), json!({})).await;
            Ok(response)
        }
        Err(StoreError::Conflict(_)) => {
            page.email_error = Some(
                t("This email address already has an account. Log in, or reset your password.")
                    .to_owned(),
            );
            Ok(respond_with_errors(&page))
        }
        Err(error) => Err(error.into()),
    }
}

/// Creates the account and emails the confirmation link. If the address has an account, its owner is
/// notified.
async fn create_account(
    app: &Arc<App>,
    new: NewAccount,
    address: IpAddr,
) -> Result<(), StoreError> {
    match new.create(app, false).await {
        Ok((person, account)) => {
            let actor = Actor::Person(&person.id, address);
            let (account_id, subject) = (Some(account.id.as_str()), person.id.as_str());
            audit_log::log_served(&app.ledger, &actor, "sign_up", account_id, subject, &json!({}))
                .await;
            if app.mailer.sends() {
                confirmation::mail_link(app, &new.email).await?;
            }
            Ok(())
        }
        Err(StoreError::Conflict(_)) if app.mailer.sends() => {
            confirmation::mail_account_exists(app, &new.email).await
        }
        Err(StoreError::Conflict(_)) => Ok(()),
        Err(error) => Err(error),
    }
}

/// The error message for a malformed address.
pub fn malformed_email(email: &str) -> Option<String> {
    let valid =
        panji_api::accounts::email::is_email(email) && email.parse::<lettre::Address>().is_ok();
    (!valid).then(|| t("Enter a valid email address, for example asha@firm.example.").to_owned())
}

/// A name without control characters, truncated to `MAX_NAME`; none if it is empty.
pub fn clean_name(text: &str) -> Option<String> {
    let printable = |character: &char| !character.is_control();
    let name: String = text.trim().chars().filter(printable).take(MAX_NAME).collect();
    (!name.is_empty()).then_some(name)
}

/// The default name of a person: the local part of the address.
fn name_of(email: &str) -> String {
    email.split('@').next().unwrap_or(email).to_owned()
}
