//! The link to an invitation that an owner copies where there is a mail server. It does not prove who
//! opens it: the invited person joins after logging in, or with the link that is emailed to them.

use askama::Template;
use axum::response::{IntoResponse, Redirect, Response};
use panji_api::app::App;
use panji_store::calendar::now_ms;
use panji_store::ledger::Link;
use serde::Deserialize;

use super::forms::{AnonymousForm, AuthenticatedForm};
use super::invitations::{InvitationSummary, log_joining, mail};
use super::language::{filters, t_with};
use super::layout::{Layout, Tab, respond};
use super::page_error::PageError;
use super::redirects::log_in_path;
use super::repeated::RepeatedQuery;
use super::session::{Anonymous, SignedIn};

pub const PATH: &str = "/console/invited";

#[derive(Template)]
#[template(path = "shared_invitation.html")]
struct SharedInvitationPage {
    layout: Layout,
    invited: InvitationSummary,
    invitation: String,
    log_in: String,
    sent: bool,
}

#[derive(Deserialize)]
pub struct Reference {
    #[serde(default)]
    invitation: String,
}

/// The address for an owner to copy.
pub fn address(app: &App, link: &Link) -> String {
    format!("{}{PATH}?invitation={}", app.public_url, app.ledger.invitation_reference(link))
}

pub async fn show(
    signed_in: Result<SignedIn, PageError>,
    anonymous: Anonymous,
    RepeatedQuery(query): RepeatedQuery<Reference>,
) -> Result<Response, PageError> {
    let link = find(&anonymous.app, &query.invitation).await?;
    let mut page = page(&anonymous, &link, query.invitation).await?;
    if let Ok(signed_in) = signed_in
        && signed_in.session.person.email == link.email
    {
        page.layout = signed_in.layout(Tab::Account, &page.invited.title());
    }
    Ok(respond(&page))
}

async fn find(app: &App, reference: &str) -> Result<Link, PageError> {
    let found = app.ledger.find_invitation(reference, now_ms()).await?;
    found.ok_or_else(PageError::invalid_link)
}

async fn page(
    anonymous: &Anonymous,
    link: &Link,
    invitation: String,
) -> Result<SharedInvitationPage, PageError> {
    let invited = InvitationSummary::of(&anonymous.app, link).await?;
    let next = format!("{PATH}?invitation={invitation}");
    Ok(SharedInvitationPage {
        layout: anonymous.layout(&invited.title()),
        invited,
        log_in: log_in_path(&next),
        invitation,
        sent: false,
    })
}

/// Emails the link that proves the address.
pub async fn send(
    AnonymousForm { anonymous, form }: AnonymousForm<Reference>,
) -> Result<Response, PageError> {
    let link = find(&anonymous.app, &form.invitation).await?;
    anonymous.count_attempt(&link.email)?;
    let mut page = page(&anonymous, &link, form.invitation).await?;
    mail(&anonymous.app, &link, &page.invited);
    page.sent = true;
    Ok(respond(&page))
}

/// Joins the account as the person who is logged in.
pub async fn join(
    anonymous: Anonymous,
    AuthenticatedForm { signed_in, form }: AuthenticatedForm<Reference>,
) -> Result<Response, PageError> {
    let (app, person) = (&signed_in.app, &signed_in.session.person);
    let link = find(app, &form.invitation).await?;
    InvitationSummary::of(app, &link).await?;
    if person.email != link.email {
        let sentence =
            t_with("This invitation is for {0}. Log in with that address.", &[&link.email]);
        return Err(PageError::switched_off(&sentence));
    }
    if !app.ledger.use_link(&app.ledger.invitation_token(&link), now_ms()).await? {
        return Err(PageError::invalid_link());
    }
    app.ledger.add_member(&link.account_id, &person.id, link.role, now_ms()).await?;
    log_joining(&anonymous, &person.id, &link).await;
    Ok(Redirect::to("/console/account?done=joined").into_response())
}
