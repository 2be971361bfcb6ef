//! The page of an invitation to an account.

use askama::Template;
use axum::response::{IntoResponse, Redirect, Response};
use panji_store::calendar::now_ms;
use panji_store::ledger::{Link, LinkPurpose, LogInMethod};
use serde::Deserialize;
use serde_json::json;

use super::entry;
use super::forms::AnonymousForm;
use super::frame::{Frame, respond, respond_with_errors};
use super::language::{filters, t, t_with};
use super::problem::Problem;
use super::repeated::RepeatedQuery;
use super::reset::LinkQuery;
use super::session::Anonymous;
use super::sign_up::clean_name;
use crate::accounts::passwords::PasswordError;
use crate::accounts::roles::description;

#[derive(Template)]
#[template(path = "invitation.html")]
struct InvitationPage {
    frame: Frame,
    account_name: String,
    email: String,
    role: &'static str,
    description: &'static str,
    link: String,
    known: bool,
    name: String,
    error: Option<String>,
}

/// A person who already has a log-in sends neither name nor password.
#[derive(Deserialize)]
pub struct Joining {
    link: String,
    #[serde(default)]
    name: String,
    #[serde(default)]
    password: String,
}

pub async fn show(
    anonymous: Anonymous,
    RepeatedQuery(query): RepeatedQuery<LinkQuery>,
) -> Result<Response, Problem> {
    let link = find(&anonymous, &query.link).await?;
    Ok(respond(&page(&anonymous, &link, &query.link).await?))
}

async fn find(anonymous: &Anonymous, token: &str) -> Result<Link, Problem> {
    let found = anonymous.app.ledger.find_link(token, LinkPurpose::Invitation, now_ms()).await?;
    let link = found.ok_or_else(Problem::invalid_link)?;
    let account = anonymous.app.ledger.find_account_by_id(&link.account_id).await?;
    let account = account.ok_or_else(Problem::invalid_link)?;
    match entry::requires_sso(&anonymous.app.config.sso, &account) {
        true => Err(entry::sso_required(&anonymous.app.config.sso)),
        false => Ok(link),
    }
}

async fn page(anonymous: &Anonymous, link: &Link, token: &str) -> Result<InvitationPage, Problem> {
    let ledger = &anonymous.app.ledger;
    let account = ledger.find_account_by_id(&link.account_id).await?;
    let account_name = account.ok_or_else(Problem::invalid_link)?.name;
    let person = ledger.find_person(&link.email).await?;
    Ok(InvitationPage {
        frame: anonymous.frame(&t_with("Join {0}", &[&account_name])),
        account_name,
        email: link.email.clone(),
        role: t(link.role.as_str()),
        description: t(description(link.role)),
        link: token.to_owned(),
        known: person.is_some(),
        name: String::new(),
        error: None,
    })
}

/// Joins the account. A new person is logged in; an existing one must log in.
pub async fn join(
    AnonymousForm { anonymous, form }: AnonymousForm<Joining>,
) -> Result<Response, Problem> {
    let ledger = &anonymous.app.ledger;
    let link = find(&anonymous, &form.link).await?;
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

async fn log_joining(anonymous: &Anonymous, person_id: &str, link: &Link) {
    let details = json!({"role": link.role.as_str()});
    anonymous.log(person_id, "member.join", Some(&link.account_id), details).await;
}

async fn invalidate(anonymous: &Anonymous, token: &str) -> Result<(), Problem> {
    match anonymous.app.ledger.use_link(token, now_ms()).await? {
        true => Ok(()),
        false => Err(Problem::invalid_link()),
    }
}
