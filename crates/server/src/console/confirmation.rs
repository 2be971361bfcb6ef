//! Confirming an e-mail address by a mailed link, which gives the account the live free quota.

use std::sync::Arc;

use askama::Template;
use axum::response::{IntoResponse, Redirect, Response};
use panji_store::StoreError;
use panji_store::calendar::now_ms;
use panji_store::ledger::{DailyLimit, LinkPurpose, Person};
use serde_json::json;

use super::forms::{AnonymousForm, AuthenticatedForm, Empty};
use super::frame::{Frame, respond};
use super::links;
use super::problem::Problem;
use super::repeated::RepeatedQuery;
use super::reset::LinkQuery;
use super::session::{Anonymous, SignedIn};
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

/// Whether an address has to be confirmed before its owner can log in: where others reach the service
/// and it sends mail. Otherwise signing up and then logging in would tell whether the address was new.
pub fn is_required(app: &App) -> bool {
    app.mailer.sends() && !app.config.reached_from_here_only()
}

/// Whether somebody whose password was right may log in. The same work is done for everybody, also for
/// an address that is not known, so that the time tells nothing.
pub async fn allows_log_in(
    app: &App,
    email: &str,
    person: Option<&Person>,
) -> Result<bool, StoreError> {
    let account = app.ledger.find_account(email).await?;
    // Who joined by an invitation owns no account: the invitation's link has confirmed the address.
    let unconfirmed = account.is_some_and(|account| account.confirmed_at.is_none());
    Ok(person.is_some() && !(unconfirmed && is_required(app)))
}

/// Mails the link to an address that is not confirmed, unless it was mailed often enough today.
pub async fn mail_link(app: &Arc<App>, email: &str) -> Result<bool, StoreError> {
    if !may_mail(app, email).await? {
        return Ok(false);
    }
    let token = links::create(&app.ledger, LinkPurpose::Confirmation, email, LINK_MS).await?;
    let text = format!(
        "An account on Panji was created with this e-mail address. Confirm that the address is \
         yours:\n\n{}/console/confirm?link={token}\n\n\
         The link works once, for three days. If you did not create the account, ignore this \
         e-mail.\n",
        app.public_url
    );
    app.mailer.send(email, "Confirm your e-mail address for Panji", &text);
    Ok(true)
}

/// Tells the owner of an address that somebody signed up with it, though it has an account.
pub async fn mail_known(app: &Arc<App>, email: &str) -> Result<(), StoreError> {
    if !may_mail(app, email).await? {
        return Ok(());
    }
    let url = &app.public_url;
    let text = format!(
        "Someone, probably you, tried to create an account on Panji with this e-mail address, \
         which already has an account. Nothing was changed.\n\nLog in: {url}/console/log-in\n\
         Forgot your password, or lost the e-mail that confirms your address? Set a new password, \
         which also confirms the address: {url}/console/reset\n"
    );
    app.mailer.send(email, "You already have an account on Panji", &text);
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
        return Err(Problem::switched_off(
            "No mail server is set up on this service. Ask its operator.",
        ));
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
    let frame = anonymous.frame("Confirm your e-mail address");
    Ok(respond(&ConfirmationPage { frame, email: link.email, link: query.link }))
}

/// Confirms the address, and uses the link up. Who has not logged in is led to the log-in: the link
/// proves the address, and the password is still asked for.
pub async fn confirm(
    signed_in: Result<SignedIn, Problem>,
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
    let page = if signed_in.is_ok() { "/console/account" } else { "/console/log-in" };
    Ok(Redirect::to(&format!("{page}?done=confirmed")).into_response())
}
