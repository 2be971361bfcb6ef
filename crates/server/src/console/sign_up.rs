//! Sign up: an e-mail address, a password, and an account of one's own.

use askama::Template;
use axum::response::{IntoResponse, Redirect, Response};
use panji_store::StoreError;
use panji_store::calendar::now_ms;
use serde::Deserialize;
use serde_json::json;

use super::forms::Handed;
use super::frame::{Frame, respond, respond_unaccepted};
use super::problem::Problem;
use super::session::Stranger;

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
    fn new(stranger: &Stranger, form: &SignUp) -> Welcome {
        Welcome {
            frame: stranger.frame("Create an account"),
            sign_up_open: stranger.app.config.console.sign_up,
            email: form.email.clone(),
            name: form.name.clone(),
            email_error: None,
            password_error: None,
        }
    }
}

/// Where somebody arrives who has not logged in.
pub async fn show(stranger: Stranger) -> Response {
    let empty = SignUp { email: String::new(), password: String::new(), name: String::new() };
    respond(&Welcome::new(&stranger, &empty))
}

/// Makes the account and logs its owner in.
pub async fn sign_up(Handed { stranger, form }: Handed<SignUp>) -> Result<Response, Problem> {
    let app = &stranger.app;
    if !app.config.console.sign_up {
        return Err(Problem::switched_off(
            "New accounts are made by the operator of this service.",
        ));
    }
    let mut page = Welcome::new(&stranger, &form);
    let email = form.email.trim().to_lowercase();
    page.email_error = malformed_email(&email);
    if page.email_error.is_some() {
        return Ok(respond_unaccepted(&page));
    }
    stranger.count_attempt(&email)?;
    let hash = match app.passwords.hash(form.password, &[&email, &form.name, "panji"]).await? {
        Ok(hash) => hash,
        Err(sentence) => {
            page.password_error = Some(sentence);
            return Ok(respond_unaccepted(&page));
        }
    };
    let name = name_of(&email);
    let account_name = clean_name(&form.name).unwrap_or_else(|| name.clone());
    match app.ledger.sign_up(&email, (&name, &account_name), &hash, now_ms()).await {
        Ok((person, account)) => {
            let response = Redirect::to("/console/keys?welcome=yes").into_response();
            let response = stranger.begin_session(&person.id, &account.id, response).await?;
            stranger.log(&person.id, "sign_up", Some(&account.id), json!({})).await;
            Ok(response)
        }
        Err(StoreError::Conflict(_)) => {
            page.email_error = Some(
                "There is an account for this address already: log in, or reset the password."
                    .to_owned(),
            );
            Ok(respond_unaccepted(&page))
        }
        Err(error) => Err(error.into()),
    }
}

/// What is wrong with an e-mail address, if anything.
pub fn malformed_email(email: &str) -> Option<String> {
    let good = crate::command::is_email(email) && email.parse::<lettre::Address>().is_ok();
    (!good).then(|| "This is no e-mail address: write it as asha@firm.example.".to_owned())
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
