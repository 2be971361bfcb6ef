//! Sign up: an e-mail address, a password, and an account of one's own. Who is not on this machine does
//! not learn whether an address has an account.

use std::net::IpAddr;
use std::sync::Arc;

use askama::Template;
use axum::response::{IntoResponse, Redirect, Response};
use panji_store::StoreError;
use panji_store::calendar::now_ms;
use panji_store::ledger::{Account, DailyLimit, Person};
use serde::Deserialize;
use serde_json::json;

use super::confirmation;
use super::forms::AnonymousForm;
use super::frame::{Frame, respond, respond_unaccepted};
use super::problem::Problem;
use super::session::Anonymous;
use crate::accounts::audit_log::{self, Actor};
use crate::accounts::passwords::PasswordError;
use crate::app::App;
use crate::http::limits::origin;

/// Characters of a person's or an account's name.
pub const MAX_NAME: usize = 100;

#[derive(Template)]
#[template(path = "welcome.html")]
struct Welcome {
    frame: Frame,
    sign_up_open: bool,
    email: String,
    name: String,
    email_error: Option<String>,
    password_error: Option<String>,
}

/// What the form says.
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
            frame: anonymous.frame("Create an account"),
            sign_up_open: anonymous.app.config.console.sign_up,
            email: form.email.clone(),
            name: form.name.clone(),
            email_error: None,
            password_error: None,
        }
    }
}

/// Where somebody arrives who has not logged in.
pub async fn show(anonymous: Anonymous) -> Response {
    let empty = SignUp { email: String::new(), password: String::new(), name: String::new() };
    respond(&Welcome::new(&anonymous, &empty))
}

/// Makes the account.
pub async fn sign_up(
    AnonymousForm { anonymous, form }: AnonymousForm<SignUp>,
) -> Result<Response, Problem> {
    let app = &anonymous.app;
    if !app.config.console.sign_up {
        return Err(Problem::switched_off(
            "New accounts are created by the operator of this service.",
        ));
    }
    let mut page = Welcome::new(&anonymous, &form);
    let email = form.email.trim().to_lowercase();
    page.email_error = malformed_email(&email);
    if page.email_error.is_some() {
        return Ok(respond_unaccepted(&page));
    }
    anonymous.count_attempt(&email)?;
    let hash = match app.passwords.hash(form.password, &[&email, &form.name, "panji"]).await {
        Ok(hash) => hash,
        Err(PasswordError::Weak(sentence)) => {
            page.password_error = Some(sentence);
            return Ok(respond_unaccepted(&page));
        }
        Err(error) => return Err(error.into()),
    };
    let most = i64::from(app.config.console.sign_ups_per_day.get());
    let origin = origin(anonymous.context.address).to_string();
    if !app.ledger.count_today(DailyLimit::SignUps, &origin, most, now_ms()).await? {
        return Err(Problem::too_many_today());
    }
    let name = name_of(&email);
    let account_name = clean_name(&form.name).unwrap_or_else(|| name.clone());
    let new = NewAccount { email, name, account_name, hash };
    if app.config.reached_from_here_only() {
        return enter(&anonymous, page, new).await;
    }
    // Behind the answer, so that nobody can tell by the time whether the address has an account.
    let (app, address) = (anonymous.app.clone(), anonymous.context.address);
    tokio::spawn(async move {
        if let Err(error) = make(&app, new, address).await {
            tracing::warn!(%error, "an account could not be made");
        }
    });
    Ok(Redirect::to("/console/log-in?done=signed-up").into_response())
}

/// An account to be made.
struct NewAccount {
    email: String,
    name: String,
    account_name: String,
    hash: String,
}

impl NewAccount {
    async fn make(&self, app: &App, confirmed: bool) -> Result<(Person, Account), StoreError> {
        let names = (self.name.as_str(), self.account_name.as_str());
        app.ledger.sign_up(&self.email, names, &self.hash, confirmed, now_ms()).await
    }
}

/// Where only this machine reaches the service: the account counts as confirmed, and its owner is
/// logged in at once. There is nobody from whom to hide who has an account.
async fn enter(
    anonymous: &Anonymous,
    mut page: Welcome,
    new: NewAccount,
) -> Result<Response, Problem> {
    match new.make(&anonymous.app, true).await {
        Ok((person, account)) => {
            let response = Redirect::to("/console/keys?welcome=yes").into_response();
            let response = anonymous.begin_session(&person.id, &account.id, response).await?;
            anonymous.log(&person.id, "sign_up", Some(&account.id), json!({})).await;
            Ok(response)
        }
        Err(StoreError::Conflict(_)) => {
            page.email_error = Some(
                "This e-mail address already has an account. Log in, or reset your password."
                    .to_owned(),
            );
            Ok(respond_unaccepted(&page))
        }
        Err(error) => Err(error.into()),
    }
}

/// Makes the account and mails the link that confirms its address; tells the owner of an address that
/// has one.
async fn make(app: &Arc<App>, new: NewAccount, address: IpAddr) -> Result<(), StoreError> {
    match new.make(app, false).await {
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
            confirmation::mail_known(app, &new.email).await
        }
        Err(StoreError::Conflict(_)) => Ok(()),
        Err(error) => Err(error),
    }
}

/// What is wrong with an e-mail address, if anything.
pub fn malformed_email(email: &str) -> Option<String> {
    let good = crate::accounts::email::is_email(email) && email.parse::<lettre::Address>().is_ok();
    (!good).then(|| "Enter a valid e-mail address, for example asha@firm.example.".to_owned())
}

/// A name without what does not belong into one; none where nothing is left.
pub fn clean_name(text: &str) -> Option<String> {
    let plain = |character: &char| !character.is_control();
    let name: String = text.trim().chars().filter(plain).take(MAX_NAME).collect();
    (!name.is_empty()).then_some(name)
}

/// What to call somebody of whom only the address is known.
fn name_of(email: &str) -> String {
    email.split('@').next().unwrap_or(email).to_owned()
}
