//! A forgotten password: a mailed link, and the page it leads to.

use std::sync::Arc;

use askama::Template;
use axum::response::{IntoResponse, Redirect, Response};
use panji_store::calendar::now_ms;
use panji_store::ledger::LinkPurpose;
use panji_store::{Ledger, StoreError};
use serde::Deserialize;
use serde_json::json;

use super::confirmation;
use super::forms::AnonymousForm;
use super::frame::{Frame, respond, respond_unaccepted};
use super::links::{self, PersonalLink};
use super::problem::Problem;
use super::repeated::RepeatedQuery;
use super::session::Anonymous;
use crate::accounts::audit_log::{self, Actor};
use crate::accounts::passwords::PasswordError;
use crate::app::App;

/// How long the link works.
const LINK_MS: i64 = 3_600_000;

#[derive(Template)]
#[template(path = "reset.html")]
struct ResetPage {
    frame: Frame,
    sent: bool,
    mails: bool,
}

#[derive(Template)]
#[template(path = "new_password.html")]
struct NewPasswordPage {
    frame: Frame,
    email: String,
    link: String,
    error: Option<String>,
}

/// Whose password.
#[derive(Deserialize)]
pub struct Reset {
    email: String,
}

/// The token of a mailed link.
#[derive(Deserialize)]
pub struct LinkQuery {
    /// The token.
    #[serde(default)]
    pub link: String,
}

/// The new password.
#[derive(Deserialize)]
pub struct NewPassword {
    link: String,
    password: String,
}

/// Shows the form.
pub async fn show(anonymous: Anonymous) -> Response {
    respond(&reset_page(&anonymous, false))
}

/// Mails the link, if there is somebody to mail it to and a way to do so. The answer is the same for
/// everyone, and so is the time it takes: the work is done behind it.
pub async fn send(
    AnonymousForm { anonymous, form }: AnonymousForm<Reset>,
) -> Result<Response, Problem> {
    anonymous.count_attempt(&form.email)?;
    if !anonymous.app.mailer.sends() {
        return Ok(respond(&reset_page(&anonymous, false)));
    }
    let (app, actor) = (anonymous.app.clone(), Actor::Anonymous(anonymous.context.address));
    tokio::spawn(async move {
        if let Err(error) = mail_link(&app, &form.email, &actor).await {
            tracing::warn!(%error, "a link to reset a password could not be made");
        }
    });
    Ok(respond(&reset_page(&anonymous, true)))
}

fn reset_page(anonymous: &Anonymous, sent: bool) -> ResetPage {
    let frame = anonymous.frame("Reset your password");
    ResetPage { frame, sent, mails: anonymous.app.mailer.sends() }
}

async fn mail_link(app: &Arc<App>, email: &str, actor: &Actor<'_>) -> Result<(), StoreError> {
    let made = make_link(&app.ledger, &app.public_url, email).await?;
    let Some(PersonalLink { address, person_id }) = made else { return Ok(()) };
    audit_log::log_served(&app.ledger, actor, "password.link", None, &person_id, &json!({})).await;
    let text = format!(
        "Someone, probably you, asked to reset your password for Panji. Set a new password:\n\n\
         {address}\n\nThe link works once, for one hour. If it was not you, ignore this e-mail.\n"
    );
    app.mailer.send(email.trim(), "Reset your password for Panji", &text);
    Ok(())
}

/// Makes a link with which the person of an address sets a password; none where there is nobody.
pub async fn make_link(
    ledger: &Ledger,
    public_url: &str,
    email: &str,
) -> Result<Option<PersonalLink>, StoreError> {
    let page = format!("{public_url}/console/new-password");
    links::create_for_person(ledger, (LinkPurpose::Reset, LINK_MS), email, &page).await
}

/// Shows the page that the link leads to.
pub async fn show_new_password(
    anonymous: Anonymous,
    RepeatedQuery(query): RepeatedQuery<LinkQuery>,
) -> Result<Response, Problem> {
    let found = anonymous.app.ledger.find_link(&query.link, LinkPurpose::Reset, now_ms()).await?;
    let link = found.ok_or_else(Problem::dead_link)?;
    let frame = anonymous.frame("Set a new password");
    Ok(respond(&NewPasswordPage { frame, email: link.email, link: query.link, error: None }))
}

/// Sets the password, ends every session, and uses the link up.
pub async fn set_new_password(
    AnonymousForm { anonymous, form }: AnonymousForm<NewPassword>,
) -> Result<Response, Problem> {
    let app = &anonymous.app;
    let now_ms = now_ms();
    let found = app.ledger.find_link(&form.link, LinkPurpose::Reset, now_ms).await?;
    let link = found.ok_or_else(Problem::dead_link)?;
    let person = app.ledger.find_person(&link.email).await?.ok_or_else(Problem::dead_link)?;
    let hash = match app.passwords.hash(form.password, &[&link.email, "panji"]).await {
        Ok(hash) => hash,
        Err(PasswordError::Weak(sentence)) => {
            let (frame, error) = (anonymous.frame("Set a new password"), Some(sentence));
            let page = NewPasswordPage { frame, email: link.email, link: form.link, error };
            return Ok(respond_unaccepted(&page));
        }
        Err(error) => return Err(error.into()),
    };
    if !app.ledger.use_link(&form.link, now_ms).await? {
        return Err(Problem::dead_link());
    }
    app.ledger.set_password(&person, &hash, None).await?;
    // The link was mailed, or the operator made it: its owner has the address. And who set the old
    // password, perhaps somebody else who signed up with this address, is out.
    if confirmation::is_required(app) {
        app.ledger.confirm_account(&person.email, now_ms).await?;
    }
    anonymous.log(&person.id, "password.reset", None, json!({})).await;
    Ok(Redirect::to("/console/log-in?done=password").into_response())
}
