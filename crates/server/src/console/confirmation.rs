//! Confirming an e-mail address by a mailed link, which gives the account the live free quota.

use std::sync::Arc;

use askama::Template;
use axum::response::{IntoResponse, Redirect, Response};
use panji_store::StoreError;
use panji_store::calendar::now_ms;
use panji_store::ledger::{DailyLimit, Link, LinkPurpose, Role};
use serde_json::json;

use super::forms::{AnonymousForm, AuthenticatedForm, Empty};
use super::frame::{Frame, respond};
use super::problem::Problem;
use super::repeated::RepeatedQuery;
use super::reset::LinkQuery;
use super::session::{Anonymous, SignedIn, random_token};
use crate::app::App;

/// How long the link works.
const LINK_MS: i64 = 3 * 24 * 3_600_000;
/// Mails a day to one address that others can cause.
const MAILS_A_DAY: i64 = 5;

#[derive(Template)]
#[template(path = "confirmation.html")]
struct ConfirmationPage {
    frame: Frame,
    email: String,
    link: String,
}

/// What a page says of an address that is not confirmed.
pub struct Unconfirmed {
    /// The address.
    pub email: String,
    /// Whether a link can be mailed to it.
    pub mails: bool,
}

impl Unconfirmed {
    /// What is to say in a session, if anything.
    pub fn of(signed_in: &SignedIn) -> Option<Unconfirmed> {
        let account = &signed_in.session.account;
        let unconfirmed = account.confirmed_at.is_none();
        unconfirmed.then(|| Unconfirmed {
            email: account.email.clone(),
            mails: signed_in.app.mailer.sends(),
        })
    }
}

/// Mails the link to an address that is not confirmed, unless it was mailed often enough today.
pub async fn mail_link(app: &Arc<App>, email: &str) -> Result<bool, StoreError> {
    if !may_mail(app, email).await? {
        return Ok(false);
    }
    let token = random_token().map_err(|_| StoreError::Unavailable("no random bytes".into()))?;
    let now_ms = now_ms();
    let link = Link {
        email: email.to_owned(),
        account_id: String::new(),
        role: Role::Owner,
        created_at: now_ms,
        expires_at: now_ms + LINK_MS,
    };
    app.ledger.create_link(&token, LinkPurpose::Confirmation, &link).await?;
    let text = format!(
        "An account on Panji was made with this address. Confirm that the address is yours:\n\n\
         {}/console/confirm?link={token}\n\n\
         The link works once, for three days. If it was not you, there is nothing to do.\n",
        app.public_url
    );
    app.mailer.send(email, "Confirm your address for Panji", &text);
    Ok(true)
}

/// Tells the owner of an address that somebody signed up with it, though it has an account.
pub async fn mail_known(app: &Arc<App>, email: &str) -> Result<(), StoreError> {
    if !may_mail(app, email).await? {
        return Ok(());
    }
    let url = &app.public_url;
    let text = format!(
        "Somebody, probably you, signed up for Panji with this address, which has an account \
         already. Nothing was changed.\n\nLog in: {url}/console/log-in\n\
         Forgot the password? {url}/console/reset\n"
    );
    app.mailer.send(email, "You have an account on Panji", &text);
    Ok(())
}

async fn may_mail(app: &Arc<App>, email: &str) -> Result<bool, StoreError> {
    app.ledger.count_today(DailyLimit::Mails, email, MAILS_A_DAY, now_ms()).await
}

/// Mails the link again, for somebody who has logged in.
pub async fn send_again(
    AuthenticatedForm { signed_in, .. }: AuthenticatedForm<Empty>,
) -> Result<Response, Problem> {
    let Some(unconfirmed) = Unconfirmed::of(&signed_in) else {
        return Ok(Redirect::to("/console/account").into_response());
    };
    if !unconfirmed.mails {
        return Err(Problem::switched_off("No mail server is set up here. Ask the operator."));
    }
    let sent = mail_link(&signed_in.app, &unconfirmed.email).await?;
    let done = if sent { "confirmation-sent" } else { "confirmation-later" };
    Ok(Redirect::to(&format!("/console/account?done={done}")).into_response())
}

/// Shows the page that the link leads to. The link itself changes nothing: programs that look through
/// mail follow links too.
pub async fn show(
    anonymous: Anonymous,
    RepeatedQuery(query): RepeatedQuery<LinkQuery>,
) -> Result<Response, Problem> {
    let ledger = &anonymous.app.ledger;
    let found = ledger.find_link(&query.link, LinkPurpose::Confirmation, now_ms()).await?;
    let link = found.ok_or_else(Problem::dead_link)?;
    let frame = anonymous.frame("Confirm your address");
    Ok(respond(&ConfirmationPage { frame, email: link.email, link: query.link }))
}

/// Confirms the address, and uses the link up.
pub async fn confirm(
    AnonymousForm { anonymous, form }: AnonymousForm<LinkQuery>,
) -> Result<Response, Problem> {
    let ledger = &anonymous.app.ledger;
    let confirmed = ledger.confirm_by_link(&form.link, now_ms()).await?;
    let email = confirmed.ok_or_else(Problem::dead_link)?;
    if let (Some(person), Some(account)) =
        (ledger.find_person(&email).await?, ledger.find_account(&email).await?)
    {
        anonymous.log(&person.id, "account.confirm", Some(&account.id), json!({})).await;
    }
    Ok(Redirect::to("/console/account?done=confirmed").into_response())
}
