//! Password reset: an emailed link, and the page that sets a new password.

use std::sync::Arc;

use askama::Template;
use axum::response::{IntoResponse, Redirect, Response};
use panji_api::accounts::audit_log::{self, Actor};
use panji_api::accounts::passwords::PasswordError;
use panji_api::app::App;
use panji_store::calendar::now_ms;
use panji_store::ledger::LinkPurpose;
use panji_store::{Ledger, StoreError};
use serde::Deserialize;
use serde_json::json;

use super::confirmation;
use super::forms::AnonymousForm;
use super::language::{filters, t};
use super::layout::{Layout, respond, respond_with_errors};
use super::links::{self, PersonalLink};
use super::page_error::PageError;
use super::repeated::RepeatedQuery;
use super::session::Anonymous;

/// How long the link is valid.
const LINK_MS: i64 = 3_600_000;

#[derive(Template)]
#[template(path = "reset.html")]
struct ResetPage {
    layout: Layout,
    sent: bool,
    sends_mail: bool,
}

#[derive(Template)]
#[template(path = "new_password.html")]
struct NewPasswordPage {
    layout: Layout,
    email: String,
    link: String,
    error: Option<String>,
}

#[derive(Deserialize)]
pub struct Reset {
    email: String,
}

/// The token of an emailed link.
#[derive(Deserialize)]
pub struct LinkQuery {
    #[serde(default)]
    pub link: String,
}

#[derive(Deserialize)]
pub struct NewPassword {
    link: String,
    password: String,
}

pub async fn show(anonymous: Anonymous) -> Response {
    respond(&reset_page(&anonymous, false))
}

/// Emails the link, if the person exists and there is a mail server. The link is created in the
/// background, so that the response and its time do not reveal who has an account.
pub async fn send(
    AnonymousForm { anonymous, form }: AnonymousForm<Reset>,
) -> Result<Response, PageError> {
    anonymous.count_attempt(&form.email)?;
    if !anonymous.app.mailer.sends() {
        return Ok(respond(&reset_page(&anonymous, false)));
    }
    let (app, actor) = (anonymous.app.clone(), Actor::Anonymous(anonymous.context.address));
    tokio::spawn(async move {
        if let Err(error) = mail_link(&app, &form.email, &actor).await {
            tracing::warn!(%error, "a password reset link could not be created");
        }
    });
    Ok(respond(&reset_page(&anonymous, true)))
}

fn reset_page(anonymous: &Anonymous, sent: bool) -> ResetPage {
    let layout = anonymous.layout(t("Reset your password"));
    ResetPage { layout, sent, sends_mail: anonymous.app.mailer.sends() }
}

async fn mail_link(app: &Arc<App>, email: &str, actor: &Actor<'_>) -> Result<(), StoreError> {
    let created = make_link(&app.ledger, &app.public_url, email).await?;
    let Some(PersonalLink { address, person_id }) = created else { return Ok(()) };
    audit_log::log_served(&app.ledger, actor, "password.link", None, &person_id, &json!({})).await;
    let text = format!(
        "Someone, probably you, asked to reset your password for Panji. Set a new password:\n\n\
         {address}\n\nThe link works once, for one hour. If it was not you, ignore this email.\n"
    );
    app.mailer.send(email.trim(), "Reset your password for Panji", &text);
    Ok(())
}

/// Creates a password reset link for the person with an email address; none if there is no such
/// person.
pub async fn make_link(
    ledger: &Ledger,
    public_url: &str,
    email: &str,
) -> Result<Option<PersonalLink>, StoreError> {
    let page = format!("{public_url}/console/new-password");
    links::create_for_person(ledger, (LinkPurpose::Reset, LINK_MS), email, &page).await
}

pub async fn show_new_password(
    anonymous: Anonymous,
    RepeatedQuery(query): RepeatedQuery<LinkQuery>,
) -> Result<Response, PageError> {
    let found = anonymous.app.ledger.find_link(&query.link, LinkPurpose::Reset, now_ms()).await?;
    let link = found.ok_or_else(PageError::invalid_link)?;
    let layout = anonymous.layout(t("Set a new password"));
    Ok(respond(&NewPasswordPage { layout, email: link.email, link: query.link, error: None }))
}

/// Sets the password, ends all sessions and invalidates the link.
pub async fn set_new_password(
    AnonymousForm { anonymous, form }: AnonymousForm<NewPassword>,
) -> Result<Response, PageError> {
    let app = &anonymous.app;
    let now_ms = now_ms();
    let found = app.ledger.find_link(&form.link, LinkPurpose::Reset, now_ms).await?;
    let link = found.ok_or_else(PageError::invalid_link)?;
    let person = app.ledger.find_person(&link.email).await?.ok_or_else(PageError::invalid_link)?;
    let hash = match app.passwords.hash(form.password, &[&link.email, "panji"]).await {
        Ok(hash) => hash,
        Err(PasswordError::Weak(advice)) => {
            let (layout, error) = (anonymous.layout(t("Set a new password")), Some(advice));
            let page = NewPasswordPage { layout, email: link.email, link: form.link, error };
            return Ok(respond_with_errors(&page));
        }
        Err(error) => return Err(error.into()),
    };
    if !app.ledger.use_link(&form.link, now_ms).await? {
        return Err(PageError::invalid_link());
    }
    app.ledger.set_password(&person, &hash, None).await?;
    // The link was emailed or created by the operator, so the person owns the address. Anyone else
    // who signed up with this address has now lost access.
    if confirmation::is_required(app) {
        app.ledger.confirm_account(&person.email, now_ms).await?;
    }
    anonymous.log(&person.id, "password.reset", None, json!({})).await;
    Ok(Redirect::to("/console/log-in?done=password").into_response())
}
