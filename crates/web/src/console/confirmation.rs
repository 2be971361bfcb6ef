//! Confirms an email address with an emailed link. A confirmed account gets the live free quota.

use std::sync::Arc;

use askama::Template;
use axum::response::{IntoResponse, Redirect, Response};
use panji_api::app::App;
use panji_store::StoreError;
use panji_store::calendar::now_ms;
use panji_store::ledger::{DailyLimit, LinkPurpose, Person};
use serde_json::json;

use super::forms::{AnonymousForm, AuthenticatedForm, Empty};
use super::language::{filters, t};
use super::layout::{Layout, respond};
use super::links;
use super::page_error::PageError;
use super::repeated::RepeatedQuery;
use super::reset::LinkQuery;
use super::session::{Anonymous, SignedIn};

/// How long the link is valid.
const LINK_MS: i64 = 3 * 24 * 3_600_000;
/// Emails per day to one address that other people can trigger.
const MAILS_PER_DAY: i64 = 5;

#[derive(Template)]
#[template(path = "confirmation.html")]
struct ConfirmationPage {
    layout: Layout,
    email: String,
    link: String,
}

/// The data of the notice that an address is not confirmed.
pub struct ConfirmationNotice {
    pub email: String,
    /// Whether a link can be emailed to it.
    pub sends_mail: bool,
}

impl ConfirmationNotice {
    /// None if the address is confirmed.
    pub fn of(signed_in: &SignedIn) -> Option<ConfirmationNotice> {
        let account = &signed_in.session.account;
        let unconfirmed = account.confirmed_at.is_none();
        unconfirmed.then(|| ConfirmationNotice {
            email: account.email.clone(),
            sends_mail: signed_in.app.mailer.sends(),
        })
    }
}

/// Whether an address must be confirmed before its owner can log in: if the service is reachable
/// from other machines and sends email. Otherwise, signing up and then logging in would reveal
/// whether the address already had an account.
pub fn is_required(app: &App) -> bool {
    app.mailer.sends() && !app.config.is_local_only()
}

/// Whether a person with the correct password may log in. The same work is done for an unknown
/// address, so that the response time does not reveal who has an account.
pub async fn allows_log_in(
    app: &App,
    email: &str,
    person: Option<&Person>,
) -> Result<bool, StoreError> {
    let account = app.ledger.find_account(email).await?;
    // A person who joined by an invitation owns no account: the link has confirmed the address.
    let unconfirmed = account.is_some_and(|account| account.confirmed_at.is_none());
    Ok(person.is_some() && !(unconfirmed && is_required(app)))
}

/// Emails the link; false if the daily limit is reached.
pub async fn mail_link(app: &Arc<App>, email: &str) -> Result<bool, StoreError> {
    if !count_mail(app, email).await? {
        return Ok(false);
    }
    let token = links::create(&app.ledger, LinkPurpose::Confirmation, email, LINK_MS).await?;
    let text = format!(
        "An account on Panji was created with this email address. Confirm that the address is \
         yours:\n\n{}/console/confirm?link={token}\n\n\
         The link works once, for three days. If you did not create the account, ignore this \
         email.\n",
        app.public_url
    );
    app.mailer.send(email, "Confirm your email address for Panji", &text);
    Ok(true)
}

/// Emails the owner of an account that someone tried to sign up with the address.
pub async fn mail_account_exists(app: &Arc<App>, email: &str) -> Result<(), StoreError> {
    if !count_mail(app, email).await? {
        return Ok(());
    }
    let url = &app.public_url;
    let text = format!(
        "Someone, probably you, tried to create an account on Panji with this email address, \
         which already has an account. Nothing was changed.\n\nLog in: {url}/console/log-in\n\
         Forgot your password, or lost the email that confirms your address? Set a new password, \
         which also confirms the address: {url}/console/reset\n"
    );
    app.mailer.send(email, "You already have an account on Panji", &text);
    Ok(())
}

async fn count_mail(app: &Arc<App>, email: &str) -> Result<bool, StoreError> {
    app.ledger.count_today(DailyLimit::Mails, email, MAILS_PER_DAY, now_ms()).await
}

pub async fn send_again(
    AuthenticatedForm { signed_in, .. }: AuthenticatedForm<Empty>,
) -> Result<Response, PageError> {
    let Some(unconfirmed) = ConfirmationNotice::of(&signed_in) else {
        return Ok(Redirect::to("/console/account").into_response());
    };
    if !unconfirmed.sends_mail {
        return Err(PageError::switched_off(t(
            "No mail server is set up on this service. Ask its operator.",
        )));
    }
    let sent = mail_link(&signed_in.app, &unconfirmed.email).await?;
    let done = if sent { "confirmation-sent" } else { "confirmation-later" };
    Ok(Redirect::to(&format!("/console/account?done={done}")).into_response())
}

/// Displays the page of the link. Opening the link changes nothing, because email scanners open
/// links too.
pub async fn show(
    anonymous: Anonymous,
    RepeatedQuery(query): RepeatedQuery<LinkQuery>,
) -> Result<Response, PageError> {
    let ledger = &anonymous.app.ledger;
    let found = ledger.find_link(&query.link, LinkPurpose::Confirmation, now_ms()).await?;
    let link = found.ok_or_else(PageError::invalid_link)?;
    let layout = anonymous.layout(t("Confirm your email address"));
    Ok(respond(&ConfirmationPage { layout, email: link.email, link: query.link }))
}

/// Confirms the address and invalidates the link. A user without a session is redirected to the
/// log-in: the link proves the address, but the password is still required.
pub async fn confirm(
    signed_in: Result<SignedIn, PageError>,
    AnonymousForm { anonymous, form }: AnonymousForm<LinkQuery>,
) -> Result<Response, PageError> {
    let ledger = &anonymous.app.ledger;
    let confirmed = ledger.confirm_by_link(&form.link, now_ms()).await?;
    let email = confirmed.ok_or_else(PageError::invalid_link)?;
    if let (Some(person), Some(account)) =
        (ledger.find_person(&email).await?, ledger.find_account(&email).await?)
    {
        anonymous.log(&person.id, "account.confirm", Some(&account.id), json!({})).await;
    }
    let page = if signed_in.is_ok() { "/console/account" } else { "/console/log-in" };
    Ok(Redirect::to(&format!("{page}?done=confirmed")).into_response())
}
