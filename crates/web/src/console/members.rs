//! The members page: members, their roles, and invitations.

use askama::Template;
use axum::response::{IntoResponse, Redirect, Response};
use panji_api::accounts::audit_log::redacted_email;
use panji_api::accounts::roles;
use panji_api::accounts::roles::Permission;
use panji_store::StoreError;
use panji_store::calendar::now_ms;
use panji_store::ledger::{Link, LinkPurpose, Member, Role};
use serde::Deserialize;
use serde_json::json;

use super::account::CompletedAction;
use super::forms::AuthenticatedForm;
use super::invitations::{self, InvitationSummary, mail};
use super::language::{self, dates, filters, t, t_with};
use super::layout::{Layout, Tab, Undo, respond, respond_with_errors};
use super::links::PersonalLink;
use super::log_in_policy;
use super::page_error::PageError;
use super::repeated::RepeatedQuery;
use super::reset::make_link;
use super::session::SignedIn;
use super::shared_invitation;
use super::sign_up::malformed_email;
use super::undo::UndoState;

/// How long an invitation is valid.
const INVITATION_MS: i64 = 7 * 24 * 3_600_000;

#[derive(Template)]
#[template(path = "members.html")]
struct MembersPage {
    layout: Layout,
    may_manage: bool,
    sends_mail: bool,
    /// The identity provider that gives the members their roles.
    provider: Option<String>,
    own_id: String,
    members: Vec<Member>,
    invitations: Vec<PendingInvitation>,
    reset: Option<ResetLink>,
    roles: [Role; 3],
    permissions: [Permission; 5],
    email: String,
    email_error: Option<String>,
    role_error: Option<String>,
}

struct PendingInvitation {
    link: Link,
    /// The link for an owner to send; without a mail server it proves the person's address.
    address: Option<String>,
}

struct ResetLink {
    email: String,
    address: String,
}

impl MembersPage {
    /// Whether the user may create a password reset link for a member.
    fn may_reset(&self, member: &Member) -> bool {
        self.may_manage && !self.sends_mail && member.person_id != self.own_id
    }

    fn invitation_hint(&self) -> &'static str {
        match self.sends_mail {
            true => t("We send a link to this address."),
            false => t("No mail server is set up: you get a link to send to the person."),
        }
    }
}

#[derive(Deserialize)]
pub struct Invitation {
    email: String,
    role: String,
}

#[derive(Deserialize)]
pub struct Change {
    person: String,
    /// A role, or `remove`.
    role: String,
}

#[derive(Deserialize)]
pub struct ResetFor {
    person: String,
}

#[derive(Deserialize)]
pub struct Revocation {
    email: String,
}

pub async fn show(
    signed_in: SignedIn,
    RepeatedQuery(query): RepeatedQuery<CompletedAction>,
) -> Result<Response, PageError> {
    let notice = match query.done.as_str() {
        "invited" if signed_in.app.mailer.sends() => Some(t(
            "The invitation was sent. It expires in seven days. You can also send the link \
                    below yourself.",
        )),
        "invited" => Some(t(
            "The invitation was created and expires in seven days. No mail server is set up: send \
             the link below to the person yourself.",
        )),
        "changed" => Some(t("The role was changed.")),
        "removed" => Some(t("The member was removed and logged out of this account.")),
        "revoked" => Some(t("The invitation was revoked.")),
        _ => None,
    };
    let failure = (query.done == "last-owner")
        .then_some(t("An account needs at least one owner. Make another member an owner first."));
    let mut page = page(&signed_in).await?;
    // The previous role, as long as the person is a member.
    let previous = query.undo_state.read(&signed_in).filter(|_| query.done == "changed");
    let previous = previous
        .filter(|(person, _)| page.members.iter().any(|member| member.person_id == *person));
    let undo = previous.map(|(person, role)| Undo {
        action: "/console/members/change",
        fields: vec![("person", person.to_owned()), ("role", role.to_owned())],
    });
    page.layout = page.layout.with_notice(notice).with_failure(failure).with_undo(undo);
    Ok(respond(&page))
}

async fn page(signed_in: &SignedIn) -> Result<MembersPage, PageError> {
    let ledger = &signed_in.app.ledger;
    let address = match signed_in.app.mailer.sends() {
        true => shared_invitation::address,
        false => invitations::address,
    };
    let may_invite = signed_in.may(Permission::ManageMembers);
    let pending = |link: Link| PendingInvitation {
        address: may_invite.then(|| address(&signed_in.app, &link)),
        link,
    };
    let sso = &signed_in.app.config.sso;
    let invitations = ledger.list_invitations(signed_in.account_id(), now_ms()).await?;
    Ok(MembersPage {
        layout: signed_in.layout(Tab::Account, t("Members")),
        may_manage: signed_in.may(Permission::ManageMembers),
        sends_mail: signed_in.app.mailer.sends(),
        provider: sso.is_account(&signed_in.session.account).then(|| sso.name.clone()),
        own_id: signed_in.session.person.id.clone(),
        members: ledger.list_members(signed_in.account_id()).await?,
        invitations: invitations.into_iter().map(pending).collect(),
        reset: None,
        roles: Role::ALL,
        permissions: Permission::ALL,
        email: String::new(),
        email_error: None,
        role_error: None,
    })
}

/// Creates an invitation, and emails it if there is a mail server.
pub async fn invite(
    AuthenticatedForm { signed_in, form }: AuthenticatedForm<Invitation>,
) -> Result<Response, PageError> {
    signed_in.require(Permission::ManageMembers)?;
    let (app, email) = (&signed_in.app, form.email.trim().to_lowercase());
    let role = Role::from_name(&form.role);
    let mut page = page(&signed_in).await?;
    page.role_error = role.is_none().then(|| t("Choose a role from the list.").to_owned());
    page.email_error = malformed_email(&email);
    if page.members.iter().any(|member| member.email == email) {
        page.email_error = Some(t("This person is already a member.").to_owned());
    }
    if log_in_policy::requires_sso(&app.config.sso, &signed_in.session.account) {
        let name = &app.config.sso.name;
        page.email_error =
            Some(t_with("Members of this account join by logging in with {0}.", &[name]));
    }
    let (None, Some(role)) = (&page.email_error, role) else {
        page.email = email;
        return Ok(respond_with_errors(&page));
    };
    if let Some(seconds) = app.limits.count_log_in(signed_in.context.address, &email) {
        return Err(PageError::too_many(seconds));
    }
    let now_ms = now_ms();
    let link = Link {
        email: email.clone(),
        account_id: signed_in.account_id().to_owned(),
        role,
        created_at: now_ms,
        expires_at: now_ms + INVITATION_MS,
    };
    let token = app.ledger.invitation_token(&link);
    match app.ledger.create_link(&token, LinkPurpose::Invitation, &link).await {
        Err(StoreError::Conflict(reason)) => return Err(PageError::bad_form(reason)),
        other => other?,
    }
    if app.mailer.sends() {
        mail(app, &link, &InvitationSummary::of(app, &link).await?);
    }
    let details = json!({"invited": redacted_email(&email), "role": role.as_str()});
    signed_in.log("invitation.create", signed_in.account_id(), details).await;
    Ok(Redirect::to("/console/members?done=invited").into_response())
}

/// Changes a member's role, or removes them.
pub async fn change(
    AuthenticatedForm { signed_in, form }: AuthenticatedForm<Change>,
) -> Result<Response, PageError> {
    signed_in.require(Permission::ManageMembers)?;
    let role = if form.role == "remove" { None } else { Some(read_role(&form.role)?) };
    let ledger = &signed_in.app.ledger;
    let members = ledger.list_members(signed_in.account_id()).await?;
    let member = members.iter().find(|member| member.person_id == form.person);
    let member = member.ok_or_else(|| PageError::not_found(t("This member does not exist.")))?;
    let undo_state = UndoState::new(&signed_in, &form.person, member.role.as_str());
    let done = match (ledger.change_member(signed_in.account_id(), &form.person, role).await?, role)
    {
        (false, _) => "last-owner",
        (true, Some(role)) => {
            signed_in.log("member.change", &form.person, json!({"role": role.as_str()})).await;
            "changed"
        }
        (true, None) => {
            signed_in.log("member.remove", &form.person, json!({})).await;
            "removed"
        }
    };
    let path = format!("/console/members?done={done}&{}", undo_state.query());
    Ok(Redirect::to(&path).into_response())
}

/// Creates a password reset link and displays it, if there is no mail server. Only for a member of
/// no other account: the link gives access to all accounts of the person.
pub async fn make_reset_link(
    AuthenticatedForm { signed_in, form }: AuthenticatedForm<ResetFor>,
) -> Result<Response, PageError> {
    signed_in.require(Permission::ManageMembers)?;
    let (app, mut page) = (&signed_in.app, page(&signed_in).await?);
    let member = page.members.iter().find(|member| member.person_id == form.person);
    let member = member.ok_or_else(|| PageError::not_found(t("This member does not exist.")))?;
    if !page.may_reset(member) {
        return Err(PageError::switched_off(t(
            "On this service, password reset links are sent by email.",
        )));
    }
    if app.ledger.list_accounts_of(&member.person_id).await?.len() > 1 {
        return Err(PageError::switched_off(t(
            "This person belongs to other accounts too, so only the operator of this service can \
             create a link for them.",
        )));
    }
    let created = make_link(&app.ledger, &app.public_url, &member.email).await?;
    let PersonalLink { address, person_id } = created.ok_or_else(PageError::invalid_link)?;
    page.reset = Some(ResetLink { email: member.email.clone(), address });
    signed_in.log("password.link", &person_id, json!({})).await;
    Ok(respond(&page))
}

pub async fn revoke(
    AuthenticatedForm { signed_in, form }: AuthenticatedForm<Revocation>,
) -> Result<Response, PageError> {
    signed_in.require(Permission::ManageMembers)?;
    if signed_in.app.ledger.revoke_invitation(signed_in.account_id(), &form.email).await? {
        let details = json!({"invited": redacted_email(&form.email)});
        signed_in.log("invitation.revoke", signed_in.account_id(), details).await;
    }
    Ok(Redirect::to("/console/members?done=revoked").into_response())
}

fn read_role(word: &str) -> Result<Role, PageError> {
    Role::from_name(word).ok_or_else(|| PageError::bad_form(t("This role does not exist.")))
}
