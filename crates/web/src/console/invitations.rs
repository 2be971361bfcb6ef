//! The page of an invitation to an account.

use askama::Template;
use axum::response::{IntoResponse, Redirect, Response};
use panji_api::accounts::passwords::PasswordError;
use panji_api::accounts::roles::description;
use panji_api::app::App;
use panji_api::locale::dates::day_of;
use panji_store::calendar::now_ms;
use panji_store::ledger::{Link, LinkPurpose, LogInMethod, Role};
use serde::Deserialize;
use serde_json::json;

use super::forms::AnonymousForm;
use super::language::{filters, t, t_with};
use super::layout::{Layout, respond, respond_with_errors};
use super::log_in_policy;
use super::page_error::PageError;
use super::repeated::RepeatedQuery;
use super::reset::LinkQuery;
use super::session::Anonymous;
use super::sign_up::clean_name;

/// An invitation as its pages and its email describe it.
pub struct InvitationSummary {
    pub account_name: String,
    pub email: String,
    pub role: Role,
}

impl InvitationSummary {
    /// An error if members of the account join by single sign-on.
    pub async fn of(app: &App, link: &Link) -> Result<InvitationSummary, PageError> {
        let account = app.ledger.find_account_by_id(&link.account_id).await?;
        let account = account.ok_or_else(PageError::invalid_link)?;
        if log_in_policy::requires_sso(&app.config.sso, &account) {
            return Err(log_in_policy::sso_required(&app.config.sso));
        }
        Ok(InvitationSummary {
            account_name: account.name,
            email: link.email.clone(),
            role: link.role,
        })
    }

    pub fn title(&self) -> String {
        t_with("Join {0}", &[&self.account_name])
    }

    pub fn sentence(&self) -> String {
        let (role, description) = (t(self.role.as_str()), t(description(self.role)));
        t_with("{0} is invited with the role {1}: {2}.", &[&self.email, &role, &description])
    }
}

#[derive(Template)]
#[template(path = "invitation.html")]
struct InvitationPage {
    layout: Layout,
    invited: InvitationSummary,
    link: String,
    known: bool,
    name: String,
    error: Option<String>,
}

/// A person who already has a log-in sends neither name nor password.
#[derive(Deserialize)]
pub struct AcceptForm {
    link: String,
    #[serde(default)]
    name: String,
    #[serde(default)]
    password: String,
}

pub async fn show(
    anonymous: Anonymous,
    RepeatedQuery(query): RepeatedQuery<LinkQuery>,
) -> Result<Response, PageError> {
    let link = find(&anonymous, &query.link).await?;
    Ok(respond(&page(&anonymous, &link, &query.link).await?))
}

async fn find(anonymous: &Anonymous, token: &str) -> Result<Link, PageError> {
    let found = anonymous.app.ledger.find_link(token, LinkPurpose::Invitation, now_ms()).await?;
    found.ok_or_else(PageError::invalid_link)
}

async fn page(
    anonymous: &Anonymous,
    link: &Link,
    token: &str,
) -> Result<InvitationPage, PageError> {
    let invited = InvitationSummary::of(&anonymous.app, link).await?;
    let person = anonymous.app.ledger.find_person(&link.email).await?;
    Ok(InvitationPage {
        layout: anonymous.layout(&invited.title()),
        invited,
        link: token.to_owned(),
        known: person.is_some(),
        name: String::new(),
        error: None,
    })
}

/// The link that proves the address.
pub fn address(app: &App, link: &Link) -> String {
    format!("{}/console/invitation?link={}", app.public_url, app.ledger.invitation_token(link))
}

/// Emails the link.
pub fn mail(app: &App, link: &Link, invited: &InvitationSummary) {
    let InvitationSummary { account_name, role, .. } = invited;
    let text = format!(
        "You are invited to the account {account_name} on Panji with the role {}.\n\n\
         {}\n\nThe link works once, until {}.\n",
        role.as_str(),
        address(app, link),
        day_of(link.expires_at)
    );
    app.mailer.send(&link.email, &format!("Join {account_name} on Panji"), &text);
}

/// Joins the account. A new person is logged in; an existing one must log in.
pub async fn join(
    AnonymousForm { anonymous, form }: AnonymousForm<AcceptForm>,
) -> Result<Response, PageError> {
    let ledger = &anonymous.app.ledger;
    let link = find(&anonymous, &form.link).await?;
    InvitationSummary::of(&anonymous.app, &link).await?;
    if let Some(person) = ledger.find_person(&link.email).await? {
        invalidate(&anonymous, &form.link).await?;
        ledger.add_member(&link.account_id, &person.id, link.role, now_ms()).await?;
        log_joining(&anonymous, &person.id, &link).await;
        return Ok(Redirect::to("/console/log-in?done=joined").into_response());
    }
    let known = [&*link.email, &form.name, "panji"];
    let hash = match anonymous.app.passwords.hash(form.password, &known).await {
        Ok(hash) => hash,
        Err(PasswordError::Weak(sentence)) => {
            let page = page(&anonymous, &link, &form.link).await?;
            let page = InvitationPage { error: Some(sentence), name: form.name, ..page };
            return Ok(respond_with_errors(&page));
        }
        Err(error) => return Err(error.into()),
    };
    invalidate(&anonymous, &form.link).await?;
    let name = clean_name(&form.name).unwrap_or_else(|| link.email.clone());
    let membership = (link.account_id.as_str(), link.role);
    let person = ledger.create_member(&link.email, &name, &hash, membership, now_ms()).await?;
    log_joining(&anonymous, &person.id, &link).await;
    let response = Redirect::to("/console").into_response();
    let ids = (person.id.as_str(), link.account_id.as_str());
    anonymous.start_session(ids, LogInMethod::Password, response).await
}

pub async fn log_joining(anonymous: &Anonymous, person_id: &str, link: &Link) {
    let details = json!({"role": link.role.as_str()});
    anonymous.log(person_id, "member.join", Some(&link.account_id), details).await;
}

async fn invalidate(anonymous: &Anonymous, token: &str) -> Result<(), PageError> {
    match anonymous.app.ledger.use_link(token, now_ms()).await? {
        true => Ok(()),
        false => Err(PageError::invalid_link()),
    }
}
